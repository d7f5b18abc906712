"""The page of the leaderboard and its figure: the kept page, and pages of made-up results."""

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
    """Write made-up results: cells[table, algorithm] are means and standard errors; all quantiles equal the mean.

    ``more``: other statistics, the same in all cells.
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
        {"label": name, "name": name, "grid_title": name.upper(), "in_keys": {}, "parameters": PARAMETERS.get(name, {})}
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


# The figure


def drawn(board):
    with styled(), rc_context(poster.STYLE):
        drawing = poster.poster(board)
        drawing.draw_without_rendering()
    return drawing
