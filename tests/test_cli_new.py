"""``duelbench new``: what it writes runs, is proved, and is not written over anything."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.conformance import verdicts

NOT_APPLICABLE = {"off-policy", "declaration", "recommendation"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def duelbench(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_the_next_three_commands_work(here):
    done = duelbench("new", "two_words.py")
    assert done.exit_code == 0, done.output
    first, *rest = done.stdout.splitlines()
    assert first == "written: two_words.py, two_words_literal.py, two_words.yaml. Next:"
    commands = [line.split()[1:] for line in rest if line]
    assert [each[0] for each in commands] == ["check", "test", "run"]
    check, test, run = commands
    done = duelbench(*check)
    assert done.exit_code == 0, done.output
    assert "algorithms  TwoWords, d-ts, rucb, rmed1" in done.stdout
    done = duelbench(*test, "--instance", "cyclic4", "--instance", "two.csv", "--quick")
    assert done.exit_code == 2
    Path("two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    done = duelbench(*test, "--instance", "cyclic4", "--instance", "two.csv", "--quick")
    assert done.exit_code == 0, done.output
    said = {line[5:29].strip(): line for line in done.stdout.splitlines()}
    assert all(said[name].startswith("ok") for name in verdicts.NAMES if name not in NOT_APPLICABLE)
    assert "end on their own" in said["holds"]
    assert "duel by duel" in said["reference"]
    done = duelbench(*run, "-j", 1)
    assert done.exit_code == 0, done.output
    assert "160 runs played" in done.stdout


def test_what_is_written_is_as_ruff_wants_it(here):
    assert duelbench("new", "my_policy.py").exit_code == 0
    root = Path(__file__).parents[1]
    for what in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *what, "--config", root / "pyproject.toml", "."]
        done = subprocess.run(ruff, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


def test_the_class_may_have_another_name(here):
    done = duelbench("new", "_q.py", "--class", "Quick")
    assert done.exit_code == 0, done.output
    text = Path("_q.py").read_text(encoding="utf-8")
    assert "class Quick(Algorithm):" in text
    assert 'name = "q"' in text
    assert "duelbench test _q.py:Quick --against _q_literal.py:_q" in done.stdout
    assert "MyPolicy" not in "".join(path.read_text(encoding="utf-8") for path in here.iterdir())


@pytest.mark.parametrize("there", ["mine.py", "mine_literal.py", "mine.yaml"])
def test_nothing_is_overwritten(there, here):
    Path(there).write_text("mine")
    done = duelbench("new", "mine.py")
    assert done.exit_code == 2
    assert f"{there} is there already and is not overwritten" in done.stderr
    assert [path.name for path in here.iterdir()] == [there]
    assert Path(there).read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mine.txt"], "mine.txt is no Python file: write mine.py"),
        (["my-policy.py"], "a module cannot be called 'my-policy'"),
        (["class.py"], "a module cannot be called 'class'"),
        (["rucb.py"], "'rucb' is an algorithm of duelbench"),
        (["d_ts.py"], "'d-ts' is an algorithm of duelbench"),
        (["mine.py", "--class", "Algorithm"], "the class cannot be called 'Algorithm'"),
        (["mine.py", "--class", "9"], "the class cannot be called '9'"),
        (["there/mine.py"], "there is no directory there"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said, here):
    done = duelbench("new", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert list(here.iterdir()) == []
