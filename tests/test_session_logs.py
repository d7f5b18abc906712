"""Sessions in a directory: a log gives the same session after any interruption."""

import csv
import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading.read import read_votes
from duelbench.votes.sessions.log import FILE, Log
from duelbench.votes.sessions.session import Session, votes_text
from duelbench.votes.vote_table import counts_text
from tests.experiments import PLAIN
from tests.sessions import ARMS, TIME, events, retold, same, sides, voted

pytestmark = pytest.mark.usefixtures("interpreted")

# The file


def test_a_torn_line_goes(tmp_path):
    session = Session.create(tmp_path, "rucb", ARMS)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"time":"2026' * 100)
    session.ask()
    assert len(events(tmp_path)) == 2 and (tmp_path / FILE).read_bytes().endswith(b"}\n")


def test_wrong_places(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="cannot make"):
            Session.create(place, "rucb", ARMS)
    with pytest.raises(UserError, match=r"there is no session in .*: make one with"):
        Log(tmp_path).unread()
    with pytest.raises(UserError, match="there is no session in"):
        Log(tmp_path / "file").unread()
    with pytest.raises(UserError, match="there is no session in"), Log(tmp_path / "nowhere").writing():
        pass


# Replay


WORKER = """
import os, random, sys, time
from duelbench.votes.sessions.session import Session
os.fsync = lambda descriptor: None  # else it would spend its life there
print("ready", flush=True)
while not os.path.exists(os.path.join(sys.argv[1], "go")):
    time.sleep(0.001)
session, rng = Session.open(sys.argv[1]), random.Random(int(sys.argv[2]))
for _ in range(int(sys.argv[3])):
    asks = session.ask(2, sys.argv[2])
    mine = [ask for ask in session.open_questions if rng.random() < 0.7]
    for ask in mine[:3]:
        answer = rng.choice(["first", "second", "tie"])
        try:
            session.tell(ask.id, answer, sys.argv[2])
        except Exception as error:
            assert "is answered already" in str(error), error
        else:
            print(ask.id, answer, flush=True)
"""


@pytest.fixture(autouse=True)
def unforced(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # a hundred times faster


def worker(directory, name, turns):
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(directory), str(name), str(turns)],
        env=PLAIN, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["rucb", "btm"])
def test_cut_anywhere(name, tmp_path):
    session = Session.create(tmp_path / "whole", name, ARMS, seed=2, horizon=1_000)
    voted(session, 25)
    if name == "rucb":
        session.add("ärm, 3")
        voted(session, 5)
    text = (tmp_path / "whole" / FILE).read_bytes()
    lines = text.split(b"\n")[:-1]
    (tmp_path / "cut").mkdir()
    begin = len(text) - sum(len(line) + 1 for line in lines[-4:])
    ends = [place for place in range(begin, len(text)) if text[place] == ord("\n")]
    for length in sorted({*range(begin, len(text), 17), *ends, *(end + 1 for end in ends)}):
        (tmp_path / "cut" / FILE).write_bytes(text[:length])
        whole = text[:length].count(b"\n")
        cut = Session.open(tmp_path / "cut")
        asked = [json.loads(line) for line in lines[:whole]]
        assert len(cut.votes) == sum(each["event"] == "answered" for each in asked)
        for ask in cut.ask(2) or cut.open_questions[:1]:
            cut.tell(ask.id, "tie")
        written = (tmp_path / "cut" / FILE).read_bytes()
        assert written.startswith(b"\n".join(lines[:whole]) + b"\n")  # the torn line is gone
        assert len(written) > length or whole == len(lines)
    assert same(Session.open(tmp_path / "cut"), retold(tmp_path / "cut"))


def test_kills(tmp_path):
    Session.create(tmp_path, "d-ts", ARMS, seed=3)
    (tmp_path / "go").touch()
    said = []
    for life in range(2):
        process = worker(tmp_path, life, 10_000)
        said += [process.stdout.readline() for _ in range(5)]
        process.kill()
        said += process.stdout  # not communicate(), which would miss lines that readline() has read ahead
        assert process.communicate() == ("", "")
    told = {int(line.split()[0]): line.split()[1] for line in said if line.count(" ") == 1}
    session = Session.open(tmp_path)
    assert len(told) >= 8  # after "ready", each process has confirmed four answers
    assert {vote.id: vote.answer for vote in session.votes}.items() >= told.items()
    assert len(session.votes) - len(told) <= 2  # each process may be killed before it confirms one
    assert same(session, retold(tmp_path))


def test_several_processes(tmp_path):
    Session.create(tmp_path, "d-ts", ARMS, seed=3)
    workers = [worker(tmp_path, name, 25) for name in range(2)]
    assert [process.stdout.readline() for process in workers] == ["ready\n"] * 2
    (tmp_path / "go").touch()
    told = [line for process in workers for line in process.stdout]
    assert [process.communicate() for process in workers] == [("", "")] * 2
    session = Session.open(tmp_path)
    assert len(session.votes) == len({vote.id for vote in session.votes}) > 30
    assert {int(line.split()[0]) for line in told} == {vote.id for vote in session.votes}
    asked = [event["id"] for event in events(tmp_path) if event["event"] == "asked"]
    assert asked == list(range(1, 101))
    assert {event["judge"] for event in events(tmp_path) if event["event"] == "asked"} == {"0", "1"}
    assert same(session, retold(tmp_path))


@pytest.mark.parametrize("name", ["d-ts", "rmed2", "knockout", "sparring"])
def test_replay_is_memory(name, tmp_path):
    """All operations, valid or not, have the same results as in a session that is never reloaded."""
    kept, other = Session.create(tmp_path, name, ARMS, seed=6), Session(name, ARMS, seed=6)
    rng, new = random.Random(name), iter(range(3, 100))

    def both(what, *arguments):
        said = []
        for session in (kept, other):
            try:
                said.append(getattr(session, what)(*arguments))
            except UserError as error:
                said.append(str(error))
        one, two = said
        assert (sides(one) if what == "ask" else one) == (sides(two) if what == "ask" else two)

    for turn in range(120):
        chance = rng.random()
        asked = list(range(1, 2 + len(other._state.assignments)))
        if chance < 0.4:
            both("ask", rng.randint(1, 4), rng.choice(["ann", None]), None, rng.choice(["q1", "q2", None]))
        elif chance < 0.8:
            both("tell", rng.choice(asked[-8:]), rng.choice(["first", "first", "second", "tie"]))
        elif chance < 0.85:
            both("correct", rng.choice(asked[-8:]), rng.choice(["first", "second", "tie"]), "eve")
        elif chance < 0.9:
            both("skip", rng.choice(asked[-4:]))
        elif chance < 0.93:
            both("add", f"arm {next(new)}")
        elif chance < 0.96:
            both("withdraw", rng.choice(other.names))
        else:
            wins = np.array([[0, rng.randint(0, 9)], [rng.randint(1, 9), 0]])
            both("tell_votes", PairCounts(tuple(rng.sample(other.names, 2)), wins, wins + wins.T))
        if turn % 10 == 0:
            kept = Session.open(tmp_path)
    assert kept.finished == other.finished
    kept = Session.open(tmp_path)
    assert [(vote.judge, vote.coin) for vote in kept.votes] == [(vote.judge, vote.coin) for vote in other.votes]
    assert same(kept, other)


def edited(directory, old, new, count=1):
    path = directory / FILE
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


@pytest.mark.parametrize("algorithm", ["rucb", "btm"])
def test_changed_code(algorithm, tmp_path):
    session = Session.create(tmp_path, algorithm, ARMS, seed=1, horizon=1000)
    voted(session, 30)
    before = session.counts
    asked = next(event for event in events(tmp_path)[10:] if event["event"] == "asked")
    other = next(name for name in ARMS if name not in (asked["first"], asked["second"]))
    edited(tmp_path, f'"id":{asked["id"]},"first":"{asked["first"]}"', f'"id":{asked["id"]},"first":"{other}"')
    said = rf"session.jsonl:\d+: the algorithm asks for .* the log says it asked for '{other}' .*: the log was edited"
    with pytest.raises(UserError, match=said):
        Session.open(tmp_path)
    if algorithm == "btm":
        with pytest.raises(UserError, match="learns only from its own duels: make a new session"):
            Session.open(tmp_path, accept_new_code=True)
        return
    anew = Session.open(tmp_path, accept_new_code=True)
    assert events(tmp_path)[-1]["event"] == "renewed"
    assert anew.counts.votes.sum() == before.votes.sum()
    assert anew.round == 1 + len(anew.votes)
    voted(anew, 10, seed=1)
    assert sides(Session.open(tmp_path).votes) == sides(anew.votes)
    assert same(Session.open(tmp_path), Session.open(tmp_path)) is False  # the second one is asked later, and differs


def line_of(**event):
    return json.dumps({"time": TIME, **event})


MANY_VOTES = {"first": "arm 0", "second": "arm 1", "wins": 900_000_000, "losses": 0, "ties": 0, "coins": 0}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "not an event of a session"),
        (line_of(event="burnt"), "not an event"),
        (line_of(event="returned", id=1, time="yesterday"), "time: String should match pattern"),
        (line_of(event="returned", id=1, more=1), "more: Extra inputs"),
        (line_of(event="returned", id=99), "there is no question 99"),
        (line_of(event="answered", id=1, answer="tie"), "only a tie has a coin"),
        (line_of(event="added", arm="arm 1"), "is an arm already"),
        (line_of(event="told", source="x", digest="y", pairs=[MANY_VOTES]), "at most 10,000,000 .* not 900,000,000"),
        (line_of(event="withdrawn", arm="x"), "there is no arm 'x'"),
        (line_of(event="asked", id=5, first="arm 1", second="arm 2"), "next question"),
    ],
)
def test_wrong_lines(line, said, tmp_path):
    session = Session.create(tmp_path, "rucb", ARMS)
    session.ask()
    with (tmp_path / FILE).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    for _ in range(2):
        with pytest.raises(UserError, match=said) as error:
            session.refresh()
        assert str(error.value).startswith(f"{tmp_path / FILE}:3: ")
    with pytest.raises(UserError, match=said):
        session.ask()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"rucb"', '"rucbb"', "unknown algorithm 'rucbb'"),
        ('"alpha":0.51', '"alpha":-1', "alpha is -1: it must be greater than 0"),
        ('"arm 1"', '"arm 0"', "is the name of two arms"),
        ('"event":"created"', '"event":"returned","id":3', "not an event"),
        ('"format":1', '"format":2', r"format: Input should be 1\): undo the edit"),
        ('"seed":0', '"seed":0,"expires":1e300', "expires: Input should be less than or equal to"),
    ],
)
def test_wrong_first_line(old, new, said, tmp_path):
    Session.create(tmp_path, "rucb", ARMS)
    edited(tmp_path, old, new)
    with pytest.raises(UserError, match=said) as error:
        Session.open(tmp_path)
    assert f"{FILE}:1: " in str(error.value)


# Exported votes


ODD_NAMES = (
    ["gpt, big", '"quoted"', "β", "tie"],
    ["second", "first", "tie", "model_b"],
    ["a", "b", "A", "B"],
    ["0", "1", "2", "1.5", "-1"],
    ["# x", "#", 'say "x"', "x, y", "x;y", "=1"],
    ["nan", "None", "N/A", "null", "skip"],
    ["é", "e\u0301", "first,second", "gpt 4", "gpt4"],
    ["=1+1", "+1", "-1", "@x", "'=1+1", "''=1+1", "'x"],
)


def counted(votes):
    """Return the counts by name."""
    return {
        (one, other): (votes.wins[i, j], votes.ties[i, j])
        for i, one in enumerate(votes.names)
        for j, other in enumerate(votes.names)
    }


@pytest.mark.parametrize("names", ODD_NAMES)
def test_odd_names_read_back(names, tmp_path):
    """Odd names read back without notes: outcomes are sides, and each name is a separate arm."""
    session = Session("d-ts", [*names, "New"], seed=1)
    voted(session, 60, judge="=ann, b")
    for name, text in ("votes.csv", votes_text(session.votes)), ("counts.csv", counts_text(session.counts)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = read_votes([tmp_path / name])
        assert not found.warnings and not found.refused, found.warnings
        assert set(found.counts.names) == {*names, "New"}
        assert counted(found.counts) == counted(session.counts) and found.counts.ties.any()
        assert found.judges == ({"=ann, b": len(session.votes)} if name == "votes.csv" else {})


def test_exports_have_no_formulas(tmp_path):
    """Exported names of arms, judges and items are not formulas, and read back unchanged."""
    session = Session("d-ts", ["=arm", "+arm", "-arm", "@arm"], seed=1)
    for number in range(60):
        (ask,) = session.ask(1, "=judge", item=f"@{number}")
        session.tell(ask.id, ["first", "second", "tie"][number % 3], "=judge")
    for text in (votes_text(session.votes), counts_text(session.counts)):
        cells = [cell for line in csv.reader(text.splitlines()) for cell in line]
        assert [each for each in cells if each.startswith(tuple("=+-@\t"))] == []
    (tmp_path / "votes.csv").write_text(votes_text(session.votes))
    found = read_votes([tmp_path / "votes.csv"])
    assert found.judges == {"=judge": len(session.votes)} and counted(found.counts) == counted(session.counts)
