"""Matches: how many duels they have, and that these are asked for as far as the next checkpoint."""

import math

import pytest

from duelbench.algorithms.identification.matches import begin_match, enough_duels, go_on, no_match
from duelbench.kernels.thresholds import NEVER


@pytest.mark.parametrize(
    ("scale", "epsilon", "inverse_delta", "duels"), [(4.0, 0.05, 200, 8478), (1.0, 0.5, 20, 12), (1.0, 0.5, math.e, 4)]
)
def test_the_duels_of_a_match(scale, epsilon, inverse_delta, duels):
    assert enough_duels(scale, epsilon, math.log(inverse_delta)) == duels


def test_more_duels_than_there_are_rounds_are_never_over():
    assert enough_duels(1.0, 1e-9, 30.0) == NEVER
    assert enough_duels(1.0, 1e-200, 30.0) == NEVER
    assert enough_duels(1.0, 0.5, math.inf) == NEVER


def test_a_match_is_cut_and_continued():
    match = no_match()
    assert match[0].left == 0
    begin_match(match, 3, 1, 10)
    assert [go_on(match, most) for most in (4, 1, 100)] == [(3, 1, 4), (3, 1, 1), (3, 1, 5)]
    assert (match[0].left, match[0].duels, match[0].wins) == (0, 10, 0)
