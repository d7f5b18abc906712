"""Runs of scripted answers: outcomes, regret, progress, earlier votes, recommendations and declarations."""

from typing import ClassVar, NamedTuple

import numpy as np
import pytest

from duelbench.algorithms.algorithm import Algorithm
from duelbench.conformance.rounds import simulate, streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import BREATH, Streams, rollout
from duelbench.kernels.duels import LONGEST
from duelbench.preferences.counts import PairCounts

P = np.array([[0.5, 0.7, 0.6], [0.3, 0.5, 0.9], [0.4, 0.1, 0.5]])
REGRETS = np.array([[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]])


class ScriptState(NamedTuple):
    answers: list
    seen: list


class Script(Algorithm):
    """Gives scripted answers (first, second, count), cut where necessary, and records outcomes."""

    name = "script"
    State = ScriptState
    answers: list
    seen: ClassVar[list] = []

    def start(self, arms, horizon):
        self.seen.clear()
        self.seen.append(("start", arms, horizon))
        return ScriptState(list(self.answers), self.seen)

    @staticmethod
    def select(state, t, last, rng):
        first, second, count = state.answers.pop(0)
        state.seen.append(("select", t, last))
        if count > last - t + 1 > 0 and first == second:
            state.answers.insert(0, (first, second, count - (last - t + 1)))
            count = last - t + 1
        return first, second, count

    @staticmethod
    def update(state, first, second, wins, count):
        state.seen.append(("update", first, second, wins, count))


def run(answers, marks, progress=None, **rules):
    rngs = Streams(np.random.default_rng(1), np.random.default_rng(2))
    return rollout(Script(answers=answers), Problem(P, REGRETS), np.array(marks), rngs, Rules(**rules), progress)


def test_regret_by_hand():
    course = run([(0, 1, 1), (1, 1, 1), (2, 0, 1), (0, 0, 7), (2, 1, 1)], [1, 2, 3, 5, 11])
    assert course.regret.tolist() == [[1.0, 5.0, 11.0, 11.0, 18.0]]
    assert course.duels.tolist() == [[7, 1, 0], [0, 1, 0], [1, 1, 0]]
    assert course.informative == 3
    said = [entry for entry in Script.seen if entry[0] != "update"]
    assert said[0] == ("start", 3, 11)
    # A question says nothing about checkpoints or the horizon.
    assert said[1:] == [("select", t, t + LONGEST - 1) for t in (1, 2, 3, 4, 11)]


def test_outcomes_come_from_the_environment():
    answers = [(0, 1, 1), (2, 2, 3), (1, 2, 1), (1, 0, 40), (2, 1, 1)]
    run(answers, [46])
    environment = np.random.default_rng(1)
    wins = [
        int(environment.random() < 0.7),
        0,
        int(environment.random() < 0.9),
        int(environment.binomial(40, 0.3)),
        int(environment.random() < 0.1),
    ]
    told = [(first, second, won, count) for (first, second, count), won in zip(answers, wins, strict=True)]
    assert [entry[1:] for entry in Script.seen if entry[0] == "update"] == told


def test_stepping_refuses_holds():
    assert run([(0, 0, 1)] * 4, [4], stepping=True).regret.tolist() == [[0.0]]
    with pytest.raises(ValueError, match="the count must be"):
        run([(0, 1, 2)], [4], stepping=True)


def test_progress_and_parts(monkeypatch):
    answers = [(0, 1, 1), (1, 2, 1), (2, 2, 5), (0, 2, 1), (1, 1, 92)]
    whole = run(answers, [1, 3, 4, 10, 50, 100])
    for part in (1, 2, 1000):
        monkeypatch.setattr("duelbench.engine.rollout.INTERPRETED_PART", part)
        monkeypatch.setattr("duelbench.engine.rollout.FASTER", 1)
        reports = []
        course = run(answers, [1, 3, 4, 10, 50, 100], progress=reports.append)
        assert np.array_equal(course.regret, whole.regret)
        assert sum(reports) == 100
        assert min(reports) > 0
        assert part == 1000 or len(reports) >= 5 / part


def test_largest_part(monkeypatch):
    """Parts have a largest size, so that signals and timeouts are handled even if checkpoints are a day apart."""
    monkeypatch.setattr("duelbench.engine.rollout.LARGEST_PART", 50)
    reports = []
    run([(0, 1, 1)] * 1000, [1000], progress=reports.append)
    assert sum(reports) == 1000
    assert max(reports) <= 50


def test_parts_of_slow_answers(monkeypatch):
    """Slow answers make the next part shorter."""
    clock = [0.0]
    monkeypatch.setattr("duelbench.engine.rollout.time.perf_counter", lambda: clock[0])
    parts = []

    def play(state, problem, rules, ledger, *streams):
        parts.append(answers := int(ledger.place[0].answers))
        ledger.place[0].t += answers
        clock[0] += answers * (1e-6 if ledger.place[0].t < 200_000 else 1e-2)
        if len(parts) == 20:
            ledger.place[0].checkpoint = 1

    monkeypatch.setattr("duelbench.engine.rollout.loop_for", lambda kind: play)
    run([], [10**9])
    assert parts[0] < parts[1] < parts[2]
    assert max(parts) <= 1.01 * BREATH / 1e-6
    assert 1 <= parts[-1] <= 1.01 * BREATH / 1e-2


class Open(Script):
    learns_off_policy: ClassVar[bool] = True


class Declares(Script):
    """Declares arm 1 after seven rounds."""

    def declaration(self, state):
        return 1, 7


def test_declaration_in_votes():
    answers, rngs = [(0, 1, 1), (1, 1, 6), (0, 1, 1), (1, 1, 50)], Streams(*streams(1, 0))
    for rules, declared in ((Rules(), (1, 7)), (Rules(votes=True, max_rounds=50), (1, 2))):
        found = rollout(Declares(answers=answers), Problem(P, REGRETS), np.array([2, 20]), rngs, rules)
        assert found.declaration == declared


def told(kind, earlier, rule, votes=True, counted=None):
    """Return what a script sees, and the recommended arm, after earlier votes and one duel of 0 and 1."""
    rules, rngs = Rules(votes=votes, max_rounds=50), Streams(*streams(1, 0))
    script, problem = kind(answers=[(0, 1, 1)]), Problem(P, REGRETS)
    more = {"earlier": np.array(earlier), "counted": counted}
    found = rollout(script, problem, np.array([1]), rngs, rules, recommend=rule, **more)
    return script.seen[1:], int(found.recommended[0])


def test_earlier_votes():
    arms = len(P)
    earlier = np.zeros((arms, arms), np.int64)
    earlier[2, 0], earlier[0, 2], earlier[2, 1] = 5, 2, 9
    seen, arm = told(Open, earlier, "borda")
    assert seen[:2] == [("update", 0, 2, 2, 7), ("update", 1, 2, 0, 9)]
    assert seen[2] == ("select", 17, 17 + LONGEST - 1) and arm == 2  # rounds continue after the 16 earlier votes


def test_afresh():
    """An algorithm that cannot learn earlier votes begins at round 1; the common rules use the votes."""
    earlier = np.zeros((len(P), len(P)), np.int64)
    earlier[2, 0], earlier[2, 1] = 5, 9
    seen, arm = told(Script, earlier, "borda")
    assert seen[0] == ("select", 1, LONGEST) and arm == 2
    with pytest.raises(ValueError, match="counts votes, not rounds"):
        told(Open, earlier, "borda", votes=False)


def test_ties_of_earlier_votes():
    """Common rules count ties as halves. Arm 0 won once and won the coins of eight ties; arm 1 won three of four."""
    wins, ties = np.zeros((2, len(P), len(P)))
    wins[0, 2], ties[0, 2], wins[1, 2], wins[2, 1] = 1, 8, 3, 1
    wins[0, 1] = wins[1, 0] = 500
    counted = PairCounts(tuple(map(str, range(len(P)))), wins, ties + ties.T)
    earlier = (wins + ties).astype(np.int64)
    assert told(Open, earlier, "borda")[1] == 0 and told(Open, earlier, "borda", counted=counted)[1] == 1


def test_own_or_borda():
    earlier = np.zeros((len(P), len(P)), np.int64)
    earlier[0, 1], earlier[1, 2], earlier[2, 1], earlier[0, 2], earlier[2, 0] = 99, 49, 51, 49, 51
    assert [told(Open, earlier, rule)[1] for rule in ("own or borda", "borda", "own", "copeland")] == [0, 0, 2, 2]


class Anew(Script):
    """Reports that it restarted after these rounds."""

    anew: ClassVar[object] = ()

    def detections(self, state):
        return self.anew


@pytest.mark.parametrize("anew", [(), [2], np.array([1, 3]), (4,)])
def test_detections(monkeypatch, anew):
    monkeypatch.setattr(Anew, "anew", anew)
    assert Anew.detects() and not Script.detects()
    course = simulate(Anew(answers=[(0, 0, 9)]), P, REGRETS, np.array([2, 4]), *streams(1, 0))
    assert course.detections == tuple(anew)


@pytest.mark.parametrize("anew", [3, None, {3}, [2.0], [0], [3, 3], [4, 2], [5], [True]])
def test_detections_that_are_no_rounds(monkeypatch, anew):
    monkeypatch.setattr(Anew, "anew", anew)
    with pytest.raises(ValueError, match="increasing rounds from 1 … 4"):
        simulate(Anew(answers=[(0, 0, 9)]), P, REGRETS, np.array([2, 4]), *streams(1, 0))
