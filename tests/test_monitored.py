"""Algorithms that detect changes: what the paths in catalogue.py, on a single matrix, do not test.

ANACONDA is tested in test_anaconda.py.
"""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from duelbench.algorithms.monitored import mdb
from duelbench.algorithms.monitored.change_detection import (
    MOST_DETECTIONS,
    MOST_OPEN,
    ask,
    new_detections,
    new_open_duels,
    new_windows,
    note,
    noted,
    push,
    received,
)
from duelbench.algorithms.monitored.detect import Detect
from duelbench.algorithms.monitored.mdb import Mdb
from duelbench.conformance.rounds import Rounds, streams
from duelbench.engine.play import Rules
from duelbench.engine.rollout import rollout
from tests.monitored import ORDERS, changing, on_changes, path_of
from tests.reference import mdb as mdb_reference
from tests.reference_paths import reference_course

WATCHING = {
    **{inner: Detect(inner=inner, explore=300, window=40, threshold=14.0) for inner in ("ws-w", "btw", "mbtw")},
    **{inner: Mdb(inner=inner, window=20, threshold=7.0, gamma=0.3) for inner in ("ws-s", "rucb")},
}
"""Parameters that detect a winner that starts to lose nine times in ten instead of once."""
watching = pytest.mark.parametrize("algorithm", WATCHING.values(), ids=WATCHING.keys())


@watching
def test_path_where_preferences_change(algorithm):
    run = on_changes(algorithm, 1000, 1)
    reference, _ = reference_course(algorithm, changing(1000), 3000, 1)
    assert np.array_equal(path_of(run), reference)
    before, after = run.detections
    assert 1000 < before < 1400 < 2000 < after < 2400


@watching
def test_late_outcomes(algorithm):
    """Outcomes from before a change are dropped."""
    run = on_changes(algorithm, 3000, 1, rules=Rules(delay=30))
    assert len(run.detections) == 2
    for end, winner in ((3000, 0), (6000, 3), (9000, 2)):
        assert np.mean((path_of(run)[end - 500 : end] == winner).any(axis=1)) > (
            0.6 if isinstance(algorithm, Mdb) else 0.99
        )


def test_detect_constants():
    state = Detect().start(10, 10**6)
    assert (state.explore, state.windows.length, round(state.threshold, 2)) == (1000, 900, 67.5)
    assert Detect(form="log", p_min=0.8).start(10, 10**6).explore == 1884
    assert Detect(form="log").start(10, 10**6).explore == pytest.approx(2.5e6, rel=0.02)
    for form in ("root", "log"):
        for T in (1, 2, 10, 10**4, 10**6):
            state = Detect(form=form).start(6, T)
            ours = state.explore, state.windows.length, state.threshold
            assert ours == pytest.approx(mdb_reference.detect_constants(T, 6, 0.55, 0.3, form))


def test_detect_blocks_end_with_the_exploration(interpreted):
    detect, rng, longest, t = Detect(inner="btw", explore=50), np.random.default_rng(1), 0, 1
    state = detect.start(3, 1000)
    while t <= 50:
        first, second, count = detect.select(state, t, 1000, rng)
        longest = max(longest, count)
        detect.update(state, first, second, count if first < second else 0, count)
        t += count
    assert t == 51
    assert longest > 1


@pytest.mark.parametrize(
    ("horizon", "arms", "segments", "delta", "expected"),
    [(10**6, 10, 10, 0.3, (1660, 124.44, 0.5798, 77)), (10**6, 5, 5, 0.6, (438, 65.68, 0.0936, 106))],
)
def test_mdb_constants(horizon, arms, segments, delta, expected):
    state = Mdb(M=segments, delta=delta).start(arms, horizon)
    gamma = mdb.gamma_of(horizon, arms, segments, state.windows.length)
    found = state.windows.length, round(state.threshold, 2), round(gamma, 4), state.period
    assert found == expected
    assert mdb_reference.mdb_constants(horizon, arms, segments, delta) == pytest.approx(
        (expected[0], state.threshold, gamma)
    )


def test_mdb_short_horizon():
    """With a short horizon, Mdb monitors pairs in all rounds."""
    state = Mdb().start(4, 300)
    assert state.period == 6
    assert math.isfinite(state.threshold)


def test_mdb_parameters_are_checked():
    with pytest.raises(ValidationError, match="less than or equal to 1"):
        Mdb(gamma=1.2)
    with pytest.raises(ValidationError, match="only rucb can learn from the watched pairs: write inner: rucb"):
        Mdb(transfer=True)


@pytest.mark.parametrize("inner", ["ws-s", "rucb"])
def test_mdb_holds_end_before_the_sweep(inner):
    """Holds end before the sweep; without blocks, a run with three checkpoints equals one with one in every round."""
    algorithm, problem, longest = Mdb(inner=inner, gamma=0.02, alpha=0.2), changing(20_000), 0
    run = Rounds(algorithm, ORDERS[0].P, 20_000, streams(1, 0))
    while not run.over:
        answer = run.answer()
        place = (answer.t - 1) % run.state.period
        assert place + answer.duels <= run.state.period
        assert place >= 6 or answer.duels == 1
        longest = max(longest, answer.duels if answer.first == answer.second else 0)
    assert longest == run.state.period - 6
    if inner == "rucb":  # without blocks
        marks = np.array([100, 7000, 60_000])
        held = rollout(algorithm, problem, marks, streams(1, 0))
        stepped = rollout(algorithm, problem, np.arange(1, 60_001), streams(1, 0), Rules(stepping=True))
        assert np.array_equal(held.duels, stepped.duels)
        assert np.array_equal(held.regret, stepped.regret[:, marks - 1])


# Shared parts


def test_first_detections_are_remembered():
    detections = new_detections()
    assert noted(detections).tolist() == []
    for t in range(1, MOST_DETECTIONS + 3):
        note(detections, 10 * t)
    assert noted(detections).tolist() == list(range(10, 10 * MOST_DETECTIONS + 1, 10))


@pytest.mark.parametrize("late", [1, 7, MOST_OPEN])
def test_open_duels_are_answered_in_order(late):
    duels, open_ones = new_open_duels(), []
    for t in range(1, 2 * MOST_OPEN):
        ask(duels, t, 3 * t)
        open_ones.append((t, 3 * t))
        if len(open_ones) == late:
            assert received(duels) == open_ones.pop(0)


def test_oldest_open_duels_are_forgotten():
    duels = new_open_duels()
    for t in range(1, MOST_OPEN + 6):
        ask(duels, t, t)
    assert [received(duels) for _ in range(7)] == [(0, 0)] * 5 + [(6, 6), (7, 7)]


def test_window_room():
    windows = new_windows(2, 10**9, 5)
    assert windows.outcomes.shape == (2, 5)
    assert [push(windows, 1, 1) for _ in range(5)] == [-1] * 5
    assert windows.newer[1] == 5
