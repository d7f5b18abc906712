"""Preference matrices on which algorithms are played beside their reference implementations, by name."""

import numpy as np

from duelbench.conformance.case import TIED as WITH_TIES
from duelbench.conformance.case import order
from duelbench.conformance.rounds import streams
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import BtlUniform, UniformRandom
from duelbench.sources.published_matrices import TABLES
from tests.reference.conventions import shuffled


def from_upper_triangle(*rows):
    P = np.full((len(rows) + 1, len(rows) + 1), 0.5)
    for i, row in enumerate(rows):
        P[i, i + 1 :] = row
        P[i + 1 :, i] = 1 - np.array(row)
    return PreferenceMatrix(P)


def btl(strengths):
    """Return P[i, j] = v_i / (v_i + v_j)."""
    v = np.asarray(strengths, float)
    return PreferenceMatrix(v[:, None] / (v[:, None] + v))


WEAK = np.triu(np.ones((10, 10)), 1) - np.tril(np.ones((10, 10)), -1)
"""An order in which only neighbours have large gaps."""
TIED = np.full((5, 5), 0.5)
TIED[0, 1:], TIED[1:, 0] = 0.7, 0.3
TABLED = ("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "tennis8", "arithmetic8")
ORDERS = ((3, 0.97), (9, 0.9), (16, 0.9), (20, 0.9), (33, 0.95), (50, 0.8), (70, 0.97), (120, 0.97))
INSTANCES = {name: TABLES[name].matrix() for name in (*TABLED, "hudry13", "sushi16")} | {
    "random10": UniformRandom(arms=10, condorcet=True, seed=10).draw(np.random.default_rng(10)),
    "fifty arms": BtlUniform(arms=50).draw(np.random.default_rng(1)),
    "two arms": from_upper_triangle([0.3]),
    "two arms, close": from_upper_triangle([0.55]),
    "two arms, clear": from_upper_triangle([0.9]),
    "two equal arms": from_upper_triangle([0.5]),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "one winner, the rest tied": PreferenceMatrix(TIED),
    "three winners": order(5, 0.9, winners=3),
    "one clear winner": from_upper_triangle([0.9] * 4, [0.5] * 3, [0.5] * 2, [0.5]),
    "small gaps": order(3, 0.54),
    **{f"0.6, K = {K}": order(K, 0.6) for K in (10, 16, 50, 100)},
    "btl": btl(np.exp(-0.3 * np.arange(10))),
    # Two clear winners, one better than the other; the other gaps are small.
    "two": from_upper_triangle([0.6] + [0.9] * 4, [0.9] * 4, [0.55] * 3, [0.55] * 2, [0.55]),
    "weak": PreferenceMatrix(0.5 + 0.02 * WEAK + 0.18 * (WEAK - np.triu(WEAK, 2) - np.tril(WEAK, -2))),
    # Heckel et al. (2019), Fig. 4b: gaps that grow with k; Fig. 5a: more arms.
    **{f"heckel {k}": btl(np.exp(0.06 * k * np.arange(10))) for k in (3, 5, 9)},
    **{f"heckel, {K} arms": btl(np.exp(3 * np.arange(K) / K**1.1)) for K in (10, 20)},
    "parwis": btl([8.2, 100, 48.174, 42.926, 52.671, 64.874, 27.607, 62.456, 64.792, 26.614]),
    **{f"order of {K}": order(K, p) for K, p in ORDERS},
    "order": from_upper_triangle([0.9, 0.9, 0.95, 0.95], [0.9, 0.9, 0.95], [0.85, 0.9], [0.9]),
    "certain": from_upper_triangle([1, 1, 0], [1, 1], [1]),
    "certain order": order(4, 1.0),
    "certain cycle": from_upper_triangle([1, 0], [1]),
    # Arms 1 to 4 win 0.1, 0.9, 0.2, 0.4 of their duels with arm 0.
    "bandit": from_upper_triangle([0.9, 0.1, 0.8, 0.6], [0.2, 0.5, 0.3], [0.9, 0.8], [0.3]),
    **WITH_TIES,
    # Arm 0 beats all others, which beat each other in a cycle.
    "winner of a circle": from_upper_triangle([0.9, 0.95, 0.85], [1.0, 0.0], [1.0]),
}
"""tennis8 has zeros and ones, sushi16 and hudry13 have ties; mslr5-non-condorcet has three Copeland winners."""

KINDS = (
    *("six-rankers", "mslr5-non-condorcet", "cyclic4", "random10", "two arms"),
    *("no difference", "one winner, the rest tied", "certain"),
)
"""An instance of each kind: with a Condorcet winner and without, with ties and certain outcomes, K = 2 and K = 10."""
DECISIVE = ("two arms, clear", "certain cycle", "three winners", "order")
"""All pairs are decided within a few hundred duels."""


# Matrices drawn for each run.


def tournament(K, distances):
    """Return a function that draws matrices whose probabilities are at ``distances`` from 1/2, with random signs."""

    def draw(rng):
        P = np.full((K, K), 0.5)
        i, j = np.triu_indices(K, 1)
        signed = distances(rng, len(i)) * rng.choice([-1, 1], len(i))
        P[i, j] += signed
        P[j, i] -= signed
        return P

    return draw


def copeland(K, low, high):
    """The COWI instances: the better arm of each pair is random, and its probability to win is uniform."""
    return tournament(K, lambda rng, pairs: rng.uniform(low - 0.5, high - 0.5, pairs))


def condorcet(K, low, high):
    """The Condorcet variant of COWI: in addition, a random arm beats all others, with uniform probabilities."""

    def draw(rng):
        P, best = copeland(K, low, high)(rng), rng.integers(K)
        P[best] = rng.uniform(low, high, K)
        P[:, best] = 1 - P[best]
        P[best, best] = 0.5
        return P

    return draw


def distance(K, distance):
    """The instances of UAI 2021: all pairs are equally far from 1/2."""
    return tournament(K, lambda rng, pairs: np.full(pairs, distance))


def total_order(K, low, high):
    """Random orders with uniform probabilities."""

    def draw(rng):
        P = np.triu(rng.uniform(low, high, (K, K)), 1)
        P = P + np.tril(1 - P.T, -1) + np.eye(K) / 2
        arms = rng.permutation(K)
        return P[np.ix_(arms, arms)]

    return draw


DRAWN = {"copeland": copeland, "condorcet": condorcet, "distance": distance, "order": total_order}


def matrix_of(instance, seed, run):
    """Return the preference matrix of a run.

    ``instance`` is a name in ``INSTANCES``; or such a name and "in line", so that an algorithm that shuffles the arms
    takes them in the order of the rows; or a name in ``DRAWN`` and the parameters of a matrix that is drawn for each
    run, as in ("copeland", 10, 0.6, 1.0). Matrices are read-only: kernels would be compiled again for other arrays.
    """
    if isinstance(instance, str):
        return INSTANCES[instance].P
    name, *numbers = instance
    if name in DRAWN:
        P = DRAWN[name](*numbers)(np.random.default_rng([seed, run, 2]))
    else:
        P = INSTANCES[name].P
        place = np.argsort(shuffled(range(len(P)), streams(seed, run)[1]))
        P = P[np.ix_(place, place)]
    P.flags.writeable = False
    return P
