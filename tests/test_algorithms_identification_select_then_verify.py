"""SELECT-then-verify: its duels beside those that are printed."""

import pytest

from duelbench.algorithms.identification.select_then_verify import SelectThenVerify
from tests.exploring import with_the_loop_of_its_base
from tests.mean_duels import agrees
from tests.random_orders import count_drawn, equal_distances


@pytest.mark.parametrize(("distance", "mean"), [(0.45, 19690), (0.05, 20489)])
def test_the_table_of_the_paper(distance, mean):
    """Table 1 of its supplement has 21751 and 22544: with two more pairs and the first duel of every pair."""
    counted = count_drawn(SelectThenVerify(), equal_distances(20, distance), 300)
    assert agrees(counted, mean, 40 if distance == 0.05 else 5)
    assert counted.right == 1.0


def test_a_duel_less_in_each_pair_is_seen():
    class Hasty(SelectThenVerify):
        def start(self, arms, horizon):
            state = super().start(arms, horizon)
            return state._replace(duels_per_pair=state.duels_per_pair - 1)

    hasty = with_the_loop_of_its_base(Hasty)()
    assert not agrees(count_drawn(hasty, equal_distances(20, 0.45), 300), 19690, 5)


def test_the_smaller_error_counts():
    counts = {SelectThenVerify(h=0.3, alpha=a, beta=b).start(9, 1)[:3] for a, b in ((0.1, 0.3), (0.3, 0.1), (0.1, 0.1))}
    assert len(counts) == 1
    assert counts != {SelectThenVerify(h=0.3, alpha=0.3, beta=0.3).start(9, 1)[:3]}


@pytest.mark.slow
def test_errors_are_fewer_than_promised():
    counted = count_drawn(SelectThenVerify(h=0.1, alpha=0.1, beta=0.1), equal_distances(4, 0.1), 3000)
    assert counted.right > 0.9
