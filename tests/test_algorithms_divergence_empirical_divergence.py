"""The divergences that RMED1 and RMED2 add up, and RMED1's opponent, against the transcription."""

import numpy as np
import pytest

from duelbench.algorithms.divergence.empirical_divergence import champion, count_duels, no_divergences, opponent
from duelbench.literal import rmed1, rmed2


@pytest.mark.parametrize("arms", [2, 3, 7])
def test_indices_and_opponents_are_the_literal_ones(arms):
    rng = np.random.default_rng(arms)
    state, w = no_divergences(arms), [[0] * arms for _ in range(arms)]
    chosen = set()
    for _ in range(400):
        i, j = rng.choice(arms, 2, replace=False).tolist()
        count = int(rng.choice([1, 1, 5]))
        wins = int(rng.binomial(count, 0.7 if i < j else 0.3))
        count_duels(state, i, j, wins, count)
        count_duels(state, i, i, 0, 3)  # teaches nothing
        w[i][j] += wins
        w[j][i] += count - wins
        assert state.wins.tolist() == w
        assert state.indices.tolist() == [rmed1.I(w, i) for i in range(arms)]
        best = rmed2.best(w)
        for arm in range(arms):
            m = opponent(state, arm, best)
            assert m == rmed2.rmed1_rule(w, arm)
            chosen.add("best" if m == best else "other")
    assert chosen == {"best", "other"}


@pytest.mark.parametrize("arms", [2, 3, 9])
def test_the_champion_is_the_first_with_the_least_index(arms):
    rng = np.random.default_rng(arms)
    state, seen = no_divergences(arms), set()
    for _ in range(600):
        assert champion(state) == np.argmin(state.indices)
        seen.add(champion(state))
        for _ in range(int(rng.integers(1, 4))):
            i, j = rng.choice(arms, 2, replace=False).tolist()
            count_duels(state, i, j, int(rng.integers(2)), 1)
            assert state.news[0].best in (-1, np.argmin(state.indices))
    assert len(seen) > 1
    assert [int(state.news[0][name]) for name in ("first", "second")] == [i, j]


def test_a_champion_that_is_kept_too_long_is_seen():
    state, wrong = no_divergences(4), 0
    rng = np.random.default_rng(1)
    for _ in range(200):
        kept = champion(state)
        i, j = rng.choice(4, 2, replace=False).tolist()
        count_duels(state, i, j, int(rng.integers(2)), 1)
        state.news[0].best = kept
        wrong += champion(state) != np.argmin(state.indices)
    assert wrong > 10
