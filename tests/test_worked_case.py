"""The worked case of datasets/README.md: its commands run in order, with the stated results."""

import re
import runpy
import shlex
import sys

import pandas as pd
import pytest

from tests.commands import here
from tests.pages import text_of

HEADING = "## A worked case"
LEAST = ["--runs", "2", "--algorithms", "rucb", "-j", "0"]
"""Options for `advise`, which otherwise takes minutes."""


def parts():
    """Yield (language, text) of the blocks of the section."""
    section = re.split(r"^## ", text_of("datasets/README.md").partition(HEADING)[2], flags=re.M)[0]
    return re.findall(r"^```(\w*)\n(.*?)^```$", section, re.S | re.M)


def played(directory, monkeypatch, advise):
    """Follow the section and return the output of each command."""
    monkeypatch.chdir(directory)
    monkeypatch.syspath_prepend(str(directory))
    monkeypatch.delitem(sys.modules, "simulate", raising=False)
    said = {}
    for language, text in parts():
        if language == "python":
            name = re.match(r"# (\w+\.py): ", text)[1]
            (directory / name).write_text(text, encoding="utf-8")
            runpy.run_path(name, run_name="__main__")
            continue
        for line in text.splitlines():
            words = shlex.split(line, comments=True)[1:] + (advise if "advise" in line else [])
            result = here(*words)
            said[line] = result.output
            assert result.exit_code == 0, (line, result.output)
    monkeypatch.delitem(sys.modules, "simulate", raising=False)
    return said


def check(said, directory):
    text = {key.removeprefix("duelbench "): value for key, value in said.items()}
    built = text["datasets build votes votes.csv --unseen bradley-terry -o models.csv"]
    assert "12 arms, 3,000 votes" in built and "7 of 66 pairs have no votes" in built
    assert "Copeland winners  11 (lotus)" in text["datasets show models.csv"]
    assert "3,000 votes added" in text["session tell live --votes votes.csv"]
    assert len(text["session ask live -n 2 --judge ann"].splitlines()) == 2
    first = " ".join(text["session show live"].split())
    assert "lotus is recommended, and beats most others with probability" in first and "What decides" in first
    assert "3,002 votes" in first
    last = " ".join(text["session show live --until 0.95 --by-judge --figure live.png"].split())
    assert "lotus is recommended, and beats most others with probability 9" in last or "probability > 99.9 %" in last
    assert "you may stop" in last and all(judge in last for judge in ("ann", "bob", "eve"))
    assert (directory / "live.png").stat().st_size > 10_000
    assert len(pd.read_csv(directory / "answers.csv")) == 782


def test_worked_case(tmp_path, monkeypatch):
    check(played(tmp_path, monkeypatch, LEAST), tmp_path)


@pytest.mark.slow
def test_to_the_letter(tmp_path, monkeypatch):
    said = played(tmp_path, monkeypatch, [])
    check(said, tmp_path)
    advice = said["duelbench advise votes.csv --budget 1000"]
    assert "use " in advice and "d-ts" in advice
