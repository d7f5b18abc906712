"""Learning from foreign duels, which the algorithm did not choose (``Algorithm.learns_off_policy``)."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.conformance.case import CheckFailed
from duelbench.conformance.contract import NewStreams
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import STEPPING, Rounds
from duelbench.preferences.matrix import PreferenceMatrix

EVERY = 10
"""The number of the algorithm's own rounds between foreign duels."""
SURE = 40
"""The number of foreign wins of the best arm over each other arm, enough to decide every pair."""
SHARE = 0.8
"""The smallest share of the last rounds in which the winner of all foreign duels must play."""


class Foreign(NamedTuple):
    """``duels`` of ``first`` against ``second``, of which the first won ``wins``."""

    first: int
    second: int
    wins: int
    duels: int


def takes_them_in_any_order(
    algorithm: Algorithm, matrix: PreferenceMatrix, rounds: int, new_streams: NewStreams
) -> None:
    """Check that only the counts of foreign duels matter, not their order, sides or grouping.

    Two runs with the same random streams learn from the same foreign duels, before the first round and between later
    ones. They play without holds, since the end of a hold may depend on the time of the last update.
    """
    one, other = (Rounds(algorithm, matrix.P, rounds, new_streams(), STEPPING) for _ in range(2))
    rng = np.random.default_rng(0)
    while not one.over:
        duels = list(_some(matrix, rng, everywhere=one.t == 1))
        _tell(algorithm, one, duels)
        _tell(algorithm, other, _otherwise(duels, rng))
        for _ in range(min(EVERY, rounds - one.t + 1)):
            a, b = one.answer(), other.answer()
            if a != b:
                raise CheckFailed(
                    f"after the same foreign duels in another order, it duels ({b.first}, {b.second}) and not "
                    f"({a.first}, {a.second}) at t = {a.t:,}: set learns_off_policy = False, if this is intended"
                )


def follows_them(algorithm: Algorithm, arms: int, rounds: int, new_streams: NewStreams) -> bool:
    """Check that the algorithm plays or recommends an arm that has won all foreign duels.

    An algorithm that only explores has no reason to play it. Returns whether foreign duels change anything; an
    algorithm that learns nothing passes.
    """
    duels, recommended = [], []
    for best in range(arms):
        others = [arm for arm in range(arms) if arm != best]
        matrix = order(arms, 1.0).relabelled(np.argsort([best, *others]).tolist())
        run = Rounds(algorithm, matrix.P, rounds, new_streams(), STEPPING)
        wins = [Foreign(best, arm, SURE, SURE) if arm % 2 else Foreign(arm, best, 0, SURE) for arm in others]
        _tell(algorithm, run, wins)
        run.answer(rounds - rounds // 4)
        before = run.duels.copy()
        run.answer(rounds // 4)
        duels.append((before, run.duels - before))
        recommended.append(algorithm.recommendation(run.state))
    if all(np.array_equal(each, duels[0]) for each in duels):
        return False
    for best, (_, last) in enumerate(duels):
        played = int(last[best].sum() + last[:, best].sum() - last[best, best])
        if played < SHARE * last.sum() and recommended[best] != best:
            raise CheckFailed(
                f"after {SURE} foreign wins of arm {best} over each other arm, it duels that arm in {played} of the "
                f"last {last.sum()} rounds of {rounds:,}, and recommends {recommended[best]}"
            )
    return True


def _some(matrix: PreferenceMatrix, rng: np.random.Generator, everywhere: bool) -> Iterable[Foreign]:
    """Yield duels of random pairs, or of every pair."""
    arms = matrix.arms
    pairs = [(i, j) for i in range(arms) for j in range(i)]
    for i, j in pairs if everywhere else [pairs[k] for k in rng.integers(len(pairs), size=3)]:
        count = int(rng.integers(1, 6))
        yield Foreign(i, j, int(rng.binomial(count, matrix.P[i, j])), count)


def _otherwise(duels: list[Foreign], rng: np.random.Generator) -> list[Foreign]:
    """Return the same duels in another order, one by one, some seen from the other side."""
    single = [
        Foreign(each.first, each.second, int(k < each.wins), 1) for each in duels for k in range(each.duels)
    ]  # fmt: skip
    return [
        Foreign(each.second, each.first, 1 - each.wins, 1) if rng.random() < 0.5 else each
        for each in (single[k] for k in rng.permutation(len(single)))
    ]


def _tell(algorithm: Algorithm, run: Rounds, duels: Iterable[Foreign]) -> None:
    for each in duels:
        algorithm.receive(run.state, *each)
