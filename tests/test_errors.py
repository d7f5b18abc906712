"""Errors of users: their messages, also in other processes."""

import pickle

import pytest

from duelbench.errors import UserError, did_you_mean


@pytest.mark.parametrize(
    ("place", "said"),
    [({}, "no"), ({"source": "a.yaml"}, "a.yaml: no"), ({"source": "a.yaml", "line": 3}, "a.yaml:3: no")],
)
def test_the_place_comes_first(place, said):
    assert str(UserError("no", **place)) == said


def test_it_travels_between_processes():
    error = pickle.loads(pickle.dumps(UserError("no", source="a.yaml", line=3, key=("runs", 0))))
    assert isinstance(error, UserError)
    assert (error.message, error.source, error.line, error.key) == ("no", "a.yaml", 3, ("runs", 0))


def test_nearest_word():
    assert did_you_mean("RUBC", ["btm", "rucb"]) == " (did you mean 'rucb'?)"
    assert did_you_mean("xyz", ["btm", "rucb"]) == ""


def test_synonyms():
    keys = ["regret", "runs", "horizon"]
    assert did_you_mean("repeats", keys) == " (did you mean 'runs'?)"
    assert did_you_mean("Time-Steps", keys) == " (did you mean 'horizon'?)"
    assert did_you_mean("repeats", ["regret"]) == " (did you mean 'regret'?)"
