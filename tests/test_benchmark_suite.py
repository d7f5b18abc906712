"""What duelbench measures itself by: the suite names what there is, and its targets are met or missed."""

import pytest

from duelbench.algorithms.catalogue import catalogue
from duelbench.benchmark.suite import MIN_GAP, ORDER, Group, instance, suite
from duelbench.benchmark.timing import Timing
from duelbench.errors import UserError


def test_the_suite_has_every_algorithm_and_only_what_there_is():
    named = {name for group in suite() for name in group.algorithms}
    assert named == set(catalogue())
    for name in {name for group in suite() for name in group.instances if not name.startswith("mslr-")}:
        assert instance(name).arms >= 4


def test_instances():
    order = instance(ORDER)
    assert order.arms == 64
    assert order.condorcet_winner() == 0
    assert order.smallest_gap() == pytest.approx(MIN_GAP)
    assert instance("btl-uniform:7").digest() == instance("btl-uniform:7").digest()
    part = instance("sushi16:8")
    assert part.arms == 8
    assert part.smallest_gap() >= MIN_GAP
    for wrong in ("sushi16:few", "sushi17", "sushi16:17"):
        with pytest.raises(UserError):
            instance(wrong)


def test_excess_is_that_of_the_target_missed_by_most():
    timings = [Timing(10**6, 1, 1e4, 0.01, 0.01), Timing(10**8, 1, 1e5, 0.05, 0.05)]

    def excess(arms=5, **targets):
        return Group("g", "", (), (), (), **targets).excess(timings, arms)

    assert excess() is None
    assert excess(seconds=0.1) == pytest.approx(0.5)
    assert excess(seconds=0.1, ratio=2.0) == pytest.approx(2.5)
    assert excess(per_round=1.0) == pytest.approx(0.5)
    assert excess(per_round=1.0, arms=20) == pytest.approx(0.125)
    assert excess(per_duel=1000.0) == pytest.approx(1.0)  # at the first horizon
    assert excess(per_duel=250.0) == pytest.approx(4.0)
