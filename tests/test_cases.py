"""Small realistic inputs that duelbench once read or answered wrongly; cases/README.md describes the format."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.commands import here
from tests.experiments import ENVIRONMENT

CASES = Path(__file__).parent / "cases"
STEPS = [
    pytest.param(path, steps, id=f"{path.parent.name}-{path.stem}")
    for path in sorted(CASES.glob("*/*.case.yaml"))
    for steps in [yaml.safe_load(path.read_text(encoding="utf-8"))]
]


def text(case):
    """Return the lines of a written file, without duelbench's comments."""
    lines = Path(case).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def played(step):
    """Run the command of a step; return its exit code and output."""
    program, *arguments = shlex.split(step["run"])
    given = Path(step["input"]).read_bytes() if "input" in step else None
    if program == "duelbench":
        result = here(*arguments, input=given)
        return result.exit_code, result.output
    assert program == "python"
    done = subprocess.run(
        [sys.executable, *arguments], env=ENVIRONMENT, input=given, capture_output=True, timeout=300, check=False
    )
    return done.returncode, (done.stdout + done.stderr).decode()


def copied(output, step):
    """Write counts with the options that an error message suggests, choosing by ``copy``; return code and output."""
    commands = [line.strip() for line in output.splitlines() if line.strip().startswith("duelbench rank")]
    words = shlex.split(commands[step.get("which", 1) - 1])[2:]
    for place, word in enumerate(words):
        value, _, meaning = word.rpartition("=")
        words[place] = f"{value}={step['copy'][value]}" if "|" in meaning else word
    result = here("datasets", "build", "votes", *words, "-o", "m.csv", "--unseen", "half")
    return result.exit_code, result.output


@pytest.mark.parametrize(("path", "steps"), STEPS)
def test_case(path, steps, tmp_path, monkeypatch):
    shutil.copytree(path.parent, tmp_path / "case")
    monkeypatch.chdir(tmp_path / "case")
    for step in steps:
        for name, content in step.get("write", {}).items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(content, encoding="utf-8")
        if "run" in step:
            code, output = played(step)
            said = f"{step['run']}\n{output}"
            assert code == step.get("exit", 0), said
            assert "Traceback" not in output, said
            squeezed = " ".join(output.split())
            for part in step.get("shows", []):
                assert " ".join(part.split()) in squeezed, f"{part!r} is missing in {said}"
            for part in step.get("hides", []):
                assert " ".join(part.split()) not in squeezed, f"{part!r} is in {said}"
            if "copy" in step:
                code, output = copied(output, step)
                assert code == 0, output
        for name, lines in step.get("files", {}).items():
            assert text(name) == lines.splitlines(), name
