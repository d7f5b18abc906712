"""The manifest and the status: the history and the state of results."""

import json
import shutil
import subprocess
import sys

import pytest

from duelbench import __version__
from duelbench.engine import VERSION
from duelbench.errors import UserError
from duelbench.results import manifest
from duelbench.results.results import Results
from duelbench.results.runs import changes
from duelbench.spec.resolved import ResolvedSpec
from tests.commands import here
from tests.experiments import SMALL, files, planned, played

SPEC = """\
horizon: 3e3
runs: 6
datasets: [{name: btl-uniform, arms: 4}, six-rankers]
algorithms: [{name: rucb, alpha: [0.51, 0.8]}, {name: btm, horizons: [100, 3e3]}]
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return played(tmp_path_factory.mktemp("original"), SPEC).directory


def test_manifest(original):
    found = json.loads((original / "manifest.json").read_text())
    assert found["spec_text"] == SPEC
    spec = ResolvedSpec.model_validate(found["spec"])
    assert spec.recorded() == found["spec"]
    assert spec.horizons == (3000,)
    assert [each.label for each in spec.algorithms] == ["rucb-alpha=0.51", "rucb-alpha=0.8", "btm"]
    assert spec.algorithms[1].parameters == {"alpha": 0.8}
    assert spec.algorithms[2].horizons == (100, 3000)
    assert spec.algorithms[0].code["engine"] == str(VERSION)
    assert spec.datasets[0].identity["generator"] == "btl-uniform"
    (execution,) = found["executions"]
    assert execution["versions"]["numba"]
    assert (execution["played"], execution["kept"], execution["failed"]) == (36, 0, 0)
    assert execution["began"] <= execution["ended"]
    assert execution["venue"] == "this process"
    assert manifest.beginning("here").keys() <= execution.keys()
    seconds = found["seconds"]["btl-uniform"]["btm"]
    assert seconds["runs"] == 6
    assert 0 < seconds["median"] < seconds["total"]


@pytest.mark.parametrize("text", ["", "[]", '{"versions": {}}', '{"spec": {}, "seconds": {"six-rankers": {"rucb": 3}}}',
                                  "[" * 100_000])  # fmt: skip
def test_nonsense_in_manifest_and_record(original, tmp_path, text):
    copy = tmp_path / "out"
    shutil.copytree(original, copy)
    (copy / "manifest.json").write_text(text)
    (copy / "six-rankers" / "btm" / "series.json").write_text(text)
    with pytest.raises(UserError, match="cannot be read"):
        Results(copy).recorded_spec()
    assert played(tmp_path, SPEC).execution.reused == 36
    assert files(copy) == files(original)
    assert json.loads((copy / "manifest.json").read_text())["spec"]["runs"] == 6


def test_manifest_command_and_commit(tmp_path, monkeypatch):
    """Changed results do not mark the recorded commit as edited; an edit of any other tracked file does."""

    def git(*arguments):
        identity = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", "-C", str(tmp_path), *identity, *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    monkeypatch.setattr(manifest, "__file__", str(tmp_path / "duelbench" / "runs" / "manifest.py"))
    assert manifest.beginning("here")["commit"] is None
    for place in ("duelbench/errors.py", "datasets/six.csv", "results/spec/summary.csv"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("as it was\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "all")
    (tmp_path / "results" / "spec" / "summary.csv").write_text("of another time\n")
    (tmp_path / "spec.yaml").write_text("new")
    assert manifest.beginning("here")["commit"] == git("rev-parse", "HEAD")
    for place in ("duelbench/errors.py", "datasets/six.csv"):
        (tmp_path / place).write_text("edited\n")
        assert manifest.beginning("here")["commit"] == git("rev-parse", "HEAD") + "+"
        git("checkout", "-q", place)
    for program, command in (("duelbench/__main__.py", "python -m duelbench"), ("bin/duelbench", "duelbench")):
        monkeypatch.setattr(sys, "argv", [str(tmp_path / program), "run", "a spec.yaml", "-j", "0"])
        assert manifest.beginning("here")["command"] == f"{command} run 'a spec.yaml' -j 0"


def test_changes_of_code():
    before = {"code": {"engine": "1 edited 0a", "its file": "0b", "rmed1": "1", "rucb": "1", "random streams": "0c"}}
    now = {"code": {"engine": "1", "its file": "0d", "rmed1": "2", "rucb": "1 edited 0f", "random streams": "0e"}}
    assert changes(before, now) == [
        "engine was edited when they were played",
        "code of its file",
        'random streams "0c" → "0e"',
        'version of rmed1 "1" → "2"',
        "rucb edited: it may play other paths",
    ]


# Status


def counts(tmp_path, text=SMALL):
    found = Results(tmp_path / "out", planned(tmp_path, text)).status()
    return {each.series.labels: (each.counts, each.reasons) for each in found}


def test_status(copy, tmp_path):
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 6}, ())
    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 5, "missing": 1}, ())
    assert counts(tmp_path, SMALL.replace("runs: 6", "runs: 8"))["six-rankers", "btm"] == (
        {"done": 6, "missing": 2},
        (),
    )
    torn = copy / "six-rankers" / "btm" / "run-00002.csv"
    torn.write_bytes(torn.read_bytes()[:-2])
    assert counts(tmp_path)["six-rankers", "btm"] == ({"done": 5, "damaged": 1}, ())
    shutil.rmtree(copy)
    assert all(states == {"missing": 6} for states, _ in counts(tmp_path).values())


def test_status_command(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def said(*arguments, code=0):
        done = here("status", *arguments)
        assert done.exit_code == code, done.output
        return done.output

    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    played(tmp_path, SMALL)
    text = SMALL.replace("alpha: 0.51", "alpha: 0.6").replace("runs: 6", "runs: 7")
    (tmp_path / "spec.yaml").write_text(text)
    for arguments in (["out"], ["spec.yaml", "-o", "out"]):
        printed = said(*arguments)
        assert "  rucb  1 missing, 6 out of date: alpha 0.51 → 0.6\n" in printed
        assert "  btm   6 done, 1 missing\n" in printed
        assert "      12 out of date  played again by `duelbench run`" in printed
    assert json.loads((copy / "manifest.json").read_text())["spec_path"] == "../spec.yaml"
    (tmp_path / "spec.yaml").write_text(SMALL.replace("runs: 6", "runs: 600") + "smoke: {runs: 6}\n")
    for arguments in (["out"], ["spec.yaml", "-o", "out"]):
        small = said("--smoke", *arguments)
        assert "      24 done         reused by `duelbench run`\n" in small
        assert "missing" not in small
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    (tmp_path / "spec.yaml").write_text(SMALL.replace("name: rucb, alpha: 0.51", "name: evil.py:Evil"))
    assert "runs code from a file" in said("out", code=2)
    assert not (tmp_path / "ran").exists()
    (tmp_path / "spec.yaml").rename(tmp_path / "other.yaml")
    assert "the file of its spec is missing; compared with the spec that was run" in said("out")
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps(manifest | {"spec_text": ""}))
    assert "which is missing, and the manifest has no copy of it: name it" in said("out", code=2)


@pytest.fixture
def kept(copy, tmp_path, monkeypatch):
    """Results in ``out`` without the files of their runs, and their spec, both in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spec.yaml").write_text(SMALL)
    for path in copy.rglob("run-*.csv"):
        path.unlink()
    return copy


def test_status_of_kept_results(kept):
    said = here("status", "spec.yaml", "-o", "out").output
    assert f"  btm   current; summary of 6 runs by duelbench {__version__}, run files not kept\n" in said
    assert "      24 done         only in the summary" in said
    assert "missing" not in said
    assert "out of date" not in said
    (kept / "summary.csv").unlink()
    assert "      24 missing      played" in here("status", "spec.yaml", "-o", "out").output


def test_current_results(kept, tmp_path):
    """A kept summary is out of date after a change of a version or of the spec."""
    manifest = json.loads((kept / "manifest.json").read_text()) | {"spec_path": "../spec.yaml"}
    (kept / "manifest.json").write_text(json.dumps(manifest))
    assert here("status", "out", "out").output == "out: current\nout: current\n"
    (tmp_path / "spec.yaml").write_text(SMALL.replace("runs: 6", "runs: 8").replace("0.51", "0.6"))
    assert here("status", "out", "none").output == (
        "out: out of date (alpha 0.51 → 0.6; runs 6 → 8)\nnone: not compared, there is no directory none: "
        "`duelbench run` a spec first to make its results\n"
    )
    (tmp_path / "spec.yaml").write_text(SMALL.replace("runs: 6", "runs: {until: 2 %, least: 2, most: 6}"))
    assert here("status", "out", "out").output.count("out: out of date (until") == 2
    (tmp_path / "spec.yaml").write_text(SMALL)
    rucb = next(each for each in manifest["spec"]["algorithms"] if each["label"] == "rucb")
    drawn = next(each for each in manifest["spec"]["datasets"] if each["origin"] == "btl-uniform")
    rucb["code"]["rucb"], drawn["code"]["btl-uniform"] = "0", "0"
    (kept / "manifest.json").write_text(json.dumps(manifest))
    said = here("status", "out").output
    assert '  rucb  out of date: version of btl-uniform "0" → "1"; version of rucb "0" → "1"; summary of 6 runs' in said
    assert '  btm   out of date: version of btl-uniform "0" → "1"; summary' in said
    assert said.count("out of date: ") == 3 and said.count("current; ") == 1
    assert "      18 of these are out of date\n" in said


def test_exact_repetition(kept, tmp_path):
    """If kept results are played again with the same numbers, no file changes; otherwise the manifest does."""

    def kept_files():
        return {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()}

    before = kept_files()
    played(tmp_path, SMALL)
    assert kept_files() == before
    played(tmp_path, SMALL)  # now there are runs
    for change in ("runs: 7", "runs: 6\nrun_timeout: 9"):
        for name in ("six-rankers", "btl-uniform"):
            shutil.rmtree(kept / name)
        played(tmp_path, SMALL.replace("runs: 6", change))
        assert kept_files()["manifest.json"] != before["manifest.json"]


def test_executions_of_which_no_run_is_left(tmp_path):
    text = "horizon: 30\nruns: 2\ndatasets: [cyclic4]\nalgorithms: [uniform, {name: rucb, alpha: 0.6}]\n"

    def executions(text):
        place = played(tmp_path, text).directory
        return [each.get("series") for each in json.loads((place / "manifest.json").read_text())["executions"]]

    assert executions(text) == [None]
    other = text.replace("0.6", "0.7")
    assert executions(other) == [["cyclic4/uniform"], ["cyclic4/rucb"]]
    assert executions(other.replace("runs: 2", "runs: 3")) == [["cyclic4/uniform"], ["cyclic4/rucb"], None]
    assert executions(other.replace("horizon: 30", "horizon: 40")) == [None]


# The summary of the runs so far


def test_summary_so_far(copy):
    place = copy / "six-rankers" / "rucb"
    whole = Results(copy).summary
    (copy / "summary.csv").unlink()
    assert Results(copy, partial=str).summary.equals(whole)

    def missing():
        said = []
        assert len(Results(copy, partial=said.append).summary)
        return said

    (place / "run-00000.csv").rename(place / "run-00003.csv")
    assert missing() == ["22 of 24 runs so far"]
    path = copy / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["spec"]["regret"] = ["copeland", "borda"]
    path.write_text(json.dumps(manifest))
    with pytest.raises(UserError, match=r"no run of .* has finished"):  # all have other keys
        missing()
