"""Independence by sampling: whether a pair matters, by hand. Its literal paths are in test_algorithms_elimination."""

import numpy as np
import pytest

from duelbench.algorithms.elimination.independence import (
    ARGMAX,
    BORDA,
    COPELAND,
    all_doubtful,
    central_decision,
    doubt_witnesses,
    score,
    settle_doubts,
)

P = np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.5], [0.6, 0.5, 0.5]])
PAIRS = np.array([1, 2, 5])


def box(**intervals):
    """The box of three arms whose pair i < j is known to lie in ``pIJ``."""
    low, high = np.zeros((3, 3)), np.ones((3, 3))
    for name, (a, b) in intervals.items():
        i, j = map(int, name[1:])
        low[i, j], high[i, j], low[j, i], high[j, i] = a, b, 1 - b, 1 - a
    return low, high


def relevant(variant, bounds, starts=20, steps=50, seed=0):
    sampling = all_doubtful(3, PAIRS[:2] if variant == ARGMAX else PAIRS, starts, steps)
    settle_doubts(sampling, variant, *bounds, np.random.default_rng(seed))
    assert sampling.doubts[0].count == 0
    return sampling, [divmod(int(pair), 3) for pair in sampling.pairs[sampling.depends]]


def test_scores():
    assert [score(COPELAND, P, i) for i in range(3)] == [1, 0, 1]  # a tie is no win
    assert [score(BORDA, P, i) for i in range(3)] == pytest.approx([1.3, 0.6, 1.1])
    assert [score(ARGMAX, P, i) for i in range(3)] == [-np.inf, 0.1, 0.6]


def test_at_first_all_pairs_matter():
    assert relevant(COPELAND, box())[1] == relevant(BORDA, box())[1] == [(0, 1), (0, 2), (1, 2)]
    assert relevant(ARGMAX, box())[1] == [(0, 1), (0, 2)]


def test_decided_pairs_do_not_matter_nor_those_of_arms_that_cannot_win():
    assert relevant(COPELAND, box(p01=(0.6, 0.9)))[1] == [(0, 2), (1, 2)]
    assert relevant(COPELAND, box(p01=(0.6, 0.9), p02=(0.7, 1)))[1] == []
    assert relevant(BORDA, box(p01=(0.6, 0.9)))[1] == [(0, 1), (0, 2), (1, 2)]
    assert relevant(BORDA, box(p01=(0.9, 1), p02=(0.9, 1)))[1] == []
    assert relevant(ARGMAX, box(p01=(0.2, 0.6), p02=(0.5, 0.7)))[1] == [(0, 1), (0, 2)]
    assert relevant(ARGMAX, box(p01=(0.2, 0.4), p02=(0.7, 0.8)))[1] == []


def test_the_decision_is_that_of_the_centre():
    low, high = box(p01=(0.6, 0.9), p02=(0.0, 0.4), p12=(0.1, 0.7))
    for variant, expected in ((COPELAND, 2), (BORDA, 2), (ARGMAX, 2)):
        assert central_decision(all_doubtful(3, PAIRS, 1, 1), variant, low, high) == expected
    low, high = box(p01=(0.9, 1.0))
    assert central_decision(all_doubtful(3, PAIRS, 1, 1), BORDA, low, high) == 0


@pytest.mark.parametrize("variant", [COPELAND, BORDA])
def test_a_witness_differs_in_its_pair_alone_and_in_the_decision(variant):
    bounds = box(p01=(0.3, 0.6))
    sampling, _ = relevant(variant, bounds)
    for k in range(3):
        decisions = []
        for value in (sampling.witness[k, k], sampling.other[k]):
            point = sampling.witness[:, k].copy()
            point[k] = value
            low, high = box(**{f"p{pair // 3}{pair % 3}": (x, x) for pair, x in zip(PAIRS, point, strict=True)})
            decisions.append(central_decision(all_doubtful(3, PAIRS, 1, 1), variant, low, high))
            assert 0.3 <= point[0] <= 0.6
        assert decisions[0] != decisions[1]


def test_a_witness_is_doubted_when_the_box_leaves_it_out_and_not_before():
    sampling, _ = relevant(COPELAND, box())
    kept = sampling.witness.copy()
    x = sampling.witness[1, 0]  # the value of pair (0, 2) in the witness of (0, 1)
    values = {*sampling.witness[1], sampling.other[1]} - {x}
    inside = box(p02=(min(x, *values), max(x, *values)))
    doubt_witnesses(sampling, *inside, 0, 2)
    assert not sampling.doubtful.any() and sampling.doubts[0].count == 0
    outside = box(p02=(min(values | {x}), x - 1e-9)) if x > 0.5 else box(p02=(x + 1e-9, max(values | {x})))
    doubt_witnesses(sampling, *outside, 0, 2)
    assert sampling.doubtful[0] and sampling.doubts[0].count == sampling.doubtful.sum()
    settle_doubts(sampling, COPELAND, *outside, np.random.default_rng(1))
    assert outside[0][0, 2] <= sampling.witness[1, 0] <= outside[1][0, 2]
    assert not np.array_equal(kept[:, 0], sampling.witness[:, 0])


@pytest.mark.parametrize("few", [(1, 5), (5, 1)])
def test_the_more_walks_the_less_often_a_dependence_is_missed(few):
    """The pair (0, 1) matters if x is below 1/2, one time in fifty: a walk of five steps mostly misses it."""
    bounds = box(p01=(0.49, 0.99), p02=(0.9, 1.0), p12=(0.9, 1.0))
    missed = [
        sum((0, 1) not in relevant(COPELAND, bounds, *walks, seed)[1] for seed in range(40))
        for walks in (few, (20, 50))
    ]
    assert missed[0] > 20 and missed[1] == 0
