"""Expected wins, the score of WMT's human evaluations, and ranks by the bootstrap.

References
----------
Bojar et al., Findings of the 2013 workshop on statistical machine translation, WMT 2013.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from duelbench.arrays import Flags, Floats, Ints
from duelbench.preferences.counts import PairCounts
from duelbench.votes.vote_table import VoteTable

_SAMPLES = 1_000
"""Bootstrap samples, as many as in WMT's own program."""
_DIGITS = 12
"""Digits of expected wins: more are rounding."""


def expected_wins(won: Floats, strengths: Floats | None = None, together: Flags | None = None) -> Floats:
    """Return the mean over opponents of the share of votes that each arm has won.

    Parameters
    ----------
    won : ndarray of float, shape (..., K, K)
        How often arm i has won against arm j.
    strengths : ndarray of float, shape (K,), optional
        Log-strengths that stand in where a pair has no votes; 1/2 does by default.
    together : ndarray of bool, shape (K, K), optional
        The pairs whose strengths can be compared; 1/2 stands in for the others.

    Returns
    -------
    ndarray of float, shape (..., K)
    """
    met, K = won + won.swapaxes(-1, -2), won.shape[-1]
    gaps = np.zeros((K, K)) if strengths is None else strengths[:, None] - strengths[None, :]
    if together is not None:
        gaps = gaps * together
    share = np.where(met > 0, won / np.where(met > 0, met, 1.0), 1.0 / (1.0 + np.exp(-gaps)))
    score: Floats = (share.sum(axis=-1) - share.diagonal(axis1=-2, axis2=-1)) / (K - 1)
    return score


def bootstrap_ranks(
    votes: VoteTable | PairCounts,
    cluster: Ints | None = None,
    *,
    ties: Literal["drop", "half"] = "drop",
    strengths: Floats | None = None,
    comparable: Flags | None = None,
    samples: int = _SAMPLES,
    seed: int = 0,
) -> Ints:
    """Return the rank of each arm by expected wins in bootstrap samples; ties are broken at random.

    Parameters
    ----------
    votes : VoteTable or PairCounts
        The votes.
    cluster : ndarray of int, shape (n,), optional
        The cluster of each vote of a ``VoteTable``, numbered from 0. A sample has as many clusters as the votes, drawn
        with replacement. By default, each vote is a cluster.
    ties : {"drop", "half"}
        Leave ties out, or count each as half a win for both arms.
    strengths : ndarray of float, shape (K,), optional
        See ``expected_wins``.
    comparable : ndarray of bool, shape (K, K), optional
        Whether one arm can be ranked against another: ranks are among these arms. All by default.
    samples : int
        The number of samples.
    seed : int
        Their seed.

    Returns
    -------
    ndarray of int, shape (samples, K)
        1 is the best rank.
    """
    rng, lots = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    counts = votes.counts() if isinstance(votes, VoteTable) else votes
    if isinstance(votes, VoteTable) and cluster is not None:
        i, j, outcome, size = votes.first, votes.second, votes.outcome, votes.weight
    else:  # votes of the same pair and outcome are alike
        won, tied = np.argwhere(counts.wins > 0), np.argwhere(np.triu(counts.ties) > 0)
        i, j = np.concatenate([won, tied]).T
        outcome = np.repeat([1, 0], [len(won), len(tied)])
        size = np.concatenate([counts.wins[tuple(won.T)], counts.ties[tuple(tied.T)]])
    number = max(1, round(size.sum())) if cluster is None else int(cluster.max()) + 1
    to_first, to_second = (
        np.where(outcome == side, 1.0, 0.5 * ((outcome == 0) & (ties == "half"))) for side in (1, -1)
    )
    K = counts.arms
    ranked = np.ones((K, K), np.bool_) if comparable is None else comparable
    ranks = np.empty((samples, K), np.int64)
    for sample in range(samples):
        if cluster is None:
            weight = rng.multinomial(number, size / size.sum()).astype(np.float64) if len(size) else size
        else:
            weight = size * np.bincount(rng.integers(number, size=number), minlength=number)[cluster]
        shares = np.zeros(K * K)
        shares += np.bincount(i * K + j, weight * to_first, K * K)
        shares += np.bincount(j * K + i, weight * to_second, K * K)
        score = expected_wins(shares.reshape(K, K), strengths, comparable).round(_DIGITS)
        place = np.empty(K)
        place[np.lexsort((lots.random(K), -score))] = np.arange(K)
        ranks[sample] = 1 + ((place < place[:, None]) & ranked).sum(axis=1)
    return ranks
