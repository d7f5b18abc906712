"""Preference matrices on which algorithms are played beside their reference implementations, by name."""

import numpy as np

from duelbench.conformance.instances import order
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import BtlUniform, UniformRandom
from duelbench.sources.tables import TABLES


def from_upper_triangle(*rows):
    P = np.full((len(rows) + 1, len(rows) + 1), 0.5)
    for i, row in enumerate(rows):
        P[i, i + 1 :] = row
        P[i + 1 :, i] = 1 - np.array(row)
    return PreferenceMatrix(P)


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
    **{f"order of {K}": order(K, p) for K, p in ORDERS},
    "order": from_upper_triangle([0.9, 0.9, 0.95, 0.95], [0.9, 0.9, 0.95], [0.85, 0.9], [0.9]),
    "certain": from_upper_triangle([1, 1, 0], [1, 1], [1]),
    "certain order": order(4, 1.0),
    "certain cycle": from_upper_triangle([1, 0], [1]),
    # Arms 1 to 4 win 0.1, 0.9, 0.2, 0.4 of their duels with arm 0.
    "bandit": from_upper_triangle([0.9, 0.1, 0.8, 0.6], [0.2, 0.5, 0.3], [0.9, 0.8], [0.3]),
    # Arm 0 beats all others, which beat each other in a circle.
    "winner of a circle": from_upper_triangle([0.9, 0.95, 0.85], [1.0, 0.0], [1.0]),
}
"""tennis8 has zeros and ones, sushi16 and hudry13 have ties; mslr5-non-condorcet has three Copeland winners."""

KINDS = (
    *("six-rankers", "mslr5-non-condorcet", "cyclic4", "random10", "tennis8", "two arms"),
    *("no difference", "one winner, the rest tied", "certain"),
)
"""An instance of each kind: with a Condorcet winner and without, with ties and certain outcomes, K = 2 and K = 10."""
DECISIVE = ("two arms, clear", "certain cycle", "three winners", "order")
"""All pairs are decided within a few hundred duels."""
