"""``duelbench session``: judges at a terminal, programs on its standard input."""

import json
import os
import random
import re

import numpy as np
import pytest

from duelbench.cli.session import Lasting
from duelbench.cli.session_show import (
    goal_lines,
    ranking_lines,
    standing_lines,
    verdict_lines,
)
from duelbench.cli.terminal import fitted
from duelbench.markup import columns_of
from duelbench.preferences.counts import PairCounts
from duelbench.votes.ranking import rank
from duelbench.votes.sessions.requests import replied
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.standings import Deciding, goal_of
from tests.commands import here
from tests.proved import PLAIN, changed
from tests.sessions import events, judged, made, session_verb

pytestmark = pytest.mark.usefixtures("interpreted")


@pytest.fixture
def arms(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    (tmp_path / "arms.txt").write_text("gpt, big\nllama\nβ\n", encoding="utf-8")
    return tmp_path


# One script, three ways: Python, a program on the standard input, and the verbs


SCRIPT = (
    {"ask": 3, "judge": "ann"},
    {"tell": 2, "answer": "tie"},
    {"tell": 2, "answer": "tie"},
    {"tell": 1, "answer": "skip"},
    {"ask": 2, "judge": "bob", "item": "q1", "orders": "both"},
    {"tell": 4, "answer": "first", "judge": "bob"},
    {"tell": 3, "answer": "second"},
    {"correct": 3, "answer": "first", "judge": "eve"},
    {"skip": [5, 6]},
    {"skip": "all", "judge": "ann"},
    {"ask": 2},
    {"skip": "all"},
    {"show": True, "find": "borda", "until": "top:2", "margin": 0.02, "intervals": "marginal"},
    {"ask": 1},
)
VERBS = {
    "ask": lambda value, **more: ("ask", "-n", value, *options_of(more)),
    "tell": lambda value, answer, **more: ("tell", value, answer, *options_of(more)),
    "correct": lambda value, answer, **more: ("correct", value, answer, *options_of(more)),
    "skip": lambda value, **more: ("skip", *(["--all"] if value == "all" else value), *options_of(more)),
    "show": lambda value, **more: ("show", *options_of(more)),
}


def options_of(more):
    return [part for name, value in more.items() for part in (f"--{name}", value)]


def with_verbs(request):
    (name, value), *more = request.items()
    verb, *arguments = VERBS[name](value, **dict(more))
    return json.loads(here("session", verb, "s", *map(str, arguments), "--json").stdout)


def untimed(replies):
    """Leave out the times of questions."""
    return [json.loads(re.sub(r'"(asked|expires)": "[^"]*"', r'"\1": 0', json.dumps(reply))) for reply in replies]


def test_one_script_three_ways(arms):
    names, requests = (arms / "arms.txt").read_text(encoding="utf-8").splitlines(), [*map(json.dumps, SCRIPT)]
    session = Session("d-ts", names, expires=3600, alpha=0.6)
    in_python = untimed(replied(session, line.encode()) for line in requests)
    made = "--algorithm", "d-ts", "--arms", "arms.txt", "--expires", "1h", "-p", "alpha=0.6"
    served = session_verb("new", "served", *made) and session_verb("serve", "served", input="\n".join(requests))
    assert untimed(map(json.loads, served.stdout.splitlines())) == in_python
    assert session_verb("new", "s", *made).stdout.startswith("created a session of d-ts with 3 arms in s. Next:")
    assert untimed(map(with_verbs, SCRIPT)) == in_python
    assert [next(iter(reply)) for reply in in_python[:3]] == ["state", "tell", "tell"]
    logs = [[{**event, "time": 0, "expires": 0} for event in events(arms / place)] for place in ("served", "s")]
    assert logs[0] == logs[1]


# Ask, tell, export


def test_ask_to_export(arms):
    session_verb("new", "s", "--algorithm", "d-ts", "--arms", "arms.txt", "--expires", "1h", "-p", "alpha=0.6")
    assert (events(arms / "s")[0]["parameters"], events(arms / "s")[0]["expires"]) == ({"alpha": 0.6}, 3600)
    asked = session_verb("ask", "s", "-n", "3", "--judge", "ann").stdout.splitlines()
    assert [line.split()[0] for line in asked] == ["1", "2", "3"] and all("  or  " in line for line in asked)
    assert session_verb("tell", "s", "2", "tie").stdout == "question 2: tie; 1 vote so far\n"
    assert "is answered already" in session_verb("tell", "s", "2", "first", code=2).stderr
    assert session_verb("tell", "s", "1", "skip").stdout == "question 1: returned\n"
    assert "d-ts on 3 arms; 1 vote (1 tie); 1 open question" in session_verb("show", "s").stdout
    exported = session_verb("export", "s").stdout.splitlines()
    assert exported[0].startswith("first,second,winner,judge") and ",tie,ann,20" in exported[1]
    session_verb("export", "s", "--counts", "-o", "counts.csv")
    assert len((arms / "counts.csv").read_text(encoding="utf-8").splitlines()) == 4
    assert "is not overwritten" in session_verb("export", "s", "-o", "counts.csv", code=2).stderr
    assert session_verb("add", "s", "new").stdout == "new added: 4 arms\n"
    assert session_verb("withdraw", "s", "llama").stdout == "llama withdrawn: 3 arms\n"
    (arms / "old.csv").write_text("first,second,winner\nnew,β,first\nnew,β,tie\n", encoding="utf-8")
    assert session_verb("tell", "s", "--votes", "old.csv").stdout == "2 votes added; 0 rows refused\n"
    assert "imported before" in session_verb("tell", "s", "--votes", "old.csv", code=2).stderr
    assert json.loads(session_verb("export", "s", "--counts", "--json").stdout)["recommended"] == "new"


def test_tell_votes_as_asked(arms):
    session_verb("new", "s", "--algorithm", "rucb", "--arms", "arms.txt")
    rows = ["p,q,better,n,lang", "llama,β,llama,2,en", "llama,β,tie,3,en", "β,llama,β,5,de"]
    (arms / "old.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    columns = ("--first", "p", "--second", "q", "--winner", "better", "--weight", "n")
    said = session_verb("tell", "s", "--votes", "old.csv", *columns, "--only", "lang=en", "--ties", "drop").stdout
    assert said == "2 votes added; 0 rows refused\n"
    for option in (("--winner", "better"), ("--only", "lang=en"), ("--ties", "drop"), ("--outcome", "so-so=tie")):
        assert "give --votes FILE" in session_verb("tell", "s", "1", "first", *option, code=2).stderr


def test_items(arms):
    """Votes on an item are a group in the standings, in ``rank DIR`` and in ``rank`` of an export."""
    session_verb("new", "s", "--algorithm", "uniform", "--horizon", "500", "--arms", "arms.txt")
    names = [*arms.joinpath("arms.txt").read_text(encoding="utf-8").splitlines()]
    session, rng = Session.open("s"), random.Random(1)
    for item in range(40):
        worth = {name: rng.gauss(0, 1) for name in names}
        for ask in session.ask(3, item=f"q{item}"):
            session.tell(ask.id, "first" if worth[ask.first] > worth[ask.second] else "second")
        if item == 3:
            assert "Rank intervals need votes on 6 items" in " ".join(session_verb("show", "s").stdout.split())
    reply = session_verb("ask", "s", "--item", "q3", code=3)
    assert "judges without a name have had the pairs that the algorithm asks for on q3" in reply.stderr
    assert "Votes on one item depend on each other: 1." in " ".join(session_verb("show", "s").stdout.split())
    session_verb("export", "s", "-o", "votes.csv")
    of_session, of_file = (json.loads(here("rank", place, "--json").stdout) for place in ("s", "votes.csv"))
    assert (of_session["intervals"]["clusters"], of_session["intervals"]["number"]) == ("groups", 40)
    assert of_session["intervals"] == of_file["intervals"]


def test_exit_codes(arms):
    session_verb("new", "s", "--algorithm", "sparring", "--arms", "arms.txt")
    session_verb("ask", "s")
    done = session_verb("ask", "s", code=3)
    assert done.stdout == ""
    assert re.fullmatch(r"1 question is open: 1; answer or skip it\n", done.stderr)
    assert json.loads(session_verb("ask", "s", "--json", code=3).stdout)["state"] == "waiting"
    session_verb("new", "t", "--algorithm", "rucb", "--arms", "arms.txt", "--horizon", "1", "--json")
    session_verb("ask", "t")
    session_verb("tell", "t", "1", "first")
    done = session_verb("ask", "t", code=4)
    assert "the algorithm asks for no more votes; " in done.stderr and " is recommended" in done.stderr
    assert json.loads(session_verb("ask", "t", "--json", code=4).stdout)["state"] == "finished"


# New


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5h", 5400), ("2 d", 172_800), ("1w", 604_800)]
)
def test_times(text, seconds):
    assert Lasting().convert(text, None, None) == seconds


@pytest.mark.parametrize(
    ("algorithm", "options", "said"),
    [
        ("rucb", ["-p", "alpha=-1"], "'alpha' must be greater than 0"),
        ("rucb", ["-p", "alpha"], "write -p alpha=0.6"),
        ("btm", [], "'btm' must know the number of rounds: give --horizon"),
        ("rmed2", ["--horizon", str(2**63)], "out of range: write one from 1 to 1,000,000,000,000"),
        *(("rucb", ["--expires", each], f"'{each}' is not a time") for each in ("-1", "36501d", "nan")),
        ("mine.py:Mine", [], "cannot read"),
        ("rucb", ["-p", "seed=1"], "give --seed"),
        ("rucb", ["-p", "alpha=1", "-p", "alpha=1"], "given twice"),
    ],
)
def test_new_errors(arms, algorithm, options, said):
    done = session_verb("new", "s", "--algorithm", algorithm, "--arms", "arms.txt", *options, code=2)
    assert said in done.stderr
    assert not (arms / "s").exists()


def test_own_file(arms):
    (arms / "mine.py").write_text(changed(PLAIN, ("    most, ties = -1, 0\n", "    most, ties = -1, 1 / 0\n")))
    done = session_verb("new", "s", "--algorithm", "mine.py:MyPolicy", "--arms", "arms.txt", code=2)
    assert "mine.py:41: select fails with ZeroDivisionError at t = 1 with 3 arms" in done.stderr
    assert not (arms / "s").exists()
    (arms / "mine.py").write_text(PLAIN)
    session_verb("new", "s", "--algorithm", "mine.py:MyPolicy", "--arms", "arms.txt", "-p", "alpha=0.9")
    session_verb("ask", "s")
    session_verb("tell", "s", "1", "first")
    session_verb("ask", "s")
    changed_text = changed(PLAIN, ("    champion = pick(state.tied, ties, rng)", "    rng.random()\n    champion = 1"))
    (arms / "mine.py").write_text(changed_text)
    done = session_verb("show", "s", code=2)
    assert "its code has changed" in done.stderr


# Show


def show(*arguments, code=0, width=80):
    return session_verb("show", *arguments, code=code, env={"COLUMNS": str(width)})


@pytest.fixture
def three(tmp_path):
    session, rng = Session.create(tmp_path / "three", "d-ts", ["one", "two", "three"], seed=1), random.Random(1)
    for turn in range(90):
        (ask,) = session.ask(judge=("ann", "bob", "eve")[turn % 3])
        session.tell(ask.id, judged(ask, rng))
    return tmp_path / "three"


def test_show(three):
    text = show(three).stdout
    assert text.startswith("d-ts on 3 arms; 90 votes (")
    assert " 1* one " in text and "one is recommended, and beats most others" in text
    assert "Votes by judge: " in text and "Krippendorff's alpha" in text and "requested" not in text
    text = show(three, "--by-judge", "--find", "borda", "--until", "0.4").stdout
    assert "first shown  with the others" in text
    assert "is preferred most often with probability" in text
    assert "requested probability of 0.4 is reached: you may stop" in text
    assert "is not reached: go on" in show(three, "--until", "0.99999", code=1).stdout


# Lines that fit a terminal


NAMES = {
    "short": [f"m{k}" for k in range(12)],
    "long": [f"{'n' * 57}{k:03d}" for k in range(12)],
    "wide": [f"提示词模型很长的名字真的很长很长{k}" for k in range(12)],
    "steering": ["\x1b[31mred", "line\nline", "\u202eback"],
    "two": ["a", "b"],
}


def ranked(names):
    """Return a ranking in which all pairs are decided except the pair of the last two arms."""
    wins = np.triu(np.full((len(names),) * 2, 400.0), 1)
    wins[-2, -1] = wins[-1, -2] = 5
    return rank(PairCounts(tuple(names), wins, 0 * wins))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
@pytest.mark.parametrize("names", NAMES)
def test_lines_fit(names, width):
    pairs = [Deciding(1, 0, 0.6, 0.05, 0.9, 3, 2, 1)]
    found, ranking = made(NAMES[names], recommended=1, deciding=pairs, margin=0.02), ranked(NAMES[names])
    lines = [
        *standing_lines(found, ranking, width),
        *verdict_lines(found),
        *ranking_lines(found, ranking),
    ]
    for until in (0.95, "ranks", f"top:{len(NAMES[names]) - 1}", "margin"):
        lines += goal_lines(found, goal_of(until, len(NAMES[names]), 0.02))
    lines = [part for line in lines for part in fitted(line, width)]
    assert max(map(columns_of, lines)) <= width
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("options", [(), ("--margin", "0.04")])
def test_equal_arms_name_the_margin_that_is_reached(arms, options):
    session = Session.create("equal", "d-ts", ["x", "y"], seed=1)
    session.tell_votes(PairCounts(("x", "y"), np.array([[0.0, 700], [700, 0]]), np.zeros((2, 2))))
    said = " ".join(session_verb("show", "equal", "--until", "0.95", *options, code=1).stdout.split())
    margin = options[1] if options else "0.05"
    assert "The requested probability of 0.95 is not reached: go on." in said
    assert f"is within {margin} of the best with probability" in said
    assert f"you may stop (--until margin --margin {margin})." in said
    session_verb("show", "equal", "--until", "margin", "--margin", margin)


def test_rank_1_of_an_arm_that_is_hardly_best(arms):
    """If an arm may have rank 1 but is hardly the best, a sentence explains why, and the effect of ties."""
    strong = np.where(np.arange(8)[:, None] < np.arange(8), 5.0, 3.0)
    for votes, ties, why in ((1, 12, "ties"), (1, 0, "ranks"), (150, 0, "")):
        counts = PairCounts(tuple("abcdefgh"), votes * strong * (1 - np.eye(8)), ties * (1 - np.eye(8)))
        session = Session.create(f"s{votes}{ties}", "d-ts", list("abcdefgh"), seed=1)
        session.tell_votes(counts)
        said = " ".join(session_verb("show", f"s{votes}{ties}").stdout.split())
        assert ("hardly the best, but may have rank 1" in said) == bool(why)
        assert ("these leave out ties" in said) == (why == "ties") == ("from the votes without ties" in said)
