"""What all figures share: no text is cut off, and free text is fit to print."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelbench.plots.regret import regret_figure
from duelbench.plots.results import Results
from duelbench.plots.std import std_figure
from duelbench.plots.text import printable, round_number
from duelbench.spec.figures import RegretFigure, StdFigure
from tests.drawings import Rows, experiment, linear

pytestmark = pytest.mark.usefixtures("project_style")


@pytest.mark.parametrize("panels", [1, 2, 5])
def test_no_text_is_cut_off_or_printed_over_another_panel(tmp_path: Path, panels: int) -> None:
    labels = [f"a-rather-long-label-{place}" for place in range(12)]
    rows: Rows = {
        (f"dataset-{d} of a long and tiring and finally too long name", a): linear(1)
        for d in range(panels)
        for a in labels
    }
    results = Results(experiment(tmp_path, rows))

    for figure in (
        regret_figure(RegretFigure(kind="regret", title="Title"), results),
        std_figure(StdFigure(kind="std", title="Title"), results),
    ):
        figure.draw_without_rendering()
        boxes = [panel.get_tightbbox() for panel in figure.axes]
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)
        assert all(box.y0 >= 0 and box.y1 <= figure.bbox.height for box in boxes)
        assert not any(a.overlaps(b) for place, a in enumerate(boxes) for b in boxes[:place])


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("$K = 5$", "$K = 5$"),
        ("from $5^$6", r"from \$5^\$6"),
        (r"\$5, $\nosuchsymbol$", r"\$5, \$\nosuchsymbol\$"),
        ("a title that is long", "a title\nthat is\nlong"),
        (r"so long $\alpha + \beta + \gamma$", "so long\n" + r"$\alpha + \beta + \gamma$"),
    ],
)
def test_free_text_is_wrapped_and_never_breaks_mathtext(text: str, printed: str) -> None:
    assert printable(text, 0.4 if "long" in text else 5.0) == printed


def test_rounds_are_printed_as_powers_of_ten_where_they_are() -> None:
    assert [round_number(t) for t in (1, 100, 1000, 10**6, 10**6 - 1)] == [
        "1",
        "100",
        "$10^{3}$",
        "$10^{6}$",
        "999,999",
    ]
