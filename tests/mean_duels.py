"""How many duels an algorithm takes to name the best arm, on instances for which others have counted them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duelbench.conformance.instances import order
from duelbench.conformance.rounds import simulate, streams
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES

FOREVER = 10**11
"""A horizon that no run here reaches."""


def btl(strengths) -> PreferenceMatrix:
    """Return P[i, j] = v_i / (v_i + v_j)."""
    v = np.asarray(strengths, float)
    return PreferenceMatrix(v[:, None] / (v[:, None] + v))


INSTANCES = {
    "0.6 model": order(10, 0.6),
    "arithmetic8": TABLES["arithmetic8"].matrix(),
    "btl": btl(np.exp(-0.3 * np.arange(10))),
    **{f"heckel {k}": btl(np.exp(0.06 * k * np.arange(10))) for k in (3, 5, 9)},
    **{f"heckel, {K} arms": btl(np.exp(3 * np.arange(K) / K**1.1)) for K in (10, 20)},
}
"""Three to compare algorithms on; of Heckel et al. (2019), Fig. 4b: gaps that grow with k; Fig. 5a: more arms."""


class Count(NamedTuple):
    """``mean`` duels to the declaration over runs, their standard error, and the share of runs that are right."""

    mean: float
    error: float
    right: float


def count_duels(algorithm, instance: str, runs: int, seed: int = 1) -> Count:
    """Play runs until the winner is declared; it is right if it is the Condorcet winner."""
    matrix = INSTANCES[instance]
    best = matrix.condorcet_winner()
    tables = np.zeros((1, matrix.arms, matrix.arms))
    duels, right = np.empty(runs), 0
    for run in range(runs):
        played = simulate(algorithm, matrix.P, tables, np.array([FOREVER]), *streams(seed, run))
        winner, duels[run] = played.declaration
        right += winner == best
    return Count(float(duels.mean()), float(duels.std(ddof=1) / np.sqrt(runs)), right / runs)


def agrees(count: Count, mean: float, error: float = 0.0) -> bool:
    """Tell whether a mean that others have counted, with its standard error, is within three errors of ours."""
    return abs(count.mean - mean) <= 3 * np.hypot(count.error, error)
