"""``duelbench status``: how runs stand, and what a spec of results may not do."""

import json

from click.testing import CliRunner

from duelbench.cli import main
from tests.experiments import SMALL, played


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


def test_the_results_of_a_small_variant_are_known_as_such(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "horizon: 30\nruns: 9\nsmoke: {runs: 2}\ndatasets: [cyclic4]\nalgorithms: [uniform]\n"
    (tmp_path / "quick.yaml").write_text(text)
    assert CliRunner().invoke(main, ["run", "quick.yaml", "--smoke", "-j", "0"]).exit_code == 0
    for arguments in (["results/smoke/quick"], ["quick.yaml", "-o", "results/smoke/quick"]):
        said = CliRunner().invoke(main, ["status", *arguments]).output
        assert said.startswith("This is the small variant, of --smoke\n")
        assert "       2 done     kept" in said
        assert "missing" not in said
    manifest = tmp_path / "results/smoke/quick/manifest.json"
    old = json.loads(manifest.read_text())  # an earlier version's did not say
    del old["small"]
    old["executions"][-1]["command"] = "duelbench run quick.yaml --smoke"
    manifest.write_text(json.dumps(old))
    assert "missing" not in CliRunner().invoke(main, ["status", "results/smoke/quick"]).output
