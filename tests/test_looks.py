"""The look of curves, panels of several results, tails and profiles, checked through matplotlib's artists."""

import random

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.layout import BOUNDS
from duelbench.plots.drawing import draw_panels
from duelbench.plots.kinds.profile import ProfileFigure
from duelbench.plots.kinds.regret import RegretFigure
from duelbench.plots.kinds.std import StdFigure
from duelbench.plots.kinds.tail import TailFigure
from duelbench.plots.style import PLACES, line_style, line_styles
from duelbench.results.results import Results
from duelbench.spec.figures import Look
from duelbench.spec.resolved import ResolvedAlgorithm
from tests.commands import here
from tests.drawings import experiment, legend_labels, linear, row, write_bounds

pytestmark = pytest.mark.usefixtures("project_style")


@pytest.mark.parametrize(
    ("kept", "places"), [(("linestyle", "marker"), 55), (("color", "linestyle", "marker"), 660), (("color",), 12)]
)
def test_looks_differ(kept, places):
    assert len({tuple(str(line_style(place)[name]) for name in kept) for place in range(places)}) == places


def entry(label, name, grid=None):
    return ResolvedAlgorithm(label=label, name=name, grid=grid, in_keys={})


def test_twelve_algorithms_differ_in_colour_and_in_grey():
    """An algorithm has its own look unless another one in the spec already has it."""
    assert catalogue().keys() >= set(PLACES)
    names = [*PLACES]
    rng = random.Random(0)
    for chosen in [rng.sample(names, 12) for _ in range(200)]:
        styles = line_styles([entry(name, name) for name in chosen], Look())
        assert len({style["color"] for style in styles.values()}) == 12
        assert len({(str(style["linestyle"]), style["marker"]) for style in styles.values()}) == 12
    first = [line_styles([entry("mine", name), entry("d-ts", "d-ts")], Look())["mine"] for name in names]
    assert len({str(style) for style in first}) == len(names)
    assert (
        line_styles([entry("x", "ccb"), entry("y", "versatile-db")], Look())["x"]["color"]
        == first[names.index("ccb")]["color"]
    )
    together = line_styles([entry(name, name) for name in names], Look())
    assert len({str(style) for style in together.values()}) == len(names)


def test_limits(tmp_path):
    """Curves and the vertical axis only cover the checkpoints within the limits."""
    results = Results(experiment(tmp_path, {("d", "a"): linear(2)}))
    (panel,) = RegretFigure(kind="regret", xlim=[10, 100], y="log").draw(results).axes
    (line,) = panel.get_lines()
    assert panel.get_xlim() == (10, 100)
    assert (line.get_xdata().min(), line.get_xdata().max()) == (10, 100)
    assert panel.get_ylim()[0] == pytest.approx(0.7 * 20)
    (panel,) = RegretFigure(kind="regret", ylim=[None, 500]).draw(results).axes
    assert panel.get_ylim() == (0, 500)
    figure = RegretFigure(kind="regret", xlim=[None, 100], ylim=[0, 500]).model_copy(update={"y": "log"})  # as --y does
    (panel,) = figure.draw(results).axes
    assert (panel.get_xlim()[1], panel.get_ylim()) == (100, (pytest.approx(1.4), 500))


BOUNDED = {"kind": "regret", "bounds": ["LB", "ECWB"]}


def test_panels_of_several_results(tmp_path):
    """Panels share the legend, the axes and the look of each title, even if bounds coincide in one panel only."""
    one = experiment(tmp_path / "one", {("one", "a"): linear(1), ("one", "b"): linear(2)}, BOUNDED)
    two = experiment(tmp_path / "two", {("two", "c"): linear(2, [1, 10, 100]), ("two", "b"): linear(1)}, BOUNDED)
    for directory, constants in ((one, {"LB": 2.0, "ECWB": 4.0}), (two, {"LB": 3.0, "ECWB": 3.0})):
        write_bounds(directory, **constants)
        (directory / BOUNDS).write_text((directory / BOUNDS).read_text().replace("one,", f"{directory.name},"))
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("duelbench.plots.drawing.save", lambda figure, path, suffix: made.append((figure, suffix)))
        draw_panels([Results(one), Results(two)], tmp_path / "both.svg")
    ((figure, suffix),) = made
    assert suffix == "svg"
    assert [panel.get_title() for panel in figure.axes] == ["(a) Title of one", "(b) Title of two"]
    assert legend_labels(figure) == ["a", "b", "c", "LB", "ECWB"]
    (*_, a, b), (*_, c, again) = (panel.get_lines() for panel in figure.axes)
    assert b.get_color() == again.get_color()
    assert len({line.get_color() for line in (a, b, c)}) == 3
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    assert not any(text.get_visible() for text in figure.axes[1].get_yticklabels())


def test_tail(tmp_path, monkeypatch):
    results = Results(experiment(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(1)}))
    regret = {"a": [3.0, 1.0, 2.0, 2.0], "b": [0.0, 0.0, 0.0, 5.0]}
    monkeypatch.setattr(Results, "regret_of_runs", lambda self, d, label, kind, t: np.array(regret[label]))
    figure = TailFigure(kind="tail").draw(results)
    a, b = figure.axes[0].get_lines()
    assert a.get_drawstyle() == "steps-pre"
    assert a.get_xydata().tolist() == [[1, 1], [2, 0.75], [2, 0.5], [3, 0.25]]
    assert b.get_xydata().tolist() == [[5, 0.25]]
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "log")


def test_profile(tmp_path):
    means = {("d", "a"): 1, ("d", "b"): 2, ("e", "a"): 8, ("e", "b"): 2, ("f", "a"): 1}
    results = Results(experiment(tmp_path, {place: {1000: row(mean)} for place, mean in means.items()}))
    figure = ProfileFigure(kind="profile").draw(results)
    a, b = figure.axes[0].get_lines()
    assert a.get_drawstyle() == "steps-post"
    assert np.allclose(a.get_xydata(), [[1, 2 / 3], [4, 1], [4.2, 1]])
    assert np.allclose(b.get_xydata(), [[1, 1 / 3], [2, 2 / 3], [4.2, 2 / 3]])  # b has no results on f
    assert figure.legends[0].get_title().get_text() == "3 datasets, 4 runs"
    with pytest.raises(UserError, match="needs two datasets"):
        ProfileFigure(kind="profile", datasets=["d"]).draw(results)


def test_unmet_assumptions_have_a_sign(tmp_path):
    """Beat the Mean needs a total order, so it is marked on a cycle, in figures and in tables."""
    spec = tmp_path / "s.yaml"
    spec.write_text("horizon: 20\nruns: 2\ndatasets: [cyclic4]\nalgorithms: [btm, rucb]\n")
    assert here("run", spec, "-o", tmp_path / "out", "-j", 0).exit_code == 0
    assert "Beat the Mean" in here("table", tmp_path / "out").stdout.split("§")[0].splitlines()[-1]
    results = Results(tmp_path / "out")
    curves = RegretFigure(kind="regret").draw(results)
    assert legend_labels(curves) == ["Beat the Mean §", "RUCB"]
    assert curves.legends[0].get_title().get_text().endswith("§: a dataset does not meet its assumptions")
    bars = StdFigure(kind="std").draw(results)
    assert [text.get_text() for text in bars.axes[0].get_yticklabels()] == ["Beat the Mean §", "RUCB"]
