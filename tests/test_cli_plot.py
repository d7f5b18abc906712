"""``duelbench plot``."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from tests.commands import REPOSITORY, here
from tests.experiments import SMALL, played


def test_plot_draws_without_numba(two_played):
    code = (
        "import sys; from duelbench.cli import main; "
        "main(['plot', 'results/two', '-f', 'png'], standalone_mode=False); "
        "assert 'numba' not in sys.modules and 'llvmlite' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", code]
    drawn = subprocess.run(command, check=True, cwd=two_played[0], env=environment, capture_output=True, text=True)
    assert drawn.stdout.split() == ["results/two/regret.png", "results/two/regret-loglog.png"]
    assert (two_played[0] / "results/two/regret.png").stat().st_size > 10_000


def test_a_spec_is_drawn_as_it_is_now_and_several_results_elsewhere(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played(tmp_path, SMALL)
    text = SMALL + "figures: [{kind: std, file: now}]\n"
    (tmp_path / "spec.yaml").write_text(text)
    assert here("plot", "spec.yaml", "-o", "out", "-f", "png").output.split() == ["out/now.png"]
    assert here("plot", "out", "-f", "png").output.split() == ["out/now.png"]
    assert here("plot", "out", "-o", "a/b", "-f", "png").output.split() == ["a/b/now.png"]
    shutil.copytree("out", "results/spec")
    assert here("plot", "spec.yaml", "-f", "svg").output.split() == ["results/spec/now.svg"]
    before = {path: path.stat().st_mtime_ns for path in Path("results").rglob("*")}
    done = here("plot", "out", "results/spec", "-o", "both", "-f", "png")
    # The copy does not know where its spec is.
    assert done.output.split() == ["both/now.png", "both/regret.png", "both/regret-loglog.png"]
    assert {path: path.stat().st_mtime_ns for path in Path("results").rglob("*")} == before
    (tmp_path / "spec.yaml").write_text(text.replace("seed: 5", "seed: 6"))
    changed = here("plot", "out", "-f", "png")
    assert "its figures and titles are those of then" in changed.stderr
    assert changed.stdout.split() == ["out/regret.png", "out/regret-loglog.png"]


def test_what_is_missing_is_said(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (copy / "summary.csv").unlink()
    (copy / "six-rankers" / "btm" / "run-00005.csv").unlink()
    done = here("plot", "out", "--partial", "-f", "png")
    assert done.stderr.startswith("six-rankers/btm: 5 of 6 runs\n")
    assert done.stdout.split() == ["out/regret.png", "out/regret-loglog.png"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("out", "out"), "say where figures of several results go"),
        (("nowhere",), "there is no directory nowhere"),
        (("nowhere.yaml",), "there is no such file"),
        (("changed.yaml", "-o", "out"), "is not of this spec: it has changed in runs"),
        (("out", "-o", "out/manifest.json"), "choose another place with -o"),
    ],
)
def test_what_cannot_be_drawn_is_refused(copy, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "changed.yaml").write_text(SMALL.replace("runs: 6", "runs: 7"))
    done = CliRunner().invoke(main, ["plot", *arguments, "-f", "png"])
    assert done.exit_code == 2
    assert words in done.output


def test_formats_are_repeatable_or_with_commas(copy, tmp_path, monkeypatch):
    pytest.importorskip("plotly")
    monkeypatch.chdir(tmp_path)
    done = here("plot", "out", "-f", "png,html", "-f", "svg", "-f", "png", "-o", "there")
    names = [f"there/{name}.{suffix}" for name in ("regret", "regret-loglog") for suffix in ("png", "svg")]
    assert done.output.split() == [*names, "there/figures.html"]
    assert here("plot", "out", "-f", "html").output == "out/figures.html\n"
    (copy / "summary.csv").unlink()
    assert here("plot", "out", "--partial", "-f", "html").stdout == "out/figures.html\n"
    done = CliRunner().invoke(main, ["plot", "out", "-f", "png,htm"])
    assert done.exit_code == 2
    assert "'htm' is not a format for figures (did you mean 'html'?): choose among png, pdf, svg, html" in done.output
