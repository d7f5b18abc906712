"""The round loop and its inputs: problems, checkpoints, streams. Whole runs: test_engine_rollout."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.algorithms.thompson.rcs import Rcs
from duelbench.engine import play as module
from duelbench.engine.play import Problem, Rules, new_ledger, play
from duelbench.engine.problem import checkpoints, problem_of, regret_of
from duelbench.engine.streams import outcomes_stream, policy_stream, stream
from duelbench.errors import UserError
from duelbench.kernels.blocks import WHOLE, new_shares
from duelbench.kernels.duels import LONGEST
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table

# The round loop: when outcomes are told, and the ledger.


P = np.array([[0.5, 1.0], [0.0, 0.5]])
COSTS = np.array([[[0.0, 1.0], [2.0, 3.0]]])
FAR = "far"
"""Stands for a last round that is limited only by the largest block."""


def told(monkeypatch, answers, marks, delay, stepping=False, at_once=1000, problem=None, **rules):
    """Play scripted answers, ``at_once`` at a time; return questions (t, last), told outcomes, and the ledger.

    Told outcomes begin with the round of the latest question.
    """
    script, asked, heard = iter(answers), [], []
    now = SimpleNamespace(t=0)

    def choose(state, t, last, rng):
        now.t = t
        asked.append((t, int(last) if last < t + LONGEST - 1 else FAR))
        first, second, count = next(script)
        return first, second, min(count, last - t + 1)

    monkeypatch.setattr(module, "select", choose)
    monkeypatch.setattr(module, "update", lambda state, *outcome: heard.append((now.t, *outcome)))
    ledger = new_ledger(np.array(marks), 1, 2, delay)
    problem = problem or Problem(P, COSTS)
    loop = getattr(play, "py_func", play)
    streams = np.random.default_rng(1), np.random.default_rng(2)
    while ledger.place[0].checkpoint < len(marks):
        before = len(asked)
        ledger.place[0].answers = at_once
        loop(None, problem, Rules(delay, stepping, **rules), ledger, *streams)
        assert len(asked) <= before + at_once
    ledger.place[0].answers = 0
    return asked, heard, ledger


def test_outcomes_without_delay(monkeypatch):
    asked, heard, ledger = told(monkeypatch, [(0, 1, 1), (1, 0, 1), (1, 1, 9)], [2, 5], 1)
    assert asked == [(1, FAR), (2, FAR), (3, FAR)]
    assert heard == [(1, 0, 1, 1, 1), (2, 1, 0, 0, 1)]  # the hold goes on beyond the end
    assert ledger.regret.tolist() == [[3.0, 12.0]]
    assert ledger.duels.tolist() == [[0, 1], [1, 3]]
    assert ledger.place[0].tolist()[:4] == (6, 2, 2, 0)
    assert ledger.votes.tolist() == [2, 2]
    assert ledger.wins.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("delay", [2, 3])
def test_late_outcomes_come_together(monkeypatch, delay):
    _, heard, ledger = told(monkeypatch, [(0, 1, 1)] * 7, [7], delay)
    assert [t for t, *_ in heard] == [delay * ((k // delay) + 1) for k in range(7 // delay * delay)]
    assert ledger.place[0].waiting == 7 % delay


def test_answer_ends_where_outcomes_arrive(monkeypatch):
    # The outcome of round 1 arrives after round 4, so a hold that begins in round 2 ends there.
    asked, heard, ledger = told(monkeypatch, [(0, 1, 1), (1, 1, 50), (1, 1, 50)], [20], 4)
    assert asked == [(1, FAR), (2, 4), (5, FAR)]
    assert heard == [(2, 0, 1, 1, 1)]
    assert ledger.duels.tolist() == [[0, 1], [0, 19]]
    asked, *_ = told(monkeypatch, [(0, 1, 1)] * 4 + [(1, 1, 50)], [20], 4)
    assert asked == [(1, FAR), (2, 4), (3, 4), (4, 4), (5, FAR)]


def test_late_self_duel(monkeypatch):
    _, heard, _ = told(monkeypatch, [(0, 0, 1), (1, 1, 2), (0, 1, 1), (1, 1, 50)], [20], 4)
    assert heard == [(4, 0, 0, 0, 1), (4, 0, 1, 1, 1)]


def test_votes_in_place_of_rounds(monkeypatch):
    # A block is counted only up to the number of missing votes, however many self-duels there were before.
    answers = [(0, 1, 2), (1, 1, 50), (1, 0, 1), (0, 0, 50), (0, 1, 50)]
    asked, _, ledger = told(monkeypatch, answers, [3, 8], 1, votes=True)
    assert asked == [(1, FAR), (3, FAR), (53, FAR), (54, FAR), (104, FAR)]
    assert ledger.votes.tolist() == [3, 8]
    assert ledger.duels.tolist() == [[50, 7], [1, 50]]
    assert ledger.regret.tolist() == [[2 * 1 + 50 * 3 + 1 * 2, 7 * 1 + 50 * 3 + 1 * 2]]


def test_max_rounds(monkeypatch):
    asked, _, ledger = told(monkeypatch, [(0, 1, 1)] + [(1, 1, 50)] * 4, [1, 4, 9], 1, votes=True, max_rounds=12)
    assert asked == [(1, FAR), (2, FAR)]
    assert ledger.votes.tolist() == [1, 1, 1]
    assert ledger.regret.tolist() == [[1.0, 34.0, 34.0]]
    assert ledger.place[0].t == 13


@pytest.mark.parametrize("arms", [15, 16, 17, 40])
def test_regret_to_the_last_bit(monkeypatch, arms):
    """The regret is exact although pairs that never met are skipped."""
    rng = np.random.default_rng(arms)
    asked = rng.integers(arms, size=(60, 2)).tolist()
    script = iter(asked)
    monkeypatch.setattr(module, "select", lambda state, t, last, policy: (*next(script), 1))
    monkeypatch.setattr(module, "update", lambda *_: None)
    regrets = rng.random((2, arms, arms))
    ledger = new_ledger(np.array([7, 60]), 2, arms)
    getattr(play, "py_func", play)(None, Problem(np.full((arms, arms), 0.5), regrets), Rules(), ledger, rng, rng)
    for k, t in enumerate((7, 60)):
        duels = np.zeros((arms, arms))
        np.add.at(duels, tuple(np.transpose(asked[:t])), 1)
        for kind in range(2):
            assert ledger.regret[kind, k] == np.cumsum(duels * regrets[kind])[-1]


def test_checkpoints_within_a_block(monkeypatch):
    """The duels of a block are counted in parts, its outcomes with the last duel."""
    _, heard, ledger = told(monkeypatch, [(0, 1, 10), (1, 1, 20)], [3, 4, 11, 20], 1)
    assert heard == [(1, 0, 1, 10, 10)]
    assert ledger.regret.tolist() == [[3, 4, 10 + 3, 10 + 10 * 3]]
    _, heard, ledger = told(monkeypatch, [(0, 1, 10)], [3, 7], 1)
    assert (heard, ledger.duels[0, 1], ledger.wins[0, 1], ledger.block[0].left) == ([], 7, 0, 3)


def test_a_shared_hold_is_divided(monkeypatch):
    """The self-duels are divided among several arms at each checkpoint; a hold of one round draws nothing."""
    shares = new_shares(2)

    def choose(state, t, last, rng):
        shares[WHOLE] = (300, 700) if t == 1 else (0, 1)
        return 0, 0, int(shares[WHOLE].sum())

    monkeypatch.setattr(module, "select", choose)
    monkeypatch.setattr(module, "update", lambda *_: None)
    marks, rng = np.array([1, 10, 500, 1000, 1001]), np.random.default_rng(1)
    tables = np.array([[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]])
    ledger = new_ledger(marks, 2, 2, shares=shares)
    getattr(play, "py_func", play)(None, Problem(P, tables), Rules(), ledger, rng, rng)
    assert ledger.regret.sum(axis=0).tolist() == marks.tolist()
    assert ledger.regret[:, 3:].tolist() == [[300, 300], [700, 701]]
    assert abs(ledger.regret[0, 2] - 150) < 40
    assert ledger.duels.tolist() == [[300, 0], [0, 701]] and not shares[:2].any()
    untouched = np.random.default_rng(1)
    untouched.random()
    assert rng.random() == untouched.random()


def test_pausing_at_checkpoints(monkeypatch):
    monkeypatch.setattr(module, "select", lambda state, t, last, rng: (0, 1, 1))
    monkeypatch.setattr(module, "update", lambda *_: None)
    ledger = new_ledger(np.array([2, 3, 7]), 1, 2)
    ends = []
    while ledger.place[0].checkpoint < 3:
        ledger.place[0].answers = 100
        getattr(play, "py_func", play)(
            None, Problem(P, np.zeros((1, 2, 2))), Rules(pausing=True), ledger, *[np.random.default_rng(1)] * 2
        )
        ends.append(int(ledger.place[0].t) - 1)
    assert ends == [2, 3, 7]


FLIPPED = np.array([[0.5, 0.0], [1.0, 0.5]])


def changing(monkeypatch, answers, marks, starts, delay=1, **rules):
    """Call ``told`` with P and costs that change in the rounds ``starts``; arm 1 wins in every second segment."""
    segments = [P, FLIPPED] * len(starts)
    problem = Problem.changing(starts, segments[: len(starts)], [COSTS * 100**k for k in range(len(starts))])
    return told(monkeypatch, answers, marks, delay, problem=problem, **rules)


def test_change(monkeypatch):
    answers = [(1, 1, 3), *[(0, 1, 3)] * 3, (1, 1, 50), (0, 1, 3), (1, 1, 50)]
    asked, heard, ledger = changing(monkeypatch, answers, [3, 10, 20], [1, 5, 6, 11])
    assert asked == [(1, 4), (4, 4), (5, 5), (6, 10), (9, 10), (11, FAR), (14, FAR)]
    assert heard == [
        (1, 1, 1, 0, 3),
        (4, 0, 1, 1, 1),  # the first matrix in its last round
        (5, 0, 1, 0, 1),
        (6, 0, 1, 3, 3),  # and again from round 6 on
        (9, 1, 1, 0, 2),
        (11, 0, 1, 0, 3),
    ]
    at_3 = 3 * 3
    at_10 = at_3 + 1 + 100 * 1 + 100**2 * (3 * 1 + 2 * 3)
    assert ledger.regret.tolist() == [[at_3, at_10, at_10 + 100**3 * (3 * 1 + 7 * 3)]]
    assert ledger.duels.tolist() == [[0, 8], [0, 12]]


@pytest.mark.parametrize("at_once", [1, 2, 3])
@pytest.mark.parametrize("delay", [1, 4])
def test_call_after_call(monkeypatch, at_once, delay):
    script, marks, starts = [(1, 1, 50), (0, 1, 3), (0, 0, 1)] * 9, [3, 10, 20], [1, 5, 6, 11]
    whole = changing(monkeypatch, script, marks, starts, delay)
    again = changing(monkeypatch, script, marks, starts, delay, at_once=at_once)
    assert again[:2] == whole[:2]
    for one, other in zip(again[2], whole[2], strict=True):
        assert one.tolist() == other.tolist()


def test_late_outcomes_of_before_a_change(monkeypatch):
    _, heard, _ = changing(monkeypatch, [(0, 1, 1)] * 8, [8], [1, 4], delay=2)
    assert [wins for *_, wins, _ in heard] == [1, 1, 1, 0, 0, 0, 0, 0]


def test_changes_are_at_rounds(monkeypatch):
    asked, heard, ledger = changing(monkeypatch, [(1, 1, 4), (0, 1, 2), (0, 1, 9)], [3], [1, 6], votes=True)
    assert asked == [(1, 5), (5, 5), (6, FAR)]
    assert heard == [(1, 1, 1, 0, 4), (5, 0, 1, 1, 1)]
    assert ledger.votes.tolist() == [3]


# Problems: the regret of each segment against its own best arm.


KINDS = ("copeland", "weak")
ONE = [[0.5, 0.8, 0.7], [0.2, 0.5, 0.6], [0.3, 0.4, 0.5]]
TWO = [[0.5, 0.1, 0.7], [0.9, 0.5, 0.6], [0.3, 0.4, 0.5]]


def test_problem_of_one_matrix():
    matrix = PreferenceMatrix(ONE)
    problem = problem_of(matrix, KINDS)
    assert problem.P is matrix.P
    assert problem.starts.tolist() == [1]
    assert np.array_equal(problem.regrets, [regret_table(matrix, kind) for kind in KINDS])


def test_problem_of_pieces():
    found = Changing([(1, ONE), (5, TWO)])
    problem = problem_of(found, KINDS)
    assert (problem.arms, problem.P.shape, problem.regrets.shape) == (3, (6, 3), (2, 6, 3))
    assert not problem.P.flags.writeable
    for t, matrix in ((1, ONE), (4, ONE), (5, TWO), (99, TWO)):
        assert np.array_equal(problem.regrets_at(t)[1], regret_table(PreferenceMatrix(matrix), "weak"))
    duels = np.arange(9).reshape(3, 3)
    assert np.allclose(regret_of(problem, 7, duels), (problem.regrets[:, 3:] * duels).sum(axis=(1, 2)), rtol=1e-14)
    assert not np.allclose(regret_of(problem, 7, duels), regret_of(problem, 4, duels))


def test_equal_self_duels():
    tied = [[0.5, 0.5, 0.7], [0.5, 0.5, 0.7], [0.3, 0.3, 0.5]]
    equal = problem_of(PreferenceMatrix(tied), KINDS[:1]).equal_self_duels()
    assert equal.tolist() == [[True, True, False], [True, True, False], [False, False, True]]
    both = problem_of(Changing([(1, tied), (9, ONE)]), KINDS[:1]).equal_self_duels()
    assert np.array_equal(both, np.eye(3, dtype=bool))


def test_piece_without_a_winner():
    circle = [[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]
    with pytest.raises(UserError, match="needs a Condorcet winner"):
        problem_of(Changing([(1, ONE), (5, circle)]), KINDS)


@pytest.mark.parametrize("starts", [[1], [2, 5], [1, 1], [5, 1]])
def test_pieces_in_disorder(starts):
    with pytest.raises(ValueError, match="increasing rounds from 1"):
        Problem.changing(starts, [np.eye(2)] * 2, [np.zeros((1, 2, 2))] * 2)


# Checkpoints.


def test_checkpoints_by_hand():
    assert checkpoints([1], 20).tolist() == [1]
    assert checkpoints([10], 1).tolist() == [1, 10]
    assert checkpoints([999], 1).tolist() == [1, 10, 100, 999]
    assert checkpoints([100], 4).tolist() == [1, 2, 3, 6, 10, 18, 32, 56, 100]
    assert checkpoints([50, 7], 1).tolist() == [1, 7, 10, 50]


@given(some.lists(some.integers(1, 10**12), min_size=1, max_size=4), some.integers(1, 1000))
def test_checkpoints_increase(horizons, per_decade):
    marks = checkpoints(horizons, per_decade)
    assert marks.dtype == np.int64
    assert marks[-1] == max(horizons)
    assert np.all(np.diff(marks) > 0)
    assert marks[0] == 1
    assert set(horizons) <= set(marks.tolist())
    assert {10**k for k in range(13) if 10**k <= max(horizons)} <= set(marks.tolist())


@given(some.integers(1, 10**12), some.integers(1, 10**12), some.integers(1, 200))
def test_checkpoints_of_a_shorter_run(a, b, per_decade):
    short, long = sorted((a, b))
    shorter, longer = checkpoints([short], per_decade), checkpoints([long], per_decade)
    assert np.array_equal(shorter[shorter < short], longer[longer < short])


# Streams.


def test_stream_is_pinned():
    """A change here changes all results ever computed: it must not happen by accident."""
    assert stream(2016, dataset="six-rankers", run=3).random(3).tolist() == [
        0.10982787799877392,
        0.8521520736461545,
        0.4510804588780596,
    ]
    assert stream(0).integers(0, 10**9, 4).tolist() == [793818656, 76810722, 787250551, 970971803]
    assert stream(2**63 - 1, policy={"name": "rucb", "alpha": 0.51}).random() == 0.5199659854393889


def test_stream_depends_on_all_but_order():
    first = stream(1, dataset="x", run=2).random()
    assert stream(1, run=2, dataset="x").random() == first
    nested = stream(1, policy={"a": 1, "b": 2}).random()
    assert stream(1, policy={"b": 2, "a": 1}).random() == nested
    others = [
        stream(2, dataset="x", run=2),
        stream(1, dataset="x", run=3),
        stream(1, dataset="x", run="2"),
        stream(1, dataset="y", run=2),
        stream(1, dataset="x", runs=2),
        stream(1, dataset="x"),
        stream(1, dataset="x", run=2, more=None),
        stream(1),
    ]
    assert len({first, nested, *(other.random() for other in others)}) == 2 + len(others)


def test_axes_of_a_run():
    """Duels depend on the dataset and the run; choices also depend on the algorithm and its parameters."""
    first, dataset = Rucb(), {"matrix": "x"}
    duels = [outcomes_stream(1, dataset, 0), outcomes_stream(1, dataset, 1), outcomes_stream(1, {"matrix": "y"}, 0)]
    others = [(dataset, 1, first), ({"matrix": "y"}, 0, first), (dataset, 0, Rucb(alpha=0.6)), (dataset, 0, Rcs())]
    choices = [policy_stream(1, *each) for each in [(dataset, 0, first), *others]]
    assert len({each.random() for each in [*duels, *choices]}) == 8


def test_stream_of_what_json_cannot_write():
    with pytest.raises(TypeError):
        stream(1, thing=object())
