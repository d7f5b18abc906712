"""The page of ``plot -f html``, taken apart as text: what it holds, and that it can load nothing."""

import hashlib
import re
import sys
from base64 import b64encode

import pytest

from duelbench.errors import UserError
from duelbench.plots.figures import draw_results
from duelbench.plots.results import Results
from duelbench.plots.together import together
from tests.drawings import experiment, linear
from tests.paged import CHECKPOINTS, EVIL, NAMES, READ, Read, made, page

plotly = pytest.importorskip("plotly")

LOADING = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "manifest"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return page(made(tmp_path_factory.mktemp("page")))


@pytest.fixture(scope="module")
def read(written):
    return Read(written.read_text(encoding="utf-8"))


def test_nothing_in_it_is_loaded_and_only_its_own_scripts_run(read):
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


def test_titles_are_text_whatever_they_hold(read):
    assert read.text.count(READ) >= 4  # the page's title and heading, that of the figure, those of panels
    assert f"title: {EVIL}" in read.text  # the spec as it was written
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


def test_it_has_the_numbers_of_the_summary(written, read):
    results = Results(written.parent)
    payload = read.payload["summary"]
    assert [name for name, _ in payload["columns"]] == [
        "mean", "sem", "std", "q05", "q50", "q95", "runs", "votes", "recommended_right", "right_low", "right_high",
        "simple",
    ]  # fmt: skip
    assert len(payload["series"]) == 4
    for each in payload["series"]:
        rows = results.series(each["dataset"], each["algorithm"], each["regret"])
        assert each["t"] == list(CHECKPOINTS)
        for name, _ in payload["columns"]:
            assert each[name] == rows[name].tolist(), name


def test_every_figure_is_there_and_its_curves_are_the_numbers_of_the_summary(written, read):
    sections = [attributes["id"] for tag, attributes in read.elements if tag == "section"]
    figures = [f"figure-{place}" for place in range(1, 1 + len(NAMES))]
    assert sections == [*figures, "numbers", "spec", "environment", "failures"]
    assert all(name in read.text for name in NAMES[1:])
    results = Results(written.parent)
    regret = read.payload["figures"][0]["panels"][0]
    band, _, late, other, bound = regret["data"]
    rows = results.series("d-arms=5", "other", "copeland")
    assert (other["x"], other["y"]) == (list(CHECKPOINTS), rows["mean"].tolist())
    assert late["y"] == [0, 0, 7.25]
    assert band["fill"] == "toself"
    assert bound["y"][-1] == pytest.approx(3.5 * 6.907755)
    assert "infinite: ECWB" in read.text
    assert "no results: none" in read.text


def test_plotly_knows_all_that_is_said_to_it(read):
    from plotly.graph_objects import Figure

    for each in read.payload["figures"]:
        for panel in each["panels"]:
            Figure(data=panel["data"], layout=panel["layout"])  # raises ValueError for a wrong name or value


def test_the_same_results_give_the_same_bytes(written, tmp_path):
    assert page(made(tmp_path / "again")).read_bytes() == written.read_bytes()


def test_scales_and_bands_that_are_asked_for_are_those_of_the_page(written, tmp_path):
    path = page(made(tmp_path / "made", [{"kind": "regret"}]), x="linear", y="log", band="none")
    (figure,) = Read(path.read_text(encoding="utf-8")).payload["figures"]
    assert figure["scales"] == {"x": "linear", "y": "log"}
    assert [trace.get("fill") for trace in figure["panels"][0]["data"]] == [None, None]


def test_several_results_are_one_page_with_the_spec_of_each(tmp_path):
    a, b = (Results(experiment(tmp_path / x, {("d", x): linear(1)}, {"kind": "regret"})) for x in "ab")
    (path,) = draw_results(together([a, b]), tmp_path / "both", formats=["html"])
    both = Read(path.read_text(encoding="utf-8"))
    assert path == tmp_path / "both" / "figures.html"
    assert [each["algorithm"] for each in both.payload["summary"]["series"]] == ["a", "b"]
    assert both.text.count(str(tmp_path / "a")) == both.text.count(str(tmp_path / "b")) == 3


def test_without_plotly_it_says_what_to_install(tmp_path, monkeypatch):
    directory = made(tmp_path / "made")
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(UserError, match=r"needs Plotly.*pip install 'duelbench\[html\]'"):
        page(directory)


def test_where_it_cannot_be_written_it_says_so(tmp_path):
    directory = made(tmp_path / "made")
    with pytest.raises(UserError, match="choose another place"):
        draw_results(Results(directory), directory / "manifest.json", formats=["html"])
