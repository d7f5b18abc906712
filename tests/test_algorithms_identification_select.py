"""SELECT: its number of duels, its errors, what it refuses."""

import math

import pytest

from duelbench.algorithms.identification.select import Select, duels_for_gap
from tests.mean_duels import agrees, count_duels
from tests.random_orders import count_drawn, with_a_winner


@pytest.mark.parametrize(
    ("instance", "gap", "duels"), [("0.6 model", 0.1, 1584), ("arithmetic8", 0.05, 4767), ("btl", 0.0744, 2853)]
)
def test_the_duels_are_as_many_as_printed(instance, gap, duels):
    counted = count_duels(Select(delta=0.1, gap=gap), instance, 20)
    assert (counted.mean, counted.error) == (duels, 0.0)


def test_the_printed_form_of_the_number_of_duels_is_ours():
    for arms, delta, gap in ((3, 0.1, 0.1), (10, 0.05, 0.03), (20, 0.01, 0.3)):
        loglog = math.log2(math.log2(arms))
        printed = (1 + math.log(1 / delta) / math.log(math.log2(arms))) * math.log(2) / 2 * loglog / gap**2
        assert duels_for_gap(arms, delta, gap) == math.ceil(printed)
    assert duels_for_gap(2, 0.05, 0.1) == math.ceil(50 * math.log(20))


def test_errors_at_the_exact_gap_are_those_counted():
    """98.4 to 99 % of the runs are right, with early stops, too; a bit less often with 40 % of the duels."""
    assert 0.975 < count_duels(Select(delta=0.1, gap=0.1), "0.6 model", 1000).right < 0.998
    early = count_duels(Select(delta=0.1, gap=0.1, early_stop=True), "0.6 model", 1000)
    assert 0.975 < early.right < 0.998
    assert agrees(early, 1334, 1)
    assert count_duels(Select(duels_per_pair=70), "0.6 model", 1000).right < 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    ("high", "low", "gap", "mean", "error"), [(1.0, 0.6, 0.1, 2718, 3), (0.7, 0.55, 0.05, 13657, 7)]
)
def test_early_stops_on_the_instances_of_aistats_2024(high, low, gap, mean, error):
    counted = count_drawn(Select(gap=gap, early_stop=True), with_a_winner(20, low, high), 1500)
    assert agrees(counted, mean, error)
    assert counted.right > 0.99
    assert not agrees(
        count_drawn(Select(gap=1.03 * gap, early_stop=True), with_a_winner(20, low, high), 1500), mean, error
    )


def test_a_budget_is_shared_evenly():
    for budget, duels in ((90, 10), (98, 10), (99, 11), (5, 1)):
        assert count_duels(Select(budget=budget), "0.6 model", 2).mean == 9 * duels
    assert count_duels(Select(duels_per_pair=7), "0.6 model", 2).mean == 63


def test_one_number_of_duels_is_enough():
    with pytest.raises(ValueError, match="remove one of them"):
        Select(duels_per_pair=3, budget=100)
