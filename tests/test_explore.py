"""Exploring for a user's decision: bandits, voting rules by hand, and error rates."""

import doctest
import importlib

import numpy as np
import pytest

from duelbench import explore

MEANS = [0.1, 0.5, 0.9, 0.2]


def best(means):
    return int(np.argmax(means))


def best_is_certain(low, high, i):
    """The paper's closed form for argmax: another arm is above this one, or this one is above all others."""
    return high[i] < low.max() or np.delete(high, i).max() < low[i]


@pytest.mark.parametrize("independent", [None, best_is_certain])
def test_best_arm(independent):
    for seed in range(5):
        found = explore(best, MEANS, 100_000, delta=0.05, seed=seed, independent=independent)
        assert found[:2] == (2, True)
        assert found.rounds == found.plays.sum() < 3000
        assert found.plays[0] < found.plays[1]


def test_other_decisions():
    assert explore(lambda x: int(np.argsort(x)[-2]), MEANS, 100_000).decision == 1
    assert explore(lambda x: frozenset(np.flatnonzero(x > 0.4).tolist()), MEANS, 100_000).decision == {1, 2}
    assert explore(lambda x: round(float(x.mean()), 0), MEANS, 100_000).decision == 0.0
    ranking = explore(lambda x: tuple(np.argsort(-x).tolist()), MEANS, 1_000_000, delta=0.1)
    assert ranking.decision == (2, 1, 3, 0) and ranking.certain


def test_irrelevant_arms_are_not_played():
    found = explore(lambda x: bool(x[1] > 0.3), [0.9, 0.8, 0.1], 10_000)
    assert found.decision and found.plays.tolist() == [0, found.rounds, 0]


def test_end_at_the_horizon():
    found = explore(best, [0.5, 0.5001, 0.1], 2000)
    assert found[1:3] == (False, 2000)
    assert found.decision in (0, 1)


def test_share_of_wrong_decisions():
    means = [0.4, 0.7]

    def wrong(**how):
        return sum(explore(best, means, 20_000, delta=0.2, seed=seed, **how).decision != 1 for seed in range(40))

    assert wrong(independent=best_is_certain) <= 8
    assert wrong(starts=1, steps=1) > 8
    assert wrong() <= 8


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"means": [0.1, 1.2]}, "from 0 to 1"),
        ({"means": [[0.1], [0.2]]}, "from 0 to 1"),
        ({"means": []}, "from 0 to 1"),
        ({"means": [float("nan")]}, "from 0 to 1"),
        ({"horizon": 0}, "horizon"),
        ({"horizon": True}, "horizon"),
        ({"steps": 1.5}, "steps"),
        ({"starts": 0}, "starts"),
        ({"delta": 1}, "delta"),
    ],
)
def test_mistakes(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        explore(**{"decision": best, "means": MEANS, "horizon": 100} | how)


def test_example():
    module = importlib.import_module("duelbench.engine.explore")
    failed, tried = doctest.testmod(module)
    assert (failed, tried > 3) == (0, True)
