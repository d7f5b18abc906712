"""``duelbench test``: a line for each check, its exit code, and its user's mistakes."""

import pytest

from duelbench.conformance import case, verdicts
from duelbench.conformance.case import Size
from tests.commands import here
from tests.proved import LITERAL, PLAIN, changed


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(case, "SMALL", Size(0.01, 0.1, 0.05, 0.1, 60))
    (tmp_path / "mine.py").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "plain.py").write_text(LITERAL, encoding="utf-8")
    (tmp_path / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    return tmp_path


def test_lines(beside):
    """Played twice, the lines are the same."""
    arguments = "test", "mine.py:MyPolicy", "--against", "plain.py:my_policy", "--instance", "two.csv", "--quick"
    done, again = here(*arguments), here(*arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == again.stdout
    lines = done.stdout.splitlines()
    assert lines[0] == "mine.py:MyPolicy on two.csv"
    assert [line[5:29].strip() for line in lines[2:-2]] == list(verdicts.NAMES)
    marks = dict(zip(verdicts.NAMES, (line.split()[0] for line in lines[2:-2]), strict=True))
    assert {name for name, each in marks.items() if each == "-"} == {
        "declaration",
        "recommendation",
        "off-policy",
        "compiled = interpreted",
    }
    assert set(marks.values()) == {"ok", "-"}
    assert "are the same duel by duel" in lines[-3]
    assert "more or less mean regret would have been seen" in done.stdout
    assert lines[-1] == "no check failed"


def test_nothing_to_check(beside, monkeypatch):
    monkeypatch.setattr(verdicts, "NAMES", ("holds",))
    text = changed(PLAIN, ("min(last, due - 1) - t + 1", "1"))
    (beside / "mine.py").write_text(text, encoding="utf-8")
    done = here("test", "mine.py:MyPolicy", "--instance", "cyclic4", "--quick")
    assert done.exit_code == 0, done.output
    assert "\n?    holds  no answer in 300 rounds was a hold: if it can hold, give it an instance" in done.stdout
    assert done.stdout.splitlines()[-1] == "no check failed, 1 had nothing to check"


def test_exit_code_of_a_failure(beside, monkeypatch):
    monkeypatch.setattr(verdicts, "NAMES", ("holds",))
    (beside / "mine.py").write_text(changed(PLAIN, ("min(last, due - 1)", "min(last, due)")), encoding="utf-8")
    done = here("test", "mine.py:MyPolicy", "--instance", "two.csv", "--quick")
    assert done.exit_code == 1, done.output
    assert "FAIL holds  on two.csv: select answers" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 of 1 checks failed"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rucp"], "unknown algorithm 'rucp' (did you mean 'rucb'?)"),
        (["rucb", "--against", "plain.py:my_policy"], "leave out --against"),
        (["mine.py"], "mine.py names no class: write mine.py:Class"),
        (["mine.py:Mine"], "no Algorithm with a name called 'Mine'"),
        (["nobody.py:Mine"], "cannot read"),
        (["mine.py:MyPolicy", "--against", "plain.py"], "plain.py names no function: write plain.py:function"),
        (["mine.py:MyPolicy", "--instance", "cyclic5"], "unknown dataset 'cyclic5' (did you mean 'cyclic4'?)"),
        (["rucb", "--instance", "btl-uniform"], "the checks take 30 at most"),
    ],
)
def test_mistakes(arguments, said, beside):
    done = here("test", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_first_rounds_are_tried(beside):
    (beside / "mine.py").write_text(changed(PLAIN, ("rng), 1\n", "rng)\n")), encoding="utf-8")
    done = here("test", "mine.py:MyPolicy")
    assert done.exit_code == 2
    assert "mine.py:61: " in done.stderr
