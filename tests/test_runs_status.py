"""How every run stands, and why."""

import json
import shutil

from click.testing import CliRunner

from duelbench.cli import main
from duelbench.runs.status import status
from tests.experiments import SMALL, planned, played


def counts(tmp_path, text=SMALL):
    found = status(planned(tmp_path, text), tmp_path / "out")
    return {each.series.labels: (each.counts, each.reasons) for each in found}


def test_status_before_between_and_after(copy, tmp_path):
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 6}, ())
    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    assert counts(tmp_path)["six-rankers", "rucb"] == ({"done": 5, "missing": 1}, ())
    assert counts(tmp_path, SMALL.replace("runs: 6", "runs: 8"))["six-rankers", "btm"] == (
        {"done": 6, "missing": 2},
        (),
    )
    shutil.rmtree(copy)
    assert all(states == {"missing": 6} for states, _ in counts(tmp_path).values())


def test_a_damaged_file_is_told_from_a_missing_one(copy, tmp_path):
    torn = copy / "six-rankers" / "btm" / "run-00002.csv"
    torn.write_bytes(torn.read_bytes()[:-2])
    assert counts(tmp_path)["six-rankers", "btm"] == ({"done": 5, "damaged": 1}, ())


def test_status_on_the_command_line(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def said(*arguments, code=0):
        done = CliRunner().invoke(main, ["status", *arguments])
        assert done.exit_code == code, done.output
        return done.output

    (copy / "six-rankers" / "rucb" / "run-00001.csv").unlink()
    played(tmp_path, SMALL)
    text = SMALL.replace("alpha: 0.51", "alpha: 0.6").replace("runs: 6", "runs: 7")
    (tmp_path / "spec.yaml").write_text(text)
    for arguments in (["out"], ["spec.yaml", "-o", "out"]):
        printed = said(*arguments)
        assert "  rucb  1 missing, 6 stale: alpha 0.51 → 0.6\n" in printed
        assert "  btm   6 done, 1 missing\n" in printed
        assert "      12 stale    played again by `duelbench run`" in printed
    assert json.loads((copy / "manifest.json").read_text())["spec_path"] == "../spec.yaml"
    (tmp_path / "spec.yaml").write_text(SMALL.replace("runs: 6", "runs: 600") + "smoke: {runs: 6}\n")
    for arguments in (["out"], ["spec.yaml", "-o", "out"]):
        small = said("--smoke", *arguments)
        assert "      24 done     kept by `duelbench run`\n" in small
        assert "missing" not in small
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    (tmp_path / "spec.yaml").write_text(SMALL.replace("name: rucb, alpha: 0.51", "name: evil.py:Evil"))
    assert "runs code of a file" in said("out", code=2)
    assert not (tmp_path / "ran").exists()
    (tmp_path / "spec.yaml").rename(tmp_path / "other.yaml")
    assert "which is gone" in said("out", code=2)
