"""``duelbench test``: a line for each property, its exit code, and the mistakes of its user."""

import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.conformance import proof
from tests.proved import LITERAL, PLAIN, changed


@pytest.fixture
def beside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(proof, "SECONDS", 0.1)
    (tmp_path / "mine.py").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "plain.py").write_text(LITERAL, encoding="utf-8")
    return tmp_path


def duelbench(*arguments):
    return CliRunner().invoke(main, ["test", *map(str, arguments)])


def test_a_line_for_each_property_says_what_was_compared(beside):
    done = duelbench("mine.py:MyPolicy", "--against", "plain.py:my_policy", "--instance", "cyclic4")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "mine.py:MyPolicy on cyclic4"
    assert [line[5:29].strip() for line in lines[2:-2]] == list(proof.NAMES)
    verdicts = dict(zip(proof.NAMES, (line.split()[0] for line in lines[2:-2]), strict=True))
    assert {name for name, each in verdicts.items() if each == "-"} == {
        "any duel",
        "declaration",
        "compiled = interpreted",
    }
    assert set(verdicts.values()) == {"ok", "-"}
    assert "are the same duel by duel" in lines[-3]
    assert "more or less mean regret would have been seen" in done.stdout
    assert lines[-1] == "nothing failed"


def test_exit_code_1_when_a_property_fails(beside, monkeypatch):
    monkeypatch.setattr(proof, "NAMES", ("stepping = holding",))
    wrong = changed(PLAIN, ("min(last, due - 1)", "min(last, due)"))
    (beside / "mine.py").write_text(wrong, encoding="utf-8")
    done = duelbench("mine.py:MyPolicy", "--instance", "cyclic4", "--instance", "two.csv")
    assert done.exit_code == 2
    (beside / "two.csv").write_text("0.5,0.9\n0.1,0.5\n")
    done = duelbench("mine.py:MyPolicy", "--instance", "two.csv")
    assert done.exit_code == 1, done.output
    assert "FAIL stepping = holding  on two.csv: select answers" in done.stdout
    assert done.stdout.splitlines()[-1] == "1 of 1 properties failed"


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
        (["rucb", "--instance", "btl-uniform"], "a proof is for 30 at most"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said, beside):
    done = duelbench(*arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_first_rounds_are_tried_as_check_does_it(beside):
    (beside / "mine.py").write_text(changed(PLAIN, ("rng), 1\n", "rng)\n")), encoding="utf-8")
    done = duelbench("mine.py:MyPolicy")
    assert done.exit_code == 2
    assert "mine.py:61: " in done.stderr
