"""Requests of programs: every line is answered by a line, whatever it holds."""

import json
import random

import pytest

from duelbench.sessions.requests import replied
from duelbench.sessions.session import Session
from tests.sessions import ARMS


def said(session, request):
    return replied(session, json.dumps(request).encode())


def test_a_program_asks_and_tells():
    session = Session("d-ts", ARMS, seed=1)
    reply = said(session, {"ask": 2, "judge": "ann", "expires": 60})
    assert (reply["state"], [ask["id"] for ask in reply["asks"]]) == ("asked", [1, 2])
    assert reply["asks"][0]["judge"] == "ann"
    assert said(session, {"tell": 2, "answer": "tie"}) == {"told": 2, "answer": "tie", "used": True, "votes": 1}
    assert said(session, {"tell": 1, "answer": "skip"}) == {"returned": 1}
    assert said(session, {"add": "new"}) == {"arms": [*ARMS, "new"]}
    assert said(session, {"withdraw": "new"}) == {"arms": ARMS}
    reply = said(session, {"show": True})
    assert (reply["algorithm"], reply["arms"], reply["votes"], reply["finished"]) == ("d-ts", ARMS, 1, False)
    assert sum(map(sum, reply["ties"])) == 2
    json.dumps(reply)


def test_it_says_why_there_is_nothing_to_ask():
    session = Session("sparring", ["a", "b"])
    (ask,) = said(session, {"ask": 1})["asks"]
    reply = said(session, {"ask": 1})
    assert (reply["state"], reply["asks"], reply["open"]) == ("waiting", [], 1)
    session = Session("rucb", ["a", "b"], horizon=1)
    said(session, {"ask": 1})
    assert said(session, {"ask": 1})["state"] == "waiting"  # the answer may be of use to whoever asks
    session.tell(1, "first")
    reply = said(session, {"ask": 1})
    assert (reply["state"], reply["recommended"]) == ("finished", session.votes[0].winner)
    assert reply["why"].startswith("the algorithm asks for no more votes; it recommends ")
    assert ask["id"] == 1


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (b"", "no JSON"),
        (b"nonsense\n", "no JSON"),
        (b"\xff\n", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[1]", "a request is a JSON object"),
        (b"{}", "there is no request in {}"),
        (b'{"aks": 1}', "did you mean 'ask'?"),
        (b'{"ask": 1, "jugde": "ann"}', "did you mean 'judge'?"),
        (b'{"ask": 0}', "n must be between"),
        (b'{"ask": null}', "whole number"),
        (b'{"ask": true}', "'ask' needs a number, not true"),
        (b'{"tell": true, "answer": "first"}', "'tell' needs a number, not true"),
        (b'{"ask": 1, "judge": 3}', "the name of a judge must be text"),
        (b'{"ask": 1, "judge": "\\ud800"}', "the name of a judge"),
        (b'{"ask": 1, "expires": "soon"}', "expires must be"),
        (b'{"tell": 1}', "needs an 'answer'"),
        (b'{"tell": 1, "answer": ["first"]}', "an answer is first"),
        (b'{"tell": [], "answer": "first"}', "whole number"),
        (b'{"tell": 99999, "answer": "first"}', "there is no ask 99999"),
        (b'{"add": 1}', "must be text"),
        (b'{"add": "arm 0"}', "is an arm already"),
        (b'{"withdraw": "x"}', "there is no arm"),
    ],
)
def test_what_is_no_request_is_answered_so_and_changes_nothing(line, wrong):
    session = Session("rucb", ARMS, seed=1)
    reply = replied(session, line)
    assert list(reply) == ["error"]
    assert wrong in reply["error"]
    assert (session.round, session.votes, session.open_asks) == (1, [], [])


def test_damaged_requests_are_answered():
    session, luck = Session("rucb", ARMS, seed=1), random.Random(1)
    lines = [b'{"ask": 2, "judge": "ann"}', b'{"tell": 1, "answer": "first"}', b'{"withdraw": "arm 1"}']
    for k in range(1_000):
        line = bytearray(lines[k % 3])
        for _ in range(luck.randint(1, 3)):
            line[luck.randrange(len(line))] = luck.choice(b'0-9"{}[],:.e\\ \x00\xff')
        assert json.dumps(replied(session, bytes(line)))
