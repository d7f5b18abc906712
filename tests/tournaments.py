"""Tournaments for tests, as states of kernels and of the reference implementations."""

from itertools import combinations

import numpy as np

from duelbench.algorithms.divergence.tournament import count_results, new_results, refresh, settle
from duelbench.sources.generators import UniformRandom
from tests.reference import ecw_rmed


def random_tournament(arms, seed, ties=False):
    """A tournament with random counts, as states of the kernels and of the reference implementation."""
    rng = np.random.default_rng([arms, seed])
    P = UniformRandom(arms=arms).draw(rng).P
    counts = rng.integers(1, 40, (arms, arms))
    tournament = new_results(arms)
    w = [[0] * arms for _ in range(arms)]
    for i in range(arms):
        for j in range(i + 1, arms):
            won = int(rng.binomial(counts[i, j], P[i, j])) if not ties or rng.random() < 0.8 else counts[i, j]
            count = int(counts[i, j]) if not ties or won < counts[i, j] else 2 * int(counts[i, j])
            w[i][j], w[j][i] = int(won), int(count - won)
            count_results(tournament, i, j, won, count)
    refresh(tournament)
    return tournament, ecw_rmed.Estimates(w)


def tournament_of(P):
    """A tournament whose estimates are ``P``, with each pair's divergence as evidence."""
    tournament = new_results(len(P))
    for i, j in combinations(range(len(P)), 2):
        settle(tournament, i, j, P[i, j], 1.0)
    refresh(tournament)
    return tournament


def single_winner(tournament):
    winners = np.flatnonzero(tournament.losses == tournament.losses.min())
    return int(winners[0]) if len(winners) == 1 else None
