"""ANACONDA: its path is the literal one where both have the same replays, and what it does when preferences change."""

import math

import numpy as np
import pytest

from duelbench.algorithms.monitored.anaconda import Anaconda
from duelbench.literal import anaconda as literal
from duelbench.proving.instances import order
from duelbench.proving.paths import engine_path, literal_path
from tests.paths import INSTANCES

ALWAYS = order(4, 1.0)
CASES = {"two arms": 0.05, "no difference": 0.03, "certain": 0.05, "mslr5-condorcet": 0.02, "three winners": 0.05}
"""With constants so small that arms and episodes are lost all the time."""


def drawn_at_once():
    """Return a schedule that draws what the kernels draw: the next round with a replay, and then how long it is."""
    due = {}

    def replay(s, t_l, T, policy):
        def some(rounds):
            chances = [literal.replay_chance(2**k, rounds) for k in range(1, math.ceil(math.log2(T)) + 1)]
            return 1 - math.prod(1 - each for each in chances)

        if due.get("episode") != t_l or due["next"] < s:
            rounds = s - t_l
            while True:
                rate = some(rounds)
                rounds += policy.geometric(rate) - 1
                due.update(episode=t_l, next=t_l + rounds)
                if t_l + rounds > T:
                    break
                if policy.random() * rate < some(rounds):
                    left, m = policy.random() * some(rounds), 2 ** math.ceil(math.log2(T))
                    while m > 2 and left >= literal.replay_chance(m, rounds):
                        left = (left - literal.replay_chance(m, rounds)) / (1 - literal.replay_chance(m, rounds))
                        m //= 2
                    due["m"] = m
                    break
                rounds += 1
        return due["m"] if due["next"] == s else 0

    return replay


def literally(matrix, horizon, seed, C, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(literal, "replay", drawn_at_once())
        return literal_path(literal.run, matrix, horizon, seed, C=C)


def plays(matrix, horizon, seed, C, monkeypatch):
    path = literally(matrix, horizon, seed, C, monkeypatch)
    return np.array_equal(engine_path(Anaconda(C=C), matrix, horizon, seed), path)


@pytest.mark.parametrize("name", CASES)
def test_the_path_is_the_literal_one(name, monkeypatch):
    for factor in (1, 4, 16):
        for seed, horizon in ((1, 1200), (2, 400), (3, 2), (4, 1), (5, 3), (6, 17)):
            assert plays(INSTANCES[name], horizon, seed, CASES[name] * factor, monkeypatch), (factor, seed, horizon)
