"""MDB: its path is the literal one, with every inner algorithm and through every reset; its constants; its holds."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from duelbench.algorithms.monitored import mdb
from duelbench.algorithms.monitored.mdb import Mdb
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.conformance.rounds import Rounds, streams
from duelbench.engine.play import Rules
from duelbench.engine.rollout import rollout
from duelbench.literal import halves
from duelbench.literal import mdb as literal
from tests.monitored import NAMES, ORDERS, changing, on_changes, path_of, plays_as_written, plays_changes_as_written
from tests.paths import INSTANCES

CASES = {
    "ws-s": {"window": 6, "threshold": 1.0, "gamma": 0.3},
    "ws-s, rarely": {"window": 10, "threshold": 3.0, "gamma": 0.1, "beta": 1.3},
    "ws-s, computed": {"M": 3, "delta": 0.9},
    "ws-s, always": {"window": 4, "threshold": 1.0, "gamma": 1.0},
    "rucb": {"inner": "rucb", "window": 6, "threshold": 1.5, "gamma": 0.2},
    "rucb, transfer": {"inner": "rucb", "transfer": True, "window": 6, "threshold": 1.5, "gamma": 0.2, "alpha": 0.3},
}
SEEN = {"window": 20, "threshold": 7.0, "gamma": 0.3}
"""What sees a winner that loses nine times in ten instead of one."""


@pytest.mark.parametrize("case", CASES)
def test_the_path_is_the_literal_one(case):
    for name in NAMES:
        assert plays_as_written(Mdb(**CASES[case]), literal, name), name


@pytest.mark.parametrize("inner", ["ws-s", "rucb"])
def test_it_is_the_literal_one_where_preferences_change_and_sees_that(inner):
    algorithm = Mdb(inner=inner, **SEEN)
    assert plays_changes_as_written(algorithm, 1000, 1)
    before, after = on_changes(algorithm, 1000, 1).detections
    assert 1000 < before < 1400 < 2000 < after < 2400


def swapped(self, outcome, b, right=halves.Window.has_changed):
    """Take the oldest third for the older half."""
    right(self, outcome, b)
    part = len(self.outcomes) // 3
    older, newer = self.outcomes[:part], self.outcomes[part:]
    return len(self.outcomes) == self.w and abs(sum(newer) - sum(older)) > b


def kept(pairs):
    """Return what makes the windows of so many pairs once, and gives them out again at each reset."""
    made = []

    def window(w):
        made.append(made[-pairs] if len(made) >= pairs else halves.Window(w))
        return made[-1]

    return window


MISTAKES = {
    "a reset that keeps the windows": (literal, "Window", kept(10)),
    "unequal halves": (halves.Window, "has_changed", swapped),
    "the sweep at the end of the period": (literal, "sweep_place", lambda t, period: period - 1 - (t - 1) % period),
    "a window too long": (halves.Window, "__init__", lambda self, w: vars(self).update(w=w + 2, outcomes=[])),
    "a new order after a change": (literal, "shuffled", lambda pairs, policy: list(pairs)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_transcription_has_another_path(mistake, monkeypatch):
    module, attribute, wrong = MISTAKES[mistake]
    matrix, parameters = INSTANCES["mslr5-condorcet"], CASES["ws-s"]
    ours = engine_path(Mdb(**parameters), matrix, 1000, 1)
    assert np.array_equal(ours, literal_path(literal.run, matrix, 1000, 1, **parameters))
    monkeypatch.setattr(module, attribute, wrong)
    assert not np.array_equal(ours, literal_path(literal.run, matrix, 1000, 1, **parameters))


@pytest.mark.parametrize(
    "mistake", [{"threshold": 2.0}, {"gamma": 0.29}, {"window": 8}, {"beta": 1.2}, {"inner": "rucb"}], ids=str
)
def test_a_mistaken_algorithm_has_another_path(mistake):
    matrix, parameters = INSTANCES["mslr5-condorcet"], CASES["ws-s"]
    ours = engine_path(Mdb(**parameters | mistake), matrix, 1000, 1)
    assert not np.array_equal(ours, literal_path(literal.run, matrix, 1000, 1, **parameters))


@pytest.mark.parametrize(
    ("horizon", "arms", "segments", "delta", "expected"),
    [(10**6, 10, 10, 0.3, (1660, 124.44, 0.5798, 77)), (10**6, 5, 5, 0.6, (438, 65.68, 0.0936, 106))],
)
def test_constants_are_those_of_the_authors(horizon, arms, segments, delta, expected):
    state = Mdb(M=segments, delta=delta).start(arms, horizon)
    gamma = mdb.gamma_of(horizon, arms, segments, state.windows.length)
    found = state.windows.length, round(state.threshold, 2), round(gamma, 4), state.period
    assert found == expected
    assert literal.constants(horizon, arms, segments, delta) == pytest.approx((expected[0], state.threshold, gamma))


def test_a_horizon_too_short_for_a_smaller_share_watches_all_the_time():
    state = Mdb().start(4, 300)
    assert state.period == 6
    assert math.isfinite(state.threshold)


def test_a_share_above_1_is_refused():
    with pytest.raises(ValidationError, match="less than or equal to 1"):
        Mdb(gamma=1.2)
    with pytest.raises(ValidationError, match="only rucb can hear of the pairs that are watched: write inner: rucb"):
        Mdb(transfer=True)


@pytest.mark.parametrize("inner", ["ws-s", "rucb"])
def test_holds_end_before_the_next_sweep(inner):
    """A run looked at three times, and at every round: where no block is asked for its duels are the same."""
    algorithm, problem, longest = Mdb(inner=inner, gamma=0.02, alpha=0.2), changing(20_000), 0
    run = Rounds(algorithm, ORDERS[0].P, 20_000, streams(1, 0))
    while not run.over:
        answer = run.answer()
        place = (answer.t - 1) % run.state.period
        assert place + answer.duels <= run.state.period
        assert place >= 6 or answer.duels == 1
        longest = max(longest, answer.duels if answer.first == answer.second else 0)
    assert longest == run.state.period - 6
    if inner == "rucb":  # which asks for no blocks
        marks = np.array([100, 7000, 60_000])
        held = rollout(algorithm, problem, marks, streams(1, 0))
        stepped = rollout(algorithm, problem, np.arange(1, 60_001), streams(1, 0))
        assert np.array_equal(held.duels, stepped.duels)
        assert np.array_equal(held.regret, stepped.regret[:, marks - 1])


def test_what_was_asked_for_before_a_change_is_dropped():
    """Late outcomes: it finds the new winner all the same."""
    for inner in ("ws-s", "rucb"):
        run = on_changes(Mdb(inner=inner, **SEEN), 3000, 1, rules=Rules(delay=30))
        path = path_of(run)
        assert len(run.detections) == 2
        for end, winner in ((3000, 0), (6000, 3), (9000, 2)):
            assert np.mean(path[end - 500 : end] == winner) > 0.6
