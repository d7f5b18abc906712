"""The posterior of Bradley-Terry strengths in the normal approximation, for doubt and gap_variance.

``P[i beats j] = 1 / (1 + exp(g[j] - g[i]))``; each arm has also won and lost ``ghosts`` duels against an arm of
strength 0. Nothing is kept from fit to fit: Newton's method starts at 0 and halves its step until the log-posterior
grows.
"""

import math

import numpy as np


def logistic(x):
    return 1 / (1 + np.exp(-x))


def log_posterior(w, g, ghosts):
    prior = -ghosts * (np.logaddexp(0, g) + np.logaddexp(0, -g)).sum()
    return prior - (w * np.logaddexp(0, g[None, :] - g[:, None])).sum()


def information(n, g, ghosts):
    """The negative Hessian of the log-posterior, with n[i, j] votes on i and j."""
    p = logistic(g[:, None] - g[None, :])
    A = -n * p * (1 - p)
    own = 2 * ghosts * logistic(g) * logistic(-g)
    return A + np.diag(own - A.sum(axis=1))


def fitted(w, ghosts):
    """The most probable g."""
    w = np.array(w, dtype=float)
    n, g = w + w.T, np.zeros(len(w))
    for _ in range(100):
        slope = (w - n * logistic(g[:, None] - g[None, :])).sum(axis=1) + ghosts * (1 - 2 * logistic(g))
        step = np.linalg.solve(information(n, g, ghosts), slope)
        while abs(step).max() > 1e-9 and log_posterior(w, g + step, ghosts) < log_posterior(w, g, ghosts):
            step = step / 2
        g = g + step
        if abs(step).max() < 1e-9:
            break
    return g


def share_above(g, C, i, j):
    """f: the probability that arm i is stronger than arm j."""
    d, s = g[i] - g[j], math.sqrt(C[i, i] + C[j, j] - 2 * C[i, j])
    return math.erfc(-d / s / math.sqrt(2)) / 2


def doubt(g, C, i, j):
    """min(f, 1 - f), where 1 - f is the f of (j, i)."""
    return min(share_above(g, C, i, j), share_above(g, C, j, i))


def due(votes, last):
    """Whether the strengths are fitted again: after every vote, and from 40 votes on after 5 % more."""
    return last is None or votes - last >= max(1, last // 20)
