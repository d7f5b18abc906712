"""`duelbench session`: judges at a terminal, programs on its standard input."""

import json
import os
import subprocess
import sys

import pytest

from tests.commands import here
from tests.experiments import ENVIRONMENT
from tests.proved import PLAIN, changed
from tests.sessions import events


@pytest.fixture
def arms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    (tmp_path / "arms.txt").write_text("gpt, big\nllama\nβ\n", encoding="utf-8")
    return tmp_path


def session(*arguments, code=0):
    done = here("session", *arguments)
    assert done.exit_code == code, done.output
    return done


def test_from_the_first_ask_to_the_export(arms):
    said = session("new", "s", "--algorithm", "d-ts", "--arms", "arms.txt", "--expires", "1h", "-p", "alpha=0.6").stdout
    assert said.startswith("a session of d-ts with 3 arms is in s. Next:")
    assert events(arms / "s")[0]["parameters"] == {"alpha": 0.6}
    assert events(arms / "s")[0]["expires"] == 3600
    asked = session("ask", "s", "-n", "3", "--judge", "ann").stdout.splitlines()
    assert [line.split()[0] for line in asked] == ["1", "2", "3"]
    assert all("  or  " in line for line in asked)
    assert session("tell", "s", "2", "tie").stdout == ""
    assert json.loads(session("tell", "s", "2", "tie", "--json").stdout)["votes"] == 1
    assert "was answered 'tie' before" in session("tell", "s", "2", "first", code=2).stderr
    session("tell", "s", "1", "skip")
    assert json.loads(session("ask", "s", "--json").stdout)["asks"][0]["id"] == 4
    shown = session("show", "s").stdout
    assert "won 0, lost 0, tied 1" in shown
    assert "recommended: " in shown
    exported = session("export", "s").stdout.splitlines()
    assert exported[0].startswith("first,second,winner,judge")
    assert ",tie,ann,20" in exported[1]
    assert session("export", "s", "--counts", "-o", "counts.csv").stdout == ""
    assert (arms / "counts.csv").read_text(encoding="utf-8").count("\n") == 2
    assert "is not overwritten" in session("export", "s", "-o", "counts.csv", code=2).stderr
    assert json.loads(session("export", "s", "--json").stdout)[0]["answer"] == "tie"
    assert session("arm", "add", "s", "new").stdout == "new is in: 4 arms\n"
    assert session("arm", "withdraw", "s", "llama").stdout == "llama is out: 3 arms\n"
    (arms / "old.csv").write_text("first,second,winner\nnew,β,first\nnew,β,tie\n", encoding="utf-8")
    assert session("tell", "s", "--votes", "old.csv").stdout == "2 votes told; 0 rows refused\n"
    assert "told already" in session("tell", "s", "--votes", "old.csv", code=2).stderr
    assert json.loads(session("show", "s", "--json").stdout)["recommended"] == "new"


def test_exit_codes_tell_waiting_from_the_end(arms):
    session("new", "s", "--algorithm", "sparring", "--arms", "arms.txt")
    session("ask", "s")
    done = session("ask", "s", code=3)
    assert (done.stdout, done.stderr) == ("", "nothing can be asked until answers come\n")
    assert json.loads(session("ask", "s", "--json", code=3).stdout)["state"] == "waiting"
    session("new", "t", "--algorithm", "rucb", "--arms", "arms.txt", "--horizon", "1", "--json")
    session("ask", "t")
    session("tell", "t", "1", "first")
    done = session("ask", "t", code=4)
    assert "the algorithm asks for no more votes; it recommends" in done.stderr
    assert json.loads(session("ask", "t", "--json", code=4).stdout)["state"] == "finished"


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
        (["ask", "nowhere"], "there is no session in nowhere"),
        (["show", "nowhere"], "there is no session in nowhere"),
        (["tell", "nowhere"], "tell ID and first"),
        (["tell", "nowhere", "1"], "tell ID and first"),
        (["tell", "nowhere", "1", "both"], "first, second, tie or skip, not 'both'"),
    ],
)
def test_mistakes_are_one_sentence(arms, arguments, said):
    done = session(*arguments, code=2)
    assert said in done.stderr
    assert not (arms / "s").exists()


def test_a_file_of_ones_own_is_tried_and_works(arms):
    (arms / "mine.py").write_text(changed(PLAIN, ("    most, ties = -1, 0\n", "    most, ties = -1, 1 / 0\n")))
    done = session("new", "s", "--algorithm", "mine.py:MyPolicy", "--arms", "arms.txt", code=2)
    assert "mine.py:40: select fails with ZeroDivisionError at t = 1 with 3 arms" in done.stderr
    assert not (arms / "s").exists()
    (arms / "mine.py").write_text(PLAIN)
    session("new", "s", "--algorithm", "mine.py:MyPolicy", "--arms", "arms.txt", "-p", "alpha=0.9")
    session("ask", "s")
    session("tell", "s", "1", "first")
    session("ask", "s")
    changed_text = changed(PLAIN, ("    champion = pick(state.tied, ties, rng)", "    rng.random()\n    champion = 1"))
    (arms / "mine.py").write_text(changed_text)
    asked = {event["first"] for event in events(arms / "s") if event["event"] == "asked"}
    assert asked
    done = session("show", "s", code=2)
    assert "its code has changed" in done.stderr


def test_serve_answers_every_line_and_ends_with_its_input(arms):
    session("new", "s", "--algorithm", "rucb", "--arms", "arms.txt")
    lines = [
        b'{"ask": 2}',
        b"",
        b"nonsense \xff",
        b'{"ask": "' + b"x" * 1_500_000 + b'"}',
        b'{"tell": 2, "answer": "tie"}',
    ]
    done = subprocess.run(
        [sys.executable, "-m", "duelbench", "session", "serve", "s"],
        input=b"\n".join(lines), capture_output=True, env=ENVIRONMENT, cwd=arms, timeout=120, check=True,
    )  # fmt: skip
    assert done.stderr == b""
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [next(iter(each)) for each in replies] == ["state", "error", "error", "told"]
    assert "more than 1,000,000 bytes" in replies[2]["error"]
    assert len(events(arms / "s")) == 4
