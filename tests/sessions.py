"""Helpers for tests of sessions: replaying a log in memory, and judges who prefer the lower number."""

import json
import random

import numpy as np

from duelbench.preferences.samples import Estimate
from duelbench.votes.sessions.session import Session
from duelbench.votes.sessions.standings import ArmStanding, Standings
from tests.commands import here

ARMS = ["arm 0", "arm 1", "arm 2"]
TIME = "2026-02-28T23:59:59.900+00:00"


def events(directory):
    return [json.loads(line) for line in (directory / "session.jsonl").read_bytes().split(b"\n")[:-1]]


def retold(directory):
    """Replay the log of a directory in a session in memory, and return this session.

    Every question must equal the one in the log.
    """
    first, *rest = events(directory)
    session = Session(first["algorithm"], first["arms"], seed=first["seed"], horizon=first.get("horizon"),
                      **first["parameters"])  # fmt: skip
    for event in rest:
        match event["event"]:
            case "asked":
                (ask,) = session.ask()
                assert [ask.id, ask.first, ask.second] == [event["id"], event["first"], event["second"]]
            case "answered":
                session.tell(event["id"], event["answer"], event.get("judge"))
            case "added":
                session.add(event["arm"])
    return session


def same(one, other, asks=10):
    """Tell whether two sessions are equal and ask the same questions next."""
    alike = [one.round, one._state.declared(), one.names, sides(one.open_questions), sides(one.votes)] == [
        other.round, other._state.declared(), other.names, sides(other.open_questions), sides(other.votes)
    ]  # fmt: skip
    alike = alike and (one.counts.wins == other.counts.wins).all() and (one.counts.ties == other.counts.ties).all()
    return alike and sides(one.ask(asks)) == sides(other.ask(asks))


def sides(asks):
    return [(each.id, each.first, each.second, getattr(each, "answer", None)) for each in asks]


def judged(ask, rng):
    """Return the answer of a judge who mostly prefers the lower number."""
    said = rng.random()
    if said < 0.1:
        return "tie"
    return "first" if (ask.first < ask.second) == (said < 0.8) else "second"


def voted(session, votes, seed=0, judge=None):
    """Tell up to ``votes`` votes, out of order; return their number."""
    rng = random.Random(seed)
    told = 0
    while told < votes:
        session.ask(rng.randint(1, 3), judge)
        waiting = session.open_questions
        if not waiting:
            break
        for ask in rng.sample(waiting, rng.randint(1, len(waiting))):
            session.tell(ask.id, judged(ask, rng))
            told += 1
    return told


def made(names, recommended=None, deciding=(), margin=0.0):
    """Return standings with made-up numbers, in which arms with lower numbers lead."""
    K = len(names)
    rows = [
        ArmStanding(
            k, name, 1200, 700, 400, 100, None if k else Estimate(0.625, 0.6, 0.65), Estimate(K - 1 - k, 0, K - 1),
            Estimate(0.5, 0.4, 0.6), (0.7, 0.05, 0.0)[min(k, 2)], (0.97, 0.1, 0.0)[min(k, 2)],
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    leader = recommended or 0
    return Standings(
        tuple(names), "copeland", 5000, 300, tuple(rows), recommended, recommended, leader, rows[leader].chance, 0.007,
        4000, tuple(deciding), 3, margin, 0.3, tuple(np.linspace(0.96, 0.4, K - 1)), (0, 1),
    )  # fmt: skip


def session_verb(*arguments, code=0, **options):
    """Run a verb of `duelbench session` in this process and return the result."""
    done = here("session", *arguments, **options)
    assert done.exit_code == code, done.output
    return done
