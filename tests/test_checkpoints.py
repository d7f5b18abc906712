"""Checkpoints do not change a run or its values at common checkpoints, except for the algorithms in ``CUT``."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from duelbench.algorithms.algorithm import Algorithm, Program
from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.case import order
from duelbench.conformance.rounds import streams
from duelbench.conformance.statistics import p_values
from duelbench.engine.play import Rules, new_ledger
from duelbench.engine.problem import checkpoints, problem_of
from duelbench.engine.rollout import outcomes_within, rollout
from duelbench.kernels.blocks import PART, WHOLE, divide, hypergeometric, new_shares
from duelbench.preferences.changing import Changing
from tests.instances import INSTANCES, from_upper_triangle

CUT = {"uniform", "bcb", "btm", "probe-rank-se"}
"""They play blocks of several pairs, which end at checkpoints."""
QUICK = ("d-ts", "d-ts+", "ccb", "rex3", "rmed2", "ws-s", "scb", "select", "nts", "knockout")
"""Algorithms with holds and blocks of all kinds."""


class Way(NamedTuple):
    """How runs are played. ``problem`` is the name of the problem, ``more`` are further arguments of ``rollout``."""

    problem: str = "winners"
    horizon: int = 3000
    rules: Rules = Rules()
    more: Mapping[str, Any] = {}


WAYS = {
    "plain": Way(horizon=20_000),
    "one winner": Way("order", 20_000),
    "own": Way("order", more={"recommend": "own"}),
    "own, several winners": Way(more={"recommend": "own"}),
    "borda": Way("order", more={"recommend": "borda", "draw_seed": 2**62 + 5}),
    "posterior": Way("order", 300, more={"recommend": "posterior"}),
    "delay": Way(rules=Rules(delay=7), more={"recommend": "own"}),
    "changes": Way("changes", more={"recommend": "own"}),
    "votes": Way("order", 1000, Rules(votes=True, max_rounds=20_000), {"recommend": "own"}),
    "ties kept": Way("ties", more={"recommend": "own"}),
    "ties dropped": Way("ties", rules=Rules(drop=True), more={"recommend": "own"}),
    "orders": Way("order", 1000, more={"recommend": "own", "finds_order": True}),
}


@cache
def problem_named(name):
    kinds = ("copeland", "borda")  # the three Copeland winners' self-duels differ in Borda regret
    if name == "changes":
        first, second = order(4, 0.9), order(4, 0.7)
        return problem_of(Changing([(1, first), (700, first.relabelled([3, 2, 1, 0])), (1500, second)]), kinds)
    if name == "ties":
        return problem_of(INSTANCES["ties"], kinds, ties=True)
    winners = from_upper_triangle([0.9, 0.1, 0.95], [0.9, 0.8], [0.65])
    matrices = {"winners": winners, "order": order(4, 0.9), "close": order(4, 0.62)}
    return problem_of(matrices[name], kinds)


def seen(name, way, marks):
    """Return the values of run 0 at each of these checkpoints, and its final results."""
    both = streams(5, 0)
    run = rollout(catalogue()[name](), problem_named(way.problem), np.asarray(marks), both, way.rules, **way.more)
    curves = [*run.regret, run.votes, *([] if run.recommended is None else [run.recommended])]
    rows = {
        t: (*(curve[k] for curve in curves), run.rankings[k] if run.rankings else None)
        for k, t in enumerate(np.asarray(marks).tolist())
    }
    return rows, (run.duels.tolist(), run.declaration, run.detections, *(each.random() for each in both))


def agree(name, way, *several):
    runs = [seen(name, way, marks) for marks in several]
    common = set.intersection(*({*rows} for rows, _ in runs))
    return all(end == runs[0][1] and all(rows[t] == runs[0][0][t] for t in common) for rows, end in runs[1:])


def possible(name, way):
    kind = catalogue()[name]
    if ("delay" in way and not kind.supports_delay) or (way == "votes" and kind.detects()):
        return False
    return kind.takes_ties or way != "ties kept"


@pytest.mark.parametrize(
    ("name", "way"),
    [
        pytest.param(name, way, marks=() if name in QUICK else pytest.mark.slow)
        for name in catalogue()
        for way in WAYS
        if name not in CUT and possible(name, way)
    ],
)
def test_same_bits_at_common_checkpoints(name, way):
    horizon = WAYS[way].horizon
    assert agree(name, WAYS[way], *(checkpoints([horizon], density) for density in (3, 20, 60)))


@pytest.mark.parametrize("name", ["d-ts", "select", "rmed2"])
def test_a_checkpoint_in_every_round(name):
    way = Way(more={"recommend": "own"})
    assert agree(name, way, np.arange(1, 3001), [3000], [1000, 2999, 3000])


def test_which_algorithms_depend_on_checkpoints():
    assert {name for name, kind in catalogue().items() if kind.ends_blocks_at_checkpoints} == CUT
    for name in CUT:
        ways = [Way("winners", 20_000), Way("order", 20_000)]
        assert not all(agree(name, way, checkpoints([20_000], 3), checkpoints([20_000], 60)) for way in ways)


def test_single_duels_before_a_change():
    """WSW-PE plays single duels before it asks how long a block may be; a change may come in the next round."""
    first = order(4, 0.7)
    for start in range(20, 40):
        changing = problem_of(Changing([(1, first), (start, first.relabelled([3, 2, 1, 0]))]), ["condorcet"])
        assert rollout(catalogue()["wsw-pe"](), changing, np.array([300]), streams(5, 0)).duels.sum() == 300


@pytest.mark.parametrize("name", [name for name in QUICK if name != "d-ts+"])
def test_same_path_for_any_kinds_of_regret(name):
    """The measured kinds of regret do not affect the path, except for D-TS+, which merges self-duels of equal cost."""
    matrix = INSTANCES["cyclic4"]

    def duels(kinds):
        run = rollout(catalogue()[name](), problem_of(matrix, kinds), checkpoints([20_000], 5), streams(5, 0))
        return run.duels.tolist()

    assert duels(["copeland"]) == duels(["borda"]) == duels(["copeland", "borda"])


# In distribution, values within holds and blocks are the same as round by round

LAWFUL = (
    *("d-ts", "d-ts+", "ccb", "rcs", "rex3", "rmed2", "ecw-rmed", "ws-w", "ws-s", "scb", "mdb"),
    *("select", "nts", "dkwt", "pocowista", "wsw-pe", "knockout", "seebs", "mallows-mpi", "sequential-elimination"),
)
SMALL = {
    "select": {"duels_per_pair": 60},
    "nts": {"h": 0.1},
    "knockout": {"epsilon": 0.1},
    "sequential-elimination": {"epsilon": 0.1},
    "dkwt": {"delta": 0.9},
    "wsw-pe": {"delta": 0.5},
    "mdb": {"gamma": 0.05, "beta": 1.5, "window": 20, "threshold": 8.0},
    "ecw-rmed": {"alpha": 10.0},
}
"""Parameters with which they decide early."""


def sample(name, way, marks, first, stepping):
    """Return the regrets, votes and recommended arms of 400 runs, one run per row."""
    algorithm, rules = catalogue()[name](**SMALL.get(name, {})), way.rules._replace(stepping=stepping)
    rows = []
    for number in range(first, first + 400):
        run = rollout(
            algorithm, problem_named(way.problem), marks, streams(6, number), rules, **way.more | {"draw_seed": number}
        )
        named = [run.recommended == arm for arm in range(4)]
        rows.append(np.concatenate([*run.regret, run.votes, *named]).astype(float))
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way)
        for name in LAWFUL
        for way in ("close", "own, several winners", "delay", "changes", "votes", "ties kept", "ties dropped")
        if possible(name, way) and not (way == "delay" and issubclass(catalogue()[name], Program))
    ],
)
def test_law_within_blocks(name, way):
    """400 runs with holds and 400 round by round have the same distribution at arbitrary checkpoints.

    Programs are left out with delay: they wait for the outcomes of each request, and round by round each request is a
    single duel.
    """
    how = WAYS.get(way, Way("close", more={"recommend": "own"}))
    marks = np.array([5, 23, 77, 160, 333, 611, 900])
    assert p_values(*(sample(name, how, marks, 1000 * stepping, bool(stepping)) for stepping in (0, 1))).min() > 1e-7


class Stubborn(Algorithm):
    """Asks for all duels of 0 and 1 in one answer; recommends the arm with more known wins, at first arm 1."""

    name = "stubborn"

    class State(NamedTuple):
        wins: np.ndarray

    def start(self, arms, horizon):
        return self.State(np.array([0, 1]))

    @staticmethod
    def select(state, t, last, rng):
        return 0, 1, last - t + 1

    @staticmethod
    def update(state, first, second, wins, count):
        state.wins[:] += wins, count - wins

    def recommendation(self, state):
        return int(np.argmax(state.wins))


def test_a_policy_recommends_by_what_is_known_within_a_block():
    problem = problem_of(from_upper_triangle([1.0]), ["copeland"])
    run = rollout(Stubborn(), problem, np.array([1, 2, 9, 20]), streams(5, 0), recommend="own")
    assert run.recommended.tolist() == [0, 0, 0, 0]  # equal counts after one duel, so the first arm


def test_leaders_share_a_hold():
    """In each round of a hold of D-TS, a random leader duels itself."""
    problem = problem_of(INSTANCES["certain cycle"], ["copeland"])
    run = rollout(catalogue()["d-ts"](), problem, np.array([20_000]), streams(5, 0))
    assert stats.chisquare(run.duels.diagonal()).pvalue > 1e-3


# How a block is divided


def test_wins_within_a_block():
    """Each duel of a block adds one win of the first arm, one tie, or neither."""
    ledger = new_ledger(np.array([100]), 1, 2)
    block = ledger.block[0]
    block.count, block.wins, block.ties, found = 40, 15, 5, []
    for part in range(41):
        block.left, ledger.place[0].t = 40 - part, 7 + part
        found.append(outcomes_within(ledger, 3))
    steps = np.diff(found, axis=0)
    assert found[-1] == (15, 5) and steps.min() >= 0 and steps.sum(axis=1).max() == 1


@pytest.mark.parametrize(
    ("n", "marked", "taken"),
    [
        *((7, 3, 4), (100, 15, 50), (100, 90, 30), (60, 30, 30), (60, 25, 20), (60, 21, 30), (1000, 700, 500)),
        *((10**6, 300, 5 * 10**5), (999_999_999, 10**5, 10**4)),
    ],
)
def test_hypergeometric(n, marked, taken):
    draws = np.array([hypergeometric(n, marked, taken, key) for key in range(20_000)])
    law = stats.hypergeom(n, marked, taken)
    low, high = (int(each) for each in law.ppf([0.01, 0.99]))
    edges = np.unique(np.linspace(low, high, 20).astype(int))
    expected = np.diff([0.0, *law.cdf(edges), 1.0]) * len(draws)
    found = np.histogram(draws, [-1, *(edges + 0.5), n + 1])[0]
    keep = expected > 5
    assert stats.chisquare(found[keep], expected[keep] * found[keep].sum() / expected[keep].sum()).pvalue > 1e-3
    assert draws.mean() == pytest.approx(law.mean(), abs=4 * law.std() / len(draws) ** 0.5)


def parts(counts, key):
    """Return how a block is divided after each of its rounds."""
    shares = new_shares(len(counts))
    shares[WHOLE] = counts
    found = []
    for part in range(sum(counts) + 1):
        divide(shares, sum(counts), part, key)
        found.append(shares[PART].tolist())
    return np.array(found)


def test_every_order_of_a_block_is_as_likely():
    """Round by round, a block of 2 + 1 + 1 duels is one of twelve equally likely sequences."""
    found = {}
    for key in range(6000):
        steps = np.diff(parts([2, 1, 1], key), axis=0)
        assert steps.min() == 0 and (steps.sum(axis=1) == 1).all()
        sequence = tuple(steps.argmax(axis=1).tolist())
        found[sequence] = found.get(sequence, 0) + 1
    assert len(found) == 12
    assert stats.chisquare(list(found.values())).pvalue > 1e-3
