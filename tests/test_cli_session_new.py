"""`duelbench session new`: what it makes, and what it refuses before anything is made."""

import os

import pytest

from duelbench.cli.session_new import Lasting
from tests.proved import PLAIN, changed
from tests.sessions import events, session_verb


@pytest.fixture
def arms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    (tmp_path / "arms.txt").write_text("gpt, big\nllama\nβ\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5h", 5400), ("2 d", 172_800), ("1w", 604_800)]
)
def test_times(text, seconds):
    assert Lasting().convert(text, None, None) == seconds


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new", "s", "--algorithm", "rubc", "--arms", "arms.txt"], "did you mean 'rucb'?"),
        (["new", "s", "--algorithm", "rucb", "--arms", "none.txt"], "cannot read none.txt"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "-p", "alpha=-1"], "'alpha' must be greater than 0"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "-p", "alhpa=1"], "did you mean 'alpha'?"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "-p", "alpha"], "write -p alpha=0.6"),
        (["new", "s", "--algorithm", "btm", "--arms", "arms.txt"], "give --horizon"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "--expires", "soon"], "'soon' is no time"),
        (["new", "arms.txt", "--algorithm", "rucb", "--arms", "arms.txt"], "is not a directory"),
        (["new", "s", "--algorithm", "mine.py", "--arms", "arms.txt"], "mine.py names no class"),
        (["new", "s", "--algorithm", "mine.py:Mine", "--arms", "arms.txt"], "cannot read"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "-p", "seed=1"], "give --seed"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "-p", "alpha=1", "-p", "alpha=1"], "given twice"),
        (["new", "s", "--algorithm", "rucb", "--arms", "arms.txt", "--expires", "0"], "'0' is no time"),
    ],
)
def test_mistakes_are_one_sentence_and_nothing_is_made(arms, arguments, said):
    done = session_verb(*arguments, code=2)
    assert said in done.stderr
    assert not (arms / "s").exists()


def test_a_file_of_ones_own_is_tried_and_works(arms):
    (arms / "mine.py").write_text(changed(PLAIN, ("    most, ties = -1, 0\n", "    most, ties = -1, 1 / 0\n")))
    done = session_verb("new", "s", "--algorithm", "mine.py:MyPolicy", "--arms", "arms.txt", code=2)
    assert "mine.py:40: select fails with ZeroDivisionError at t = 1 with 3 arms" in done.stderr
    assert not (arms / "s").exists()
    (arms / "mine.py").write_text(PLAIN)
    session_verb("new", "s", "--algorithm", "mine.py:MyPolicy", "--arms", "arms.txt", "-p", "alpha=0.9")
    session_verb("ask", "s")
    session_verb("tell", "s", "1", "first")
    session_verb("ask", "s")
    changed_text = changed(PLAIN, ("    champion = pick(state.tied, ties, rng)", "    rng.random()\n    champion = 1"))
    (arms / "mine.py").write_text(changed_text)
    asked = {event["first"] for event in events(arms / "s") if event["event"] == "asked"}
    assert asked
    done = session_verb("show", "s", code=2)
    assert "its code has changed" in done.stderr
