"""What the reductions share: the factor of UCB's index reaches their bandits."""

import pytest

from duelbench.algorithms.reductions.doubler import Doubler
from duelbench.algorithms.reductions.multisbm import MultiSbm
from duelbench.algorithms.reductions.reduction import Reduction
from duelbench.algorithms.reductions.sparring import Sparring


@pytest.mark.parametrize("kind", [Doubler, MultiSbm, Sparring])
def test_the_factor_of_the_index_is_given_to_the_bandits(kind):
    assert issubclass(kind, Reduction)
    for algorithm, alpha in ((kind(), 3.0), (kind(alpha=2.5), 2.5)):
        assert algorithm.start(4, 100)[0].alpha == alpha
    with pytest.raises(ValueError, match="greater than 0"):
        kind(alpha=0.0)
