"""Paths of the engine beside those of the literal transcriptions, which draw the same."""

from __future__ import annotations

import numpy as np

from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_path, literal_path, plays
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES

TIED = np.full((5, 5), 0.5)
TIED[0, 1:], TIED[1:, 0] = 0.7, 0.3
INSTANCES = (
    MATRICES
    | {
        "two arms": PreferenceMatrix([[0.5, 0.3], [0.7, 0.5]]),
        "two arms, close": PreferenceMatrix([[0.5, 0.55], [0.45, 0.5]]),
        "three winners": order(5, 0.9, winners=3),
        "one winner, the rest tied": PreferenceMatrix(TIED),
        "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
        "certain": PreferenceMatrix([[0.5, 1, 1, 0], [0, 0.5, 1, 1], [0, 0, 0.5, 1], [1, 0, 0, 0.5]]),
        "certain order": PreferenceMatrix(np.triu(np.ones((4, 4)), 1) + np.eye(4) / 2),
    }
    | {name: TABLES[name].matrix() for name in ("tennis8", "hudry13", "sushi16")}
)  # with 0 and 1; with ties


DIFFERENT = [name for name in INSTANCES if name not in ("hudry13", "sushi16", "two arms, close", "three winners")]
"""Instances of every kind, for an algorithm that is tried with several parameters on each."""


def plays_as_written(kind, module, name, rounds, parameters):
    """Tell whether an algorithm's path on an instance is that of its transcription: a long run, and some short ones."""
    matrix = INSTANCES[name]
    return all(
        plays(kind(**parameters), matrix, literal_path(module.run, matrix, horizon, seed, **parameters), seed)
        for seed, horizon in ((1, rounds), (2, 250), (3, 250), (4, 250), (5, 250), (9, 7))
    )


def leaves_the_path(kind, module, mistake):
    """Tell whether an algorithm with mistaken parameters has another path than its transcription on a circle."""
    matrix = INSTANCES["cyclic4"]
    return not any(
        np.array_equal(engine_path(kind(**mistake), matrix, 3000, seed), literal_path(module.run, matrix, 3000, seed))
        for seed in range(3)
    )


def counts_of_answers(algorithm, matrix, horizon, seed, equal=None):
    """Return for how many rounds each answer of a run stands that is looked at in rounds 10, 100, ….

    ``equal``: (K, K) which arms' self-duels nobody tells apart.
    """
    environment, policy = streams(seed, 0)
    state = algorithm.start(matrix.arms, horizon)
    if equal is not None:
        algorithm.merge_equal_self_duels(state, equal)
    t, counts = 1, []
    while t <= horizon:
        first, second, count = algorithm.select(state, t, min(horizon, 10 ** len(str(t))), policy)
        wins = int(environment.binomial(count, matrix.P[first, second])) if first != second else 0
        algorithm.update(state, first, second, wins, count)
        counts.append(count)
        t += count
    return counts


def share_of_the_winner(algorithm, delay):
    """Return arm 0's share of both places in rounds 10,001 to 20,000, where it beats three others nine times in ten."""
    marks = np.array([10_000, 20_000])
    late = simulate(algorithm, order(4, 0.9).P, pair_tables(4), marks, *streams(1, 0), delay=delay).regret
    duels = (late[:, 1] - late[:, 0]).reshape(4, 4)
    return (duels[0].sum() + duels[:, 0].sum()) / (2 * duels.sum())
