"""Interleaved comparisons: by hand, against the literal reference, and what must not change the numbers."""

import multiprocessing

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.comparison import BATCH, compare_rankers, rankings
from duelbench.sources.letor import Judged
from tests.judged import judged, random_query, simulation


def test_order_of_the_ranker_s_documents():
    query = judged([0, 1, 2, 3], [0.5, 3, -1, 0.75], [7, 7, 7, 9])
    orders = {tuple(map(tuple, rankings(query, simulation(), np.random.default_rng(seed)).order)) for seed in range(60)}
    assert {first for first, _ in orders} == {(1, 3, 0, 2)}
    assert {second[0] for _, second in orders} == {3}
    assert len({second for _, second in orders}) == 6  # equal values in random order
    prepared = rankings(query, simulation(), np.random.default_rng(0))
    assert (np.take_along_axis(prepared.rank, prepared.order, axis=1) == np.arange(4)).all()


def test_a_good_ranker_beats_a_bad_one_and_its_double_ties():
    queries = [random_query(15, 4, seed) for seed in range(40)]
    for query in queries:
        query.features[:, 0] = query.grades + 0.1 * query.features[:, 0]
        query.features[:, 1] = -query.grades
        query.features[:, 2] = query.features[:, 0]
    found = compare_rankers(queries, simulation(interleavings=20))
    P = found.matrix.P
    assert P[0, 1] > 0.85 and P[0, 3] > 0.6 and P[3, 1] > 0.6
    assert P[0, 2] == pytest.approx(0.5, abs=1e-12)  # the same lists: every coin is fair
    assert found.queries == 40 and 0.001 < found.standard_error < 0.03


def test_users_who_never_see_anything_relevant_do_not_decide():
    found = compare_rankers([Judged(np.zeros(6, int), np.random.default_rng(1).normal(size=(6, 3)))] * 3, simulation())
    assert (found.matrix.P == 0.5).all() and found.standard_error == 0


def test_top_grade_spreads_the_grades():
    coarse, fine = [0, 1, 2, 1, 0, 2], [0, 2, 4, 2, 0, 4]
    features = np.random.default_rng(1).normal(size=(6, 3))
    digests = [
        compare_rankers(
            [Judged(np.array(grades), features)], simulation("navigational", 20, top_grade=top)
        ).matrix.digest()
        for grades, top in ((coarse, 2), (fine, 4), (coarse, 4))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_the_same_numbers_for_any_number_of_processes_and_other_ones_for_another_seed():
    queries = [random_query(8, 3, seed) for seed in range(3 * BATCH + 1)]
    digests = [
        compare_rankers(iter(queries), simulation("informational", seed=seed), jobs).matrix.digest()
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    ]
    assert digests[0] == digests[1] != digests[2]


def test_queries_are_read_as_they_are_needed():
    taken = []

    def queries():
        for seed in range(5 * BATCH):
            taken.append(seed)
            yield random_query(4, 2, seed)

    class Stop(Exception):
        pass

    def watched():
        for query in queries():
            if len(taken) > BATCH:
                raise Stop
            yield query

    with pytest.raises(Stop):
        compare_rankers(watched(), simulation())
    assert len(taken) == BATCH + 1


def test_one_ranker_is_refused():
    with pytest.raises(UserError, match="each feature is a ranker and there is 1: at least two are compared"):
        compare_rankers([random_query(4, 1, 0)], simulation())


def test_a_mistake_in_the_middle_of_a_file_ends_the_processes():
    def broken():
        for seed in range(4 * BATCH):
            yield random_query(4, 2, seed)
        raise UserError("the file ends in the middle of a line")

    with pytest.raises(UserError, match="in the middle of a line"):
        compare_rankers(broken(), simulation(), jobs=2)
    assert multiprocessing.active_children() == []
