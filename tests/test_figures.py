"""Figures of regret and its spread, checked by matplotlib's artists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from duelbench.algorithms.catalogue import catalogue
from duelbench.errors import UserError
from duelbench.layout import BOUNDS, BOUNDS_COLUMNS, header
from duelbench.plots.drawing import draw_panels, drawing_of
from duelbench.plots.labels import LABEL_SIZE, printable, spread
from duelbench.plots.panels import FOOT, legend_below
from duelbench.plots.style import BOUND_DASHES, COLOURS, line_style, line_styles
from duelbench.results.reader import Results
from duelbench.spec.figure_options import Look, ProfileFigure, RegretFigure, ScalingFigure, StdFigure, TailFigure
from duelbench.spec.resolved import ResolvedAlgorithm
from duelbench.spec.titles import round_number
from tests.drawings import DENSE, experiment, linear, row

pytestmark = pytest.mark.usefixtures("project_style")


def drawn(tmp_path, rows, **keys):
    """Draw the regret of results with these rows."""
    return drawing_of(RegretFigure(kind="regret", **keys), Results(experiment(tmp_path, rows)))


def legend_labels(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_regret_panels(tmp_path):
    rows = {(d, a): linear(s) for d in ("two", "one") for a, s in (("z", 1), ("a", 2))}
    figure = drawn(tmp_path, rows)

    assert [panel.get_title() for panel in figure.axes] == ["Title of two", "Title of one"]
    assert figure.axes[0].get_ylabel() == "cumulative Copeland regret"
    assert figure.axes[0].get_xlabel() == "round $t$"
    assert legend_labels(figure) == ["z", "a"]
    z, a = figure.axes[1].get_lines()
    assert list(z.get_xdata()) == DENSE
    assert list(a.get_ydata()) == [2 * t for t in DENSE]


def test_legend_order(tmp_path):
    labels = [f"algorithm-{place}" for place in range(8)]
    figure = drawn(tmp_path, {("d", a): linear(1) for a in labels})

    figure.draw_without_rendering()
    legend = figure.legends[0]
    corners = [text.get_window_extent() for text in legend.get_texts()]
    read = sorted(zip(corners, legend_labels(figure), strict=True), key=lambda pair: (-round(pair[0].y1), pair[0].x0))
    assert [label for _, label in read] == labels
    extent = legend.get_window_extent()
    assert extent.x0 >= 0 and extent.x1 <= figure.bbox.width
    assert extent.y1 < figure.axes[0].get_tightbbox().y0


def test_long_legend(tmp_path):
    def panel_height(algorithms):
        rows = {("d", f"a-label-{place}"): linear(1) for place in range(algorithms)}
        figure = drawn(tmp_path, rows, legend="below")
        figure.draw_without_rendering()
        return float(figure.axes[0].bbox.height)

    assert panel_height(20) == pytest.approx(panel_height(2), rel=0.02)


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


def test_caption(tmp_path):
    figure = drawn(tmp_path, {("d", "a"): linear(1, runs=1)})
    assert not figure.axes[0].collections
    assert figure.legends[0].get_title().get_text() == "1 run"
    rows = {("d", "a"): linear(1, runs=1500), ("d", "b"): linear(1, runs=1499)}
    title = drawn(tmp_path / "more", rows, band="std").legends[0].get_title()
    assert title.get_text() == "mean ± standard deviation, 1,499 to 1,500 runs"


def test_long_caption():
    drawing = Figure(figsize=(3.5, 2.5), layout="constrained")
    drawing.add_subplot()
    handles = [Line2D([], [], label=name) for name in ("Active ranking", "PLPAC", "BTM")]
    legend_below(
        drawing, handles, "share ± standard error, 1,000 runs; hollow: some runs had declared no winner by then"
    )
    drawing.draw_without_rendering()
    caption = drawing.legends[0].get_title()
    assert caption.get_text().count("\n") == 1
    assert caption.get_window_extent().x0 > 0
    assert caption.get_window_extent().x1 < drawing.bbox.width
    assert drawing.legends[0]._ncols == 3  # with a caption, the names of curves are side by side


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
    one, two = drawing_of(RegretFigure(kind="regret"), results).axes

    assert [text.get_text() for text in one.texts] == ["no results: a"]
    assert not two.texts
    assert one.get_lines()[0].get_color() == two.get_lines()[1].get_color() == COLOURS[1]


@pytest.mark.parametrize("x", ["log", "linear"])
def test_single_checkpoint(tmp_path, x):
    left, right = drawn(tmp_path, {("d", "a"): linear(1, [1000])}, x=x).axes[0].get_xlim()
    assert left < 1000 < right


def write_bounds(directory, **constants):
    rows = [f"one,copeland,{name},3,{constant!r},key" for name, constant in constants.items()]
    (directory / BOUNDS).write_text("\n".join([header(BOUNDS_COLUMNS), *rows]) + "\n")


@pytest.mark.parametrize(("x", "y"), [("log", "log"), ("linear", "linear")])
def test_bound_lines(tmp_path, x, y):
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    write_bounds(directory, LB=2.5, ECWB=4.0)
    figure = drawing_of(RegretFigure(kind="regret", x=x, y=y, bounds=("LB", "ECWB")), Results(directory))
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


def test_bound_per_panel(tmp_path):
    directory = experiment(tmp_path, {("one", "a"): linear(1), ("two", "a"): linear(1)})
    write_bounds(directory, LB=2.0)
    with (directory / "bounds.csv").open("a") as file:
        file.write("two,copeland,LB,3,inf,key\n")
    figure = drawing_of(RegretFigure(kind="regret", bounds=("LB",)), Results(directory))
    assert [len(panel.get_lines()) for panel in figure.axes] == [2, 1]
    assert [[text.get_text() for text in panel.texts] for panel in figure.axes] == [[], ["infinite: LB"]]


def test_missing_bounds(tmp_path):
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    with pytest.raises(UserError, match="the bound LB, whose constant for one is missing"):
        drawing_of(RegretFigure(kind="regret", bounds=("LB",)), Results(directory))
    (directory / "bounds.csv").write_text("dataset,bound,constant\none,LB,many\n")
    with pytest.raises(UserError, match=r"bounds.csv:2: is not a table of bounds"):
        drawing_of(RegretFigure(kind="regret", bounds=("LB",)), Results(directory))


def test_chosen_curves(tmp_path):
    results = Results(experiment(tmp_path, {("d", label): linear(1, [1, 10, 100]) for label in "abc"}))
    some = drawing_of(RegretFigure(kind="regret", algorithms=("c", "a")), results)
    assert [line.get_color() for line in some.axes[0].lines] == [COLOURS[2], COLOURS[0]]
    assert legend_labels(some) == ["c", "a"]


def test_change_lines(tmp_path):
    rows = {(d, "a"): linear(1) for d in ("stays", "turns")}
    results = Results(experiment(tmp_path, rows))
    stays, turns = results.spec.datasets
    turns = turns.model_copy(update={"changes": (50, 400)})
    results.spec = results.spec.model_copy(update={"datasets": (stays, turns)})
    figure = drawing_of(RegretFigure(kind="regret"), results)
    assert [len(panel.get_lines()) for panel in figure.axes] == [1, 3]
    assert [line.get_xdata() for line in figure.axes[1].get_lines()[:2]] == [[50, 50], [400, 400]]
    assert legend_labels(figure) == ["a"]


def test_negative_regret(tmp_path):
    """Adversarial regret may be negative if an algorithm follows a changing winner."""
    (panel,) = drawn(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(-0.5)}, y="linear").axes
    assert panel.get_ylim()[0] == -0.5 * DENSE[-1]


def test_markers_off_the_zero_line(tmp_path):
    rows = {("d", "high"): linear(100), ("d", "middle"): linear(50), ("d", "low"): linear(0.01)}
    (panel,) = drawn(tmp_path, rows).axes
    high, middle, low = panel.get_lines()
    top = panel.get_ylim()[1]
    for line in (high, middle):
        marked = np.asarray(line.get_ydata())[line.get_markevery()]
        assert len(marked) >= 1
        assert (marked > FOOT * top).all()
    assert high.get_markevery() != middle.get_markevery()
    assert low.get_markevery() == [len(low.get_xdata()) - 1]


@pytest.mark.parametrize(
    ("kept", "places"), [(("linestyle", "marker"), 55), (("color", "linestyle", "marker"), 660), (("color",), 12)]
)
def test_looks_differ(kept, places):
    assert len({tuple(str(line_style(place)[name]) for name in kept) for place in range(places)}) == places


def entry(label, name, grid=None):
    return ResolvedAlgorithm(label=label, name=name, grid=grid)


def test_an_algorithm_looks_the_same_in_all_specs():
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


def test_spread_moves_little():
    for targets, places in (([0.2, 0.8], [0.2, 0.8]), ([0.5, 0.5, 0.9], [0.45, 0.55, 0.9]), ([0, 0], [0.05, 0.15])):
        assert spread(targets, [0.1] * len(targets), 0, 1) == pytest.approx(places)


@pytest.mark.parametrize(("panels", "size"), [(3, "column"), (1, "page")])
def test_curves_named_at_their_ends(tmp_path, panels, size):
    titles = [f"a-{place} of a long and tiring name" if place % 3 else f"a-{place}" for place in range(14)]
    rows = {(f"d{d}", title): linear(1 + place % 4) for d in range(panels) for place, title in enumerate(titles)}
    figure = drawn(tmp_path, rows, size=size)
    figure.draw_without_rendering()
    for panel in figure.axes:
        named = [text for text in panel.texts if text.get_fontsize() == LABEL_SIZE]
        assert sorted(text.get_text().replace("\n", " ") for text in named) == sorted(titles)
        boxes = [text.get_window_extent() for text in named]
        assert not any(a.overlaps(b.shrunk(1, 0.9)) for place, a in enumerate(boxes) for b in boxes[:place])
        assert all(panel.bbox.x1 < box.x0 and box.x1 <= figure.bbox.width for box in boxes)
        assert all(box.y0 >= 0 and box.y1 <= figure.bbox.height for box in boxes)
    assert not figure.legends


def test_legend_places(tmp_path):
    results = Results(experiment(tmp_path, {("d", f"a-{place}"): linear(1) for place in range(8)}))
    assert len(drawing_of(RegretFigure(kind="regret"), results).legends) == 1
    assert not drawing_of(RegretFigure(kind="regret", legend="ends"), results).legends
    assert not drawing_of(RegretFigure(kind="regret", legend="none"), results).legends
    inside = drawing_of(RegretFigure(kind="regret", legend="inside"), results)
    assert inside.axes[0].get_legend() is not None
    ends = drawing_of(ScalingFigure(kind="scaling", legend="ends"), results)
    assert [text.get_text() for text in ends.axes[0].texts] == [f"a-{place}" for place in range(8)]


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
        drawing_of(RegretFigure(kind="regret", title="Title"), results),
        drawing_of(StdFigure(kind="std", title="Title"), results),
    ):
        figure.draw_without_rendering()
        boxes = [panel.get_tightbbox() for panel in figure.axes]
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)
        assert all(box.y0 >= 0 and box.y1 <= figure.bbox.height for box in boxes)
        names = [text.get_window_extent() for text in figure.axes[0].get_yticklabels()]
        for each in (boxes, [name.shrunk(1, 0.9) for name in names]):
            assert not any(a.overlaps(b) for place, a in enumerate(each) for b in each[:place])


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
def test_wrapping(text, printed):
    assert printable(text, 0.4 if "long" in text else 5.0) == printed


def test_round_numbers():
    assert [round_number(t) for t in (1, 100, 1000, 999_999)] == ["1", "100", "$10^{3}$", "999,999"]


def test_chosen_bars(tmp_path):
    results = Results(experiment(tmp_path, {(d, a): linear(1) for d in ("one", "two") for a in "abc"}))
    figure = drawing_of(
        StdFigure(
            kind="std", algorithms=("c", "a"), datasets=("two",), width=3.0, height=1.5, xlabel="risk", ylabel="y"
        ),
        results,
    )
    (panel,) = figure.axes
    assert [text.get_text() for text in panel.get_yticklabels()] == ["c", "a"]
    assert panel.get_title() == "Title of two"
    assert tuple(figure.get_size_inches()) == (3.0, 1.5)
    assert (figure.get_supxlabel(), panel.get_ylabel()) == ("risk", "y")


def test_std_bars(tmp_path):
    rows = {("d", "a"): {100: row(9, std=7.0), 1000: row(90, std=30.0)}, ("d", "b"): {1000: row(60, std=1.5)}}
    rows["d", "c"] = {100: row(50, runs=1)}
    panel = drawing_of(StdFigure(kind="std", at=100), Results(experiment(tmp_path, rows))).axes[0]
    assert [bar.get_width() for bar in panel.patches] == [7.0, 0.0, 0.0]
    assert [text.get_text() for text in panel.texts] == ["7", "no results", "1 run"]


def test_std_normalised(tmp_path):
    rows = {
        ("one", "a"): {1000: row(50, std=30.0)},
        ("one", "b"): {1000: row(60, std=12.0)},
        ("two", "a"): {1000: row(50, std=30.0)},
        ("two", "b"): {1000: row(0.0, std=0.0)},
    }
    figure = drawing_of(StdFigure(kind="std", normalize_by="b"), Results(experiment(tmp_path, rows)))

    one, two = figure.axes
    assert [text.get_text() for text in one.texts] == ["50.0", "20.0"]
    assert [text.get_text() for text in two.texts] == ["b has no regret"] * 2
    said = "standard deviation of Copeland regret at $t$ = $10^{3}$ (% of the mean regret of b), 4 runs"
    assert figure.get_supxlabel() == said


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (StdFigure(kind="std", at=990), "nearest checkpoint is 1,000"),
        (StdFigure(kind="std", normalize_by="ecw-rmde"), "did you mean 'ecw-rmed'"),
        (StdFigure(kind="std", regret="borda"), "'borda', but the runs recorded copeland"),
    ],
)
def test_std_errors(tmp_path, figure, words):
    with pytest.raises(UserError, match=words):
        drawing_of(figure, Results(experiment(tmp_path, {("d", "ecw-rmed"): linear(1)})))
