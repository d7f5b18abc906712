"""The matrices of proofs are of the kinds that they are said to be."""

import numpy as np

from duelbench.conformance.instances import ODD, USUAL, order


def test_every_kind_is_among_them():
    for matrices in (ODD, USUAL):
        assert {each.arms for each in matrices.values()} >= {2, 4, 8}
        winners = [each.condorcet_winner() for each in matrices.values()]
        assert None in winners and len(set(winners)) > 2
    ties = [name for name, each in ODD.items() if (each.P == 0.5).sum() > each.arms]
    assert set(ties) >= {"two equal arms", "no difference", "one winner, the rest tied", "one pair differs"}
    assert sum(np.isin(each.P, (0, 1)).any() for each in ODD.values()) >= 4
    assert 0 < np.abs(ODD["nearly equal"].P - 0.5).max() < 1e-8


def test_an_order_may_have_three_winners():
    assert order(5, 0.9).condorcet_winner() == 0
    three = order(5, 0.9, winners=3)
    assert three.condorcet_winner() is None
    assert np.flatnonzero(three.copeland_scores() == three.copeland_scores().max()).tolist() == [0, 1, 2]
    assert np.allclose(three.P + three.P.T, 1)
