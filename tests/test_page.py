"""The page of `plot -f html`: its figures, its numbers, and that it loads nothing and runs only Plotly's scripts."""

import hashlib
import json
import re
from base64 import b64encode
from html import unescape

import pytest

pytest.importorskip("plotly")

from duelbench.errors import UserError
from duelbench.plots.bars import Bar, BarPanels
from duelbench.plots.drawing import draw_results
from duelbench.plots.html_page import _bars, checkpoints, drawn, escaped, page_text
from duelbench.plots.style import SHADES, line_style
from duelbench.results.collection import combined
from duelbench.results.reader import Results
from duelbench.spec.figure_options import IdentificationFigure, RegretFigure, ScalingFigure, StdFigure
from tests.drawings import experiment, linear, row
from tests.experiments import own_algorithm, played, resolved, write_results
from tests.paged import EVIL, NAMES, READ, Read, made, page


def titles(figure):
    return [each.text for each in figure.layout.annotations]


def axes_of(figure):
    return figure.layout.xaxis, figure.layout.yaxis


def test_regret(tmp_path):
    rows = {("d", "a"): linear(2), ("d", "b"): linear(0.0), ("e", "a"): linear(3, runs=1)}
    results = Results(experiment(tmp_path, rows, algorithms=("a", "b", "c")))
    figure, caption = drawn(RegretFigure(kind="regret", y="log", band="std", ylabel="R"), results)
    first, _ = titles(figure)
    assert first.startswith("Title of d<br>")
    assert "no results: c; no regret: b" in first
    assert caption == "mean ± standard deviation, 1 to 4 runs"
    above, a, alone = figure.data  # a single run has no band, and no regret no curve
    rows = results.series("d", "a", "copeland")
    assert a.y == tuple(rows["mean"])
    assert above.y[: len(rows)] == pytest.approx((rows["mean"] + rows["std"]).tolist())
    assert min(above.y) == pytest.approx(0.7 * 2)  # the lower end of the axis, as in the images
    assert a.text[-1] == "regret 2,000 ± 0.5 (s.e.)<br>4 runs"
    assert alone.text[-1] == "regret 3,000<br>1 run"
    assert (alone.xaxis, alone.y[-1]) == ("x2", 3000)
    assert [(each.name, each.showlegend, each.legendgroup) for each in (a, alone)] == [
        ("a", True, "a"),
        ("a", False, "a"),
    ]
    horizontal, vertical = axes_of(figure)
    assert (horizontal.type, horizontal.title.text) == ("log", "round t")
    assert (vertical.type, vertical.title.text, vertical.exponentformat) == ("log", "R", "power")
    assert figure.layout.yaxis2.title.text is None


def test_bands_end_at_the_axis(tmp_path):
    results = Results(experiment(tmp_path, {("d", "a"): {1: row(1, std=5), 2: row(4, std=1)}}))
    linear_band, log_band = (
        drawn(RegretFigure(kind="regret", band="std", y=y), results)[0].data[0].y for y in ("linear", "log")
    )
    assert linear_band == (6, 5, 3, 0)
    assert log_band == (6, 5, 3, pytest.approx(0.7))


def test_limits(tmp_path):
    results = Results(experiment(tmp_path, {("d", "a"): linear(2)}))
    figure, _ = drawn(RegretFigure(kind="regret", y="log", ylim=(1, None)), results)
    assert figure.layout.yaxis.range == (0, None)  # in powers of ten


def test_identification(tmp_path):
    results = Results(made(tmp_path))
    figure, caption = drawn(IdentificationFigure(kind="identification"), results)
    band, _, _, other = figure.data[:4]
    assert other.y == tuple(results.series("d-arms=5", "other", "copeland")["recommended_right"])
    assert band.y[:3] == tuple(results.series("d-arms=5", "late", "copeland")["right_high"])
    assert other.text[1] == "99.0% right (94.0% to 99.1%)<br>4 runs"
    assert caption == "share with its 95 % interval (Wilson), 4 runs"
    assert "no results: none" in titles(figure)[0]
    simple, _ = drawn(IdentificationFigure(kind="identification", show="simple", y="log"), results)
    assert [trace.y for trace in simple.data] == [(0.1, 0.01, 0.001)] * 4


def test_scaling(tmp_path):
    datasets = [{"label": f"g-arms={arms}", "arms": arms, "grid": "g"} for arms in (5, 10)]
    rows = [
        (
            (each["label"], "a", "copeland", 1000),
            row(9, std=4, runs=16) | {"right": 1, "declared": share, "duels_to_declaration": 500},
        )
        for each, share in zip(datasets, (1, 0.5), strict=True)
    ]
    results = Results(write_results(tmp_path, resolved(datasets, ["a", "b"]), rows))
    duels, caption = drawn(ScalingFigure(kind="scaling", show="duels"), results)
    (trace,) = duels.data
    assert (trace.x, trace.y) == ((5, 10), (500, 750))
    assert trace.marker.color == (line_style(0)["color"], "white")
    assert caption == "mean, 16 runs; hollow: not all runs declared a winner"
    regret, _ = drawn(ScalingFigure(kind="scaling"), results)
    (trace,) = regret.data
    assert trace.error_y.array == trace.error_y.arrayminus == (1, 1)
    assert trace.text[0] == "9 (8 to 10)"
    assert "no results: b" in titles(regret)[0]
    assert regret.layout.xaxis.ticktext == ("5", "10")
    assert regret.layout.xaxis.title.text == "number of arms K"


def test_changes(tmp_path):
    results = Results(experiment(tmp_path, {("stays", "a"): linear(1), ("turns", "a"): linear(1)}))
    stays, turns = results.spec.datasets
    results.spec = results.spec.model_copy(update={"datasets": (stays, turns.model_copy(update={"changes": (50,)}))})
    figure, _ = drawn(RegretFigure(kind="regret"), results)
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1, line.xref, line.yref) == (50, 50, "x2", "y2 domain")


EMPTY = '<span style="font-size:11px;color:#606060"></span>'
BAR_NAMES = ["$\\alpha$", "a name that is longer than all the others, by far"]


def test_bars():
    shown = BarPanels(
        BAR_NAMES, [("d", [Bar(2.0, "2"), Bar(0.0, "1 run")]), ("e", [Bar(0.1, "10.0%", 0.05, 0.2)] * 2)], "h", "4 runs"
    )
    figure, caption = _bars(StdFigure(kind="std"), shown)
    assert (caption, titles(figure)) == ("h, 4 runs", [f"{each}<br>{EMPTY}" for each in "de"])
    bars, said, intervals, beyond = figure.data
    assert (bars.x, said.x, said.text) == ((2, 0), (2, 0), (" 2", " 1 run"))
    assert bars.error_x.array == (0, 0)
    assert intervals.error_x.array == pytest.approx((0.1, 0.1))
    assert intervals.error_x.arrayminus == pytest.approx((0.05, 0.05))
    assert beyond.x == (0.2, 0.2)
    assert intervals.hovertext[0] == "<b>α</b><br>10.0% (5.0% to 20.0%)"
    assert figure.layout.yaxis.ticktext == ("α", "a name that is longer than all<br>the others, by far")


def test_heat_map(tmp_path):
    results = Results(made(tmp_path))
    figure, caption = drawn(IdentificationFigure(kind="identification", show="table"), results)
    (cells,) = figure.data
    assert cells.y == (escaped(EVIL, 40), "other", "none")
    assert [list(line) for line in cells.text] == [["<b>100</b>"] * 3] * 2 + [["–"] * 3]
    assert list(cells.customdata[0]) == ["", "(94.9% to 99.9%)", "(94.9% to 99.9%)"]
    assert figure.layout.xaxis.title.text == "1,000 rounds"
    assert "percent of 4 runs" in caption
    scale = figure.layout.coloraxis.colorscale
    assert [shade for _, shade in scale[::2]] == [shade for _, shade in scale[1::2]] == list(SHADES)
    assert [limit for limit, _ in scale[2::2]] == [limit for limit, _ in scale[1:-1:2]] == [0.5, 0.7, 0.8, 0.9, 0.95]


def test_table_of_a_checkpoint(tmp_path):
    figure = checkpoints(Results(made(tmp_path)))
    assert [table.visible for table in figure.data] == [True, False]
    assert figure.data[0].header.values[:3] == ("algorithm", "mean", "sem")
    names, means, *_ = figure.data[0].cells.values
    assert list(names) == [escaped(EVIL, 40), "other"]  # the better one first
    assert list(means) == ["7.25", "370"]
    (choice,) = figure.layout.updatemenus
    assert [button.label for button in choice.buttons] == [
        f"{escaped(EVIL)}, K = {arms}: copeland regret" for arms in (5, 10)
    ]
    assert choice.buttons[1].args == ("visible", (False, True))
    (slider,) = figure.layout.sliders
    assert [(step.label, step.args[0]) for step in slider.steps] == [
        (t, "cells.values") for t in ("10", "100", "1,000")
    ]
    assert slider.active == 2
    at_100 = slider.steps[1].args[1]
    assert [list(table[1]) for table in at_100] == [["0", "37"], ["0", "74"]]


FAILING = """\
horizon: 100
runs: 10
seed: 5
datasets: [six-rankers]
algorithms: ["one.py:One"]
"""


def text_of(results):
    return page_text(results, {})


def test_provenance(copy):
    results = Results(copy)
    text = text_of(results)
    assert "<pre>horizon: 3e3\nruns: 6\n" in text
    assert "&quot;name&quot;: &quot;btm&quot;" in text
    (execution,) = results.manifest.executions
    assert f"&quot;numba&quot;: &quot;{execution['versions']['numba']}&quot;" in text
    assert f"&quot;cores&quot;: {execution['machine']['cores']}" in text
    assert "<summary>Failed" not in text


def test_failures(tmp_path, monkeypatch):
    monkeypatch.setattr("duelbench.plots.html_page.MOST_FAILURES", 2)
    (tmp_path / "one.py").write_text(own_algorithm("assert rng.random() < 0.995, '<i>'", name="One"))
    done = played(tmp_path, FAILING)
    failed = len(done.execution.failures)
    assert 2 < failed < 10
    text = text_of(Results(done.directory))
    assert text.count("<summary>Failed: ") == 2
    assert f"<summary>Failed</summary><pre>{failed - 2} more runs</pre>" in text
    assert "AssertionError: &lt;i&gt;</summary><pre>Traceback" in text


def test_earlier_failures_are_hidden(copy):
    place = copy / "six-rankers" / "btm"
    record = "# duelbench run key\nTraceback\nError: x\n"
    (place / "run-00002.failed").write_text(record)  # its run is there
    (place / "run-00006.failed").write_text(record)  # there are six
    (place / "other.failed").write_text(record)
    (place / "run-00001.csv").unlink()
    (place / "run-00001.failed").write_text("something else\n")
    assert "<summary>Failed" not in text_of(Results(copy))
    (place / "run-00001.failed").write_text(record)
    assert "six-rankers/btm run 1: Error: x</summary><pre>Traceback\nError: x</pre>" in text_of(Results(copy))


LOADING = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "manifest"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return page(made(tmp_path_factory.mktemp("page")))


@pytest.fixture(scope="module")
def read(written):
    return Read(written.read_text(encoding="utf-8"))


def test_page_loads_nothing(read):
    for tag, attributes in read.elements:
        assert tag not in {"link", "iframe", "object", "embed", "img", "base"}
        assert not LOADING & attributes.keys(), (tag, attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
    policy = next(attributes["content"] for _, attributes in read.elements if "http-equiv" in attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert rules["form-action"] == "'none'"
    assert set(rules) == {"default-src", "script-src", "style-src", "img-src", "form-action"}
    own = [f"'sha256-{b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in read.scripts]
    assert rules["script-src"].split() == own
    assert len(own) == 1 + len(NAMES) + 1  # Plotly, the figures, and the table


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def test_page_titles_are_text(read):
    assert read.text.count(READ) >= 4  # title and heading of the page, title of the figure, and the link to it
    assert f"title: {EVIL}" in read.text  # the spec as written
    assert json.dumps(EVIL, ensure_ascii=False) in read.text  # the host
    first = read.figures[0]["data"][0]
    assert unescape(read.figures[0]["data"][2]["name"].replace("<br>", " ")) == READ
    assert first["legendgroup"] == EVIL  # not shown
    shown = [text for figure in read.figures for text in strings(figure) if text != EVIL]
    assert len(shown) > 500
    allowed = re.compile(r'</?b>|<br>|<span style="[\w:;#-]+">|</span>|<extra></extra>|%{[\w.]+(:[,.\w~%]+)?}')
    assert not [text for text in shown if {"<", ">"} & set(allowed.sub("", text)) or "%{" in allowed.sub("", text)]


def test_text_cannot_end_a_script(read):
    assert all("</" not in script for script in read.scripts[1:])


def test_page_figures(read):
    headings = [attributes["id"] for tag, attributes in read.elements if tag == "h2"]
    assert headings == [str(place) for place in range(1, len(NAMES) + 3)]
    assert all(name in read.text for name in NAMES[1:])
    assert len(read.figures) == len(NAMES) + 1
    notes = [each["text"] for each in read.figures[0]["layout"]["annotations"]]
    assert all("no results: none; infinite: ECWB" in note for note in notes)


def test_page_same_bytes(written, tmp_path):
    assert page(made(tmp_path / "again")).read_bytes() == written.read_bytes()


def test_page_options(tmp_path):
    path = page(made(tmp_path / "made", [{"kind": "regret"}]), x="linear", y="log", band="none")
    figure, _ = Read(path.read_text(encoding="utf-8")).figures
    assert [figure["layout"][axis]["type"] for axis in ("xaxis", "xaxis2", "yaxis")] == ["linear", "linear", "log"]
    assert not [trace for trace in figure["data"] if "fill" in trace]


def test_page_of_several_results(tmp_path):
    a, b = (Results(experiment(tmp_path / x, {("d", x): linear(1)}, {"kind": "regret"})) for x in "ab")
    (path,) = draw_results(combined([a, b]), tmp_path / "both", formats=["html"])
    both = Read(path.read_text(encoding="utf-8"))
    assert path == tmp_path / "both" / "figures.html"
    assert both.figures[1]["data"][0]["cells"]["values"][0] == ["a", "b"]
    assert both.text.count(str(tmp_path / "a")) == both.text.count(str(tmp_path / "b")) == 1


def test_page_without_plotly(tmp_path, monkeypatch):
    directory = made(tmp_path / "made")
    monkeypatch.setattr("duelbench.plots.drawing.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"needs Plotly.*pip install 'duelbench\[html\]'"):
        page(directory)
