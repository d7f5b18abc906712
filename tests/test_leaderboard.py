"""The leaderboard: ranks, the page, the poster and the remarks."""

import json
import math
from itertools import pairwise

import pytest
from PIL import Image

from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.board import board, changes, not_for, seconds
from duelbench.analysis.board_page import page, remarks
from duelbench.errors import UserError
from duelbench.plots.poster import LIMITS, SHADES, poster, save_poster, shade, short
from duelbench.results.manifest import Seconds
from duelbench.sources.published_matrices import TABLES
from tests.boards import results

RANKED = {
    ("cyclic4", "d-ts"): 200,
    ("cyclic4", "rucb"): 100,
    ("cyclic4", "btm"): 10,
    ("cyclic4", "dkwt"): 5,
    ("multisol", "d-ts"): 300,
    ("multisol", "rucb"): 10,
    ("multisol", "ccb"): 600,
    ("multisol", "dkwt"): 1,
}


@pytest.fixture
def ranked(tmp_path):
    return board([results(tmp_path, RANKED)])


def cell(found, name, table):
    return next(row for row in found.rows if row.name == name).cells[table]


def test_ranks(ranked):
    ranks = {(row.name, table): each.rank for row in ranked.rows for table, each in row.cells.items()}
    assert ranks == {
        ("d-ts", "cyclic4"): 2, ("rucb", "cyclic4"): 1, ("btm", "cyclic4"): None, ("dkwt", "cyclic4"): 1,
        ("d-ts", "multisol"): 1, ("ccb", "multisol"): 2, ("rucb", "multisol"): None, ("dkwt", "multisol"): None,
    }  # fmt: skip
    assert cell(ranked, "btm", "cyclic4").unmet == ("total order", "relaxed SST", "STI")
    assert cell(ranked, "rucb", "multisol").unmet == ("Condorcet winner",)


def test_row_order(ranked):
    assert [(row.name, row.group) for row in ranked.rows] == [
        ("d-ts", 0), ("ccb", 0), ("rucb", 1), ("btm", 2), ("dkwt", 3),
    ]  # fmt: skip
    assert list(ranked.tables) == ["cyclic4", "multisol"]
    assert ranked.tables["cyclic4"] == "Cyclic"
    assert ranked.with_winner == {"cyclic4"}
    assert [row.name for row in ranked.contest(last=True)] == ["dkwt"]
    assert math.isnan(ranked.contest(last=False)[-1].mean_rank)
    assert "rcs" in ranked.left_out
    assert not {"d-ts", "btm"} & set(ranked.left_out)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ((100, 1), (110, 1), ("**100** ± 1.00 (1) |", "110 ± 1.00 (2) |")),
        ((100, 10), (110, 10), ("**100** ± 10.0 (1) |", "110 ± 10.0 (2) † |")),
        ((100, 10), (110, 40), ("**100** ± 10.0 (1) |", "110 ± 40.0 (2) ‡ |")),
        ((100, 40), (110, 10), ("| 100 ± 40.0 (1) ‡ |", "110 ± 10.0 (2) † |")),
    ],
)
def test_marks(tmp_path, first, second, said):
    """An error of more than a third of the mean is uncertain."""
    found = board([results(tmp_path, {("cyclic4", "d-ts"): first, ("cyclic4", "ccb"): second})])
    text = page(found)
    assert all(each in text for each in said)
    assert [cell(found, name, "cyclic4").best for name in ("d-ts", "ccb")] == [
        "‡" not in each and ("**" in each or "†" in each) for each in said
    ]


def test_seconds_per_run(tmp_path):
    cells = {("cyclic4", "rucb"): 1, ("multisol", "rucb"): 1}
    one = results(tmp_path, cells)
    path = tmp_path / "manifest.json"
    took = {"cyclic4": Seconds.of([1.0, 3.0]), "multisol": Seconds.of([90.0])}
    seconds = {dataset: {"rucb": each.model_dump()} for dataset, each in took.items()}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"seconds": seconds}))
    found = board([one])
    assert found.rows[0].seconds == 2.0
    assert found.core_seconds == 94.0


def test_several_results(tmp_path):
    one = results(tmp_path / "a", {("cyclic4", "d-ts"): 200, ("multisol", "d-ts"): 100})
    two = results(tmp_path / "b", {("cyclic4", "rucb"): 100})
    found = board([one, two])
    assert cell(found, "d-ts", "cyclic4").rank == 2
    assert list(found.rows[1].cells) == ["cyclic4"]
    with pytest.raises(UserError, match="horizons differ"):
        board([one, results(tmp_path / "c", {("cyclic4", "ccb"): 1}, horizon=50)])


def test_refused_results(tmp_path):
    with pytest.raises(UserError, match="cyclic4 is not a table"):
        board([results(tmp_path / "a", {("cyclic4", "d-ts"): 1}, identity={"matrix": "another"})])
    with pytest.raises(UserError, match="is not a table"):
        board([results(tmp_path / "b", {("cyclic4", "d-ts"): 1}, origin="btl-uniform")])
    with pytest.raises(UserError, match="not an algorithm of duelbench"):
        board([results(tmp_path / "c", {("cyclic4", "mine"): 1})])


def test_other_winners():
    hudry, tennis = TABLES["hudry13"].matrix(), TABLES["tennis8"].matrix()
    assert not_for(catalogue()["wrapped"], tennis, {}) == ()
    assert "not a Copeland winner" in not_for(catalogue()["wrapped"], hudry, {})[-1]
    assert not_for(catalogue()["nts"], hudry, {"h": 0.05}) == ("looks for a Condorcet winner, and there is none",)
    assert not_for(catalogue()["nts"], TABLES["cyclic4"].matrix(), {"h": 0.05}) == ()


PAGE = {
    ("cyclic4", "d-ts"): (200, 1),
    ("cyclic4", "rucb"): (100, 1),
    ("cyclic4", "btm"): (5000, 20),
    ("cyclic4", "dkwt"): (50, 2),
    ("multisol", "d-ts"): (300, 3),
    ("multisol", "dkwt"): (70_000, 4),
}


@pytest.fixture
def made(tmp_path):
    return board([results(tmp_path / "of", PAGE)])


def test_page(made):
    text = page(made, "leaderboard/leaderboard.png")
    assert "4 algorithms, 2 tables, 100 runs of 1,000 duels each" in text
    assert "![The leaderboard as a figure](leaderboard/leaderboard.png)" in text
    first, second = text.index("## Minimise regret"), text.index("## Identify a winner")
    assert "| RUCB (`rucb`) | 1.0 (1) | 1.00 | 11 ms | **100** ± 1.00 (1) | · |" in text[first:second]
    assert "| D-TS (`d-ts`) | 1.5 (2) | 1.41 | 11 ms | 200 ± 1.00 (2) | **300** ± 3.00 (1) |" in text[first:second]
    assert "| BTM (`btm`) | – | – | 11 ms | 5,000 ± 20.0 § | · |" in text[first:second]
    assert "| DKWT (`dkwt`) | 1.0 (1) | 1.00 | 11 ms | **50.0** ± 2.00 (1) | 70,000 ± 4.00 § |" in text[second:]
    assert "| DKWT | Condorcet winner, no pair at 1/2 | Cyclic | MultiSol: Condorcet winner |" in text
    assert "| RUCB | Condorcet winner | Cyclic | not played on MultiSol |" in text
    all_three = "total order, relaxed SST, STI"
    assert f"| BTM | {all_three} | none | Cyclic: {all_three}; not played on MultiSol |" in text
    assert "`rcs`" in text[text.index("Not played:") :]
    assert text.index("| RUCB (") < text.index("| D-TS (") < text.index("| BTM (")


def test_few_ranks_come_last(tmp_path):
    """An algorithm with a rank on one table of three follows one with a larger mean rank on two."""
    tables = ("cyclic4", "multisol", "tennis8")
    cells = {(table, "d-ts"): (300, 1) for table in tables} | {(table, "rcs"): (200, 1) for table in tables}
    text = page(board([results(tmp_path, cells)]))
    assert "| RCS (`rcs`) | 1.0 (1) |" in text and "| D-TS (`d-ts`) | 1.3 (3) |" in text
    assert text.index("| D-TS (`d-ts`)") < text.index("| RCS (`rcs`)")
    assert "There are no tests" not in text
    few = page(board([results(tmp_path / "few", cells, runs=3)]))
    assert "There are no tests of means of fewer than 5 runs." in few
    assert "**300**" in few and few.count("**200**") == 1  # on the other tables RCS has no rank


def test_short_numbers():
    assert [short(each) for each in (0.4, 999.6, 9960, 31e4, 1e9)] == ["0", "1.0k", "10k", "310k", "1.0G"]
    assert [seconds(each) for each in (0.0012, 0.12, float("nan"))] == ["1 ms", "0.1 s", "–"]


def test_shades():
    def luminance(colour):
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert len(SHADES) == len(LIMITS) + 1
    steps = [luminance(b) - luminance(a) for a, b in pairwise(SHADES)]
    assert min(steps) > 8
    assert [shade(each) for each in (0.1, 1.0, 1.5, 1.6, 1000, 1001)] == [0, 0, 0, 1, 5, 6]


def test_poster(made):
    drawing = poster(made)
    drawing.draw_without_rendering()
    (panel,) = drawing.axes
    texts = {text.get_text() for text in panel.texts}
    assert {"200", "100", "5.0k", "50", "300", "70k"} <= texts
    assert {"D-TS", "RUCB", "BTM", "DKWT"} <= texts
    assert {"with a Condorcet winner", "without", "Cyclic"} <= texts
    assert [text.get_text() for text in panel.texts].count("·") == 2  # two were not played on MultiSol
    assert len(panel.patches) == 4 + 3  # colours where the assumptions hold, and frames
    framed = [patch for patch in panel.patches if patch.get_linewidth() > 1]
    assert len(framed) == 3  # the best in each part on each table
    paper = drawing.bbox
    for text in [*panel.texts, *drawing.texts, *(text for each in drawing.legends for text in each.get_texts())]:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0 and box.x1 <= paper.x1, text.get_text()
        assert paper.y0 <= box.y0 and box.y1 <= paper.y1, text.get_text()


def test_poster_files(made, tmp_path):
    files = save_poster(made, tmp_path / "a")
    assert [path.name for path in files] == ["leaderboard.png", "leaderboard.pdf", "leaderboard.svg"]
    assert all(path.stat().st_size > 5000 for path in files)
    with Image.open(files[0]) as image:
        assert image.mode == "P"


SEQUENCES = {
    ("one", "d-ts"): (500, 5),
    ("one", "mdb"): (100, 5),
    ("one", "uniform"): (900, 1),
    ("two", "d-ts"): (100, 5),
    ("two", "dkwt"): (950, 5),
    ("two", "mdb"): (200, 5),
    ("two", "uniform"): (900, 1),
}


@pytest.fixture
def changing(tmp_path):
    return results(tmp_path / "changing", SEQUENCES, identity={"changing": "digest"}, title="Piecewise")


def test_board_of_changes(changing):
    found = board([changing])
    assert changes(changing) and found.changing
    assert [(row.name, row.group, row.mean_rank) for row in found.rows] == [
        ("mdb", 0, 1.5), ("d-ts", 1, 1.5), ("uniform", 1, 3.0), ("dkwt", 1, 4.0),
    ]  # fmt: skip
    assert found.with_winner == frozenset()
    assert not any(each.unmet for row in found.rows for each in row.cells.values())


def test_poster_of_changes(changing):
    drawing = poster(board([changing]))
    texts = {text.get_text() for text in (*drawing.axes[0].texts, *drawing.texts)}
    assert {"Preferences that change", "mean rank,\non sequences"} <= texts
    assert "Algorithms that are made for preferences that change" in texts
    assert not {"with a Condorcet winner", "without"} & texts


def test_constant_among_changing(tmp_path):
    cells = {("cyclic4", "d-ts"): 1, ("multisol", "d-ts"): 1}
    mixed = results(tmp_path, cells)
    first, *others = mixed.spec.datasets
    changed = first.model_copy(update={"identity": {"first": {}, "then": {}}})
    mixed.spec = mixed.spec.model_copy(update={"datasets": (changed, *others)})
    with pytest.raises(UserError, match="multisol does not change"):
        board([mixed])


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


@pytest.fixture
def said(tmp_path):
    def of(changes=()):
        return "\n".join(remarks(board([results(tmp_path, REMARKS | dict(changes))])))

    return of


def test_what_to_use(tmp_path):
    text = page(board([results(tmp_path, REMARKS)]))
    use, _, _ = text.partition("## What to use, and what to compare with\n")[2].partition("\n\n4 algorithms, 2 tables")
    assert use.splitlines()[1:3] == [
        "* **If one arm beats every other**: D-TS (1.00), RUCB (2.00), CCB (4.00), UNIFORM (25.0); in brackets, the "
        "regret as a multiple of the best, the geometric mean over the 1 table with a Condorcet winner.",
        "* **If possibly none does**: CCB (1.00), D-TS (1.50), UNIFORM (20.0); in brackets, the regret as a multiple "
        "of the best, the geometric mean over the 1 table without one.",
    ]
    assert "baselines of most papers: CCB (2.00 times the best), RUCB (2.00 times the best)." in use
    assert use in text.partition("## Minimise regret")[0]
    assert "## What stands out" in text.partition("## Minimise regret")[2]
    assert "lead elsewhere" not in use
    behind = page(board([results(tmp_path, REMARKS | {("multisol", "uniform"): (250, 3)})]))
    assert "On Cyclic algorithms that lead elsewhere are far behind: UNIFORM has 25 times the best" in behind


def test_stated_comparisons(said):
    assert "D-TS has less regret than RUCB on 1 of 1 tables with a Condorcet winner (Wu & Liu 2016)." in said()
    turned = said({("cyclic4", "rucb"): (150, 1)})
    other = "D-TS has less regret than RUCB on 0 of 1 tables with a Condorcet winner (Wu & Liu 2016), but not on "
    assert f"{other}Cyclic: 200 and 150." in turned
    assert "SCB" not in said()  # was not played


def test_no_better_than_random(said):
    assert "although their assumptions hold" not in said()
    assert "where their assumptions do not hold: RUCB on MultiSol." in said()
    assert "duels them to the end" in said(
        {("cyclic4", "scb"): 1, ("six-rankers", "scb"): 9e3, ("six-rankers", "uniform"): 5}
    )
    assert "although their assumptions hold: CCB on Cyclic." in said({("cyclic4", "ccb"): (5000, 1)})
