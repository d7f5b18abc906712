"""The figure of a session, looked at through matplotlib's artists."""

from itertools import pairwise

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sessions.figure import LEADING, SHOWN, draw, session_figure
from duelbench.sessions.progress import Progress
from duelbench.sessions.standings import Estimate, Standing, Standings

pytestmark = pytest.mark.usefixtures("project_style")


def made(names, votes=50, recommended=None):
    """Return standings and a progress of made-up numbers: arm 0 leads, and so on."""
    K = len(names)
    chances = np.array([0.5**k for k in range(1, K + 1)])

    def row(k):
        score = Estimate(0.7 - 0.4 * k / K, 0.6 - 0.4 * k / K, 0.8 - 0.4 * k / K)
        return Standing(k, names[k], 10, 5, 5, 0, None, score, score, score, float(chances[k]))

    marks = np.arange(votes + 1)
    leader = recommended or 0
    rows = tuple(row(k) for k in range(K))
    standings = Standings(
        tuple(names), "copeland", votes, 0, rows, recommended, leader, rows[leader].chance, 0.01, 100, (), 0
    )
    return standings, Progress(marks, np.outer(np.linspace(0.1, 1, len(marks)), chances))


def laid_out(figure):
    figure.draw_without_rendering()
    return figure.axes


def test_leading_arms_have_the_colour_of_their_curve():
    left, right = laid_out(session_figure(*made([f"m{k}" for k in range(9)]), until=0.95))
    curves = [line for line in left.get_lines() if len(line.get_xdata()) > 2]
    assert [line.get_ydata()[-1] for line in curves] == [0.5**k for k in range(1, LEADING + 1)]
    points = [line for line in right.get_lines() if len(line.get_xdata()) == 1]
    assert len(points) == 9
    assert [line.get_color() for line in points[:LEADING]] == [line.get_color() for line in curves]
    assert [text.get_text() for text in left.texts] == ["0.95"]
    assert [label.get_text() for label in right.get_yticklabels()] == [f"m{k}" for k in range(9)]


def test_the_recommended_arm_has_a_curve_and_stands_out_wherever_it_stands():
    left, right = laid_out(session_figure(*made([f"m{k}" for k in range(12)], recommended=9)))
    curves = [line for line in left.get_lines() if len(line.get_xdata()) > 2]
    assert [line.get_ydata()[-1] for line in curves] == [0.5**k for k in (1, 2, 3, 4, 5, 10)]
    bold = [label.get_text() for label in right.get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == ["m9"]


LONG = ["x" * 60, "a name of words and sixty characters that goes on and on, yes", "$\\frac{1}{$ and _ ^ {", "ünï"]


@pytest.mark.parametrize("names", [LONG, [f"{'n' * 56}{k:04d}" for k in range(SHOWN + 20)]], ids=["four", "many"])
def test_long_names_do_not_overlap(names):
    left, right = laid_out(session_figure(*made(names)))
    boxes = [label.get_window_extent() for label in right.get_yticklabels()]
    assert len(boxes) == min(len(names), SHOWN)
    for above, below in pairwise(boxes):
        assert above.y0 > below.y1 - 1
    frame = left.get_window_extent()
    assert min(box.x0 for box in boxes) > frame.x1
    figure = right.figure.bbox
    for panel in (left, right):
        box = panel.get_tightbbox()
        assert box.x0 >= -1 and box.x1 <= figure.x1 + 1 and box.y0 >= -1 and box.y1 <= figure.y1 + 1
    if len(names) > SHOWN:
        assert "20 more arms not shown" in right.get_title().replace("\n", " ")
        assert {label.get_text()[-4:] for label in right.get_yticklabels()} == {f"{k:04d}" for k in range(SHOWN)}


@pytest.mark.parametrize("votes", [0, 1])
def test_a_session_that_has_hardly_begun_can_be_drawn(tmp_path, votes):
    for suffix in ("png", "pdf", "svg"):
        path = draw(tmp_path / f"figure.{suffix}", *made(["a", "b"], votes=votes))
        assert path.stat().st_size > 1000
    left, right = laid_out(session_figure(*made(["a", "b"], votes=votes)))
    assert right.get_title() == ("1 vote" if votes else "0 votes")
    assert all(float(tick).is_integer() for tick in left.get_xticks()) or not votes


def test_the_same_session_gives_the_same_bytes(tmp_path):
    one, other = (draw(tmp_path / name, *made(["a", "b"])).read_bytes() for name in ("one.pdf", "other.pdf"))
    assert one == other


@pytest.mark.parametrize("name", ["figure", "figure.jpg", "figure.pgn"])
def test_a_figure_of_no_known_kind_is_refused(tmp_path, name):
    with pytest.raises(UserError, match=r"let it end in \.png, \.pdf, \.svg"):
        draw(tmp_path / name, *made(["a", "b"]))
