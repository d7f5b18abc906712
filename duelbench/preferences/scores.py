"""Scores of arms: Copeland, Borda and Bradley–Terry.

**Copeland.** The number of arms that an arm beats. **Borda.** The mean probability of beating another arm. Both come
from a matrix of probabilities ``P``, or from counts: ``won[i, j]`` of the ``met[i, j]`` duels of i and j were won by i.

**Bradley–Terry.** Strengths with ``P[i, j] = 1 / (1 + exp(strength[j] − strength[i]))``: Bradley & Terry, Rank analysis
of incomplete block designs, Biometrika 1952. The maximum likelihood estimate does not exist if an arm has won all of
its votes, or was never compared. So each arm also wins once and loses once against a ghost, a virtual arm of strength
0. This is a weak, proper logistic prior on the log-strength (standard deviation 1.8). It makes the log-posterior
strictly concave, so Newton's method finds the maximum; 200 arms take about 20 ms. choix has no covariance and
regularises pairs instead of arms; scipy's minimisers need the same gradient and Hessian and are slower.
"""

import math

import numpy as np
from numpy.typing import NDArray

from duelbench.arrays import Floats
from duelbench.preferences.counts import PairCounts

Counts = NDArray[np.floating] | NDArray[np.integer]

FITTED = 1e-10
"""The default of ``close``, the largest last step of Newton's method."""
STEPS = 100


def wins(P: Floats) -> NDArray[np.intp]:
    """Return the number of arms that each arm of (…, K, K) matrices beats, shape (…, K); 1/2 is not a win."""
    found: NDArray[np.intp] = np.count_nonzero(P > 0.5, axis=-1)
    return found


def half_wins(lead: Counts) -> Floats:
    """Return the number of arms over which each arm leads, counting 1/2 for a tie, shape (K,).

    ``lead[i, j]`` is positive if i leads j, 0 if they tie, and antisymmetric.
    """
    score: Floats = (len(lead) - 1 + np.sign(lead).sum(axis=1)) / 2.0
    return score


def borda(P: Floats) -> Floats:
    """Return the (…, K) mean probabilities with which the arms of (…, K, K) matrices beat another arm."""
    score: Floats = (P.sum(axis=-1) - 0.5) / (P.shape[-1] - 1)
    return score


def exact_borda(P: Floats) -> Floats:
    """Return the Borda scores of a (K, K) matrix, rounded only once, so that renumbering arms changes no bit."""
    return np.array([math.fsum([*row.tolist(), -0.5]) for row in P]) / (len(P) - 1)


def copeland_of_counts(won: Counts, met: Counts) -> Floats:
    """Return the (K,) numbers of arms that each arm beat in most duels, counting 1/2 for ties and unseen pairs."""
    return half_wins(2 * won - met)


def borda_of_counts(won: Counts, met: Counts) -> Floats:
    """Return the (K,) means over opponents of the share of duels won, 1/2 for opponents never met."""
    share = np.divide(won, met, out=np.full(won.shape, 0.5), where=met > 0)
    score: Floats = (share.sum(axis=1) - share.diagonal()) / (len(won) - 1)
    return score


def fit(counts: PairCounts) -> NDArray[np.float64]:
    """Return the (K,) log-strengths that maximise the posterior; a tie is half a win for both."""
    return most_likely(counts.halved())


def most_likely(
    won: Counts,
    ghosts: float | NDArray[np.float64] = 1.0,
    start: NDArray[np.float64] | None = None,
    close: float = FITTED,
) -> NDArray[np.float64]:
    """Return the (…, K) log-strengths that maximise the posterior.

    ``won[…, i, j]`` is the number of wins of i against j, shape (…, K, K), not necessarily an integer, 0 on the
    diagonal. ``ghosts``, a number or an array of shape (…), is the number of wins, and of losses, of each arm against
    the ghost. For 1, 5 and 50 ghosts the standard deviation of the prior is 1.8, 0.67 and 0.20. Newton's method starts
    at ``start``, shape (…, K), by default 0, and stops if its largest step, in log-odds, is at most ``close``.
    """
    arms = won.shape[-1]
    w = won.reshape(-1, arms, arms)
    m, g = w + w.swapaxes(1, 2), np.full(won.shape[:-2], ghosts).reshape(-1)
    fitted = np.zeros((len(w), arms)) if start is None else start.reshape(-1, arms).copy()
    left = np.arange(len(w))  # tables not fitted yet; w, m, g, s and value refer to these
    s, value = fitted.copy(), _log_posterior(fitted, w, g)
    for _ in range(STEPS):
        slope, curved = _derivatives(s, w, m, g)
        step = np.linalg.solve(curved, slope[..., None])[..., 0]
        better, moved = _log_posterior(s + step, w, g), np.abs(step).max(axis=1)
        while (worse := (better < value) & (moved > close)).any():
            step[worse] /= 2.0
            moved[worse] /= 2.0
            better[worse] = _log_posterior((s + step)[worse], w[worse], g[worse])
        s, value = s + step, better
        fitted[left] = s
        if not (more := moved > close).any():
            break
        if not more.all():
            left, w, m, g, s, value = left[more], w[more], m[more], g[more], s[more], value[more]
    return fitted.reshape(won.shape[:-1])


def curvature(
    strength: NDArray[np.float64], met: Counts, ghosts: float | NDArray[np.float64] = 1.0
) -> NDArray[np.float64]:
    """Return the (…, K, K) negative Hessian of the log-posterior: at the maximum it is the inverse covariance.

    ``strength`` has shape (…, K). ``met[…, i, j]`` is the number of votes on i and j, symmetric. ``ghosts`` is a number
    or an array of shape (…).
    """
    return _derivatives(strength, met, met, ghosts)[1]


def _derivatives(
    strength: NDArray[np.float64], won: Counts, met: Counts, ghosts: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the (…, K) gradient of the log-posterior and its (…, K, K) negative Hessian."""
    g, K = np.asarray(ghosts)[..., None], strength.shape[-1]
    share = 1.0 / (1.0 + np.exp(strength[..., None, :] - strength[..., :, None]))  # expected wins of i against j
    ghost = 1.0 / (1.0 + np.exp(-strength))
    slope = (won - met * share).sum(axis=-1) + g * (1.0 - 2.0 * ghost)
    weight = met * share * (1.0 - share)
    own = weight.sum(axis=-1) + 2.0 * g * ghost * (1.0 - ghost)
    table = 0.0 - weight
    table.reshape(-1, K * K)[:, :: K + 1] += own.reshape(-1, K)
    return slope, table


def log_prior(strength: NDArray[np.float64], ghosts: float | NDArray[np.float64] = 1.0) -> NDArray[np.float64]:
    """Return the (…) log-density of the prior at (…, K) log-strengths, up to a constant that depends on ``ghosts``."""
    density: NDArray[np.float64] = -ghosts * (np.logaddexp(0.0, strength) + np.logaddexp(0.0, -strength)).sum(axis=-1)
    return density


def _log_posterior(strength: NDArray[np.float64], won: Counts, ghosts: NDArray[np.float64]) -> NDArray[np.float64]:
    lost = won * np.logaddexp(0.0, strength[..., None, :] - strength[..., :, None])
    result: NDArray[np.float64] = log_prior(strength, ghosts) - lost.reshape(len(lost), -1).sum(axis=-1)
    return result
