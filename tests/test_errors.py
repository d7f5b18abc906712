"""Errors of users: their messages, also in other processes."""

import pickle

import pytest

from duelbench.errors import UserError, did_you_mean


def test_it_travels_between_processes():
    error = pickle.loads(pickle.dumps(UserError("no", source="a.yaml", line=3, key=("runs", 0))))
    assert isinstance(error, UserError) and str(error) == "a.yaml:3: no"
    assert (str(UserError("no")), str(UserError("no", source="a.yaml"))) == ("no", "a.yaml: no")
    assert (error.message, error.source, error.line, error.key) == ("no", "a.yaml", 3, ("runs", 0))


@pytest.mark.parametrize(
    ("word", "near"), [("RUBC", "rucb"), ("xyz", ""), ("repeats", "runs"), ("Time-Steps", "horizon")]
)
def test_nearest_word(word, near):
    """A message suggests a similar word or a synonym."""
    assert did_you_mean(word, ["btm", "rucb", "regret", "runs", "horizon"]) == (
        f" (did you mean '{near}'?)" * bool(near)
    )
