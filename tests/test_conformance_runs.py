"""Parts of the checks: runs answer by answer, paths, replayed holds, samples of runs and their comparison."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from duelbench.algorithms.elimination.interleaved_filter import InterleavedFilter
from duelbench.algorithms.uniform import Uniform
from duelbench.conformance import contract, statistics
from duelbench.conformance.case import USUAL, CheckFailed
from duelbench.conformance.holds import Replay, replayed
from duelbench.conformance.rounds import Rounds, simulate, streams, will_draw_the_same
from duelbench.conformance.statistics import (
    demand_equal_means,
    in_per_cent,
    p_values,
    resolution,
)
from duelbench.engine.play import Rules
from duelbench.engine.rollout import Trajectory
from duelbench.preferences.regret import regret_table
from tests.playing import plays
from tests.proved import EXPLORER, PLAIN, REFERENCE, changed, toy

CIRCLE, ORDER = USUAL["cyclic4"], USUAL["order of 4"]
TOO_LONG = ("min(last, due - 1)", "min(last, due)")


# Runs answer by answer.


@pytest.mark.parametrize("text", [PLAIN, EXPLORER])
@pytest.mark.parametrize("stepping", [False, True])
def test_rounds_are_a_run_of_the_engine(text, stepping, tmp_path):
    algorithm, rngs, drawn = toy(tmp_path, text), streams(3, 1), streams(3, 1)
    run = Rounds(algorithm, CIRCLE.P, 500, rngs, Rules(stepping=stepping))
    duels = np.zeros((4, 4), int)
    while not run.over:
        answer = run.answer()
        assert answer.t + answer.duels == run.t
        duels[answer.first, answer.second] += answer.duels
    table = regret_table(CIRCLE, "copeland")[None]
    played = simulate(algorithm, CIRCLE.P, table, np.array([500]), *drawn, stepping=stepping)
    assert np.array_equal(duels, played.duels)
    assert np.array_equal(duels, run.duels)
    assert all(map(will_draw_the_same, rngs, drawn))


@pytest.mark.parametrize(
    ("regret", "duels", "said"),
    [
        ([[1.0, 0.5], [0.0, 0.0]], 20, "regret falls"),
        ([[1.0, 900.0], [0.0, 0.0]], 20, "larger than that of the worst duel"),
        ([[1.0, 1.0], [0.0, 0.0]], 19, "19 duels were counted in 20 rounds"),
    ],
)
def test_engine_that_counts_wrong(regret, duels, said, tmp_path, monkeypatch):
    counted = np.zeros((4, 4), int)
    counted[0, 0] = duels
    counts = Trajectory(np.array([10, 20]), np.array(regret), counted, None)
    assert not contract.same(counts, replace(counts, declaration=(0, 5)))
    monkeypatch.setattr(contract, "rollout", lambda *_: counts)
    with pytest.raises(CheckFailed, match=said):
        contract.plays_validly(toy(tmp_path, PLAIN), CIRCLE, [10, 20], streams(0, 0))


def test_declaration():
    winner, rounds = contract.declares_arms(InterleavedFilter(), ORDER, 3000, partial(streams, 0, 0), every=500)
    assert winner == ORDER.condorcet_winner()
    assert rounds < 3000


# Paths.


def reference_path(alpha=0.51):
    names = {}
    exec(REFERENCE, names)
    environment, policy = streams(2, 0)
    return names["my_policy"](ORDER.P, 400, policy, environment, alpha)


def test_path_of_the_reference(tmp_path):
    path = reference_path()
    assert np.any(path[:, 0] == path[:, 1])
    for held in (True, False):
        assert plays(toy(tmp_path, PLAIN), ORDER, path, 2, holds=held)
    assert not plays(toy(tmp_path, PLAIN), ORDER, reference_path(alpha=0.62), 2)
    too_long = toy(tmp_path, changed(PLAIN, ("min(last, due - 1)", "min(last, due + 3)")))
    assert plays(too_long, ORDER, path, 2, holds=False)
    assert not plays(too_long, ORDER, path, 2)


# Holds, replayed. More mistakes are in wrong.txt; holds of the catalogue in test_holds.py.


def test_replayed_holds(tmp_path):
    found = replayed(toy(tmp_path, PLAIN), ORDER, 3000, 4)
    assert found.exact > found.ended > 3
    assert 3000 > found.longest > 500
    assert (found.random, found.blocks) == (0, 0)
    assert replayed(toy(tmp_path, PLAIN), CIRCLE, 10_000, 4, most=300).played < 1000
    drawn = replayed(toy(tmp_path, EXPLORER), ORDER, 3000, 4)
    assert drawn.random > 20
    assert drawn.exact == 0
    blocks = replayed(Uniform(), ORDER, 3000, 4)
    assert blocks.blocks > 5
    assert blocks.exact == blocks.random == 0
    assert Replay(1, 1, 10, played=9) + Replay(2, 0, 7, 3, 1) == Replay(3, 1, 10, 3, 1, 9)


def test_replay_names_the_round_that_differs(tmp_path):
    wrong = toy(tmp_path, changed(PLAIN, TOO_LONG))
    with pytest.raises(CheckFailed, match=r"to t = ([\d,]+), but round by round it duels \(\d, \d\) at t = \1"):
        replayed(wrong, ORDER, 3000, 4)


# Samples of runs.

MARKS = (10, 100, 500)


def test_compare_says_what_it_would_have_seen(tmp_path):
    right = toy(tmp_path, PLAIN)
    one, other = (statistics.engine_run(right, ORDER, (20, 60), seed) for seed in (1, 2))
    found = statistics.compare(one, other, (20, 60), 4, ("here", "there"), 64)
    assert found.runs == 64
    assert 0 < found.regret < 1
    wrong = toy(tmp_path, changed(PLAIN, ("    alpha: float = Field(0.51", "    alpha: float = Field(0.05")))
    other = statistics.engine_run(wrong, ORDER, (20, 60), 2)
    with pytest.raises(CheckFailed, match="differs in distribution"):
        statistics.compare(one, other, (20, 60), 4, ("here", "there"), 64)
    seen = [(100, (64, 0.1, 0.02)), (500, (8, 0.0, 0.0)), (100, (32, 0.05, 0.03))]
    said = statistics.in_words((t, statistics.Resolved(*each)) for t, each in seen)
    assert said.startswith("32 runs each to t = 100: 10 % more or less regret would be detected, or 3 % more")
    assert "8 runs each to t = 500: 0 %" in said


# Statistics.


def normal(seed, mean=10.0, runs=1000):
    return np.random.default_rng(seed).normal(mean, 2.0, (runs, 3))


def test_p_values():
    assert p_values(normal(1), normal(2)).min() > 0.001
    assert p_values(normal(1), normal(2, 11.0)).min() < 1e-10
    spread = normal(2) * 2.0 - 10.0  # the same mean
    assert p_values(normal(1), spread).min() < 1e-10
    assert p_values(np.ones((5, 2)), np.ones((5, 2))).min() == 1.0
    for paired in (False, True):
        assert p_values(np.zeros((100, 1)), np.ones((100, 1)), paired=paired)[0] < 1e-10


def test_paired_runs_show_a_hundredth():
    one = normal(1)
    other = one + 0.1 + np.random.default_rng(3).normal(0, 0.2, one.shape)
    assert p_values(one, other).min() > 1e-3
    assert p_values(one, other, paired=True).min() < 1e-10
    assert resolution(one, other, paired=True) < 0.01 < resolution(one, other)


def test_resolution_is_seen():
    assert [in_per_cent(each) for each in (0.0123, 1.0, 12.34)] == ["1.2 %", "100 %", "1,200 %"]
    one, other = normal(1), normal(2)
    seen = resolution(one, other)
    assert 0.02 < seen < 0.06
    with pytest.raises(CheckFailed, match=r"t = 3 is 10\.\d* on average here and 1\d\.\d* there"):
        demand_equal_means(one, other * (1 + 2 * seen), 4.0, ["t = 1", "t = 2", "t = 3"][::-1], ("here", "there"))
    demand_equal_means(one, other, 5.0, ["t = 1", "t = 2", "t = 3"], ("here", "there"))


def test_rounding_is_no_difference():
    one, sides = np.full((100, 1), 0.1 + 0.2), ("here", "there")
    demand_equal_means(one, np.full((100, 1), 0.3), 5.0, ["t = 1"], sides)
    with pytest.raises(CheckFailed):
        demand_equal_means(one, np.full((100, 1), 0.3 + 1e-9), 5.0, ["t = 1"], sides)
