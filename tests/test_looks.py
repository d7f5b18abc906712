"""The look of figures of curves, panels of several results, tails and profiles, checked by matplotlib's artists."""

import numpy as np
import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.layout import BOUNDS
from duelbench.plots.drawing import draw_panels, drawing_of
from duelbench.plots.style import PLACES, line_style, line_styles
from duelbench.results.results import Results
from duelbench.spec.figure_options import Look, ProfileFigure, RegretFigure, StdFigure, TailFigure
from duelbench.spec.resolved import ResolvedAlgorithm
from tests.drawings import drawn, experiment, legend_labels, linear, row, write_bounds

pytestmark = pytest.mark.usefixtures("project_style")


@pytest.mark.parametrize(
    ("kept", "places"), [(("linestyle", "marker"), 55), (("color", "linestyle", "marker"), 660), (("color",), 12)]
)
def test_looks_differ(kept, places):
    assert len({tuple(str(line_style(place)[name]) for name in kept) for place in range(places)}) == places


def entry(label, name, grid=None):
    return ResolvedAlgorithm(label=label, name=name, grid=grid)


def test_an_algorithm_looks_the_same_in_all_specs():
    assert catalogue().keys() == set(PLACES)
    names = [*catalogue()]
    alone = [line_styles([entry("mine", name)], Look())["mine"] for name in names]
    together = line_styles([entry(name, name) for name in reversed(names)], Look())
    assert [together[name] for name in names] == alone
    assert len({str(style) for style in alone}) == len(names)


def test_others_get_free_looks():
    """Points of a grid, references and algorithms of users, in colours of their own as long as there are some."""
    others = [entry(f"rucb-{n}", "rucb", "rucb") for n in range(6)] + [entry("mine", "my.py:Mine")]
    found = line_styles([entry("d-ts", "d-ts"), *others], Look())
    assert found["rucb-0"] == line_styles([entry("x", "rucb")], Look())["x"]
    assert len({style["color"] for style in found.values()}) == len(found)
    many = line_styles([entry(str(n), "own.py:A") for n in range(500)], Look())
    assert len({str(style) for style in many.values()}) == 500


def test_chosen_looks():
    look = Look(colors={"rucb": "red", "rucb-2": "#123456"}, styles={"d-ts": "--", "rucb": ":o"})
    found = line_styles([entry("d-ts", "d-ts"), *(entry(f"rucb-{n}", "rucb", "rucb") for n in (1, 2))], look)
    assert [style["color"] for style in found.values()] == ["#000000", "#ff0000", "#123456"]
    assert [style["marker"] for style in found.values()] == ["", "o", "o"]
    assert found["d-ts"]["linestyle"] != found["rucb-1"]["linestyle"] == found["rucb-2"]["linestyle"]


def test_limits(tmp_path):
    """Curves, their ends and the vertical axis are those of the checkpoints within the limits."""
    results = Results(experiment(tmp_path, {("d", "a"): linear(2)}))
    (panel,) = drawing_of(RegretFigure(kind="regret", xlim=[10, 100], y="log"), results).axes
    (line,) = panel.get_lines()
    assert panel.get_xlim() == (10, 100)
    assert (line.get_xdata().min(), line.get_xdata().max()) == (10, 100)
    assert panel.get_ylim()[0] == pytest.approx(0.7 * 20)
    (panel,) = drawing_of(RegretFigure(kind="regret", ylim=[None, 500]), results).axes
    assert panel.get_ylim() == (0, 500)
    figure = RegretFigure(kind="regret", xlim=[None, 100], ylim=[0, 500]).model_copy(update={"y": "log"})  # as --y does
    (panel,) = drawing_of(figure, results).axes
    assert (panel.get_xlim()[1], panel.get_ylim()) == (100, (pytest.approx(1.4), 500))


@pytest.mark.parametrize(("y", "shown"), [("linear", ["0", "200", "400"]), ("log", ["200", "300", "400"])])
def test_plain_numbers_within_a_decade(tmp_path, y, shown):
    figure = drawn(tmp_path, {("d", "a"): {100: row(200), 1000: row(420)}}, y=y, ylim=[180 if y == "log" else 0, 480])
    figure.draw_without_rendering()
    axis = figure.axes[0].yaxis
    texts = [text.get_text() for text in (*axis.get_ticklabels(), *axis.get_ticklabels(minor=True))]
    assert [text for text in texts if text in shown] == shown
    assert not any("times" in text for text in texts)


@pytest.mark.parametrize(
    ("caption", "title"), [(None, "mean ± standard error, 4 runs"), ("none", ""), ("of $T$", "of $T$")]
)
def test_captions(tmp_path, caption, title):
    figure = drawn(tmp_path, {("d", "a"): linear(1)}, caption=caption)
    assert figure.legends[0].get_title().get_text() == title
    assert legend_labels(figure) == ["a"]
    results = Results(experiment(tmp_path / "bars", {("d", "a"): linear(1)}))
    label = drawing_of(StdFigure(kind="std", caption=caption), results).get_supxlabel().replace("\n", " ")
    expected = {None: ", 4 runs", "none": "$10^{3}$"}.get(caption, ", of $T$")
    assert label.endswith(expected)


BOUNDED = {"kind": "regret", "bounds": ["LB", "ECWB"]}


def test_panels_of_several_results(tmp_path):
    """One legend, a look per title, common axes: also for bounds that coincide in one panel only."""
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


def test_panels_need_curves(tmp_path):
    results = Results(experiment(tmp_path, {("d", "a"): linear(1)}, {"kind": "std"}))
    with pytest.raises(UserError, match="first figure of its spec has no curves"):
        draw_panels([results], tmp_path / "x.png")
    results.spec = results.spec.model_copy(update={"figures": ()})
    with pytest.raises(UserError, match="first figure of its spec has no curves"):
        draw_panels([results], tmp_path / "x.png")


def test_tail(tmp_path, monkeypatch):
    results = Results(experiment(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(1)}))
    regret = {"a": [3.0, 1.0, 2.0, 2.0], "b": [0.0, 0.0, 0.0, 5.0]}
    monkeypatch.setattr(Results, "regret_of_runs", lambda self, d, label, kind, t: np.array(regret[label]))
    figure = drawing_of(TailFigure(kind="tail"), results)
    a, b = figure.axes[0].get_lines()
    assert a.get_drawstyle() == "steps-pre"
    assert a.get_xydata().tolist() == [[1, 1], [2, 0.75], [2, 0.5], [3, 0.25]]
    assert b.get_xydata().tolist() == [[5, 0.25]]
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "log")


def test_tail_of_many_runs_has_few_steps(tmp_path, monkeypatch):
    results = Results(experiment(tmp_path, {("d", "a"): linear(1)}))
    monkeypatch.setattr(Results, "regret_of_runs", lambda *_: np.arange(1, 100_001.0))
    (curve,) = drawing_of(TailFigure(kind="tail"), results).axes[0].get_lines()
    assert len(curve.get_xdata()) <= 400
    assert curve.get_xdata()[-10:].tolist() == list(range(99_991, 100_001))


def test_tail_without_runs(tmp_path):
    results = Results(experiment(tmp_path, {("d", "a"): linear(1)}))
    with pytest.raises(UserError, match=r"in the files of the runs, which are missing: `duelbench run`"):
        drawing_of(TailFigure(kind="tail"), results)


def test_profile(tmp_path):
    means = {("d", "a"): 1, ("d", "b"): 2, ("e", "a"): 8, ("e", "b"): 2, ("f", "a"): 1}
    results = Results(experiment(tmp_path, {place: {1000: row(mean)} for place, mean in means.items()}))
    figure = drawing_of(ProfileFigure(kind="profile"), results)
    a, b = figure.axes[0].get_lines()
    assert a.get_drawstyle() == "steps-post"
    assert np.allclose(a.get_xydata(), [[1, 2 / 3], [4, 1], [4.2, 1]])
    assert np.allclose(b.get_xydata(), [[1, 1 / 3], [2, 2 / 3], [4.2, 2 / 3]])  # b has no results on f
    assert figure.legends[0].get_title().get_text() == "3 datasets, 4 runs"
    with pytest.raises(UserError, match="needs two datasets"):
        drawing_of(ProfileFigure(kind="profile", datasets=["d"]), results)
