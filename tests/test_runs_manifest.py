"""What a directory of results tells about how it came to be."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from duelbench.errors import UserError
from duelbench.runs.status import recorded_spec
from duelbench.spec.resolved import ResolvedSpec
from tests.comparison import ROOT
from tests.experiments import files, played

SPEC = """\
horizon: 3e3
runs: 6
datasets: [{name: btl-uniform, arms: 4}, six-rankers]
algorithms: [{name: rucb, alpha: [0.51, 0.8]}, {name: btm, horizons: [100, 3e3]}]
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return played(tmp_path_factory.mktemp("original"), SPEC).directory


def test_the_manifest_tells_what_was_run(original):
    manifest = json.loads((original / "manifest.json").read_text())
    assert manifest["spec_text"] == SPEC
    assert manifest["spec"]["horizons"] == [3000]
    labels = [each["label"] for each in manifest["spec"]["algorithms"]]
    assert labels == ["rucb-alpha=0.51", "rucb-alpha=0.8", "btm"]
    assert manifest["spec"]["algorithms"][1]["parameters"] == {"alpha": 0.8}
    (execution,) = manifest["executions"]
    assert execution["versions"]["numba"]
    assert (execution["played"], execution["kept"], execution["failed"]) == (36, 0, 0)
    assert execution["began"] <= execution["ended"]
    assert execution["venue"] == "this process"
    seconds = manifest["seconds_per_run"]["btl-uniform"]["btm"]
    assert len(seconds) == 6
    assert min(seconds) > 0


def test_the_spec_in_it_reads_back_as_it_was_written(original):
    manifest = json.loads((original / "manifest.json").read_text())
    found = ResolvedSpec.model_validate(manifest["spec"])
    assert found.model_dump(mode="json") == manifest["spec"]
    assert found.algorithms[2].horizons == (100, 3000)
    assert found.algorithms[0].code["engine.play"]
    assert found.datasets[0].identity["generator"] == "btl-uniform"


def test_seconds_of_what_the_spec_has_no_more_are_kept(original, tmp_path):
    shutil.copytree(original, tmp_path / "out")
    before = json.loads((original / "manifest.json").read_text())["seconds_per_run"]
    fewer = SPEC.replace(", six-rankers]", "]")
    for text in (fewer, fewer.replace("runs: 6", "runs: 7")):
        played(tmp_path, text)
        after = json.loads((tmp_path / "out" / "manifest.json").read_text())["seconds_per_run"]
        assert after["six-rankers"] == before["six-rankers"]
        assert after["btl-uniform"]["btm"][:6] == before["btl-uniform"]["btm"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"seconds_per_run": [1]}', '{"seconds_per_run": {"six-rankers": {"rucb": 3}}}',
             '{"seconds_per_run": {"six-rankers": {"rucb": ["x", {}, -1]}}, "spec_path": 3}', "[" * 100_000]
)  # fmt: skip
def test_a_manifest_and_a_record_that_make_no_sense_do_no_harm(original, tmp_path, text):
    copy = tmp_path / "out"
    shutil.copytree(original, copy)
    (copy / "manifest.json").write_text(text)
    (copy / "six-rankers" / "btm" / "series.json").write_text(text)
    with pytest.raises(UserError, match="names no spec"):
        recorded_spec(copy)
    assert played(tmp_path, SPEC).execution.kept == 36
    assert files(copy) == files(original)
    assert json.loads((copy / "manifest.json").read_text())["spec"]["runs"] == 6


def test_a_manifest_names_a_command_to_repeat_and_the_commit_of_the_package(tmp_path):
    """Results that are replaced make no difference to the commit, an edit of any other file does."""

    def git(*arguments):
        identity = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", "-C", str(tmp_path), *identity, *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    def manifest():
        command = [sys.executable, "-m", "duelbench", "run", "spec.yaml", "-j", "0"]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        return json.loads((tmp_path / "results" / "spec" / "manifest.json").read_text())["executions"][-1]

    shutil.copytree(ROOT / "duelbench", tmp_path / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "spec.yaml").write_text(
        "horizon: 10\nruns: 1\ndatasets: [{name: btl-uniform, arms: 4}]\nalgorithms: [uniform]\n"
    )
    (tmp_path / "results" / "spec").mkdir(parents=True)
    (tmp_path / "results" / "spec" / "summary.csv").write_text("of another time\n")
    git("init", "-q")
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "six.csv").write_text("0.5\n")
    git("add", "duelbench", "datasets", "results")  # not the spec, which changes
    git("commit", "-q", "-m", "all")
    first = manifest()
    assert first["commit"] == git("rev-parse", "HEAD")
    assert first["command"] == "python -m duelbench run spec.yaml -j 0"
    spec = (tmp_path / "spec.yaml").read_text()
    for seed, edited in enumerate(("duelbench/errors.py", "datasets/six.csv")):
        with (tmp_path / edited).open("a") as file:
            file.write("# edited\n")
        (tmp_path / "spec.yaml").write_text(f"{spec}seed: {seed + 2}\n")
        assert manifest()["commit"] == first["commit"] + "+"
        git("checkout", "-q", edited)
