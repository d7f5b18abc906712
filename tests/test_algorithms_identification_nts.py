"""NTS: its duels and errors beside those that are printed."""

import pytest

from duelbench.algorithms.identification.nts import Nts
from tests.exploring import with_the_loop_of_its_base
from tests.mean_duels import INSTANCES, agrees
from tests.random_orders import count_drawn, equal_distances


@pytest.mark.parametrize(
    ("instance", "h", "mean", "error", "right"),
    [("0.6 model", 0.1, 937, 5, 0.956), ("arithmetic8", 0.05, 1095, 8, 0.994), ("btl", 0.0744, 675, 4, 0.995)],
)
def test_duels_and_errors_at_the_exact_gap(instance, h, mean, error, right):
    counted = count_drawn(Nts(h=h, alpha=0.1, beta=0.1), lambda _: INSTANCES[instance].P, 1000)
    assert agrees(counted, mean, error)
    assert abs(counted.right - right) < 3 * (2 * right * (1 - right) / 1000) ** 0.5 + 0.002


def test_a_lead_of_one_less_is_seen():
    class Hasty(Nts):
        def start(self, arms, horizon):
            state = super().start(arms, horizon)
            return state._replace(boundary=state.boundary - 1)

    hasty = with_the_loop_of_its_base(Hasty)(h=0.1, alpha=0.1, beta=0.1)
    assert not agrees(count_drawn(hasty, lambda _: INSTANCES["0.6 model"].P, 1000), 937, 5)


@pytest.mark.parametrize(
    ("distance", "mean", "error"),
    [
        pytest.param(*row, marks=() if row[0] == 0.3 else pytest.mark.slow)
        for row in (
            (0.45, 725, 3),
            (0.3, 1081, 4),
            (0.2, 1615, 7),
            (0.1, 3249, 18),
            (0.05, 6446, 45),
            (0.02, 13705, 120),
        )
    ],
)
def test_the_table_of_the_paper(distance, mean, error):
    """Table 1 of its supplement without the first duel of every pair there; at 0.02 no guarantee holds any more."""
    counted = count_drawn(Nts(), equal_distances(20, distance), 500)
    assert agrees(counted, mean, error)
    assert counted.right == 1.0
    if (printed := {0.45: 887, 0.3: 1262, 0.1: 3383}.get(distance)) is not None:
        assert agrees(counted._replace(mean=counted.mean + 169), printed, 0.01 * printed)


@pytest.mark.slow
def test_errors_where_there_is_no_winner_are_fewer_than_beta():
    counted = count_drawn(Nts(h=0.1, alpha=0.1, beta=0.1), equal_distances(4, 0.1), 3000)
    assert counted.right > 0.9
