"""Mistakes in an algorithm of one's own, and that each is answered by its line and its cause: see ``mistakes.txt``."""

import json
import subprocess
import sys

import pytest

from tests.commands import duelbench, here
from tests.experiments import ENVIRONMENT
from tests.mistakes import MISTAKES, SPEC

QUICK = [each for each in MISTAKES if not each.fatal and not each.compiles]
ALL_AT_ONCE = """
import json, sys
from pathlib import Path
import numba.core.config
from duelbench.errors import UserError
from duelbench.runs.plan import make_plan, seed_of
from duelbench.runs.trial import described, rounds
from duelbench.spec.load import load
from tests.mistakes import MISTAKES, SPEC

class Here:  # what a plan asks another process, and the limits of time there
    def __enter__(self): return self
    def __exit__(self, *error): pass
    def call(self, function, *arguments, files): return function(*arguments, heartbeat=self)
    def compute(self, note, seconds): pass
    def end(self): pass

import duelbench.runs.plan
duelbench.runs.plan.Child = Here
described.silence = rounds.silence = lambda: None
answers = {}
Path("spec.yaml").write_text(SPEC)
for mistake in MISTAKES:
    if not mistake.fatal and not mistake.compiles:
        Path("mine.py").write_text(mistake.text)
        numba.core.config.DISABLE_JIT = 0
        try:
            (series,) = make_plan(load(Path("spec.yaml"))).series
            rounds.interpreted(series, 1, 0, Here())
            answers[mistake.name] = "nothing"
        except UserError as error:
            answers[mistake.name] = str(error)
Path("answers.json").write_text(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What is said of all that shows before numba is asked: all of it in one process, to spare starting eighty."""
    base = tmp_path_factory.mktemp("mistakes").resolve()
    done = subprocess.run(
        [sys.executable, "-c", ALL_AT_ONCE], cwd=base, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return base, json.loads((base / "answers.json").read_text())


@pytest.mark.parametrize("mistake", QUICK, ids=lambda each: each.name)
def test_a_mistake_is_answered_by_its_line_and_its_cause(answers, mistake):
    base, said = answers
    assert mistake.is_answered_by(said[mistake.name].replace("spec.yaml", f"{base}/spec.yaml", 1), base / "mine.py")


CHOSEN = (
    "endless loop in update", "a segfault", "an array made in a kernel", "whole numbers that become too large",
)  # fmt: skip


def by_the_command(mistake):
    return pytest.param(mistake, id=mistake.name, marks=[] if mistake.name in CHOSEN else pytest.mark.slow)


@pytest.mark.parametrize("mistake", [by_the_command(each) for each in MISTAKES])
def test_the_command_says_so_too(tmp_path, monkeypatch, mistake):
    """Whatever it does to its process, which is not that of the command: only some have a command of their own."""
    base = tmp_path.resolve()
    monkeypatch.chdir(base)
    (base / "mine.py").write_text(mistake.text)
    (base / "spec.yaml").write_text(SPEC)
    if mistake.name in CHOSEN:
        done = duelbench("check", base / "spec.yaml", cwd=base)
        code = done.returncode
    else:
        done = here("check", base / "spec.yaml")
        code = done.exit_code
    said = done.stderr.splitlines()[-1].removeprefix("error: ")
    assert mistake.is_answered_by(said, base / "mine.py"), said
    assert (code, "Traceback" in done.stderr) == (2, False)


def test_there_are_many():
    assert len({each.name for each in MISTAKES}) == len(MISTAKES) > 80
