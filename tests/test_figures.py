"""Figures of regret and its spread, checked by matplotlib's artists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from duelbench.errors import UserError
from duelbench.plots.content import Axis, Panel
from duelbench.plots.kinds.regret import RegretFigure
from duelbench.plots.kinds.std import StdFigure
from duelbench.plots.panels import LABEL_SIZE, _draw, spread
from duelbench.plots.style import BOUND_DASHES, COLOURS
from duelbench.results.results import Results
from tests.drawings import DENSE, drawn, experiment, legend_labels, linear, row, write_bounds

pytestmark = pytest.mark.usefixtures("project_style")


@pytest.mark.parametrize(
    ("band", "low", "high"), [("sem", 1.5, 2.5), ("std", 1.0, 3.0), ("quantiles", 2 * 0.55, 2 * 1.45)]
)
def test_bands(tmp_path, band, low, high):
    rows = {("d", "a"): {t: row(2.0, std=1.0) for t in DENSE}}
    figure = drawn(tmp_path, rows, band=band)

    (shade,) = figure.axes[0].collections
    assert isinstance(shade, PolyCollection)
    heights = shade.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((low, high))


def test_sweep_marks(tmp_path):
    rows = {("d", "sweep"): linear(1, [10, 100, 1000]), ("d", "anytime"): linear(2)}
    panel = drawn(tmp_path, rows).axes[0]

    sweep, anytime = panel.get_lines()
    assert sweep.get_markevery() == 1
    assert anytime.get_markevery() != 1
    bars, band = panel.collections
    assert isinstance(bars, LineCollection)
    assert [tuple(bar[:, 0]) for bar in bars.get_segments()] == [(10, 10), (100, 100), (1000, 1000)]
    assert isinstance(band, PolyCollection)


def test_zero_regret_on_log_axis(tmp_path):
    late = {t: row(0.0 if t < 100 else t - 90.0, std=50.0) for t in DENSE}
    rows = {("d", "late"): late, ("d", "never"): {t: row(0.0, std=0.0) for t in DENSE}}
    panel = drawn(tmp_path, rows, y="log").axes[0]

    (curve,) = panel.get_lines()
    assert min(curve.get_xdata()) >= 100
    assert 0 < panel.get_ylim()[0] < min(curve.get_ydata())
    (band,) = panel.collections
    assert band.get_paths()[0].vertices[:, 1].min() == panel.get_ylim()[0]
    assert [text.get_text() for text in panel.texts] == ["no regret: never"]
    (panel,) = drawn(tmp_path / "linear", {("d", "never"): rows["d", "never"]}).axes
    assert len(panel.get_lines()) == 1
    assert panel.get_ylim() == (0.0, 10.0)


def test_missing_results(tmp_path):
    rows = {("one", "b"): linear(1), ("two", "a"): linear(1), ("two", "b"): linear(1)}
    results = Results(experiment(tmp_path, rows, algorithms=("a", "b")))
    one, two = RegretFigure(kind="regret").draw(results).axes

    assert [text.get_text() for text in one.texts] == ["no results: a"]
    assert not two.texts
    assert one.get_lines()[0].get_color() == two.get_lines()[1].get_color() == COLOURS[1]


@pytest.mark.parametrize(("x", "y"), [("log", "log"), ("linear", "linear")])
def test_bound_lines(tmp_path, x, y):
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    write_bounds(directory, LB=2.5, ECWB=4.0)
    figure = RegretFigure(kind="regret", x=x, y=y, bounds=("LB", "ECWB")).draw(Results(directory))
    lines = {str(line.get_label()): line for line in figure.axes[0].get_lines()}
    for name, constant in (("LB", 2.5), ("ECWB", 4.0)):
        t, regret = np.asarray(lines[name].get_xdata()), np.asarray(lines[name].get_ydata())
        assert regret == pytest.approx(constant * np.log(t))
        assert t[-1] == 1000
        assert t[0] == 1 if y == "linear" else 1 < t[0] < 1.1
        assert (regret > 0).all() or y == "linear"
        assert to_rgb(str(lines[name].get_color())) == (0, 0, 0)
    assert len(set(map(str, BOUND_DASHES.values()))) == len(BOUND_DASHES)
    assert legend_labels(figure) == ["a", "LB", "ECWB"]


def test_missing_bounds(tmp_path):
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    with pytest.raises(UserError, match="the bound LB, whose constant for one is missing"):
        RegretFigure(kind="regret", bounds=("LB",)).draw(Results(directory))
    (directory / "bounds.csv").write_text("dataset,bound,constant\none,LB,many\n")
    with pytest.raises(UserError, match=r"bounds.csv:2: is not a table of bounds"):
        RegretFigure(kind="regret", bounds=("LB",)).draw(Results(directory))


def test_change_lines(tmp_path):
    rows = {(d, "a"): linear(1) for d in ("stays", "turns")}
    results = Results(experiment(tmp_path, rows))
    stays, turns = results.spec.datasets
    turns = turns.model_copy(update={"changes": (50, 400)})
    results.spec = results.spec.model_copy(update={"datasets": (stays, turns)})
    figure = RegretFigure(kind="regret").draw(results)
    assert [len(panel.get_lines()) for panel in figure.axes] == [1, 3]
    assert [line.get_xdata() for line in figure.axes[1].get_lines()[:2]] == [[50, 50], [400, 400]]
    assert legend_labels(figure) == ["a"]


@settings(derandomize=True, max_examples=50, deadline=None, database=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.001, 0.05)), min_size=1, max_size=20))
def test_spread_keeps_order_and_gaps(things):
    targets, heights = np.array(things).T
    places = spread(targets, heights, 0.0, 1.0)
    order = np.argsort(targets, kind="stable")
    gaps = np.diff(places[order]) - (heights[order][1:] + heights[order][:-1]) / 2
    assert (gaps > -1e-9).all()
    assert (places - heights / 2 > -1e-9).all()
    assert (places + heights / 2 < 1 + 1e-9).all()


@pytest.mark.parametrize(("panels", "size"), [(3, None), (1, "page"), (1, None)])
def test_curves_named_at_their_ends(tmp_path, panels, size):
    titles = [f"a-{place} of a long and tiring name" if place % 3 else f"a-{place}" for place in range(14)]
    rows = {(f"d{d}", title): linear(1 + place % 4) for d in range(panels) for place, title in enumerate(titles)}
    figure = drawn(tmp_path, rows, size=size, legend="ends" if panels > 1 else None)
    figure.draw_without_rendering()
    for panel in figure.axes:
        named = [text for text in panel.texts if text.get_fontsize() == LABEL_SIZE]
        assert sorted(text.get_text().replace("\n", " ") for text in named) == sorted(titles)
        boxes = [text.get_window_extent() for text in named]
        assert not any(a.overlaps(b.shrunk(1, 0.9)) for place, a in enumerate(boxes) for b in boxes[:place])
        assert all(panel.bbox.x1 < box.x0 and box.x1 <= figure.bbox.width for box in boxes)
        assert all(box.y0 >= 0 and box.y1 <= figure.bbox.height for box in boxes)
    assert not figure.legends


@pytest.mark.parametrize("panels", [5, *(pytest.param(few, marks=pytest.mark.slow) for few in (1, 2))])
def test_nothing_is_cut_off(tmp_path, panels):
    labels = [f"a-rather-long-label of many words {place}" if place % 2 else f"a{place}" for place in range(6)]
    rows = {
        (f"dataset-{d} of a long and tiring and finally too long name", a): linear(1)
        for d in range(panels)
        for a in labels
    }
    results = Results(experiment(tmp_path, rows))

    for figure in (
        RegretFigure(kind="regret", title="Title").draw(results),
        StdFigure(kind="std", title="Title").draw(results),
    ):
        figure.draw_without_rendering()
        boxes = [panel.get_tightbbox() for panel in figure.axes]
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)
        assert all(box.y0 >= 0 and box.y1 <= figure.bbox.height for box in boxes)
        names = [text.get_window_extent() for text in figure.axes[0].get_yticklabels()]
        for each in (boxes, [name.shrunk(1, 0.9) for name in names]):
            assert not any(a.overlaps(b) for place, a in enumerate(each) for b in each[:place])


@pytest.mark.parametrize(
    ("ends", "across", "up"),
    [
        ((250, 900), ["300", "400", "600"], ["300", "400", "600"]),
        ((600, 8500), ["1,000", "2,000", "4,000"], ["600", "1,000", "2,000", "3,000", "4,000", "6,000"]),
        ((90, 20_000), [rf"$\mathdefault{{10^{{{power}}}}}$" for power in (2, 3, 4)], None),
    ],
)
def test_labels_of_logarithmic_axes(ends, across, up):
    axes = Figure(figsize=(2, 2)).subplots()
    _draw(axes, Panel("", [], Axis("x", "log", ends), Axis("y", "log", ends)))
    axes.figure.draw_without_rendering()
    for axis, said in ((axes.xaxis, across), (axes.yaxis, up or across)):
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        places = sorted((t.get_loc(), t.label1.get_text()) for t in ticks if ends[0] <= t.get_loc() <= ends[1])
        assert [text for _, text in places if text] == said


def test_std_normalised(tmp_path):
    rows = {
        ("one", "a"): {1000: row(50, std=30.0)},
        ("one", "b"): {1000: row(60, std=12.0)},
        ("two", "a"): {1000: row(50, std=30.0)},
        ("two", "b"): {1000: row(0.0, std=0.0)},
    }
    figure = StdFigure(kind="std", normalize_by="b").draw(Results(experiment(tmp_path, rows)))

    one, two = figure.axes
    assert [text.get_text() for text in one.texts] == ["50.0", "20.0"]
    assert [text.get_text() for text in two.texts] == ["b has no regret"] * 2
    said = (
        "standard deviation of Copeland regret at $t$ = $10^{3}$ (% of the mean regret of b), ± standard error, 4 runs"
    )
    assert figure.get_supxlabel() == said
