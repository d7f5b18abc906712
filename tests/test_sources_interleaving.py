"""Interleaved lists and clicks: by hand, and against the literal reference."""

import numpy as np
import pytest

from duelbench.literal import interleaving as reference
from duelbench.sources.clicks import CLICK_MODELS
from duelbench.sources.comparison import rankings
from duelbench.sources.interleaving import compare, compare_all
from tests.comparison import output_of
from tests.judged import judged, random_query, simulation


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
