"""Who has lost with confidence: the predicate beside the transcription's bound; to look at suspects is enough."""

import math

import numpy as np
import pytest

from duelbench.algorithms.merging.losses import advance, begin_anew, count_losers, has_lost, learn, no_losses
from duelbench.literal.merging import losers


@pytest.mark.parametrize("C", [1.0, 30.0, 4e5])
def test_the_level_is_that_of_the_round(C):
    losses = no_losses(3, 0.7, math.log(C), 0)
    for t in (1, 17, 10**8):
        advance(losses, t)
        assert losses.clock[0].level == pytest.approx(0.7 * math.log(t + C), rel=1e-14)
    begin_anew(losses, 10**8)
    advance(losses, 10**8 + 5)
    assert losses.clock[0].level == pytest.approx(0.7 * math.log(5 + C), rel=1e-14)


def test_a_constant_may_be_too_large_for_a_number():
    losses = no_losses(3, 0.51, 5000.0, 0)
    advance(losses, 10**6)
    assert losses.clock[0].level == 0.51 * 5000.0


def test_an_arm_has_lost_where_its_bound_is_below_one_half():
    losses = no_losses(2, 0.5, math.log(10.0), 0)
    advance(losses, 90)
    for won in range(40):
        for lost in range(40):
            losses.wins[0, 1], losses.wins[1, 0] = won, lost
            assert has_lost(losses, 0, 1) == (0 in losers([0, 1], losses.wins.tolist(), 0.5, math.log(100.0)))


@pytest.mark.parametrize("prior", [0, 1])
@pytest.mark.parametrize("late", [False, True])
def test_to_look_at_suspects_is_enough(prior, late):
    """Beside a look at every pair, over duels of a batch, with time that begins anew and outcomes that come late."""
    rng, arms = np.random.default_rng(3), np.arange(6)
    losses, found = no_losses(6, 0.25, math.log(5.0), prior), 0
    waiting = []
    for t in range(1, 400):
        advance(losses, t)
        expected = losers(list(range(6)), (losses.wins + prior).tolist(), 1.0, losses.clock[0].level)
        assert count_losers(losses, arms, 6) == len(expected)
        assert np.flatnonzero(losses.lost).tolist() == expected
        found += len(expected)
        i, j = rng.choice(6, 2, replace=False)
        if t % 100 == 0:
            begin_anew(losses, t)
        waiting.append((int(i), int(j), int(rng.random() < 0.6), 1))
        while len(waiting) > 7 * late:
            learn(losses, *waiting.pop(0))
    assert found > 100
