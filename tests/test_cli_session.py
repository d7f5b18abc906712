"""`duelbench session`: judges at a terminal, programs on its standard input."""

import json
import os
import subprocess
import sys

import pytest

from tests.experiments import ENVIRONMENT
from tests.sessions import events, session_verb


@pytest.fixture
def arms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    (tmp_path / "arms.txt").write_text("gpt, big\nllama\nβ\n", encoding="utf-8")
    return tmp_path


def test_from_the_first_ask_to_the_export(arms):
    said = session_verb(
        "new", "s", "--algorithm", "d-ts", "--arms", "arms.txt", "--expires", "1h", "-p", "alpha=0.6"
    ).stdout
    assert said.startswith("a session of d-ts with 3 arms is in s. Next:")
    assert events(arms / "s")[0]["parameters"] == {"alpha": 0.6}
    assert events(arms / "s")[0]["expires"] == 3600
    asked = session_verb("ask", "s", "-n", "3", "--judge", "ann").stdout.splitlines()
    assert [line.split()[0] for line in asked] == ["1", "2", "3"]
    assert all("  or  " in line for line in asked)
    assert session_verb("tell", "s", "2", "tie").stdout == "ask 2: tie; 1 vote so far\n"
    assert json.loads(session_verb("tell", "s", "2", "tie", "--json").stdout)["votes"] == 1
    assert "was answered 'tie' before" in session_verb("tell", "s", "2", "first", code=2).stderr
    assert session_verb("tell", "s", "1", "skip").stdout == "ask 1 is given back\n"
    assert json.loads(session_verb("ask", "s", "--json").stdout)["asks"][0]["id"] == 4
    shown = session_verb("show", "s").stdout
    assert "d-ts on 3 arms; 1 vote (1 tie); 2 asked and not answered" in shown
    assert " is recommended, and beats most others with probability" in shown
    exported = session_verb("export", "s").stdout.splitlines()
    assert exported[0].startswith("first,second,winner,judge")
    assert ",tie,ann,20" in exported[1]
    assert session_verb("export", "s", "--counts", "-o", "counts.csv").stdout == ""
    assert (arms / "counts.csv").read_text(encoding="utf-8").count("\n") == 2
    assert "is not overwritten" in session_verb("export", "s", "-o", "counts.csv", code=2).stderr
    assert json.loads(session_verb("export", "s", "--json").stdout)[0]["answer"] == "tie"
    assert session_verb("arm", "add", "s", "new").stdout == "new is in: 4 arms\n"
    assert session_verb("arm", "withdraw", "s", "llama").stdout == "llama is out: 3 arms\n"
    (arms / "old.csv").write_text("first,second,winner\nnew,β,first\nnew,β,tie\n", encoding="utf-8")
    assert session_verb("tell", "s", "--votes", "old.csv").stdout == "2 votes told; 0 rows refused\n"
    assert "told already" in session_verb("tell", "s", "--votes", "old.csv", code=2).stderr
    assert json.loads(session_verb("export", "s", "--counts", "--json").stdout)["recommended"] == "new"


def test_exit_codes_tell_waiting_from_the_end(arms):
    session_verb("new", "s", "--algorithm", "sparring", "--arms", "arms.txt")
    session_verb("ask", "s")
    done = session_verb("ask", "s", code=3)
    assert (done.stdout, done.stderr) == ("", "nothing can be asked until answers come\n")
    assert json.loads(session_verb("ask", "s", "--json", code=3).stdout)["state"] == "waiting"
    session_verb("new", "t", "--algorithm", "rucb", "--arms", "arms.txt", "--horizon", "1", "--json")
    session_verb("ask", "t")
    session_verb("tell", "t", "1", "first")
    done = session_verb("ask", "t", code=4)
    assert "the algorithm asks for no more votes; it recommends" in done.stderr
    assert json.loads(session_verb("ask", "t", "--json", code=4).stdout)["state"] == "finished"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "nowhere"], "there is no session in nowhere"),
        (["show", "nowhere"], "there is no session in nowhere"),
        (["tell", "nowhere"], "tell ID and first"),
        (["tell", "nowhere", "1"], "tell ID and first"),
        (["tell", "nowhere", "1", "both"], "first, second, tie or skip, not 'both'"),
    ],
)
def test_mistakes_are_one_sentence(arms, arguments, said):
    done = session_verb(*arguments, code=2)
    assert said in done.stderr


def test_serve_answers_every_line_and_ends_with_its_input(arms):
    session_verb("new", "s", "--algorithm", "rucb", "--arms", "arms.txt")
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
