"""The constant C of the confidence."""

import math

import pytest

from duelbench.algorithms.merging.merge_dts import MergeDts
from duelbench.algorithms.merging.merge_rucb import MergeRucb
from duelbench.literal.merging import constant


def test_the_constant_follows_from_alpha_delta_and_the_arms():
    """It is 4e6 for MSLR's 136 navigational rankers, as the authors of MergeDTS have it."""
    assert math.exp(MergeRucb().log_constant(136)) == pytest.approx(4e6, rel=0.15)
    for alpha, delta, K in ((1.01, 0.01, 136), (0.7, 0.1, 5)):
        algorithm = MergeDts(alpha=alpha, delta=delta, C=None)
        assert math.exp(algorithm.log_constant(K)) == pytest.approx(constant(K, alpha, delta))


def test_a_constant_that_is_given_is_taken():
    assert MergeDts().log_constant(136) == math.log(400_000)
    assert MergeRucb(C=1e6).log_constant(5) == math.log(1e6)


def test_a_constant_beyond_all_numbers_is_a_constant():
    log_constant = MergeRucb(alpha=0.501).log_constant(1000)
    assert log_constant > 1000
    state = MergeDts(alpha=0.501, C=None).start(1000, 10)
    assert state.offset == 2**53


def test_without_the_theorys_alpha_it_must_be_given():
    with pytest.raises(ValueError, match="give C"):
        MergeRucb(alpha=0.5)
    with pytest.raises(ValueError, match="give C"):
        MergeDts(C=None)
    assert MergeRucb(alpha=0.5, C=1e6).C == 1e6


@pytest.mark.parametrize("kind", [MergeRucb, MergeDts])
def test_batches_have_at_least_four_arms(kind):
    with pytest.raises(ValueError, match="batch"):
        kind(batch=3)
