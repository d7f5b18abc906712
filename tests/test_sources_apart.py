"""Sets of arms of which no two are close: counted, and drawn uniformly."""

import math
from collections import Counter

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources import apart
from duelbench.sources.apart import SetsApart, TooManyError
from duelbench.sources.submatrix import Submatrix
from tests.choosing import rng, sets_apart


@pytest.mark.parametrize(("arms", "density"), [(1, 0.5), (7, 0.0), (8, 0.3), (10, 0.5), (11, 0.15), (6, 1.0)])
def test_sets_apart_are_counted(arms, density):
    for seed in range(5):
        close = np.triu(rng([arms, seed]).random((arms, arms)) < density, 1)
        close |= close.T
        for size in range(1, arms + 1):
            counted = SetsApart(close, size)
            assert counted.share == pytest.approx(len(sets_apart(close, size)) / math.comb(arms, size), rel=1e-12)
            assert counted.largest == max(n for n in range(size + 1) if sets_apart(close, n))


def test_what_is_too_entangled_is_given_up_before_it_takes_minutes(monkeypatch):
    monkeypatch.setattr(apart, "FRONTIERS", 10**18)
    close = rng().random((400, 400)) < 0.2
    with pytest.raises(TooManyError):
        SetsApart(np.triu(close, 1) | np.triu(close, 1).T, 10)


def test_sets_apart_are_drawn_uniformly():
    close = np.triu(rng(7).random((11, 11)) < 0.3, 1)
    close |= close.T
    sets, expected = sets_apart(close, 4), 300
    assert 20 < len(sets) < 200
    counted, stream = SetsApart(close, 4), rng()
    drawn = Counter(tuple(counted.draw(stream).tolist()) for _ in range(expected * len(sets)))
    # Five standard deviations of a binomial count.
    assert set(drawn) == set(sets)
    assert all(abs(count - expected) < 5 * expected**0.5 for count in drawn.values())


def test_how_large_a_part_of_the_mslr_matrix_keeps_its_gaps(mslr):
    matrix = mslr["mslr-informational"]
    with pytest.raises(UserError, match=r"no more than 58 of the 136 arms of mslr-informational have every .* ≥ 0.005"):
        Submatrix(size=64, min_gap=0.005).draw(matrix, rng())
    part = Submatrix(size=64, min_gap=0.003, condorcet=False, per_run=True).draw(matrix, rng())
    assert part.arms == 64 and part.smallest_gap() >= 0.003 and part.condorcet_winner() is None
