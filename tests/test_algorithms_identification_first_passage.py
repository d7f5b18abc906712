"""First-passage tests of a pair: the literal paths of all that use them, blocks that cannot end a test on the way."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.identification.first_passage import (
    begin,
    compare_1,
    compare_2,
    interval_test,
    no_test,
    request,
    update,
)
from duelbench.arrays import Record
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import streams
from duelbench.literal import first_passage, mallows_mpi
from tests.comparison import MATRICES
from tests.exploring import DECISIVE, ORDER, OTHERS, same
from tests.passages import CASES, literal_path


@pytest.mark.parametrize("label", CASES)
def test_the_path_is_the_literal_one(label):
    for name, matrix in (MATRICES | OTHERS | {"sixteen": order(16, 0.9)}).items():
        assert same(
            engine_course(CASES[label].make(), matrix, 1500, 0), literal_path(CASES[label].make(), matrix, 1500, 0)
        ), name


@pytest.mark.parametrize("label", CASES)
def test_the_path_is_the_literal_one_to_the_winner(label):
    for name, matrix in DECISIVE.items():
        for seed in range(3):
            ours = engine_course(CASES[label].make(), matrix, 1500, seed)
            assert same(ours, literal_path(CASES[label].make(), matrix, 1500, seed)), name
            assert ours[1] is not None
            assert tuple(ours[0][-1]) == (ours[1][0], ours[1][0])


@pytest.mark.parametrize("label", CASES)
def test_short_horizons_have_the_literal_path(label):
    for matrix in DECISIVE.values():
        for horizon in (1, 2, 7, 50):
            assert same(
                engine_course(CASES[label].make(), matrix, horizon, 0),
                literal_path(CASES[label].make(), matrix, horizon, 0),
            )


@pytest.mark.parametrize("label", CASES)
@pytest.mark.parametrize("mistake", ["radius", "winner"])
def test_a_radius_a_tenth_too_wide_or_a_loser_who_wins_leaves_the_path(label, mistake, monkeypatch):
    ours = engine_course(CASES[label].make(), ORDER, 1500, 0)
    assert same(ours, literal_path(CASES[label].make(), ORDER, 1500, 0))
    for module in (first_passage, mallows_mpi):
        if mistake == "winner":
            first_wins = module.first_wins
            monkeypatch.setattr(module, "first_wins", lambda *arguments, right=first_wins: not right(*arguments))
        for name in ("radius", "radius_of_di") if mistake == "radius" else ():
            if hasattr(module, name):
                radius = getattr(module, name)
                monkeypatch.setattr(module, name, lambda *arguments, right=radius: 1.1 * right(*arguments))
    assert not same(ours, literal_path(CASES[label].make(), ORDER, 1500, 0))


@pytest.mark.parametrize(
    ("label", "mistake"),
    [
        ("knockout", {"delta": 0.11}),
        ("knockout", {"epsilon": 0.06}),
        ("knockout, rash", {"gamma": 1.4}),
        ("sequential-elimination", {"delta": 0.11}),
        ("sequential-elimination", {"epsilon": 0.06}),
        ("opt-maximize, rash", {"delta": 0.8}),
        ("opt-maximize, rash", {"epsilon": 0.4}),
        ("mallows-mpi", {"delta": 0.06}),
        ("seebs", {"delta": 0.06}),
    ],
)
def test_a_parameter_a_bit_off_leaves_the_path(label, mistake):
    algorithm = type(CASES[label].make())(**CASES[label].parameters | mistake)
    matrix = MATRICES["cyclic4"]
    assert any(
        not same(engine_course(algorithm, matrix, 3000, seed), literal_path(CASES[label].make(), matrix, 3000, seed))
        for seed in (0, 1)
    )


# Blocks


def crossed(this, duels, wins):
    """Tell whether any share of so many wins is outside of the interval, as the tests are written down."""
    duels = np.asarray(duels, float)
    share, radius = wins / duels - 0.5, np.sqrt((this.scale + 2 * np.log(duels)) / (2 * duels))
    return bool(np.any((share - this.up > radius) | (-share - this.down > radius)))


BEGIN = {
    "compare-1": lambda test: compare_1(test, 0, 1, 0.02, 0.1),
    "compare-1, wide": lambda test: compare_1(test, 0, 1, 0.2, 0.5),
    "compare-2": lambda test: compare_2(test, 0, 1, 0.0, 0.05, 0.01),
    "compare-2, wide": lambda test: compare_2(test, 0, 1, 0.2, 0.45, 0.5),
    "mallows": lambda test: begin(test, 0, 1, math.log(400.0), 1e30),
    "di": lambda test: interval_test(test, 0, 1, 0.02, 0.0, 0.0, 0.03),
    "di, margin": lambda test: interval_test(test, 0, 1, 0.1, 0.0, 0.1, 0.3),
}


class WithTest(NamedTuple):
    """A state that has a test."""

    test: Record


def begun(kind):
    """Return a state with a test that has just begun."""
    state = WithTest(no_test())
    BEGIN[kind](state.test)
    return state


@pytest.mark.parametrize("kind", BEGIN)
def test_no_outcomes_of_a_block_end_the_test_before_its_last_duel(kind):
    rng, longest, ends = np.random.default_rng(0), 0, 0
    for p in (0.5, 0.52, 0.45, 0.6, 0.9, 0.1, 1.0, 0.0):
        state = begun(kind)
        this = state.test[0]
        for _ in range(3000):
            n, w = int(this.duels), int(this.wins)
            first, second, count = request(state.test, 10**9)
            assert (first, second) == (0, 1)
            assert n + count <= this.most
            before = np.arange(1, count)
            assert not crossed(this, n + before, w + before)
            assert not crossed(this, n + before, w)
            longest = max(longest, count)
            update(state, 0, 1, int(rng.binomial(count, p)), count)
            if not this.running:
                ends += 1
                assert crossed(this, this.duels, this.wins) or this.duels == this.most
                break
            assert this.duels > 200_000 or not crossed(this, this.duels, this.wins)
            if this.duels > 200_000:  # a fair coin, and no limit
                break
    assert longest > 5
    assert ends >= 7


# What the table of tests says


def literal_verdict(kind, outcomes):
    """Return how many duels the transcription takes, and its verdict."""

    class Given:
        def random(self):
            return 0.25 if next(outcomes) else 0.75

    P, environment = np.array([[0.5, 0.5], [0.5, 0.5]]), Given()
    test = {
        "compare-1": lambda: first_passage.compare_1(P, 0, 1, 0.02, 0.1, environment),
        "compare-1, wide": lambda: first_passage.compare_1(P, 0, 1, 0.2, 0.5, environment),
        "compare-2": lambda: first_passage.compare_2(P, 0, 1, 0.0, 0.05, 0.01, environment),
        "compare-2, wide": lambda: first_passage.compare_2(P, 0, 1, 0.2, 0.45, 0.5, environment),
        "di": lambda: first_passage.di(P, 0, 1, 0.02, 0.0, 0.0, 0.03, environment),
        "di, margin": lambda: first_passage.di(P, 0, 1, 0.1, 0.0, 0.1, 0.3, environment),
    }[kind]()
    duels = 0
    while True:
        try:
            next(test)
        except StopIteration as end:
            return duels, end.value
        duels += 1


VERDICTS = {"compare-1": {0: 1, 1: -1}, "compare-2": {2: 1, 1: -1}, "di": {"up": 1, "down": -1, "middle": 0}}


@pytest.mark.parametrize("kind", [kind for kind in BEGIN if kind != "mallows"])
def test_tests_end_as_they_are_written_also_at_their_limit(kind):
    rng, seen, at_the_limit = np.random.default_rng(3), set(), 0
    middle = float(begun(kind).test[0].up - begun(kind).test[0].down) / 2
    for p in (0.5 + middle, 0.5 + middle, 0.9, 0.1, 0.5):
        state = begun(kind)
        outcomes = rng.random(int(state.test[0].most)) < p
        duels, verdict = literal_verdict(kind, iter(outcomes))
        for outcome in outcomes[:duels]:
            assert state.test[0].running
            request(state.test, 1)
            update(state, 0, 1, int(outcome), 1)
        assert not state.test[0].running
        expected = VERDICTS[kind.partition(",")[0]][verdict]
        assert state.test[0].verdict == expected or (expected == -1 and kind.startswith("compare-1"))
        seen.add(expected)
        at_the_limit += duels == state.test[0].most
    assert at_the_limit > 0
    assert len(seen) >= 2


def test_a_draw_at_the_limit_goes_to_the_second_arm_of_compare_1():
    assert literal_verdict("compare-1, wide", iter([True, False] * 100))[1] == 1
    state = begun("compare-1, wide")
    assert state.test[0].most % 2 == 0
    update(state, 0, 1, int(state.test[0].most) // 2, int(state.test[0].most))
    assert not state.test[0].running
    assert state.test[0].verdict == 0


# Outcomes that come late


def test_while_outcomes_are_under_way_every_answer_is_one_duel():
    state = begun("mallows")
    assert request(state.test, 100)[2] > 1
    assert request(state.test, 100)[2] == 1
    update(state, 0, 1, 0, int(state.test[0].asked))
    assert request(state.test, 100)[2] > 1


def test_an_outcome_of_a_test_that_is_over_comes_too_late():
    state = begun("mallows")
    for _ in range(40):
        request(state.test, 1)
    update(state, 0, 1, 30, 30)
    assert not state.test[0].running
    assert state.test[0].verdict == 1
    BEGIN["mallows"](state.test)
    assert state.test[0].running
    update(state, 0, 1, 5, 10)
    assert (state.test[0].duels, state.test[0].wins) == (0, 0)
    request(state.test, 1)
    update(state, 0, 1, 1, 1)
    assert (state.test[0].duels, state.test[0].wins) == (1, 1)


@pytest.mark.parametrize("label", [label for label in CASES if "rash" not in label])
def test_outcomes_that_come_late_change_no_rule(label):
    algorithm, horizon = CASES[label].make(), 4000
    environment, policy = streams(5, 0)
    state, waiting = algorithm.start(5, horizon), []
    for t in range(1, horizon + 1):
        first, second, count = algorithm.select(state, t, t, policy)
        assert count == 1
        waiting.append((first, second, int(first != second and environment.random() < ORDER.P[first, second])))
        if len(waiting) > 30:
            algorithm.update(state, *waiting.pop(0), 1)
    assert first == second == algorithm.declaration(state)[0] == 0
