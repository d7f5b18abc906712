"""SAVAGE with a user-defined voting rule, which maps a preference matrix to its winner; explore then exploit.

The means of ``generic`` are the preferences of the K (K − 1) / 2 pairs i < j, in lexicographic order, and the decision
is an arm. A subclass defines ``name``, ``decide`` and, if there is a closed form, ``independent``. All of it is plain
Python: 50 to 100 µs per duel, and more if the rule is slow.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Program
from duelbench.algorithms.elimination.generic import Exploration
from duelbench.arrays import Floats
from duelbench.kernels.duels import World, duel


def matrix_of(arms: int, upper: Floats) -> Floats:
    """Return the (K, K) preference matrix whose part above the diagonal is ``upper``, row by row."""
    P = np.full((arms, arms), 0.5)
    rows, columns = np.triu_indices(arms, 1)
    P[rows, columns], P[columns, rows] = upper, 1 - upper
    return P


def explore(world: World, exploration: Exploration, rng: np.random.Generator) -> int:
    """Duel the least sampled pair that the winner may depend on, until it depends on none."""
    rows, columns = np.triu_indices(world.arms, 1)
    while (pair := exploration.choose(rng)) is not None:
        exploration.learn(pair, duel(world, int(rows[pair]), int(columns[pair]), 1), 1)
    return int(exploration.decision())


class Voting(Program):
    """Sample each pair until the winner by a voting rule no longer depends on it; subclasses define the rule."""

    citation = "Urvoy, Clerot, Féraud, Naamane. Generic Exploration and K-armed Voting Bandits. ICML 2013"
    uses_horizon = True
    explore = explore

    delta: float | None = Field(None, gt=0, lt=1, description="probability δ of a wrong winner; 1/T when not given")
    starts: int = Field(20, ge=1, le=10_000, description="random walks of an independence test, M")
    steps: int = Field(50, ge=1, le=10_000, description="steps of each walk, m")

    @abstractmethod
    def decide(self, P: Floats) -> int:
        """Return the winner for preferences P, (K, K), with ties broken deterministically."""

    def independent(self, low: Floats, high: Floats, i: int, j: int) -> bool:
        """Return whether (K, K) matrices from ``low`` to ``high`` that differ only in pair i < j have the same winner.

        Override this if the rule has a closed form; by default simulations decide.
        """
        raise NotImplementedError

    def start(self, arms: int, horizon: int) -> Exploration:
        """Return the state before the first round."""
        rows, columns = (index.tolist() for index in np.triu_indices(arms, 1))

        def decide(x: Floats) -> Any:
            return self.decide(matrix_of(arms, x))

        def independent(low: Floats, high: Floats, k: int) -> bool:
            ends = matrix_of(arms, low), matrix_of(arms, high)  # swapped below the diagonal
            return self.independent(np.minimum(*ends), np.maximum(*ends), rows[k], columns[k])

        closed = type(self).independent is not Voting.independent
        delta = 1 / horizon if self.delta is None else self.delta
        return Exploration(decide, len(rows), horizon, delta, self.starts, self.steps, independent if closed else None)
