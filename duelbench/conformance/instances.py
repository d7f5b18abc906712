"""Small matrices of different kinds, to find mistakes."""

import numpy as np

from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.published_matrices import TABLES


def order(K: int, p: float, winners: int = 1) -> PreferenceMatrix:
    """Every arm beats the later ones with probability p, but the first ``winners`` ≤ 3 beat each other in a cycle."""
    P = np.full((K, K), 0.5)
    P[np.triu_indices(K, 1)] = p
    if winners == 3:
        P[0, 2] = 1 - p
    P[np.tril_indices(K, -1)] = 1 - P.T[np.tril_indices(K, -1)]
    return PreferenceMatrix(P)


_ONE_WINNER = np.full((4, 4), 0.5)
_ONE_WINNER[2, :], _ONE_WINNER[:, 2] = 0.8, 0.2
_ONE_PAIR = np.full((4, 4), 0.5)
_ONE_PAIR[1, 3], _ONE_PAIR[3, 1] = 0.6, 0.4
ODD = {
    "two arms": PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]),
    "two equal arms": PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]),
    "two arms, certain": PreferenceMatrix([[0.5, 0.0], [1.0, 0.5]]),
    "three arms in a certain cycle": PreferenceMatrix([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]),
    "certain order": order(6, 1.0),
    "no difference": PreferenceMatrix(np.full((5, 5), 0.5)),
    "one winner, the rest tied": PreferenceMatrix(np.where(np.eye(4) == 1, 0.5, _ONE_WINNER)),
    "one pair differs": PreferenceMatrix(_ONE_PAIR),
    "nearly equal": PreferenceMatrix(
        np.full((3, 3), 0.5) + 1e-9 * (np.triu(np.ones((3, 3)), 1) - np.tril(np.ones((3, 3)), -1))
    ),
    "tennis8": TABLES["tennis8"].matrix(),
}
"""With K = 2, exact ties, certain outcomes and no Condorcet winner."""
USUAL = {
    "six-rankers": TABLES["six-rankers"].matrix(),
    "cyclic4": TABLES["cyclic4"].matrix(),
    "order of 4": order(4, 0.9).relabelled([2, 0, 3, 1]),
    "two arms": PreferenceMatrix([[0.5, 0.3], [0.7, 0.5]]),
    "tennis8": TABLES["tennis8"].matrix(),
}
"""The default instances: with and without a Condorcet winner, and with pairs at 1/2."""


def _tie_classes() -> PreferenceMatrix:
    """Return a matrix of three classes of arms: within a class most duels are ties, a higher class mostly wins."""
    level = np.array([0, 1, 1, 1, 2, 0, 0])
    P = 0.5 + 0.3 * np.sign(level[:, None] - level)
    return PreferenceMatrix(P, ties=np.where(level[:, None] == level, 0.7, 0.2))


TIED = {
    "ties": order(4, 0.8, winners=3).relabelled([2, 0, 3, 1]).with_tie_share(0.3),
    "tie classes": _tie_classes(),
    "two arms, all ties": PreferenceMatrix([[0.5, 0.5], [0.5, 0.5]]).with_tie_share(1.0),
}
"""With ties, for the reference implementations of algorithms that take them."""
