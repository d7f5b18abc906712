"""The round loop by itself: when outcomes are told, and what the ledger has. Whole runs: test_engine_rollout."""

from types import SimpleNamespace

import numpy as np
import pytest

from duelbench.engine import play as module
from duelbench.engine.play import Problem, Rules, new_ledger, play

P = np.array([[0.5, 1.0], [0.0, 0.5]])
COSTS = np.array([[[0.0, 1.0], [2.0, 3.0]]])


def told(monkeypatch, answers, marks, delay, stepping=False, at_once=1000, problem=None, **rules):
    """Play scripted answers, so many ``at_once``; return what was asked, (t, last), what was told, and the ledger.

    What was told has its round.
    """
    script, asked, heard = iter(answers), [], []
    now = SimpleNamespace(t=0)

    def choose(state, t, last, rng):
        now.t = t
        asked.append((t, int(last)))
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
        loop(None, problem, Rules(delay, stepping, **rules), ledger, at_once, *streams)
        assert len(asked) <= before + at_once
    return asked, heard, ledger


def test_outcomes_come_at_once_without_delay(monkeypatch):
    asked, heard, ledger = told(monkeypatch, [(0, 1, 1), (1, 0, 1), (1, 1, 9)], [2, 5], 1)
    assert asked == [(1, 2), (2, 2), (3, 5)]
    assert heard == [(1, 0, 1, 1, 1), (2, 1, 0, 0, 1), (3, 1, 1, 0, 3)]
    assert ledger.regret.tolist() == [[3.0, 12.0]]
    assert ledger.duels.tolist() == [[0, 1], [1, 3]]
    assert ledger.place[0].tolist() == (6, 2, 2, 0)
    assert ledger.votes.tolist() == [2, 2]
    assert ledger.wins.tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("delay", [2, 3])
def test_late_outcomes_come_together_after_every_so_many_rounds(monkeypatch, delay):
    _, heard, ledger = told(monkeypatch, [(0, 1, 1)] * 7, [7], delay)
    assert [t for t, *_ in heard] == [delay * ((k // delay) + 1) for k in range(7 // delay * delay)]
    assert ledger.place[0].waiting == 7 % delay


def test_an_answer_ends_where_the_next_outcomes_arrive(monkeypatch):
    # A duel in round 1 is heard of after round 4, so that a hold asked for in round 2 ends there.
    asked, heard, ledger = told(monkeypatch, [(0, 1, 1), (1, 1, 50), (1, 1, 50)], [20], 4)
    assert asked == [(1, 20), (2, 4), (5, 20)]
    assert heard == [(2, 0, 1, 1, 1)]
    assert ledger.duels.tolist() == [[0, 1], [0, 19]]
    asked, *_ = told(monkeypatch, [(0, 1, 1)] * 4 + [(1, 1, 50)], [20], 4)
    assert asked == [(1, 20), (2, 4), (3, 4), (4, 4), (5, 20)]


def test_late_self_duel(monkeypatch):
    _, heard, _ = told(monkeypatch, [(0, 0, 1), (1, 1, 2), (0, 1, 1), (1, 1, 50)], [20], 4)
    assert heard == [(4, 0, 0, 0, 1), (4, 0, 1, 1, 1)]


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_call_ends_after_so_many_answers_and_the_next_one_goes_on(monkeypatch, at_once):
    script = [(0, 1, 1), (1, 1, 50), (1, 0, 1), (0, 0, 2), *[(1, 1, 50)] * 9]
    asked, heard, ledger = told(monkeypatch, script, [9, 20], 4)
    again = told(monkeypatch, script, [9, 20], 4, at_once=at_once)
    assert again[:2] == (asked, heard)
    for one, other in zip(again[2], ledger, strict=True):
        assert one.tolist() == other.tolist()


def test_votes_are_counted_in_the_place_of_rounds(monkeypatch):
    # Each time as many rounds are to be had as votes are missing, however many self-duels were played before.
    answers = [(0, 1, 2), (1, 1, 50), (1, 0, 1), (0, 0, 50), (0, 1, 50)]
    asked, _, ledger = told(monkeypatch, answers, [3, 8], 1, votes=True)
    assert asked == [(1, 3), (3, 3), (4, 4), (5, 9), (10, 14)]
    assert ledger.votes.tolist() == [3, 8]
    assert ledger.duels.tolist() == [[5, 7], [1, 1]]
    assert ledger.regret.tolist() == [[0 * 0 + 2 * 1 + 1 * 2 + 1 * 3, 7 * 1 + 1 * 2 + 1 * 3]]


def test_a_run_ends_at_its_most_rounds_and_leaves_the_rest_as_it_is(monkeypatch):
    asked, _, ledger = told(monkeypatch, [(0, 1, 1)] + [(1, 1, 50)] * 4, [1, 4, 9], 1, votes=True, most=12)
    assert asked == [(1, 1), (2, 4), (5, 7), (8, 10), (11, 12)]
    assert ledger.votes.tolist() == [1, 1, 1]
    assert ledger.regret.tolist() == [[1.0, 34.0, 34.0]]
    assert ledger.place[0].t == 13


@pytest.mark.parametrize("arms", [15, 16, 17, 40])
def test_regret_is_the_sum_over_all_pairs_in_their_order(monkeypatch, arms):
    """To the last bit, though pairs that never met are passed over."""
    rng = np.random.default_rng(arms)
    asked = rng.integers(arms, size=(60, 2)).tolist()
    script = iter(asked)
    monkeypatch.setattr(module, "select", lambda state, t, last, policy: (*next(script), 1))
    monkeypatch.setattr(module, "update", lambda *_: None)
    regrets = rng.random((2, arms, arms))
    ledger = new_ledger(np.array([7, 60]), 2, arms)
    getattr(play, "py_func", play)(None, Problem(np.full((arms, arms), 0.5), regrets), Rules(), ledger, 100, rng, rng)
    for k, t in enumerate((7, 60)):
        duels = np.zeros((arms, arms))
        np.add.at(duels, tuple(np.transpose(asked[:t])), 1)
        for kind in range(2):
            assert ledger.regret[kind, k] == np.cumsum(duels * regrets[kind])[-1]


def test_a_pausing_call_ends_at_each_checkpoint(monkeypatch):
    monkeypatch.setattr(module, "select", lambda state, t, last, rng: (0, 1, 1))
    monkeypatch.setattr(module, "update", lambda *_: None)
    ledger = new_ledger(np.array([2, 3, 7]), 1, 2)
    ends = []
    while ledger.place[0].checkpoint < 3:
        getattr(play, "py_func", play)(
            None, Problem(P, np.zeros((1, 2, 2))), Rules(pausing=True), ledger, 100, *[np.random.default_rng(1)] * 2
        )
        ends.append(int(ledger.place[0].t) - 1)
    assert ends == [2, 3, 7]


FLIPPED = np.array([[0.5, 0.0], [1.0, 0.5]])


def changing(monkeypatch, answers, marks, begins, delay=1, **rules):
    """As ``told``, where P and the costs change at some rounds: arm 1 wins in every second piece."""
    pieces = [P, FLIPPED] * len(begins)
    problem = Problem.changing(begins, pieces[: len(begins)], [COSTS * 100**k for k in range(len(begins))])
    return told(monkeypatch, answers, marks, delay, problem=problem, **rules)


def test_no_answer_reaches_beyond_a_change_and_each_piece_has_its_own_matrix_and_regret(monkeypatch):
    asked, heard, ledger = changing(monkeypatch, [(1, 1, 50), (0, 1, 3)] * 9, [3, 10, 20], [1, 5, 6, 11])
    assert asked == [(1, 3), (4, 4), (5, 5), (6, 10), (9, 10), (11, 20), (14, 20)]
    assert heard == [
        (1, 1, 1, 0, 3),
        (4, 0, 1, 1, 1),  # the first matrix in its last round
        (5, 1, 1, 0, 1),
        (6, 0, 1, 3, 3),  # and again from round 6 on
        (9, 1, 1, 0, 2),
        (11, 0, 1, 0, 3),
        (14, 1, 1, 0, 7),
    ]
    at_3 = 3 * 3
    at_10 = at_3 + 1 + 100 * 3 + 100**2 * (3 * 1 + 2 * 3)
    assert ledger.regret.tolist() == [[at_3, at_10, at_10 + 100**3 * (3 * 1 + 7 * 3)]]
    assert ledger.duels.tolist() == [[0, 7], [0, 13]]


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_a_call_goes_on_in_the_piece_that_is_on(monkeypatch, at_once):
    script, marks, begins = [(1, 1, 50), (0, 1, 3)] * 9, [3, 10, 20], [1, 5, 6, 11]
    whole = changing(monkeypatch, script, marks, begins, at_once=1000)
    again = changing(monkeypatch, script, marks, begins, at_once=at_once)
    assert again[:2] == whole[:2]
    for one, other in zip(again[2], whole[2], strict=True):
        assert one.tolist() == other.tolist()


def test_outcomes_on_their_way_are_those_of_the_piece_they_were_fought_in(monkeypatch):
    _, heard, _ = changing(monkeypatch, [(0, 1, 1)] * 8, [8], [1, 4], delay=2)
    assert [wins for *_, wins, _ in heard] == [1, 1, 1, 0, 0, 0, 0, 0]


def test_changes_are_at_rounds_where_votes_are_counted(monkeypatch):
    asked, heard, ledger = changing(monkeypatch, [(1, 1, 4), (0, 1, 2), (0, 1, 9)], [3], [1, 6], votes=True)
    assert asked == [(1, 3), (4, 5), (6, 6)]
    assert heard == [(1, 1, 1, 0, 3), (4, 0, 1, 2, 2), (6, 0, 1, 0, 1)]
    assert ledger.votes.tolist() == [3]


def test_a_change_after_the_last_round_is_nothing(monkeypatch):
    script = [(0, 1, 1), (1, 1, 50), (0, 1, 1), (1, 1, 50), (1, 1, 50)]
    _, heard, ledger = changing(monkeypatch, script, [2, 6], [1, 7])
    other = told(monkeypatch, script, [2, 6], 1)
    assert (heard, ledger.regret.tolist()) == (other[1], other[2].regret.tolist())
