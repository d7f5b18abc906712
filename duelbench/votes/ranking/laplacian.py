"""Bradley–Terry fits to votes whose numbers differ by any factor, such as 1e-6 votes on one pair and 1e12 on another.

The Fisher information of log-strengths is the Laplacian of a graph, whose edges weigh as much as their pairs inform.
Its inverse is factored by eliminating one arm after the other, as in a Gaussian Markov random field. This adds and
divides but never subtracts, so that small weights do not drown in the rounding of large ones. General solvers do not
know the sums of rows exactly, and fail from a ratio of about 1e12. The fit has the posterior of ``bradley_terry``.
"""

from __future__ import annotations

import math

import numpy as np

from duelbench.arrays import Floats
from duelbench.preferences.scores import FITTED

STEPS = 1_000


def root_of(weights: Floats) -> Floats:
    """Return a factor of the inverse of a Laplacian, shape (K, K): its rows times each other are covariances.

    ``weights`` are those of the edges, shape (K, K), symmetric. The last vertex of each connected part has the value 0.
    """
    left, shares, root = weights.copy(), np.zeros_like(weights), np.zeros_like(weights)
    for each in range(len(left) - 1):
        later = left[each, each + 1 :]
        if (total := later.sum()) > 0:
            shares[each, each + 1 :] = later / total
            root[each, each] = 1.0 / math.sqrt(total)
            left[each + 1 :, each + 1 :] += later[:, None] * shares[each, each + 1 :]
    for each in range(len(left) - 2, -1, -1):
        root[each] += shares[each, each + 1 :] @ root[each + 1 :]
    return root


def information(strengths: Floats, met: Floats) -> Floats:
    """Return how much the votes on each pair inform about its log-odds, shape (K, K)."""
    odds = np.exp(-np.abs(strengths[:, None] - strengths[None, :]))
    weights: Floats = met * odds / (1.0 + odds) ** 2
    return weights


def posterior_root(strengths: Floats, met: Floats, ghosts: float) -> Floats:
    """Return a factor of the covariance of log-strengths after ``met`` votes on each pair and those of the ghost."""
    K = len(met)
    votes = np.pad(met, (0, 1))
    votes[K, :K] = votes[:K, K] = 2.0 * ghosts
    return root_of(information(np.append(strengths, 0.0), votes))[:K, :K]


def slope(strengths: Floats, won: Floats, ghosts: float) -> Floats:
    """Return the derivative of the log-posterior, shape (K,)."""
    lost = 1.0 / (1.0 + np.exp(strengths[:, None] - strengths[None, :]))  # the probability that i loses against j
    surprise = won * lost
    result: Floats = (surprise - surprise.T).sum(axis=1) - ghosts * np.tanh(strengths / 2.0)
    return result


def fit(won: Floats, ghosts: float = 1.0, start: Floats | None = None) -> Floats:
    """Return the (K,) log-strengths that maximise the posterior of ``bradley_terry.most_likely``.

    Newton's steps are damped by ``ln(1 + d) / d``, where d is the largest change of a difference of log-strengths:
    such a step raises the log-posterior whatever its rounding (Sun & Tran-Dinh, Mathematical Programming 2019).
    """
    strengths, met = np.zeros(len(won)) if start is None else start, won + won.T
    for _ in range(STEPS):
        root = posterior_root(strengths, met, ghosts)
        step = root @ (root.T @ slope(strengths, won, ghosts))
        change = max(step.max(), 0.0) - min(step.min(), 0.0)
        if change < FITTED:
            return strengths + step
        strengths = strengths + step * (math.log1p(change) / change)
    return strengths
