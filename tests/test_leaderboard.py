"""The page of the leaderboard and its figure: ranks, marks, assumptions and remarks."""

import pytest
from matplotlib import rc_context

from duelbench.plots.style import styled
from duelbench.sources.published_matrices import TABLES
from results.leaderboard import poster
from results.leaderboard.board import board, not_for
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


def test_few_ranks_come_last(text):
    """An algorithm with a rank on one table of three follows one with a larger mean rank on all."""
    tables = ("cyclic4", "multisol", "tennis8")
    said = text({(table, name): (mean, 1) for table in tables for name, mean in (("d-ts", 300), ("rcs", 200))})
    assert "| RCS (`rcs`) | 1.0 (1) |" in said and "| D-TS (`d-ts`) | 1.3 (3) |" in said
    assert said.index("| D-TS (`d-ts`)") < said.index("| RCS (`rcs`)")


@pytest.mark.parametrize(
    ("first", "second", "cells"),
    [
        ((100, 1), (110, 1), ("| **100** ± 1.00 (1) |", "| 110 ± 1.00 (2) |")),
        ((100, 10), (110, 10), ("| **100** ± 10.0 (1) |", "| 110 ± 10.0 (2) † |")),
        ((100, 10), (110, 40), ("| **100** ± 10.0 (1) |", "| 110 ± 40.0 (2) ‡ |")),
        ((100, 40), (110, 10), ("| 100 ± 40.0 (1) ‡ |", "| 110 ± 10.0 (2) † |")),
    ],
)
def test_marks(text, first, second, cells):
    """An error of more than a third of the mean is uncertain."""
    said = text({("cyclic4", "d-ts"): first, ("cyclic4", "ccb"): second})
    assert all(each in said for each in cells)


def test_other_winners():
    assert not_for("wrapped", "tennis8", {}) == []
    assert "not a Copeland winner" in not_for("wrapped", "hudry13", {})[-1]
    assert not_for("nts", "hudry13", {"h": 0.05}) == ["looks for a Condorcet winner, and there is none"]
    assert not_for("nts", "cyclic4", {"h": 0.05}) == []


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


def test_no_better_than_random(text):
    assert "hold: RUCB on MultiSol." in text(REMARKS)
    said = text(REMARKS | {("cyclic4", "ccb"): (5000, 1)})
    assert "No better than duels of random arms, although their assumptions hold: CCB on Cyclic.\n" in said


def test_costs_of_confidence(text):
    assert "Still exploring" not in text(declared=0.5)
    said = text(declared=0.4, q50=4)
    assert (
        "although their assumptions hold: D-TS on Cyclic, MultiSol; CCB on MultiSol; RUCB on Cyclic; DKWT on Cyclic"
        in said
    )
    assert "more than 10 times the median in 1 of 1 cells with a rank (DKWT)" in said
    assert "times the median" not in text(q50=5)


def test_preferences_that_change(text):
    """All are ranked together, also algorithms that identify a winner."""
    _, said = text().split("## Preferences that change")
    assert "4 algorithms, 2 sequences, 100 runs" in said
    assert "* **Least regret**: MDB (1.41), D-TS (2.24), UNIFORM (9.00);" in said
    assert "* No better than duels of random arms: DKWT on two.\n" in said
    assert [line.split(" | ")[:2] for line in said.splitlines() if "`" in line] == [
        ["| D-TS (`d-ts`)", "1.5 (2)"], ["| *MDB* (`mdb`)", "1.5 (2)"], ["| UNIFORM (`uniform`)", "3.0 (2)"],
        ["| DKWT (`dkwt`)", "4.0 (1)"],
    ]  # fmt: skip


# The figure


def drawn(board):
    with styled(), rc_context(poster.STYLE):
        drawing = poster.poster(board)
        drawing.draw_without_rendering()
    return drawing


def test_poster(made):
    drawing = drawn(made())
    (panel,) = drawing.axes
    texts = [text.get_text() for text in panel.texts]
    assert {"200", "100", "5.0k", "50", "300", "10", "600", "70k"} <= set(texts)
    assert {"D-TS", "RUCB", "CCB", "BTM", "DKWT", "with a Condorcet winner", "without"} <= set(texts)
    assert texts.count("·") == 2
    assert len(panel.patches) == 5 + 3  # colours where the assumptions hold, and frames of the best
    framed = [patch for patch in panel.patches if patch.get_linewidth() > 1]
    assert len(framed) == 3  # the best in each part on each table
    groups = [text.get_text() for text in drawing.texts if "Algorithms that" in text.get_text()]
    assert [each.removeprefix("Algorithms that ").split(":")[0] for each in groups[:4]] == [
        "need no Condorcet winner", "need a Condorcet winner", "need more",
        "identify a winner with a given confidence, then play it",
    ]  # fmt: skip
    paper = drawing.bbox
    for text in [*panel.texts, *drawing.texts, *(text for each in drawing.legends for text in each.get_texts())]:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0 and box.x1 <= paper.x1, text.get_text()
        assert paper.y0 <= box.y0 and box.y1 <= paper.y1, text.get_text()
