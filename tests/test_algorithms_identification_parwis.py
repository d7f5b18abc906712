"""PARWiS: its literal path, its scores, the share of runs that find the best beside that of its authors' program."""

import numpy as np
import pytest

from duelbench.algorithms.identification.parwis import Parwis
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal import parwis
from duelbench.literal.parwis import stationary
from tests.comparison import MATRICES
from tests.exploring import ALL, DECISIVE, OTHERS, TOURNAMENTS, literal_path, make, same
from tests.mean_duels import btl
from tests.random_orders import in_line

LABELS = [label for label in TOURNAMENTS if label.startswith("parwis")]
EVERYWHERE = MATRICES | DECISIVE | OTHERS


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("label", LABELS)
def test_the_path_is_the_literal_one(label, name):
    seed = len(name)
    ours = engine_course(make(label), EVERYWHERE[name], ALL[label].rounds, seed)
    assert same(ours, literal_path(label, EVERYWHERE[name], ALL[label].rounds, seed))


def of_the_unlikely(w, pi, top, j):
    """A mistaken disruption: a win of either has the weight of a loss."""
    d1, d2 = (np.linalg.norm(stationary(parwis.one_more_win(w, *each)) - pi) for each in ((top, j), (j, top)))
    return (pi[j] * d1 + pi[top] * d2) / (pi[top] + pi[j])


def with_another_ghost(w):
    """Mistaken scores: the ghost has won three times as often as it has lost."""
    w = w.copy()
    w[-1, :-1] = 3
    return stationary(w)


@pytest.mark.parametrize(("name", "wrong"), [("disruption", of_the_unlikely), ("stationary", with_another_ghost)])
def test_a_mistaken_transcription_has_another_path(name, wrong, monkeypatch):
    matrix = MATRICES["random10"]
    ours = [engine_course(make("parwis"), matrix, 150, seed) for seed in range(3)]
    assert all(same(each, literal_path("parwis", matrix, 150, seed)) for seed, each in enumerate(ours))
    monkeypatch.setattr(parwis, name, wrong)
    assert not all(same(each, literal_path("parwis", matrix, 150, seed)) for seed, each in enumerate(ours))


@pytest.mark.parametrize("arms", [2, 8])
def test_scores_stay_those_of_the_chain(arms):
    """They are updated 3000 times here, and not once computed anew."""
    algorithm, rng = Parwis(), np.random.default_rng(arms)
    P = btl(np.exp(0.3 * np.arange(arms))).P
    state = algorithm.start(arms, 1)
    for t in range(1, 3001):
        first, second, _ = algorithm.select(state, t, t, rng)
        algorithm.update(state, first, second, int(rng.random() < P[first, second]), 1)
    wins = np.zeros((arms + 1, arms + 1))
    wins[:arms, :arms] = state.wins
    wins[:arms, arms] = wins[arms, :arms] = 1
    assert np.abs(stationary(wins) - state.score).max() < 1e-13
    assert algorithm.recommendation(state) == arms - 1


def test_the_winner_stays_until_all_have_been_met():
    algorithm, rng = Parwis(budget=5), np.random.default_rng(3)
    state = algorithm.start(5, 1)
    assert algorithm.recommendation(state) is None
    champion, met = None, set()
    for t in range(1, 5):
        first, second, count = algorithm.select(state, t, 100, rng)
        assert count == 1
        assert champion in (None, first)
        assert second not in met
        met |= {first, second}
        algorithm.update(state, first, second, t % 2, 1)
        champion = first if t % 2 else second
    assert met == {0, 1, 2, 3, 4}
    first, second, _ = algorithm.select(state, 5, 100, rng)
    algorithm.update(state, first, second, 1, 1)
    winner, again, count = algorithm.select(state, 6, 100, rng)
    assert (winner, count) == (again, 95)
    assert algorithm.declaration(state) == (winner, 5)
    assert algorithm.recommendation(state) == winner


SCORES = [8.2, 100, 48.174, 42.926, 52.671, 64.874, 27.607, 62.456, 64.792, 26.614]
AUTHORS = {1: 0.238, 2: 0.331, 3: 0.395, 4: 0.432, 5: 0.451, 6: 0.489, 7: 0.520, 8: 0.550}


def found(algorithm, budget, runs):
    """The share of runs that find the best; arms in the order of the file, as in the authors' program."""
    P, right = btl(SCORES).P, 0
    for run in range(runs):
        Q = in_line(P, budget, run)
        played = simulate(algorithm, Q, np.zeros((1, 10, 10)), np.array([budget + 1]), *streams(budget, run))
        right += played.declaration[0] == (Q > 0.5).sum(axis=1).argmax()
    return right / runs


@pytest.mark.parametrize("tens", [pytest.param(k, marks=() if k in (3, 6) else pytest.mark.slow) for k in AUTHORS])
def test_the_best_is_found_as_often_as_by_the_authors(tens):
    share = found(Parwis(budget=10 * tens), 10 * tens, 2000)
    assert abs(share - AUTHORS[tens]) < 3 * np.sqrt(0.25 / 2000 + 0.25 / 3000)


def test_a_budget_of_a_third_less_is_seen():
    share = found(Parwis(budget=40), 40, 2000)
    assert abs(share - AUTHORS[6]) > 3 * np.sqrt(0.25 / 2000 + 0.25 / 3000)
