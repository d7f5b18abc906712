"""Interleaved comparisons: by hand, against the literal reference, and what must not change the numbers."""

import multiprocessing

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.literal import interleaving as reference
from duelbench.sources.clicks import CLICK_MODELS
from duelbench.sources.comparison import BATCH, Simulation, compare_rankers, rankings
from duelbench.sources.interleaving import compare, compare_all
from duelbench.sources.letor import Judged
from tests.comparison import output_of


def simulation(model="perfect", interleavings=1, cutoff=10, seed=1, top_grade=4):
    return Simulation(model, interleavings, cutoff, seed, top_grade)


def judged(grades, *rankers):
    return Judged(np.array(grades), np.array(rankers, float).T)


def random_query(documents, rankers, seed):
    rng = np.random.default_rng(seed)
    return Judged(rng.integers(0, 5, documents), rng.normal(size=(documents, rankers)))


def mean_of(query, simulation, size, seed=0):
    rng = np.random.default_rng(seed)
    prepared = rankings(query, simulation, rng)
    sample = np.array([compare(prepared, 0, 1, rng) for _ in range(size)])
    return sample.mean(), sample.std(ddof=1) / size**0.5


def test_two_documents_by_hand():
    # Perfect users click document 0, wherever it is. It is first with probability 1/2, and then the first ranker's
    # with probability (8/9) / (8/9 + 1/9); when it is second, the coin is fair.
    query = judged([4, 0], [2, 1], [1, 2])
    mean, error = mean_of(query, simulation(), 20_000)
    assert mean == pytest.approx(0.5 * 8 / 9 + 0.5 * 0.5, abs=4 * error) and error < 0.002
    # Whom only the first place is shown clicks it if it is document 0; no click is half a win.
    mean, error = mean_of(query, simulation(cutoff=1), 20_000)
    assert mean == pytest.approx(0.5 * 8 / 9 + 0.5 * 0.5, abs=4 * error)
    # A document in sight of nobody else: a fair coin, without noise.
    assert mean_of(judged([4], [2], [1]), simulation(), 100) == (0.5, 0)


@pytest.mark.parametrize("model", CLICK_MODELS)
@pytest.mark.parametrize("grades", [[2, 4, 0, 4], [4, 0, 2, 2]])
def test_the_mean_is_that_of_all_lists_and_clicks(model, grades):
    query, size = judged(grades, [4, 3, 2, 1], [1, 2, 3, 4]), 300_000
    rng, wins = np.random.default_rng(2), np.zeros((2, 2))
    compare_all(rankings(query, simulation(model, cutoff=3), rng), size, wins, rng)
    # The deviation of one comparison is less than 1/2.
    expected = reference.expected([[0, 1, 2, 3], [3, 2, 1, 0]], grades, model, cutoff=3)
    assert wins[0, 1] == pytest.approx(expected, abs=4 * 0.5 / size**0.5)


@pytest.mark.parametrize(("model", "documents", "cutoff"), [("navigational", 12, 10), ("informational", 5, 10)])
def test_the_mean_is_that_of_the_reference(model, documents, cutoff):
    query = random_query(documents, 2, seed=documents)
    # A ranker that knows something, or all means would be near 1/2.
    query.features[:, 0] += query.grades
    lists = np.argsort(-query.features, axis=0).T.tolist()
    rng = np.random.default_rng(3)
    literal = np.array([reference.compare(lists, query.grades, model, cutoff, rng) for _ in range(6_000)])
    mean, error = mean_of(query, simulation(model, cutoff=cutoff), 60_000)
    assert abs(literal.mean() - 0.5) > 0.04
    assert abs(mean - literal.mean()) < 4 * np.hypot(error, literal.std(ddof=1) / len(literal) ** 0.5)
    assert error * 60_000**0.5 < 0.95 * literal.std()  # averaging over the coins pays


def test_click_models_are_the_published_ones():
    assert {name: (list(model.click), list(model.stop)) for name, model in CLICK_MODELS.items()} == reference.CLICK


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


def test_interpreted_kernels_give_the_same_bits():
    code = """
import numpy as np
from duelbench.sources.interleaving import compare_all
from duelbench.compiling.jit import is_compiled
from duelbench.sources.comparison import Simulation, rankings
from duelbench.sources.letor import Judged
rng = np.random.default_rng(5)
query = Judged(rng.integers(0, 5, 9), rng.normal(size=(9, 4)))
wins = np.zeros((4, 4))
compare_all(rankings(query, Simulation("informational", 5, 6, 0), rng), 5, wins, rng)
print(is_compiled(compare_all), wins.tobytes().hex(), rng.random())
"""
    said = [output_of(code, interpreted=each).split() for each in (False, True)]
    assert [said[0][0], said[1][0]] == ["True", "False"]
    assert said[0][1:] == said[1][1:]


def test_a_mean_over_interleavings_leaves_the_lower_triangle_alone():
    rng = np.random.default_rng(1)
    wins = np.full((3, 3), 7.0)
    compare_all(rankings(random_query(6, 3, 1), simulation(), rng), 4, wins, rng)
    assert (np.tril(wins) == np.tril(np.full((3, 3), 7.0))).all()
    assert ((np.triu(wins, 1) >= 0) & (np.triu(wins, 1) <= 1)).all()


def test_a_mistake_in_the_middle_of_a_file_ends_the_processes():
    def broken():
        for seed in range(4 * BATCH):
            yield random_query(4, 2, seed)
        raise UserError("the file ends in the middle of a line")

    with pytest.raises(UserError, match="in the middle of a line"):
        compare_rankers(broken(), simulation(), jobs=2)
    assert multiprocessing.active_children() == []
