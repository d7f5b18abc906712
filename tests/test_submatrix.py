"""Submatrices: chosen arms, their stream, and sets of arms without close pairs."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources import submatrix as submatrix_module
from duelbench.sources.generators import UniformRandom
from duelbench.sources.submatrix import SetsApart, Submatrix
from tests.choosing import SUSHI, rng, sets_apart


@pytest.mark.parametrize(("arms", "density"), [(1, 0.5), (7, 0.0), (8, 0.3), (10, 0.5), (11, 0.15), (6, 1.0)])
def test_sets_counted(arms, density):
    for seed in range(2):
        close = np.triu(rng([arms, seed]).random((arms, arms)) < density, 1)
        close |= close.T
        for size in range(1, arms + 1):
            counted = SetsApart(close, size)
            assert counted.share == pytest.approx(len(sets_apart(close, size)) / math.comb(arms, size), rel=1e-12)
            assert counted.largest == max(n for n in range(size + 1) if sets_apart(close, n))


def test_mslr_sets(mslr):
    matrix = mslr["mslr-informational"]
    with pytest.raises(UserError, match=r"at most 58 of the 136 arms of mslr-informational have every .* ≥ 0.005"):
        Submatrix(size=64, min_gap=0.005).draw(matrix, rng())
    part = Submatrix(size=64, min_gap=0.003, condorcet=False, per_run=True).draw(matrix, rng())
    assert part.arms == 64 and part.smallest_gap() >= 0.003 and part.condorcet_winner() is None


def test_choice_streams():
    seeded = [Submatrix(size=4, seed=seed).draw(SUSHI, rng(run)).digest() for seed in (0, 1) for run in (0, 1)]
    assert seeded[0] == seeded[1] != seeded[2] == seeded[3]
    assert Submatrix(size=4).draw(SUSHI, rng()).digest() == seeded[0]
    per_run = [Submatrix(size=4, per_run=True).draw(SUSHI, rng(run)).digest() for run in (0, 0, 1)]
    assert per_run[0] == per_run[1] != per_run[2]


def test_pinned_choices():
    # Published results name the seed: these choices must never change.
    for seed, arms in ((0, [2, 3, 10, 11]), (2016, [1, 2, 3, 11])):
        assert Submatrix(size=4, seed=seed, min_gap=0.02).draw(SUSHI, rng()).digest() == SUSHI.submatrix(arms).digest()


def nearly_a_chain(arms):
    """A matrix in which only arms three or more apart differ by 0.1 or more."""
    k = np.arange(arms)
    return PreferenceMatrix(0.5 + np.clip((k - k[:, None]) / 30, -0.4, 0.4))


def test_rare_choices():
    matrix = nearly_a_chain(58)  # every third arm: one choice of 20 in 1e15
    choice = Submatrix(size=20, min_gap=0.0999, per_run=True, condorcet=True)
    assert choice.draw(matrix, rng()).digest() == matrix.submatrix(range(0, 58, 3)).digest()
    with pytest.raises(UserError) as caught:
        Submatrix(size=21, min_gap=0.0999).draw(matrix, rng())
    assert caught.value.message == (
        "size is 21, but at most 20 of the 58 arms of preference matrix have every |p − 1/2| ≥ 0.0999: "
        "choose fewer arms, or relax min_gap"
    )
    assert caught.value.key == ("size",)


def test_rejection_and_counting(monkeypatch):
    matrix = UniformRandom(arms=9, seed=3).draw(rng())
    parts = [matrix.submatrix(arms) for arms in itertools.combinations(range(9), 4)]
    parts = [each for each in parts if each.condorcet_winner() is None and each.smallest_gap() >= 0.1]
    assert 3 < len(parts) < 60
    choice = Submatrix(size=4, per_run=True, condorcet=False, min_gap=0.1)
    monkeypatch.setattr(submatrix_module, "_TRIES_BEFORE_COUNTING", 1)
    for proposals in (10**6, 2):  # the share of choices that keep the gap is called rare only if few choices are tried
        monkeypatch.setattr(submatrix_module, "_PROPOSALS", proposals)
        stream = rng()
        drawn = Counter(choice.draw(matrix, stream).digest() for _ in range(200 * len(parts)))
        # Five standard deviations of a binomial count with mean 200.
        assert set(drawn) == {each.digest() for each in parts}
        assert all(abs(count - 200) < 5 * 200**0.5 for count in drawn.values())
