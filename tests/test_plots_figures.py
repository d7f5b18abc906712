"""Figures, looked at through matplotlib's artists, and the files that `draw` leaves behind."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.style
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from duelbench.errors import UserError
from duelbench.plots import draw
from duelbench.plots.layout import printable, round_number
from duelbench.plots.regret import regret_figure
from duelbench.plots.results import DECLARATION_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS, RegretFigure, Results, StdFigure
from duelbench.plots.std import std_figure
from duelbench.plots.style import BOUND_DASHES, COLOURS, STYLE, line_style

REGRET = {"kind": "regret", "x": "log", "y": "linear", "band": "sem", "regret": "copeland", "title": None, "file": None}
LOGLOG = REGRET | {"y": "log"}
STD = {"kind": "std", "at": 1000, "normalize_by": None, "title": None, "file": None}
DENSE = [int(t) for t in np.unique(np.geomspace(1, 1000, 61).round())]

Rows = dict[tuple[str, str], dict[int, dict[str, Any]]]


@pytest.fixture(autouse=True)
def project_style() -> Iterator[None]:
    with matplotlib.style.context(["default", STYLE]):
        yield


def row(mean: float, std: float = 1.0, runs: int = 4) -> dict[str, Any]:
    spread = {"std": std, "sem": std / runs**0.5} if runs > 1 else {"std": "", "sem": ""}
    quantiles = {f"q{level:02d}": mean * (0.5 + level / 100) for level in (5, 25, 50, 75, 95)}
    return {"runs": runs, "mean": mean, **spread, **quantiles}


def experiment(tmp_path: Path, rows: Rows, *figures: dict[str, Any], algorithms: tuple[str, ...] = ()) -> Path:
    """Write an experiment whose datasets and algorithms are those of the rows (dataset, algorithm) -> t -> numbers."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in rows))
    labels = list(algorithms or dict.fromkeys(algorithm for _, algorithm in rows))
    spec = {
        "horizons": [1000],
        "runs": 4,
        "regret": ["copeland"],
        "datasets": [{"label": label, "title": f"Title of {label}", "arms": 5} for label in datasets],
        "algorithms": [{"label": label, "name": label, "parameters": {}} for label in labels],
        "figures": list(figures),
    }
    (tmp_path / "manifest.json").write_text(json.dumps({"spec": spec}))
    with (tmp_path / "summary.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*TEXT_COLUMNS, *NUMBER_COLUMNS, *DECLARATION_COLUMNS])
        writer.writeheader()
        for (dataset, algorithm), series in rows.items():
            for t, numbers in series.items():
                writer.writerow({"dataset": dataset, "algorithm": algorithm, "regret": "copeland", "t": t, **numbers})
    return tmp_path


def linear(slope: float, checkpoints: list[int] = DENSE, **numbers: Any) -> dict[int, dict[str, Any]]:
    return {t: row(slope * t, **numbers) for t in checkpoints}


def legend_labels(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_one_panel_per_dataset_and_one_curve_per_algorithm_in_the_order_of_the_spec(tmp_path: Path) -> None:
    rows: Rows = {(d, a): linear(s) for d in ("two", "one") for a, s in (("z", 1), ("a", 2))}
    figure = regret_figure(RegretFigure(), Results(experiment(tmp_path, rows)))

    assert [panel.get_title() for panel in figure.axes] == ["Title of two", "Title of one"]
    assert figure.axes[0].get_ylabel() == "cumulative regret (copeland)"
    assert figure.axes[0].get_xlabel() == "$t$"
    assert legend_labels(figure) == ["z", "a"]
    z, a = figure.axes[1].get_lines()
    assert list(z.get_xdata()) == DENSE
    assert list(a.get_ydata()) == [2 * t for t in DENSE]


def test_a_legend_of_several_rows_is_read_row_by_row(tmp_path: Path) -> None:
    labels = [f"algorithm-{place}" for place in range(8)]
    figure = regret_figure(RegretFigure(), Results(experiment(tmp_path, {("d", a): linear(1) for a in labels})))

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
        figure = regret_figure(RegretFigure(), Results(experiment(tmp_path, rows)))
        figure.draw_without_rendering()
        return float(figure.axes[0].bbox.height)

    assert panel_height(20) == pytest.approx(panel_height(2), rel=0.02)


@pytest.mark.parametrize(
    ("band", "low", "high"), [("sem", 1.5, 2.5), ("std", 1.0, 3.0), ("quantiles", 2 * 0.55, 2 * 1.45)]
)
def test_the_band_is_the_one_asked_for(tmp_path: Path, band: str, low: float, high: float) -> None:
    rows: Rows = {("d", "a"): {t: row(2.0, std=1.0) for t in DENSE}}
    figure = regret_figure(RegretFigure(band=band), Results(experiment(tmp_path, rows)))

    (drawn,) = figure.axes[0].collections
    assert isinstance(drawn, PolyCollection)
    heights = drawn.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((low, high))


def test_a_sweep_of_few_horizons_marks_every_point(tmp_path: Path) -> None:
    rows: Rows = {("d", "sweep"): linear(1, [10, 100, 1000]), ("d", "anytime"): linear(2)}
    panel = regret_figure(RegretFigure(), Results(experiment(tmp_path, rows))).axes[0]

    sweep, anytime = panel.get_lines()
    assert sweep.get_markevery() == 1
    assert anytime.get_markevery() != 1
    bars, band = panel.collections
    assert isinstance(bars, LineCollection)
    assert [tuple(bar[:, 0]) for bar in bars.get_segments()] == [(10, 10), (100, 100), (1000, 1000)]
    assert isinstance(band, PolyCollection)


@pytest.mark.parametrize("band", ["sem", "std", "quantiles"])
def test_a_single_run_has_no_band(tmp_path: Path, band: str) -> None:
    figure = regret_figure(RegretFigure(band=band), Results(experiment(tmp_path, {("d", "a"): linear(1, runs=1)})))

    assert not figure.axes[0].collections
    assert figure.legends[0].get_title().get_text() == "1 run"


def test_the_legend_says_what_the_band_is_and_over_how_many_runs(tmp_path: Path) -> None:
    rows: Rows = {("d", "a"): linear(1, runs=1500), ("d", "b"): linear(1, runs=1499)}
    figure = regret_figure(RegretFigure(band="std"), Results(experiment(tmp_path, rows)))

    assert figure.legends[0].get_title().get_text() == "mean ± standard deviation, 1,499 to 1,500 runs"


def test_zero_regret_on_a_log_axis_is_left_out_and_said(tmp_path: Path) -> None:
    late = {t: row(0.0 if t < 100 else t - 90.0, std=50.0) for t in DENSE}
    rows: Rows = {("d", "late"): late, ("d", "never"): {t: row(0.0, std=0.0) for t in DENSE}}
    panel = regret_figure(RegretFigure(y="log"), Results(experiment(tmp_path, rows))).axes[0]

    (curve,) = panel.get_lines()
    assert min(curve.get_xdata()) >= 100
    assert 0 < panel.get_ylim()[0] < min(curve.get_ydata())
    (band,) = panel.collections
    assert band.get_paths()[0].vertices[:, 1].min() == panel.get_ylim()[0]
    assert [text.get_text() for text in panel.texts] == ["no regret: never"]


def test_zero_regret_everywhere_stays_at_the_foot_of_a_linear_axis(tmp_path: Path) -> None:
    rows: Rows = {("d", "a"): {t: row(0.0, std=0.0) for t in DENSE}}
    panel = regret_figure(RegretFigure(), Results(experiment(tmp_path, rows))).axes[0]

    assert len(panel.get_lines()) == 1
    assert panel.get_ylim() == (0.0, 10.0)


def test_missing_results_are_named_in_the_panel_and_keep_the_styles_of_the_others(tmp_path: Path) -> None:
    rows: Rows = {("one", "b"): linear(1), ("two", "a"): linear(1), ("two", "b"): linear(1)}
    results = Results(experiment(tmp_path, rows, algorithms=("a", "b")))
    one, two = regret_figure(RegretFigure(), results).axes

    assert [text.get_text() for text in one.texts] == ["no results: a"]
    assert not two.texts
    assert one.get_lines()[0].get_color() == two.get_lines()[1].get_color() == COLOURS[1]


@pytest.mark.parametrize("x", ["log", "linear"])
def test_a_single_checkpoint_is_inside_the_panel(tmp_path: Path, x: str) -> None:
    panel = regret_figure(RegretFigure(x=x), Results(experiment(tmp_path, {("d", "a"): linear(1, [1000])}))).axes[0]

    left, right = panel.get_xlim()
    assert left < 1000 < right


def test_colours_get_lighter_and_no_two_of_twenty_algorithms_look_alike() -> None:
    luminance = [float(np.dot((0.299, 0.587, 0.114), to_rgb(colour))) for colour in COLOURS]
    assert np.diff(luminance).min() > 0.08
    assert luminance[-1] < 0.7

    in_grey = {(style["marker"], str(style["linestyle"])) for style in map(line_style, range(20))}
    assert len(in_grey) == 20


def write_bounds(directory: Path, **constants: float) -> None:
    rows = [f"one,copeland,{name},3,{constant!r},key" for name, constant in constants.items()]
    text = "\n".join(["dataset,regret,bound,matrices,constant,key", *rows])
    (directory / "bounds.csv").write_text(text + "\n")


@pytest.mark.parametrize(("x", "y"), [("log", "linear"), ("log", "log"), ("linear", "linear")])
def test_bounds_are_lines_of_their_constant_times_log_t(tmp_path: Path, x: Any, y: Any) -> None:
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    write_bounds(directory, LB=2.5, ECWB=4.0)
    figure = regret_figure(RegretFigure(x=x, y=y, bounds=("LB", "ECWB")), Results(directory))
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
    figure = regret_figure(RegretFigure(bounds=("LB",)), Results(directory))
    assert [len(panel.get_lines()) for panel in figure.axes] == [2, 1]
    assert [[text.get_text() for text in panel.texts] for panel in figure.axes] == [[], ["infinite: LB"]]


def test_a_bound_that_was_not_computed_is_refused(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("one", "a"): linear(1)})
    with pytest.raises(UserError, match="the bound LB, whose constant for one is not there"):
        regret_figure(RegretFigure(bounds=("LB",)), Results(directory))
    (directory / "bounds.csv").write_text("dataset,bound,constant\none,LB,many\n")
    with pytest.raises(UserError, match=r"bounds.csv: is not a table of bounds"):
        regret_figure(RegretFigure(bounds=("LB",)), Results(directory))


def test_std_bars_are_at_the_asked_round(tmp_path: Path) -> None:
    rows: Rows = {("d", "a"): {100: row(9, std=7.0), 1000: row(90, std=30.0)}, ("d", "b"): {1000: row(60, std=1.5)}}
    results = Results(experiment(tmp_path, rows))

    panel = std_figure(StdFigure(at=1000), results).axes[0]
    assert [bar.get_width() for bar in panel.patches] == [30.0, 1.5]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["a", "b"]
    panel = std_figure(StdFigure(at=100), results).axes[0]
    assert [bar.get_width() for bar in panel.patches] == [7.0, 0.0]
    assert [text.get_text() for text in panel.texts] == ["7", "no results"]


def test_std_is_normalised_by_the_mean_regret_in_the_same_panel(tmp_path: Path) -> None:
    rows: Rows = {
        ("one", "a"): {1000: row(50, std=30.0)},
        ("one", "b"): {1000: row(60, std=12.0)},
        ("two", "a"): {1000: row(50, std=30.0)},
        ("two", "b"): {1000: row(0.0, std=0.0)},
    }
    figure = std_figure(StdFigure(normalize_by="b"), Results(experiment(tmp_path, rows)))

    one, two = figure.axes
    assert [text.get_text() for text in one.texts] == ["50.0", "20.0"]
    assert [text.get_text() for text in two.texts] == ["b has no regret"] * 2
    assert figure.get_supxlabel() == "standard deviation of regret at $t$ = $10^{3}$ (% of the mean regret of b)"


def test_std_of_a_single_run_is_said_to_be_missing(tmp_path: Path) -> None:
    results = Results(experiment(tmp_path, {("d", "a"): {1000: row(50, runs=1)}}))
    assert [text.get_text() for text in std_figure(StdFigure(), results).axes[0].texts] == ["1 run"]


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (StdFigure(at=990), "nearest checkpoint is 1,000"),
        (StdFigure(normalize_by="ecw-rmde"), "did you mean 'ecw-rmed'"),
        (StdFigure(regret="borda"), "'borda', but the runs recorded copeland"),
    ],
)
def test_a_figure_of_what_was_not_recorded_is_refused(tmp_path: Path, figure: StdFigure, words: str) -> None:
    with pytest.raises(UserError, match=words):
        std_figure(figure, Results(experiment(tmp_path, {("d", "ecw-rmed"): linear(1)})))


def test_files_are_named_by_kind_and_scale_and_numbered_when_taken(tmp_path: Path) -> None:
    figures = [REGRET, LOGLOG, STD, REGRET | {"band": "std"}, REGRET | {"file": "mine"}, STD | {"file": "mine"}]
    directory = experiment(tmp_path, {("d", "a"): linear(1)}, *figures)

    written = draw(directory, formats=("svg",))
    names = ["regret", "regret-loglog", "std", "regret-2", "mine", "mine-2"]
    assert written == [directory / f"{name}.svg" for name in names]
    assert all(path.stat().st_size > 0 for path in written)


def test_overrides_merge_figures_that_become_equal(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1)}, REGRET, LOGLOG, STD)
    assert draw(directory, formats=("svg",), y="log", band="none") == [
        directory / "regret-loglog.svg",
        directory / "std.svg",
    ]


def test_the_same_results_give_the_same_bytes_in_every_format(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(2)}, REGRET)
    first = {path.name: path.read_bytes() for path in draw(directory)}

    assert list(first) == ["regret.png", "regret.pdf", "regret.svg"]
    assert {path.name: path.read_bytes() for path in draw(directory)} == first
    assert b"<dc:date>" not in first["regret.svg"]
    assert b"CreationDate" not in first["regret.pdf"]


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'png'"):
        draw(tmp_path, formats=("pngg",))


@pytest.mark.parametrize("panels", [1, 2, 8])
def test_no_text_is_cut_off_or_printed_over_another_panel(tmp_path: Path, panels: int) -> None:
    labels = [f"a-rather-long-label-{place}" for place in range(12)]
    rows: Rows = {
        (f"dataset-{d} of a long and tiring and finally too long name", a): linear(1)
        for d in range(panels)
        for a in labels
    }
    results = Results(experiment(tmp_path, rows))

    for figure in (regret_figure(RegretFigure(title="Title"), results), std_figure(StdFigure(title="Title"), results)):
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
    ],
)
def test_free_text_is_wrapped_and_never_breaks_mathtext(text: str, printed: str) -> None:
    assert printable(text, 0.5 if "long" in text else 5.0) == printed


def test_rounds_are_printed_as_powers_of_ten_where_they_are() -> None:
    assert [round_number(t) for t in (1, 100, 1000, 10**6, 10**6 - 1)] == [
        "1",
        "100",
        "$10^{3}$",
        "$10^{6}$",
        "999,999",
    ]


def test_drawing_loads_neither_numba_nor_pyplot(tmp_path: Path) -> None:
    directory = experiment(tmp_path, {("d", "a"): linear(1)}, REGRET, STD)
    script = (
        "import sys; from pathlib import Path; from duelbench.plots import draw; "
        "draw(Path(sys.argv[1]), formats=('png',)); "
        "print([name for name in ('numba', 'matplotlib.pyplot', 'duelbench.engine') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(directory)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"
