"""The page of `plot -f html`: its sections, its numbers, and that it loads nothing."""

import hashlib
import json
import math
import re
import sys
from base64 import b64encode
from html import unescape

import pytest

from duelbench.errors import UserError
from duelbench.plots.bars import Bar, BarPanels
from duelbench.plots.figures import draw_results
from duelbench.plots.interactive.bars import bars_section
from duelbench.plots.interactive.checkpoints import checkpoints_payload
from duelbench.plots.interactive.curves import identification_section, regret_section, scaling_section
from duelbench.plots.interactive.provenance import environment_html, failures_html, specs_html
from duelbench.plots.interactive.section import Panel, Section, axis, band, lines, look, numbers
from duelbench.plots.interactive.shares import shade_rules, shares_section
from duelbench.plots.interactive.text import embedded, heading, label, readable, words
from duelbench.plots.style import MARKERS, SHADES, bound_style, line_style
from duelbench.results.reader import Results
from duelbench.results.together import together
from duelbench.spec.figures import IdentificationFigure, RegretFigure, ScalingFigure, StdFigure
from tests.drawings import experiment, linear, row
from tests.experiments import own_algorithm, played, resolved, write_results
from tests.paged import EVIL, NAMES, READ, Read, made, page


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (r"D-TS$^+$ ($\alpha = 10^{-3}$)", "D-TS⁺ (α = 10⁻³)"),
        (r"$\hat{p}_{12} \leq \frac{1}{2}$", "p̂₁₂ ≤ 1/2"),
        (r"$\bar{\theta}$ of $\sqrt{K}$, $\zeta^*$, $x_{\max}$", "θ̄ of √(K), ζ*, x_max"),
        (r"a^2 and x_1 cost \$5", "a^2 and x_1 cost $5"),
        ("one $ and 10^{6}", "one $ and 10^{6}"),
    ],
)
def test_unicode_mathematics(title, said):
    assert readable(title) == said


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "a & b &lt; c", "'\" onload='x'", "%{x} <br> ü"])
def test_escaping(text):
    for escaped in (words(text), heading(text), label(text)):
        assert unescape(escaped) == text
        assert "<" not in escaped
        assert ">" not in escaped
    assert not {'"', "'"} & set(words(text))
    assert "%{" not in label(text)


def test_payload():
    payload = {"</script><!--": ["&", 0.1, None, "ü"]}
    said = embedded(payload)
    assert not {"<", ">", "&"} & set(said)
    assert json.loads(said) == payload
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded(float("nan"))


def test_looks():
    assert [look("a", line_style(place))["dash"] for place in (0, 1)] == ["solid", "7.68px,2.69px"]
    symbols = [look("a", line_style(place))["symbol"] for place in range(len(MARKERS))]
    assert all(symbols)
    assert len(set(symbols)) == len(MARKERS)
    assert look("LB", bound_style("LB"))["symbol"] == ""
    assert look("a", line_style(3))["color"] == line_style(3)["color"]


def test_numbers():
    assert numbers([1.0, 0.1, math.nan, math.inf, 1e15]) == [1, 0.1, None, None, 10**15]


def test_band_trace():
    trace = band(0, look("a", line_style(0)), [1, 2, 3], [0, math.nan, 2], [4, 5, 6], 0.7)
    assert (trace["x"], trace["y"]) == ([1, 3, 3, 1], [4, 6, 2, 0])
    assert trace["meta"] == {"series": 0, "floor": 0.7}


def test_axis_titles():
    assert lines("share of $\\alpha$ < 1", 8) == "share of<br>α &lt; 1"
    assert axis("t", "log") == {"title": {"text": "t"}, "type": "log", "exponentformat": "power"}


@pytest.mark.parametrize(("panels", "columns"), [(1, 1), (2, 2), (4, 2), (7, 3)])
def test_panel_layout(panels, columns):
    section = Section("", "<c>", [Panel("a & b", "none: x", [], {})] * panels)
    html = section.html("figure-3", "regret")
    assert f"--columns:{columns}" in html
    assert "<h2>regret</h2>" in html
    assert html.count("<h3>a &amp; b</h3>") == html.count('<p class="note">none: x</p>') == panels
    assert '<p class="caption">&lt;c&gt;</p>' in html
    assert all(f'id="{panel["id"]}"' in html for panel in section.payload("figure-3")["panels"])
    assert len(section.payload("figure-3")["panels"]) == panels


def test_regret_section(tmp_path):
    rows = {("d", "a"): linear(2), ("d", "b"): linear(0.0), ("e", "a"): linear(3, runs=1)}
    results = Results(experiment(tmp_path, rows, algorithms=("a", "b", "c")))
    section = regret_section(RegretFigure(kind="regret", y="log", band="std", ylabel="R"), results)
    first, second = section.panels
    assert (first.title, first.dataset) == ("Title of d", "d")
    assert first.note == "no results: c; no regret: b"
    above, _, a, b = first.traces
    rows = results.series("d", "a", "copeland")
    assert a["y"] == rows["mean"].tolist()
    assert above["y"][: len(rows)] == pytest.approx((rows["mean"] + rows["std"]).tolist())
    assert above["meta"]["floor"] == pytest.approx(0.7 * 2)
    assert set(b["y"]) == {0}
    assert a["hovertext"][-1] == "<b>a</b><br>t = 1,000<br>regret 2,000 ± 0.5 (s.e.)<br>4 runs"
    assert [trace["meta"]["series"] for trace in second.traces] == [0]  # a single run has no band
    assert second.traces[0]["hovertext"][-1].endswith("regret 3,000<br>1 run")
    assert section.scales == {"x": "log", "y": "log"}
    assert first.layout["yaxis"]["title"]["text"] == "R"
    assert first.layout["xaxis"]["title"]["text"] == "round t"


def test_regret_section_of_some(tmp_path):
    results = Results(experiment(tmp_path, {("d", label): linear(1) for label in "abc"}))
    every = regret_section(RegretFigure(kind="regret"), results).series
    some = regret_section(RegretFigure(kind="regret", algorithms=("c", "b")), results)
    assert list(some.series) == [every[2], every[1]]
    assert [trace["name"] for trace in some.panels[0].traces if "fill" not in trace] == ["c", "b"]


def test_coinciding_bounds(tmp_path):
    directory = made(tmp_path)
    path = directory / "bounds.csv"
    path.write_text(path.read_text().replace("inf", "3.5"))
    results = Results(directory)
    section = regret_section(RegretFigure(kind="regret", bounds=("LB", "ECWB")), results)
    assert [series["title"] for series in section.series][3:] == ["LB = ECWB"]
    (bound,) = [trace for trace in section.panels[1].traces if trace["meta"]["series"] == 3]
    assert bound["mode"] == "lines"
    assert bound["hovertext"][0] == "<b>LB = ECWB</b><br>3.5 log t = 8.059"


def test_identification_section(tmp_path):
    results = Results(made(tmp_path))
    section = identification_section(IdentificationFigure(kind="identification"), results)
    band, _, _, other = section.panels[0].traces
    assert other["y"] == results.series("d-arms=5", "other", "copeland")["recommended_right"].tolist()
    assert band["y"][:3] == results.series("d-arms=5", "late", "copeland")["right_high"].tolist()
    assert other["hovertext"][1].endswith("t = 100<br>99.0% right (94.0% to 99.1%)<br>4 runs")
    assert section.caption == "share with its 95 % interval (Wilson), 4 runs"
    simple = identification_section(IdentificationFigure(kind="identification", show="simple"), results)
    assert [trace["y"] for trace in simple.panels[1].traces] == [[0.1, 0.01, 0.001]] * 2


def test_scaling_section(tmp_path):
    datasets = [{"label": f"g-arms={arms}", "arms": arms, "grid": "g"} for arms in (5, 10)]
    rows = [
        (
            (each["label"], "a", "copeland", 1000),
            row(9, std=4, runs=16) | {"right": 1, "declared": share, "duels_to_declaration": 500},
        )
        for each, share in zip(datasets, (1, 0.5), strict=True)
    ]
    results = Results(write_results(tmp_path, resolved(datasets, ["a", "b"]), rows))
    duels = scaling_section(ScalingFigure(kind="scaling", show="duels"), results)
    (trace,) = duels.panels[0].traces
    assert (trace["x"], trace["y"]) == ([5, 10], [500, 750])
    assert trace["marker"]["color"] == [duels.series[0]["color"], "white"]
    assert duels.caption == "mean, 16 runs; hollow: not all runs declared a winner"
    assert [series["title"] for series in duels.series] == ["a"]
    regret = scaling_section(ScalingFigure(kind="scaling"), results)
    (trace,) = regret.panels[0].traces
    assert trace["error_y"]["array"] == trace["error_y"]["arrayminus"] == [1, 1]
    assert trace["hovertext"][0] == "<b>a</b><br>number of arms K = 5<br>9 (8 to 10)"
    assert regret.panels[0].note == "no results: b"
    assert regret.panels[0].layout["xaxis"]["ticktext"] == ["5", "10"]


def test_zero_share(tmp_path):
    datasets = [{"label": f"g-arms={arms}", "arms": arms, "grid": "g"} for arms in (5, 10)]
    rows = [((each["label"], "a", "copeland", 1000), row(1) | {"declared": 1, "right": 1}) for each in datasets]
    results = Results(write_results(tmp_path, resolved(datasets, ["a"]), rows))
    section = scaling_section(ScalingFigure(kind="scaling", show="errors"), results)
    assert section.panels[0].traces[0]["y"] == [0, 0]
    assert section.scales["y"] == "log"


def test_changes_in_section(tmp_path):
    results = Results(experiment(tmp_path, {("stays", "a"): linear(1), ("turns", "a"): linear(1)}))
    stays, turns = results.spec.datasets
    results.spec = results.spec.model_copy(update={"datasets": (stays, turns.model_copy(update={"changes": (50,)}))})
    one, other = regret_section(RegretFigure(kind="regret"), results).panels
    assert "shapes" not in one.layout
    assert [(each["x0"], each["x1"], each["yref"]) for each in other.layout["shapes"]] == [(50, 50, "paper")]


BAR_NAMES = ["$\\alpha$", "a name that is longer than all the others, by far"]


def test_bars_section():
    shown = BarPanels(
        BAR_NAMES, [("d", [Bar(2.0, "2"), Bar(0.0, "1 run")]), ("e", [Bar(0.1, "10.0%", 0.05, 0.2)] * 2)], "h"
    )
    section = bars_section(StdFigure(kind="std"), shown)
    assert (section.caption, [panel.title for panel in section.panels]) == ("h", ["d", "e"])
    bars, said = section.panels[0].traces
    assert (bars["x"], said["x"]) == ([2, 0], [2, 0])
    assert said["text"] == [" 2", " 1 run"]
    assert "error_x" not in bars
    bars, said = section.panels[1].traces
    assert bars["error_x"]["array"] == [0.1, 0.1]
    assert bars["error_x"]["arrayminus"] == [0.05, 0.05]
    assert said["x"] == [0.2, 0.2]  # beyond the range
    assert bars["hovertext"][0] == "<b>α</b><br>10.0% (5.0% to 20.0%)"
    assert section.panels[0].layout["yaxis"]["ticktext"] == [
        "α",
        "a name that is longer than all<br>the others, by far",
    ]


def test_bars_axis():
    shown = BarPanels(["a"], [("d", [Bar(0.0, "no results")])], "h")
    section = bars_section(StdFigure(kind="std", xlabel="x", title="T"), shown)
    assert (section.caption, section.title) == ("x", "T")
    assert section.panels[0].layout["xaxis"]["range"] == [0, 1]


TABLE = IdentificationFigure(kind="identification", show="table")


def test_shares_table(tmp_path):
    results = Results(made(tmp_path))
    html = shares_section(TABLE, results).table
    assert re.findall(r'<th scope="row">(.*?)</th>', html) == [heading(EVIL), "other", "none"]
    assert re.findall(r"<td .*?>(.*?)</td>", html) == ["100"] * 6 + ["–"] * 3
    assert f'class="shade-5 best" title="{heading(f"{EVIL}, {EVIL}, K = 5")}: 99.9% (94.9% to 99.9%)"' in html
    assert 'class="shade-0" title="none, mean: no results"' in html
    assert "<h3>1,000 rounds</h3>" in html
    assert "percent of 4 runs" in shares_section(TABLE, results).caption


def test_shade_rules():
    rules = shade_rules().splitlines()
    assert [re.findall(r"background: (#\w+)", rule)[0] for rule in rules] == list(SHADES)
    assert ["white" in rule.partition("color: ")[2] for rule in rules] == [False] * 4 + [True] * 2


def test_checkpoint_table(tmp_path):
    results = Results(made(tmp_path))
    payload = checkpoints_payload(results)
    assert payload["datasets"] == [["d-arms=5", f"{READ}, K = 5"], ["d-arms=10", f"{READ}, K = 10"]]
    assert payload["algorithms"] == {"late": READ, "other": "other", "none": "none"}
    assert [(each["dataset"], each["algorithm"]) for each in payload["series"]] == [
        (dataset, algorithm) for dataset in ("d-arms=5", "d-arms=10") for algorithm in ("late", "other")
    ]
    for each in payload["series"]:
        rows = results.series(each["dataset"], each["algorithm"], "copeland")
        assert all(each[name] == rows[name].tolist() for name, _ in payload["columns"])


def test_checkpoint_table_gaps(tmp_path):
    results = Results(experiment(tmp_path, {("d", "a"): {10: row(1, runs=1), 20: row(2)}, ("d", "b"): linear(1, [20])}))
    payload = checkpoints_payload(results)
    names = [name for name, _ in payload["columns"]]
    assert names == ["mean", "sem", "std", "q05", "q50", "q95", "runs"]
    assert payload["series"][0]["std"] == [None, 1]
    assert payload["series"][1]["t"] == [20]


FAILING = """\
horizon: 100
runs: 10
seed: 5
datasets: [six-rankers]
algorithms: ["one.py:One"]
"""


def test_provenance(copy):
    results = Results(copy)
    assert specs_html([results]).startswith("<pre>horizon: 3e3\nruns: 6\n")
    assert "&quot;name&quot;: &quot;btm&quot;" in specs_html([results])
    said = environment_html([results])
    (execution,) = results.manifest.executions
    assert f"<td>{execution['commit'] or '–'}</td>" in said
    assert f"numba {execution['versions']['numba']}" in said
    assert f"cores {execution['machine']['cores']}" in said
    assert failures_html([results]) == "<p>No failed runs are recorded.</p>"


def test_failures(tmp_path, monkeypatch):
    monkeypatch.setattr("duelbench.plots.interactive.provenance.MOST_FAILURES", 2)
    (tmp_path / "one.py").write_text(own_algorithm("assert rng.random() < 0.995, '<i>'", name="One"))
    done = played(tmp_path, FAILING)
    failed = len(done.execution.failures)
    assert 2 < failed < 10
    results = Results(done.directory)
    said = failures_html([results])
    assert said.count("<details>") == 2
    assert said.endswith(f"<p>and {failed - 2} more</p>")
    assert "AssertionError: &lt;i&gt;</summary><pre>Traceback" in said
    for path in done.directory.rglob("*.failed"):
        path.unlink()
    assert (
        failures_html([results])
        == f"<p>{failed} runs failed; their tracebacks are not in the directory of results.</p>"
    )


def test_stale_failures_hidden(copy):
    place = copy / "six-rankers" / "btm"
    record = "# duelbench run key\nTraceback\nError: x\n"
    (place / "run-00002.failed").write_text(record)  # its run is there
    (place / "run-00006.failed").write_text(record)  # there are six
    (place / "other.failed").write_text(record)
    (place / "run-00001.csv").unlink()
    (place / "run-00001.failed").write_text("something else\n")
    assert failures_html([Results(copy)]) == "<p>No failed runs are recorded.</p>"
    (place / "run-00001.failed").write_text(record)
    assert "six-rankers/btm run 1: Error: x</summary><pre>Traceback\nError: x</pre>" in failures_html([Results(copy)])


def test_odd_execution_is_shown(copy):
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"executions": [1]}))
    with pytest.raises(UserError, match=r"executions\.0 is not what this version writes"):
        environment_html([Results(copy)])
    path.write_text(json.dumps(manifest | {"executions": [{"<b>": ["&"]}]}))
    assert "&lt;b&gt;" in environment_html([Results(copy)])


plotly = pytest.importorskip("plotly")


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
    (style,) = [tag for tag, _ in read.elements if tag == "style"]
    assert style
    policy = next(attributes["content"] for _, attributes in read.elements if "http-equiv" in attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert set(rules) == {"default-src", "script-src", "style-src", "img-src"}
    own = [f"'sha256-{b64encode(hashlib.sha256(read.scripts[i].encode()).digest()).decode()}'" for i in (0, 2)]
    assert rules["script-src"].split() == own
    assert len(read.scripts) == 3


def test_page_titles_are_text(read):
    assert read.text.count(READ) >= 4  # title and heading of the page, titles of the figure and the panels
    assert f"title: {EVIL}" in read.text  # the spec as written
    assert f"host {EVIL}" in read.text
    series = read.payload["figures"][0]["series"]
    assert series[0]["title"] == READ
    assert series[0]["name"] == READ.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace(
        "%{", "&#37;{"
    )
    plots = read.payload["figures"]
    texts = [text for each in plots for panel in each["panels"] for trace in panel["data"] for text in said(trace)]
    assert len(texts) > 50
    allowed = re.compile(r"</?b>|<br>")
    assert not [text for text in texts if "<" in allowed.sub("", text) or ">" in allowed.sub("", text)]


def said(trace):
    yield trace.get("name", "")
    yield from trace.get("hovertext", [])
    yield from trace.get("text", [])


def test_page_figures(read):
    sections = [attributes["id"] for tag, attributes in read.elements if tag == "section"]
    figures = [f"figure-{place}" for place in range(1, 1 + len(NAMES))]
    assert sections == [*figures, "numbers", "spec", "environment", "failures"]
    assert all(name in read.text for name in NAMES[1:])
    assert "infinite: ECWB" in read.text
    assert "no results: none" in read.text


def test_page_is_valid_plotly(read):
    from plotly.graph_objects import Figure

    for each in read.payload["figures"]:
        for panel in each["panels"]:
            Figure(data=panel["data"], layout=panel["layout"])  # raises ValueError for a wrong name or value


def test_page_same_bytes(written, tmp_path):
    assert page(made(tmp_path / "again")).read_bytes() == written.read_bytes()


def test_page_options(written, tmp_path):
    path = page(made(tmp_path / "made", [{"kind": "regret"}]), x="linear", y="log", band="none")
    (figure,) = Read(path.read_text(encoding="utf-8")).payload["figures"]
    assert figure["scales"] == {"x": "linear", "y": "log"}
    assert [trace.get("fill") for trace in figure["panels"][0]["data"]] == [None, None]


def test_page_of_several_results(tmp_path):
    a, b = (Results(experiment(tmp_path / x, {("d", x): linear(1)}, {"kind": "regret"})) for x in "ab")
    (path,) = draw_results(together([a, b]), tmp_path / "both", formats=["html"])
    both = Read(path.read_text(encoding="utf-8"))
    assert path == tmp_path / "both" / "figures.html"
    assert [each["algorithm"] for each in both.payload["summary"]["series"]] == ["a", "b"]
    assert both.text.count(str(tmp_path / "a")) == both.text.count(str(tmp_path / "b")) == 3


def test_page_without_plotly(tmp_path, monkeypatch):
    directory = made(tmp_path / "made")
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(UserError, match=r"needs Plotly.*pip install 'duelbench\[html\]'"):
        page(directory)


def test_page_unwritable(tmp_path):
    directory = made(tmp_path / "made")
    with pytest.raises(UserError, match="choose another place"):
        list(draw_results(Results(directory), directory / "manifest.json", formats=["html"]))
