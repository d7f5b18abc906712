"""PCOMP, SCOMP, SCOMP2: their literal paths and batches, played whole or duel by duel."""

from collections import deque

import numpy as np
import pytest
from pydantic import ValidationError

from duelbench.algorithms.elimination.batched import batch_sizes
from duelbench.algorithms.elimination.pcomp import Pcomp
from duelbench.algorithms.elimination.scomp import Scomp
from duelbench.algorithms.elimination.scomp2 import Scomp2
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal import pcomp, scomp, scomp2
from duelbench.literal.batches import Batches
from duelbench.literal.exploration import course
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import LinearOrder
from tests.comparison import MATRICES, output_of
from tests.exploring import (
    BATCHES,
    OTHERS,
    literal_path,
    make,
    same,
    whole,
    with_long_requests,
    with_the_loop_of_its_base,
)

BATCHED = {"pcomp": Pcomp, "scomp": Scomp, "scomp2": Scomp2}

LITERAL = {"pcomp": pcomp.algorithm_1, "scomp": scomp.algorithm_2, "scomp2": scomp2.algorithm_3}


def strict_order(arms):
    """Every better arm wins nine duels out of ten."""
    return PreferenceMatrix(0.5 + 0.4 * np.sign(np.arange(arms)[None, :] - np.arange(arms)[:, None]))


MORE = {
    "K=2": PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]),
    "a cycle": PreferenceMatrix([[0.5, 0.99, 0.01], [0.01, 0.5, 0.99], [0.99, 0.01, 0.5]]),
    "a strict order of 9": strict_order(9),
    "linear order": LinearOrder(arms=12).draw(np.random.default_rng(0)),
    **OTHERS,
}

SEEDS = {"a cycle": range(16), "a strict order of 9": range(3)}
"""Seed sets that are cycles are rare; elsewhere one run will do, as there are many parameters."""

batched = pytest.mark.parametrize("name", BATCHED)


def watched(algorithm):
    """Return the algorithm and the list of the states that it starts with from now on."""
    states = []

    class Watched(type(algorithm)):
        def start(self, arms, horizon):
            states.append(super().start(arms, horizon))
            return states[-1]

    return with_the_loop_of_its_base(Watched)(**algorithm.model_dump()), states


class Noted(Batches):
    """Batches that remember the last δ."""

    def delta(self, K, T):
        self.last_delta = super().delta(K, T)
        return self.last_delta


def transcription(label, matrix, horizon, seed):
    """Play the transcription; return its path and declaration, and its batches."""
    environment, policy = streams(seed, 0)
    name, parameters, _ = BATCHES[label]
    chosen = {"batches": 16, "elimination": "hoeffding", "delta": None} | parameters
    theirs = Noted(matrix.P, horizon, environment, chosen["batches"], chosen["elimination"], chosen["delta"])
    return course(LITERAL[name](theirs, policy), horizon), theirs


# Literal paths


@pytest.mark.parametrize("matrix", [*MATRICES, *MORE])
@pytest.mark.parametrize("label", BATCHES)
def test_the_path_is_the_literal_one(label, matrix):
    chosen = (MATRICES | MORE)[matrix]
    for seed in SEEDS.get(matrix, range(1)):
        expected, theirs = transcription(label, chosen, 6000, seed)
        algorithm, states = watched(make(label))
        assert same(engine_course(algorithm, chosen, 6000, seed), expected)
        assert algorithm.batches_used(states[-1]) == theirs.used
        assert states[-1].progress[0].log_inverse_delta == pytest.approx(-np.log(theirs.last_delta), rel=1e-12)


@batched
def test_short_horizons_and_few_batches_have_the_literal_path(name):
    for batches in (1, 2, 40):
        algorithm = BATCHED[name](batches=batches, delta=0.5)
        for horizon in (1, 2, 3, 17, 400):
            for matrix in (MATRICES["six-rankers"], MORE["K=2"]):
                for seed in range(2):
                    theirs = Batches(matrix.P, horizon, *streams(seed, 0)[:1], batches, "hoeffding", 0.5)
                    expected = course(LITERAL[name](theirs, streams(seed, 0)[1]), horizon)
                    assert same(engine_course(algorithm, matrix, horizon, seed), expected)


@pytest.mark.parametrize("parameters", ["delta", "kl, delta"])
def test_these_cases_reach_every_rare_line(parameters):
    seen = {name: set() for name in BATCHED}
    winners = {name: set() for name in BATCHED}
    for name in BATCHED:
        for key, matrix in MORE.items():
            for seed in SEEDS.get(key, range(3)):
                (_, declared), theirs = transcription(f"{name}, {parameters}", matrix, 6000, seed)
                seen[name] |= theirs.events
                winners[name].add(declared is not None)
    assert seen["pcomp"] == {"all lost"}
    assert seen["scomp"] == {"no seeds", "seeds lost", "switch", "all lost"}
    assert seen["scomp2"] >= {"no seeds", "switch"}
    assert all(both == {True, False} for both in winners.values())


@batched
def test_requests_that_are_too_long_leave_the_path(name):
    matrix = MATRICES["six-rankers"]
    for seed in range(3):
        expected = literal_path(name, matrix, 300, seed)
        assert same(engine_course(make(name), matrix, 300, seed), expected)
        assert not same(engine_course(with_long_requests(make(name)), matrix, 300, seed), expected)


# Batches


def test_batch_sizes_are_roots_by_integers():
    for horizon, batches in ((1, 3), (1000, 3), (10**5, 16), (10**6, 6), (10**12, 12), (10**12, 1000), (7, 40)):
        for r, c in enumerate(map(int, batch_sizes(horizon, batches)), start=1):
            assert c**batches <= horizon**r < (c + 1) ** batches
    assert list(batch_sizes(1000, 3)) == [10, 100, 1000]


@batched
def test_no_more_batches_than_the_paper_allows(name):
    limit = {"pcomp": 8, "scomp": 9, "scomp2": 17}[name]
    most = 0
    for elimination in ("hoeffding", "kl"):
        algorithm, states = watched(BATCHED[name](batches=8, elimination=elimination))
        assert algorithm.declaration(algorithm.start(3, 100_000)) is None
        for matrix in (MATRICES | MORE).values():
            for seed in range(20):
                played = whole(algorithm, matrix, 100_000, seed)
                most = max(most, algorithm.batches_used(states[-1]))
                self_duels = np.diag(played.duels)
                if played.declaration is None:
                    assert self_duels.sum() == 0
                else:
                    winner, rounds = played.declaration
                    assert self_duels[winner] == self_duels.sum() == 100_000 - rounds > 0
    assert limit - 2 <= most <= limit


# Outcomes that come late


LATE = """
from tests.test_algorithms_elimination_batched import BATCHED, late_winner
for name in BATCHED:
    for delay in (1, 50, 2000):
        print(late_winner(name, delay))
"""


def late_winner(name, delay):
    matrix = MORE["a strict order of 9"]
    algorithm = BATCHED[name](delta=0.1)
    environment, policy = streams(25, 0)
    state = algorithm.start(matrix.arms, 60_000)
    waiting, t, known, heard = deque(), 1, 0, 0
    while t <= 60_000:
        first, second, count = algorithm.select(state, t, min(t + 9, 60_000), policy)
        t += count
        waiting.append((first, second, environment.binomial(count, matrix.P[first, second]), count))
        known += count
        while waiting and known - waiting[0][3] >= delay:
            known -= waiting[0][3]
            heard += waiting[0][3]
            algorithm.update(state, *waiting.popleft())
            assert state.wins.sum() <= heard
            assert state.wins.max() <= state.sizes.max()
    return algorithm.declaration(state)[0]


def test_outcomes_may_come_late():
    """They cost time, not the winner."""
    assert output_of(LATE, interpreted=True).split() == ["0"] * 9


# Readings


@batched
@pytest.mark.parametrize(
    ("parameters", "delta"),
    [
        ({}, 1 / (6 * 5000 * 6**2 * 16)),
        ({"elimination": "kl"}, 1 / 5000),
        ({"delta": 0.01}, 0.01),
        ({"delta": 0.01, "elimination": "kl"}, 0.01),
    ],
)
def test_delta(name, parameters, delta):
    state = BATCHED[name](**parameters).start(6, 5000)
    assert state.progress[0].log_inverse_delta == pytest.approx(-np.log(delta), rel=1e-12)
    assert state.delta_fixed == bool(parameters)


@batched
def test_readings_that_no_text_supports_are_gone(name):
    for parameters in ({"elimination": "kl-total"}, {"delta": "experiments"}, {"delta": "1/K^2"}):
        with pytest.raises(ValidationError):
            BATCHED[name](**parameters)
