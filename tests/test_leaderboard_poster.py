"""The figure: a colour and a number for every cell, hatches where assumptions fail, and text inside of the paper."""

from itertools import pairwise

import pytest

from duelbench.leaderboard.board import board
from duelbench.leaderboard.poster import LIMITS, SHADES, poster, save_poster, seconds, shade, short
from tests.boards import results

CELLS = {
    ("cyclic4", "d-ts"): 2000,
    ("cyclic4", "rucb"): 1000,
    ("cyclic4", "btm"): 5e6,
    ("cyclic4", "dkwt"): 87,
    ("multisol", "d-ts"): 3e4,
}


@pytest.fixture
def made(tmp_path):
    return board([results(tmp_path / "of", CELLS)])


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.4, "0"), (87.4, "87"), (999.4, "999"), (999.6, "1.0k"), (2189, "2.2k"), (9960, "10k"), (31e4, "310k"),
     (999_600, "1.0M"), (5.3e6, "5.3M"), (1e9, "1.0G")],
)  # fmt: skip
def test_regrets_take_four_characters(value, said):
    assert short(value) == said


def test_seconds_have_a_unit():
    told = [seconds(each) for each in (0.0012, 0.0994, 0.12, 3.94, float("nan"))]
    assert told == ["1 ms", "99 ms", "0.1 s", "3.9 s", "–"]


def test_shades_go_from_dark_to_light_with_the_distance_from_the_best():
    def luminance(colour):
        red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    assert len(SHADES) == len(LIMITS) + 1
    steps = [luminance(b) - luminance(a) for a, b in pairwise(SHADES)]
    assert min(steps) > 8
    assert [shade(each) for each in (0.1, 1.0, 1.5, 1.6, 1000, 1001)] == [0, 0, 0, 1, 5, 6]


def test_every_cell_is_there(made):
    drawing = poster(made)
    (panel,) = drawing.axes
    texts = {text.get_text() for text in panel.texts}
    assert {"2.0k", "1.0k", "5.0M", "87", "30k"} <= texts
    assert {"D-TS", "RUCB", "BTM", "DKWT"} <= texts
    assert {"with a Condorcet winner", "without", "Cyclic"} <= texts
    assert [text.get_text() for text in panel.texts].count("·") == 3  # three were not played on MultiSol
    hatched = [patch for patch in panel.patches if patch.get_hatch()]
    assert len(hatched) == 1  # Beat the Mean
    framed = [patch for patch in panel.patches if patch.get_linewidth() > 1]
    assert len(framed) == 3  # the best of a part on each table


def test_nothing_written_leaves_the_paper(made):
    drawing = poster(made)
    drawing.draw_without_rendering()
    (panel,) = drawing.axes
    paper = drawing.bbox
    for text in [*panel.texts, *drawing.texts, *(text for each in drawing.legends for text in each.get_texts())]:
        box = text.get_window_extent()
        assert paper.x0 <= box.x0 and box.x1 <= paper.x1, text.get_text()
        assert paper.y0 <= box.y0 and box.y1 <= paper.y1, text.get_text()


def test_it_is_written_in_all_formats(made, tmp_path):
    files = save_poster(made, tmp_path / "a")
    assert [path.name for path in files] == ["leaderboard.png", "leaderboard.pdf", "leaderboard.svg"]
    assert all(path.stat().st_size > 5000 for path in files)
