"""Algorithms whose winner stays: their literal paths, and what they have in common."""

import numpy as np
import pytest

from duelbench.conformance.holds import holds_as_it_steps
from duelbench.conformance.paths import engine_course
from duelbench.conformance.rounds import simulate, streams
from duelbench.literal import btw, mbtw, ws_w, wsw_pe
from duelbench.preferences.regret import regret_table
from tests.exploring import same
from tests.paths import INSTANCES
from tests.winners import NAMES, literal_path, make

WEAK = ("ws-w", "btw", "btwr", "mbtw")
"""Those that never duel an arm with itself."""
names = pytest.mark.parametrize("name", NAMES)


@names
def test_the_path_is_the_literal_one(name):
    """With two arms, exact ties, certain outcomes, three winners tied, and none at all."""
    for label, matrix in INSTANCES.items():
        for seed, horizon in ((1, 800), (2, 100), (3, 1), (4, 2)):
            ours = engine_course(make(name), matrix, horizon, seed)
            assert same(ours, literal_path(make(name), matrix, horizon, seed)), label


def the_other_arm_first(C, arms, previous, policy, right=ws_w.largest):
    return right(C, arms, previous[::-1], policy)


def not_by_strength(candidates, policy, right=mbtw.pick):
    return right(sorted(set(candidates)), policy)


def inverted(*arguments, right=ws_w.first_wins):
    return not right(*arguments)


@pytest.mark.parametrize(
    ("name", "module", "attribute", "mistake"),
    [
        ("ws-w", ws_w, "largest", the_other_arm_first),
        ("ws-s", ws_w, "largest", the_other_arm_first),
        ("mbtw", mbtw, "pick", not_by_strength),
        *((name, ws_w, "first_wins", inverted) for name in ("ws-w", "ws-s")),
        *((name, btw, "first_wins", inverted) for name in ("btw", "btwr")),
        ("mbtw", mbtw, "first_wins", inverted),
        ("wsw-pe", wsw_pe, "first_wins", inverted),
    ],
)
def test_a_mistaken_transcription_has_another_path(name, module, attribute, mistake, monkeypatch):
    matrix = INSTANCES["mslr5-condorcet"]
    ours = engine_course(make(name), matrix, 800, 1)
    assert same(ours, literal_path(make(name), matrix, 800, 1))
    monkeypatch.setattr(module, attribute, mistake)
    assert not same(ours, literal_path(make(name), matrix, 800, 1))


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("btw", make("btwr")),
        ("btwr", make("btw")),
        ("ws-s", make("ws-s", beta=1.12)),
        ("wsw-pe", make("wsw-pe", delta=0.06)),
    ],
)
def test_a_mistaken_algorithm_has_another_path(name, mistake):
    matrix = INSTANCES["cyclic4"]
    assert not all(
        same(engine_course(mistake, matrix, 3000, seed), literal_path(make(name), matrix, 3000, seed))
        for seed in range(3)
    )


@names
@pytest.mark.parametrize("delay", [2, 30])
def test_late_outcomes_are_waited_for_one_duel_at_a_time(name, delay):
    for label in ("mslr5-condorcet", "two arms", "no difference"):
        assert holds_as_it_steps(make(name), INSTANCES[label], (100, 3000), 1, delay=delay)


@names
def test_they_find_the_winner_of_many_rounds_late_or_not(name):
    """Binary weak regret, and binary strong where they stay with it, all but stands still in the end."""
    matrix = INSTANCES["certain order"]
    kind = "binary-weak" if name in WEAK else "binary-strong"
    for delay in (1, 20):
        table, marks = regret_table(matrix, kind)[None], np.array([50_000, 100_000])
        middle, end = simulate(make(name), matrix.P, table, marks, *streams(1, 0), delay=delay).regret[0]
        assert end - middle < 0.02 * 50_000


@pytest.mark.parametrize("name", WEAK)
def test_no_arm_duels_itself(name):
    matrix = INSTANCES["mslr5-condorcet"]
    played = simulate(make(name), matrix.P, np.zeros((1, 5, 5)), np.array([10_000]), *streams(1, 0))
    assert np.trace(played.duels) == 0


@names
def test_the_arm_that_has_stayed_is_recommended(name):
    algorithm, matrix = make(name), INSTANCES["certain order"]
    policy, t = streams(1, 0)[1], 1
    state = algorithm.start(4, 1000)
    assert algorithm.recommendation(state) is None
    while t <= 1000:
        first, second, count = algorithm.select(state, t, 1000, policy)
        algorithm.update(state, first, second, int(count * matrix.P[first, second] * (first != second)), count)
        t += count
    assert algorithm.recommendation(state) == (None if name == "mbtw" else 0)
