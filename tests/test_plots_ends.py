"""Names at the ends of curves: none over another, and each where its curve ends as far as there is room."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duelbench.plots.ends import LABEL_SIZE, spread
from duelbench.plots.regret import regret_figure
from duelbench.plots.results import Results
from duelbench.plots.scaling import scaling_figure
from duelbench.spec.figures import RegretFigure, ScalingFigure
from tests.drawings import experiment, linear

pytestmark = pytest.mark.usefixtures("project_style")


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 0.05)), min_size=1, max_size=20))
def test_what_is_spread_does_not_overlap_and_keeps_its_order(things):
    targets, heights = np.array(things).T
    places = spread(targets, heights, 0.0, 1.0)
    order = np.argsort(targets, kind="stable")
    gaps = np.diff(places[order]) - (heights[order][1:] + heights[order][:-1]) / 2
    assert (gaps > -1e-9).all()
    assert (places - heights / 2 > -1e-9).all()
    assert (places + heights / 2 < 1 + 1e-9).all()


def test_what_has_room_stays_and_what_has_not_moves_as_little_as_it_can():
    assert spread([0.2, 0.8], [0.1, 0.1], 0, 1) == pytest.approx([0.2, 0.8])
    assert spread([0.5, 0.5, 0.9], [0.1, 0.1, 0.1], 0, 1) == pytest.approx([0.45, 0.55, 0.9])
    assert spread([0.0, 0.0], [0.1, 0.1], 0, 1) == pytest.approx([0.05, 0.15])


@pytest.mark.parametrize("size", ["column", "page"])
@pytest.mark.parametrize("panels", [1, 3])
def test_of_more_than_eight_curves_each_is_named_at_its_end(tmp_path, panels, size):
    titles = [f"a-{place} of a long and tiring name" if place % 3 else f"a-{place}" for place in range(14)]
    rows = {(f"d{d}", f"a-{place}"): linear(1 + place % 4) for d in range(panels) for place in range(14)}
    results = Results(experiment(tmp_path, rows))
    results.spec = results.spec.model_copy(
        update={
            "algorithms": tuple(
                each.model_copy(update={"grid_title": title})
                for each, title in zip(results.spec.algorithms, titles, strict=True)
            )
        }
    )
    figure = regret_figure(RegretFigure(kind="regret", size=size), results)
    figure.draw_without_rendering()
    for panel in figure.axes:
        named = [text for text in panel.texts if text.get_fontsize() == LABEL_SIZE]
        assert sorted(text.get_text().replace("\n", " ") for text in named) == sorted(titles)
        boxes = [text.get_window_extent() for text in named]
        assert not any(a.overlaps(b.shrunk(1, 0.9)) for place, a in enumerate(boxes) for b in boxes[:place])
        assert all(panel.bbox.x1 < box.x0 and box.x1 <= figure.bbox.width for box in boxes)
        assert all(box.y0 >= 0 and box.y1 <= figure.bbox.height for box in boxes)
    assert not figure.legends


def test_eight_curves_have_a_legend_and_a_spec_may_have_it_otherwise(tmp_path):
    results = Results(experiment(tmp_path, {("d", f"a-{place}"): linear(1) for place in range(8)}))
    assert len(regret_figure(RegretFigure(kind="regret"), results).legends) == 1
    assert not regret_figure(RegretFigure(kind="regret", legend="ends"), results).legends
    assert not regret_figure(RegretFigure(kind="regret", legend="none"), results).legends
    inside = regret_figure(RegretFigure(kind="regret", legend="inside"), results)
    assert inside.axes[0].get_legend() is not None
    ends = scaling_figure(ScalingFigure(kind="scaling", legend="ends"), results)
    assert [text.get_text() for text in ends.axes[0].texts] == [f"a-{place}" for place in range(8)]
