"""The page of the leaderboard and its figure: ranks, marks, assumptions and remarks."""

import pytest
from matplotlib import rc_context

from duelbench.plots.style import styled
from duelbench.sources.published_matrices import TABLES
from results.leaderboard import poster
from results.leaderboard.board import board
from results.leaderboard.page import page
from tests.comparison import ROOT
from tests.experiments import QUANTILES, resolved, write_results

PARAMETERS = {"btm": {"gamma": 1.3}}
CELLS = {
    ("cyclic4", "d-ts"): (200, 1),
    ("cyclic4", "rucb"): (100, 1),
    ("cyclic4", "btm"): (5000, 20),
    ("cyclic4", "dkwt"): (50, 2),
    ("multisol", "d-ts"): (300, 3),
    ("multisol", "rucb"): (10, 1),
    ("multisol", "ccb"): (600, 1),
    ("multisol", "dkwt"): (70_000, 4),
}
SEQUENCES = {
    ("one", "d-ts"): (500, 5),
    ("one", "mdb"): (100, 5),
    ("one", "uniform"): (900, 1),
    ("two", "d-ts"): (100, 5),
    ("two", "dkwt"): (950, 5),
    ("two", "mdb"): (200, 5),
    ("two", "uniform"): (900, 1),
}


def written(directory, cells, **more):
    """Write made-up results: cells[table, algorithm] are means and standard errors, and all runs are alike.

    ``more``: statistics of all runs.
    """
    tables, names = (list(dict.fromkeys(each)) for each in zip(*cells, strict=True))
    entries = [
        {"label": name, "arms": TABLES[name].matrix().arms, "title": TABLES[name].title}
        if name in TABLES
        else {"label": name, "arms": 3, "title": name}
        for name in tables
    ]
    spec = resolved(entries, names, horizons=(1000,), runs=100)
    algorithms = [
        {"label": name, "name": name, "grid_title": name.upper(), "parameters": PARAMETERS.get(name, {})}
        for name in names
    ]
    spec = type(spec).model_validate(spec.model_dump() | {"algorithms": algorithms})
    statistics = {"runs": 100, "skewness": 0.0, "kurtosis": 3.0, "declared": "", **more}
    rows = [
        (
            (*place, "copeland", 1000),
            dict.fromkeys(QUANTILES, mean) | statistics | {"mean": mean, "std": sem, "sem": sem},
        )
        for place, (mean, sem) in cells.items()
    ]
    seconds = {table: {name: {"runs": 2, "median": 0.011, "total": 0.022} for name in names} for table in tables}
    return write_results(directory, spec, rows, seconds)


@pytest.fixture
def made(tmp_path):
    """Return the board of made-up cells."""
    return lambda cells=CELLS, **more: board([written(tmp_path / "constant", cells, **more)])


@pytest.fixture
def changing(tmp_path):
    return board([written(tmp_path / "changing", SEQUENCES)], changing=True)


@pytest.fixture
def text(made, changing):
    """Return the page of made-up cells."""
    return lambda cells=CELLS, **more: page(made(cells, **more), changing)


def test_kept_page_is_what_is_written():
    places = sorted((ROOT / "results").glob("leaderboard*/"))
    changes = ROOT / "results/leaderboard-changes"
    made = page(board([each for each in places if each != changes]), board([changes], changing=True))
    assert made == (ROOT / "results/LEADERBOARD.md").read_text()


def test_page(text):
    said = text()
    assert "5 algorithms, 2 tables, 100 runs of 1,000 duels each; 0 core-seconds." in said
    minimise, identify = said.partition("## Minimise regret")[2].split("## Identify a winner")
    assert [line.split(" | ")[:7] for line in minimise.splitlines() if "`" in line] == [
        ["| RUCB (`rucb`)", "1.0 (1)", "1.00", "11 ms", "**100** ± 1.00 (1)", "10.0 ± 1.00 § |"],
        ["| D-TS (`d-ts`)", "1.5 (2)", "1.41", "11 ms", "200 ± 1.00 (2)", "**300** ± 3.00 (1) |"],
        ["| CCB (`ccb`)", "2.0 (1)", "2.00", "11 ms", "·", "600 ± 1.00 (2) |"],
        ["| BTM (`btm`)", "–", "–", "11 ms", "5,000 ± 20.0 §", "· |"],
    ]  # fmt: skip
    assert "| DKWT (`dkwt`) | 1.0 (1) | 1.00 | 11 ms | **50.0** ± 2.00 (1) | 70,000 ± 4.00 § |" in identify
    all_three = "total order, relaxed SST, STI"
    assert f"| BTM | {all_three} | none | Cyclic: {all_three}; not played on MultiSol |" in identify
    assert "| DKWT | Condorcet winner, no pair at 1/2 | Cyclic | MultiSol: Condorcet winner |" in identify


# Remarks

REMARKS = {
    ("cyclic4", "d-ts"): (200, 1),
    ("cyclic4", "rucb"): (400, 1),
    ("cyclic4", "ccb"): (800, 1),
    ("cyclic4", "uniform"): (5000, 1),
    ("multisol", "d-ts"): (300, 3),
    ("multisol", "ccb"): (200, 3),
    ("multisol", "uniform"): (4000, 3),
    ("multisol", "rucb"): (4000, 3),
}


def test_what_to_use(text):
    use, _, _ = text(REMARKS).partition("## Minimise regret")
    times = "in brackets, the regret as a multiple of the best, the geometric mean over the 1 tables"
    assert (
        f"* **If one arm beats every other**: D-TS (1.00), RUCB (2.00), CCB (4.00), UNIFORM (25.0); {times} with" in use
    )
    assert f"* **If possibly none does**: CCB (1.00), D-TS (1.50), UNIFORM (20.0); {times} without one." in use
    assert "baselines of most papers: CCB (2.00 times the best), RUCB (2.00 times the best)." in use
    assert "lead elsewhere" not in use
    said = text(REMARKS | {("multisol", "uniform"): (250, 3)})
    assert "On Cyclic algorithms that lead elsewhere are far behind: UNIFORM has 25 times the best" in said


def test_stated_comparisons(text):
    said = text(REMARKS)
    assert "D-TS has less regret than RUCB on 1 of 1 tables with a Condorcet winner (Wu & Liu 2016)." in said
    assert "less regret than SCB" not in said  # was not played
    turned = text(REMARKS | {("cyclic4", "rucb"): (150, 1)})
    assert "RUCB on 0 of 1 tables with a Condorcet winner (Wu & Liu 2016), but not on Cyclic: 200 and 150." in turned


def test_costs_of_confidence(text):
    assert "Still exploring" not in text(declared=0.5)
    said = text(declared=0.4, q50=4)
    assert (
        "although their assumptions hold: D-TS on Cyclic, MultiSol; CCB on MultiSol; RUCB on Cyclic; DKWT on Cyclic"
        in said
    )
    assert "more than 10 times the median in 1 of 1 cells with a rank (DKWT)" in said
    assert "times the median" not in text(q50=5)


# The figure


def drawn(board):
    with styled(), rc_context(poster.STYLE):
        drawing = poster.poster(board)
        drawing.draw_without_rendering()
    return drawing
