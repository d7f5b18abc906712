"""The command line: help, and mistakes of any verb."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.commands import REPOSITORY, SPEC, duelbench, here


def test_a_mistake_is_one_line_with_file_and_line_exit_code_2_and_leaves_results_alone(two_played, two, tmp_path):
    shutil.copytree(two_played[0] / "results", tmp_path / "results")
    before = {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()}
    assert before
    two.write_text(SPEC.replace("rucb", "rubc"))
    for verb in ("run", "check"):
        failed = duelbench(verb, "two.yaml", cwd=tmp_path)
        assert failed.returncode == 2
        assert failed.stderr.startswith("error: two.yaml:5: unknown algorithm 'rubc' (did you mean 'rucb'?)")
        assert failed.stderr.count("\n") == 1
        assert failed.stdout == ""
    assert {path: path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "none.yaml"], "there is no such file"),
        (["plot", "nowhere"], "there is no directory nowhere"),
        (["datasets", "show", "sushi"], "did you mean 'sushi16'?"),
        (["run", "two.yaml", "-o", "two.yaml"], "choose another place with -o"),
        (["run", "two.yaml", "-j", "-1"], "-1"),
        (["check"], "Missing argument"),
        (["rum"], "No such command 'rum'"),
    ],
)
def test_other_mistakes_exit_with_2_and_no_traceback(two, arguments, sentence):
    failed = here(*arguments)
    assert failed.exit_code == 2
    assert sentence in failed.stderr
    assert "Traceback" not in failed.stderr


def test_help_names_every_verb_and_imports_none(tmp_path):
    code = (
        "import sys; from duelbench.cli import main; main(['--help'], standalone_mode=False); "
        "print(sorted({'numpy', 'numba', 'pydantic', 'yaml', 'matplotlib', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    for verb in ("run", "plot", "check", "list", "datasets"):
        assert f"  {verb} " in done.stdout
    assert done.stdout.endswith("[]\n")
