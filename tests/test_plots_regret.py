"""Regret curves, looked at through matplotlib's artists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from duelbench.errors import UserError
from duelbench.layout import BOUNDS, BOUNDS_COLUMNS, header
from duelbench.plots.regret import regret_figure
from duelbench.plots.results import Results
from duelbench.plots.style import BOUND_DASHES, COLOURS
from duelbench.spec.figures import RegretFigure
from tests.drawings import DENSE, Rows, experiment, linear, row
from tests.experiments import seal

pytestmark = pytest.mark.usefixtures("project_style")


def legend_labels(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_one_panel_per_dataset_and_one_curve_per_algorithm_in_the_order_of_the_spec(tmp_path: Path) -> None:
    rows: Rows = {(d, a): linear(s) for d in ("two", "one") for a, s in (("z", 1), ("a", 2))}
    figure = regret_figure(RegretFigure(kind="regret"), Results(experiment(tmp_path, rows)))

    assert [panel.get_title() for panel in figure.axes] == ["Title of two", "Title of one"]
    assert figure.axes[0].get_ylabel() == "cumulative regret (copeland)"
    assert figure.axes[0].get_xlabel() == "$t$"
    assert legend_labels(figure) == ["z", "a"]
    z, a = figure.axes[1].get_lines()
    assert list(z.get_xdata()) == DENSE
    assert list(a.get_ydata()) == [2 * t for t in DENSE]


def test_a_legend_of_several_rows_is_read_row_by_row(tmp_path: Path) -> None:
    labels = [f"algorithm-{place}" for place in range(8)]
    figure = regret_figure(
        RegretFigure(kind="regret"), Results(experiment(tmp_path, {("d", a): linear(1) for a in labels}))
    )

    figure.draw_without_rendering()
    legend = figure.legends[0]
    corners = [text.get_window_extent() for text in legend.get_texts()]
    read = sorted(zip(corners, legend_labels(figure), strict=True), key=lambda pair: (-round(pair[0].y1), pair[0].x0))
    assert [label for _, label in read] == labels
    extent = legend.get_window_extent()
    assert extent.x0 >= 0 and extent.x1 <= figure.bbox.width
    assert extent.y1 < figure.axes[0].get_tightbbox().y0


def test_a_long_legend_takes_no_height_from_the_panels(tmp_path: Path) -> None:
    def panel_height(algorithms: int) -> float:
        rows: Rows = {("d", f"a-label-{place}"): linear(1) for place in range(algorithms)}
        figure = regret_figure(RegretFigure(kind="regret", legend="below"), Results(experiment(tmp_path, rows)))
        figure.draw_without_rendering()
        return float(figure.axes[0].bbox.height)

    assert panel_height(20) == pytest.approx(panel_height(2), rel=0.02)


@pytest.mark.parametrize(
    ("band", "low", "high"), [("sem", 1.5, 2.5), ("std", 1.0, 3.0), ("quantiles", 2 * 0.55, 2 * 1.45)]
)
def test_the_band_is_the_one_asked_for(tmp_path: Path, band: str, low: float, high: float) -> None:
    rows: Rows = {("d", "a"): {t: row(2.0, std=1.0) for t in DENSE}}
    figure = regret_figure(RegretFigure(kind="regret", band=band), Results(experiment(tmp_path, rows)))

    (drawn,) = figure.axes[0].collections
    assert isinstance(drawn, PolyCollection)
    heights = drawn.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((low, high))


def test_a_sweep_of_few_horizons_marks_every_point(tmp_path: Path) -> None:
    rows: Rows = {("d", "sweep"): linear(1, [10, 100, 1000]), ("d", "anytime"): linear(2)}
    panel = regret_figure(RegretFigure(kind="regret"), Results(experiment(tmp_path, rows))).axes[0]

    sweep, anytime = panel.get_lines()
    assert sweep.get_markevery() == 1
    assert anytime.get_markevery() != 1
    bars, band = panel.collections
    assert isinstance(bars, LineCollection)
    assert [tuple(bar[:, 0]) for bar in bars.get_segments()] == [(10, 10), (100, 100), (1000, 1000)]
    assert isinstance(band, PolyCollection)


@pytest.mark.parametrize("band", ["sem", "std", "quantiles"])
def test_a_single_run_has_no_band(tmp_path: Path, band: str) -> None:
    figure = regret_figure(
        RegretFigure(kind="regret", band=band), Results(experiment(tmp_path, {("d", "a"): linear(1, runs=1)}))
    )

    assert not figure.axes[0].collections
    assert figure.legends[0].get_title().get_text() == "1 run"


def test_the_legend_says_what_the_band_is_and_over_how_many_runs(tmp_path: Path) -> None:
    rows: Rows = {("d", "a"): linear(1, runs=1500), ("d", "b"): linear(1, runs=1499)}
    figure = regret_figure(RegretFigure(kind="regret", band="std"), Results(experiment(tmp_path, rows)))

    assert figure.legends[0].get_title().get_text() == "mean ± standard deviation, 1,499 to 1,500 runs"


def test_zero_regret_on_a_log_axis_is_left_out_and_said(tmp_path: Path) -> None:
    late = {t: row(0.0 if t < 100 else t - 90.0, std=50.0) for t in DENSE}
    rows: Rows = {("d", "late"): late, ("d", "never"): {t: row(0.0, std=0.0) for t in DENSE}}
    panel = regret_figure(RegretFigure(kind="regret", y="log"), Results(experiment(tmp_path, rows))).axes[0]

    (curve,) = panel.get_lines()
    assert min(curve.get_xdata()) >= 100
    assert 0 < panel.get_ylim()[0] < min(curve.get_ydata())
    (band,) = panel.collections
    assert band.get_paths()[0].vertices[:, 1].min() == panel.get_ylim()[0]
    assert [text.get_text() for text in panel.texts] == ["no regret: never"]


def test_zero_regret_everywhere_stays_at_the_foot_of_a_linear_axis(tmp_path: Path) -> None:
    rows: Rows = {("d", "a"): {t: row(0.0, std=0.0) for t in DENSE}}
    panel = regret_figure(RegretFigure(kind="regret"), Results(experiment(tmp_path, rows))).axes[0]

    assert len(panel.get_lines()) == 1
    assert panel.get_ylim() == (0.0, 10.0)


def test_missing_results_are_named_in_the_panel_and_keep_the_styles_of_the_others(tmp_path: Path) -> None:
    rows: Rows = {("one", "b"): linear(1), ("two", "a"): linear(1), ("two", "b"): linear(1)}
    results = Results(experiment(tmp_path, rows, algorithms=("a", "b")))
    one, two = regret_figure(RegretFigure(kind="regret"), results).axes

    assert [text.get_text() for text in one.texts] == ["no results: a"]
    assert not two.texts
    assert one.get_lines()[0].get_color() == two.get_lines()[1].get_color() == COLOURS[1]


@pytest.mark.parametrize("x", ["log", "linear"])
def test_a_single_checkpoint_is_inside_the_panel(tmp_path: Path, x: str) -> None:
    panel = regret_figure(
        RegretFigure(kind="regret", x=x), Results(experiment(tmp_path, {("d", "a"): linear(1, [1000])}))
    ).axes[0]

    left, right = panel.get_xlim()
    assert left < 1000 < right


def write_bounds(directory: Path, **constants: float) -> None:
    rows = [f"one,copeland,{name},3,{constant!r},key" for name, constant in constants.items()]
    (directory / BOUNDS).write_text("\n".join([header(BOUNDS_COLUMNS), *rows]) + "\n")
    seal(directory)


@pytest.mark.parametrize(("x", "y"), [("log", "linear"), ("log", "log"), ("linear", "linear")])
def test_bounds_are_lines_of_their_constant_times_log_t(tmp_path: Path, x: Any, y: Any) -> None:
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    write_bounds(directory, LB=2.5, ECWB=4.0)
    figure = regret_figure(RegretFigure(kind="regret", x=x, y=y, bounds=("LB", "ECWB")), Results(directory))
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


def test_the_bound_of_each_panel_is_its_own_and_infinite_ones_are_said(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("one", "a"): linear(1), ("two", "a"): linear(1)})
    write_bounds(directory, LB=2.0)
    with (directory / "bounds.csv").open("a") as file:
        file.write("two,copeland,LB,3,inf,key\n")
    seal(directory)
    figure = regret_figure(RegretFigure(kind="regret", bounds=("LB",)), Results(directory))
    assert [len(panel.get_lines()) for panel in figure.axes] == [2, 1]
    assert [[text.get_text() for text in panel.texts] for panel in figure.axes] == [[], ["infinite: LB"]]


def test_a_bound_that_was_not_computed_is_refused(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    with pytest.raises(UserError, match="the bound LB, whose constant for one is not there"):
        regret_figure(RegretFigure(kind="regret", bounds=("LB",)), Results(directory))
    (directory / "bounds.csv").write_text("dataset,bound,constant\none,LB,many\n")
    with pytest.raises(UserError, match=r"bounds.csv: is not a table of bounds"):
        regret_figure(RegretFigure(kind="regret", bounds=("LB",)), Results(directory))


def test_only_the_named_curves_are_drawn_and_look_as_ever(tmp_path: Path) -> None:
    results = Results(experiment(tmp_path, {("d", label): linear(1, [1, 10, 100]) for label in "abc"}))
    everything = regret_figure(RegretFigure(kind="regret"), results)
    some = regret_figure(RegretFigure(kind="regret", algorithms=("c", "a")), results)

    def colours(figure: Figure) -> list[Any]:
        return [line.get_color() for line in figure.axes[0].lines]

    all_colours = colours(everything)
    assert len(set(all_colours)) == 3
    assert colours(some) == [all_colours[2], all_colours[0]]
    assert legend_labels(some) == ["c", "a"]


def test_the_rounds_in_which_preferences_change_are_lines_of_their_panel(tmp_path: Path) -> None:
    rows: Rows = {(d, "a"): linear(1) for d in ("stays", "turns")}
    results = Results(experiment(tmp_path, rows))
    stays, turns = results.spec.datasets
    turns = turns.model_copy(update={"changes": (50, 400)})
    results.spec = results.spec.model_copy(update={"datasets": (stays, turns)})
    figure = regret_figure(RegretFigure(kind="regret"), results)
    assert [len(panel.get_lines()) for panel in figure.axes] == [1, 3]
    assert [line.get_xdata() for line in figure.axes[1].get_lines()[:2]] == [[50, 50], [400, 400]]
    assert legend_labels(figure) == ["a"]


def test_regret_below_0_is_shown_on_a_linear_axis(tmp_path: Path) -> None:
    """As adversarial regret may be, of who follows a winner that changes."""
    results = Results(experiment(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(-0.5)}))
    (panel,) = regret_figure(RegretFigure(kind="regret", y="linear"), results).axes
    assert panel.get_ylim()[0] == -0.5 * DENSE[-1]
