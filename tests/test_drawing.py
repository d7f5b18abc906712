"""Results for figures, from one directory or several, and the drawn files."""

import json

import pytest

from duelbench.errors import UserError
from duelbench.layout import SUMMARY, SUMMARY_COLUMNS, header
from duelbench.plots.drawing import draw_results
from duelbench.results.results import Results
from tests.drawings import experiment, linear
from tests.experiments import resolved

pytestmark = pytest.mark.usefixtures("project_style")

HEADER = header(SUMMARY_COLUMNS) + "\n"
SPEC = resolved(
    [{"label": "NA", "title": "Same"}, {"label": "02", "title": "Same"}],
    ["null"],
    horizons=(100, 1000),
    regret=("weak", "copeland"),
).model_dump(mode="json")
TABLE = HEADER + "NA,null,weak,1000,2,5,1,0.7,4,4,5,6,6,,,,,\nNA,null,weak,100,1,3,,,3,3,3,3,3,,,,,\n"


def written(tmp_path, spec=SPEC, summary=TABLE):
    (tmp_path / "manifest.json").write_text(json.dumps({"spec": spec, "versions": {"duelbench": "0"}}))
    if summary is not None:
        (tmp_path / "summary.csv").write_text(summary)
    return tmp_path


def test_no_results(tmp_path):
    with pytest.raises(UserError, match=r"there is no directory .*duelbench run"):
        _ = Results(tmp_path / "absent").checkpoints
    with pytest.raises(UserError, match=r"no manifest\.json.*duelbench run"):
        _ = Results(tmp_path).checkpoints
    inner = tmp_path / "inner"
    inner.mkdir()
    written(inner, summary=None)
    with pytest.raises(UserError, match=r"such as .*inner"):
        _ = Results(tmp_path).checkpoints
    with pytest.raises(UserError, match=r"no summary\.csv yet: `duelbench run`"):
        _ = Results(inner).checkpoints


@pytest.mark.parametrize(
    ("what", "file", "words"),
    [
        ({"summary": HEADER}, "summary.csv", "no finished run"),
        ({"summary": ""}, "summary.csv", "not the summary"),
        ({"summary": TABLE.replace(",q50,", ",median,")}, "summary.csv", "not the summary"),
        ({"summary": TABLE.replace("0.7", "often")}, "summary.csv", "not the summary"),
        ({"spec": SPEC | {"figures": [{"kind": "pie"}]}}, "manifest.json", r"spec\.figures\.0"),
        ({"spec": {}}, "manifest.json", r"spec\.name"),
    ],
)
def test_broken_results(tmp_path, what, file, words):
    with pytest.raises(UserError, match=words) as caught:
        results = Results(written(tmp_path, **what))
        _ = results.spec, results.checkpoints
    assert caught.value.source == str(tmp_path / file)


def test_present_so_far(copy, tmp_path):
    whole = Results(copy)
    assert whole.checkpoints
    (copy / SUMMARY).rename(tmp_path / SUMMARY)
    with pytest.raises(UserError, match=r"no summary\.csv yet"):
        _ = Results(copy).summary
    said = []
    (copy / "six-rankers" / "btm" / "run-00005.csv").write_text("torn")
    for path in (copy / "btl-uniform" / "rucb").glob("run-*"):
        path.unlink()
    part = Results(copy, partial=said.append)
    assert part.checkpoints
    assert said == ["17 of 24 runs so far"]
    same = part.series("six-rankers", "rucb", "copeland")
    assert same.reset_index(drop=True).equals(whole.series("six-rankers", "rucb", "copeland").reset_index(drop=True))
    assert set(part.series("six-rankers", "btm", "copeland")["runs"]) == {5}
    assert part.series("btl-uniform", "rucb", "copeland").empty
    for path in copy.glob("*/*/run-*"):
        path.unlink()
    with pytest.raises(UserError, match=r"no run of .* has finished"):
        _ = Results(copy, partial=said.append).summary


def titles(results):
    return list(results.titles.values())


def test_same_bytes(tmp_path):
    small = {"kind": "regret"} | {"width": 2.0, "height": 1.5}
    directory = experiment(tmp_path, {("d", "a"): linear(1), ("d", "b"): linear(2)}, small)
    first = {path.name: path.read_bytes() for path in draw_results(Results(directory), directory)}

    assert list(first) == ["regret.png", "regret.pdf", "regret.svg"]
    assert {path.name: path.read_bytes() for path in draw_results(Results(directory), directory)} == first
    assert b"<dc:date>" not in first["regret.svg"]
    assert b"CreationDate" not in first["regret.pdf"]
