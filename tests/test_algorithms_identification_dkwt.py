"""DKWT: its literal path, its duels beside those of its authors' program."""

import numpy as np
import pytest

from duelbench.algorithms.identification.dkwt import Dkwt
from duelbench.conformance.paths import engine_course
from duelbench.literal import dkwt
from tests.comparison import MATRICES
from tests.exploring import ALL, DECISIVE, OTHERS, literal_path, make, same, with_the_loop_of_its_base
from tests.mean_duels import agrees, count_duels
from tests.random_orders import count_drawn, with_a_winner

LABELS = ("dkwt", "dkwt, reuse")
EVERYWHERE = MATRICES | DECISIVE | OTHERS


@pytest.mark.parametrize("name", EVERYWHERE)
@pytest.mark.parametrize("label", LABELS)
def test_the_path_is_the_literal_one(label, name):
    for seed in range(2):
        ours = engine_course(make(label), EVERYWHERE[name], ALL[label].rounds, seed)
        assert same(ours, literal_path(label, EVERYWHERE[name], ALL[label].rounds, seed))


@pytest.mark.parametrize("label", LABELS)
def test_a_mistaken_transcription_has_another_path(label, monkeypatch):
    ours = engine_course(make(label), DECISIVE["order"], 4000, 0)
    assert same(ours, literal_path(label, DECISIVE["order"], 4000, 0))
    right = dkwt.duels_of_step
    monkeypatch.setattr(dkwt, "duels_of_step", lambda s, delta: right(s, 0.98 * delta))
    assert not same(ours, literal_path(label, DECISIVE["order"], 4000, 0))


def test_steps_by_hand():
    """δ' = 0.3/2, h = 1/4: ⌈128 ln(4 π²/(6 · 0.15))⌉ = 484 duels, then h = 1/8 and ⌈512 ln(4 · 4 π²/0.9)⌉ = 2646."""
    for reuse, second in ((False, 0), (True, 302)):
        algorithm, rng = Dkwt(delta=0.3, reuse=reuse), np.random.default_rng(0)
        state = algorithm.start(2, 1)
        first, other, count = algorithm.select(state, 1, 10**6, rng)
        assert count == 484
        algorithm.update(state, first, other, 302, count)  # 2p̂ − 1 is 120/484, a little less than h
        assert algorithm.select(state, 485, 10**6, rng) == (first, other, 2646)
        assert (state.pair[0].wins, state.pair[0].duels) == (second, 484 * reuse)
        algorithm.update(state, first, other, 1489, 2646)  # 332/2646 is a little more
        decided = algorithm.select(state, 3131, 10**6, rng)
        assert decided[:2] == (first, first)
        assert algorithm.declaration(state) == (first, 3130)


def test_the_champion_is_recommended():
    algorithm, rng = Dkwt(), np.random.default_rng(0)
    state = algorithm.start(3, 1)
    first, second, count = algorithm.select(state, 1, 10**6, rng)
    assert algorithm.recommendation(state) is None
    algorithm.update(state, first, second, 0, count)
    champion, third, again = algorithm.select(state, 1 + count, 10**6, rng)
    assert champion == second == algorithm.recommendation(state)
    algorithm.update(state, champion, third, 0, again)
    assert algorithm.select(state, 1 + 2 * count, 10**6, rng)[0] == third == algorithm.recommendation(state)


def test_it_goes_on_where_two_arms_are_equal():
    state, rng = Dkwt().start(2, 1), np.random.default_rng(0)
    t = 1
    for _ in range(40):
        first, second, count = Dkwt().select(state, t, 2**61, rng)
        t += count
        Dkwt().update(state, first, second, count // 2, count)
        if t > 2**60:
            break
    assert Dkwt().declaration(state) is None


@pytest.mark.parametrize(
    ("instance", "mean", "error"),
    [
        ("0.6 model", 41110, 102),
        pytest.param("arithmetic8", 44957, 564, marks=pytest.mark.slow),
        ("btl", 17046, 234),
    ],
)
def test_the_duels_are_as_many_as_counted(instance, mean, error):
    counted = count_duels(Dkwt(delta=0.1), instance, 500)
    assert agrees(counted, mean, error)
    assert counted.right == 1.0


def test_an_error_that_is_not_shared_by_the_pairs_is_seen():
    class Rash(Dkwt):
        def start(self, arms, horizon):
            return super().start(arms, horizon)._replace(delta=self.delta)

    assert not agrees(count_duels(with_the_loop_of_its_base(Rash)(delta=0.1), "0.6 model", 500), 41110, 102)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "low", "high", "mean", "error"),
    [
        (Dkwt(), 0.6, 1.0, 25147, 232),
        (Dkwt(reuse=True), 0.6, 1.0, 24901, 234),
        (Dkwt(), 0.55, 0.7, 96118, 1295),
    ],
)
def test_the_instances_of_aistats_2024(algorithm, low, high, mean, error):
    counted = count_drawn(algorithm, with_a_winner(20, low, high), 600)
    assert agrees(counted, mean, error)
    assert counted.right > 0.99
