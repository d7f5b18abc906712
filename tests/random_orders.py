"""Instances for algorithms that take the arms in a random order: matrices drawn per run, and others' orders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from duelbench.conformance.rounds import simulate, streams
from duelbench.literal.random_order import shuffled
from tests.mean_duels import FOREVER, Count

Draw = Callable[[np.random.Generator], np.ndarray]


def in_line(P: np.ndarray, seed: int, run: int) -> np.ndarray:
    """Return the matrix with arms so renumbered that the run takes them in the order of the rows of ``P``."""
    place = np.argsort(shuffled(range(len(P)), streams(seed, run)[1]))
    return P[np.ix_(place, place)]


def tournament(K: int, distances: Callable[[np.random.Generator, int], np.ndarray]) -> Draw:
    """Return a drawer of matrices: the ``distances`` from 1/2 of so many pairs, their signs at random."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        P = np.full((K, K), 0.5)
        i, j = np.triu_indices(K, 1)
        signed = distances(rng, len(i)) * rng.choice([-1, 1], len(i))
        P[i, j] += signed
        P[j, i] -= signed
        return P

    return draw


def copeland_problem(K: int, low: float, high: float) -> Draw:
    """Return the COWI instances: the better arm of every pair is random, its probability uniform."""
    return tournament(K, lambda rng, pairs: rng.uniform(low - 0.5, high - 0.5, pairs))


def with_a_winner(K: int, low: float, high: float) -> Draw:
    """Return their Condorcet variant: afterwards a random arm beats all others, with uniform probabilities."""
    plain = copeland_problem(K, low, high)

    def draw(rng: np.random.Generator) -> np.ndarray:
        P, best = plain(rng), rng.integers(K)
        P[best] = rng.uniform(low, high, K)
        P[:, best] = 1 - P[best]
        P[best, best] = 0.5
        return P

    return draw


def equal_distances(K: int, distance: float) -> Draw:
    """Return the instances of UAI 2021: every pair is as far from 1/2."""
    return tournament(K, lambda rng, pairs: np.full(pairs, distance))


def count_drawn(algorithm, draw: Draw, runs: int, seed: int = 1) -> Count:
    """Count duels as ``count_duels`` does; right is a Copeland winner, or none where there is no Condorcet winner."""
    duels, right = np.empty(runs), 0
    for run in range(runs):
        P = draw(np.random.default_rng([seed, run, 2]))
        played = simulate(algorithm, P, np.zeros((1, *P.shape)), np.array([FOREVER]), *streams(seed, run))
        score = (P > 0.5).sum(axis=1)
        winner, _ = played.declaration
        right += score.max() < len(P) - 1 if winner is None else score[winner] == score.max()
        duels[run] = played.informative
    return Count(float(duels.mean()), float(duels.std(ddof=1) / np.sqrt(runs)), right / runs)
