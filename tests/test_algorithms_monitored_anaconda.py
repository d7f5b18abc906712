"""ANACONDA: its path is the literal one where both have the same replays, and what it does when preferences change."""

import math

import numpy as np
import pytest

from duelbench.algorithms.monitored.anaconda import Anaconda
from duelbench.conformance.holds import holds_as_it_steps, replayed
from duelbench.conformance.instances import order
from duelbench.conformance.paths import engine_path, literal_path
from duelbench.conformance.rounds import Rounds, streams
from duelbench.engine.play import Rules
from duelbench.literal import anaconda as literal
from tests.monitored import on_changes, path_of, plays_changes_as_written
from tests.paths import INSTANCES

CASES = {"two arms": 0.05, "no difference": 0.03, "certain": 0.05, "mslr5-condorcet": 0.02, "three winners": 0.05}
"""With constants so small that arms and episodes are lost all the time."""


def drawn_at_once():
    """Return a schedule that draws what the kernels draw: the next round with a replay, and then how long it is."""
    due = {}

    def replay(s, t_l, T, policy):
        def some(rounds):
            chances = [literal.replay_chance(2**k, rounds) for k in range(1, math.ceil(math.log2(T)) + 1)]
            return 1 - math.prod(1 - each for each in chances)

        if due.get("episode") != t_l or due["next"] < s:
            rounds = s - t_l
            while True:
                rate = some(rounds)
                rounds += policy.geometric(rate) - 1
                due.update(episode=t_l, next=t_l + rounds)
                if t_l + rounds > T:
                    break
                if policy.random() * rate < some(rounds):
                    left, m = policy.random() * some(rounds), 2 ** math.ceil(math.log2(T))
                    while m > 2 and left >= literal.replay_chance(m, rounds):
                        left = (left - literal.replay_chance(m, rounds)) / (1 - literal.replay_chance(m, rounds))
                        m //= 2
                    due["m"] = m
                    break
                rounds += 1
        return due["m"] if due["next"] == s else 0

    return replay


@pytest.fixture(autouse=True)
def the_same_schedule(monkeypatch):
    """test_algorithms_monitored_replays has the law of it."""
    monkeypatch.setattr(literal, "replay", drawn_at_once())


def plays(matrix, horizon, seed, C):
    path = literal_path(literal.run, matrix, horizon, seed, C=C)
    return np.array_equal(engine_path(Anaconda(C=C), matrix, horizon, seed), path)


@pytest.mark.parametrize("name", CASES)
def test_the_path_is_the_literal_one(name, monkeypatch):
    for factor in (1, 4, 16):
        for seed, horizon in ((1, 1000), (2, 400), (3, 2), (4, 1), (5, 3), (6, 17)):
            monkeypatch.setattr(literal, "replay", drawn_at_once())
            assert plays(INSTANCES[name], horizon, seed, CASES[name] * factor), (factor, seed, horizon)


MISTAKES = {
    "|A| instead of its square": ("weight", len),
    "a threshold a tenth higher": ("threshold", lambda *given, right=literal.threshold: 1.1 * right(*given)),
    "K instead of its square": ("threshold", lambda C, T, K, n: C * math.log(T) * K * np.sqrt(np.maximum(n, K))),
    "replays in other rounds": ("replay_chance", lambda m, rounds: 1.1 / math.sqrt(m * (rounds + 1))),
    "the base-2 logarithm": ("threshold", lambda C, T, K, n: C * math.log2(T) * K * np.sqrt(np.maximum(n, K**2))),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_transcription_has_another_path(mistake, monkeypatch):
    matrix = INSTANCES["mslr5-condorcet"]
    assert plays(matrix, 1000, 1, 0.08)
    monkeypatch.setattr(literal, *MISTAKES[mistake])
    monkeypatch.setattr(literal, "replay", drawn_at_once())
    assert not plays(matrix, 1000, 1, 0.08)


def test_only_the_past_since_its_beginning_counts_for_a_replay(monkeypatch):
    monkeypatch.setattr(literal.Course, "is_bad", lambda self, arm, lo: self.latest[arm] >= self.t_l)
    assert not plays(INSTANCES["mslr5-condorcet"], 1000, 1, 0.08)


def test_an_arm_may_be_bad_because_of_its_duels_with_itself(monkeypatch, right=literal.Course.learn):
    monkeypatch.setattr(literal.Course, "learn", lambda self, a, b, A, won: right(self, a, b, A, won and a != b))
    assert not plays(INSTANCES["mslr5-condorcet"], 1000, 1, 0.08)


def test_it_is_the_literal_one_where_preferences_change(monkeypatch):
    for rounds, C in ((300, 0.1), (500, 0.02)):
        monkeypatch.setattr(literal.Course, "__init__", with_a_schedule_of_its_own(monkeypatch))
        assert plays_changes_as_written(Anaconda(C=C), rounds, 1)


def with_a_schedule_of_its_own(monkeypatch, right=literal.Course.__init__):
    """The transcription is played once for each piece."""

    def begin(self, *given):
        monkeypatch.setattr(literal, "replay", drawn_at_once())
        right(self, *given)

    return begin


@pytest.mark.parametrize("delay", [1, 30])
def test_it_finds_each_winner_and_ends_the_episode_when_that_has_changed(delay):
    run = on_changes(Anaconda(C=0.4), 100_000, 1, rules=Rules(delay=delay))
    path = path_of(run)
    for end, winner in ((100_000, 0), (200_000, 3), (300_000, 2)):
        assert np.mean(path[end - 50_000 : end] == winner) > 0.4
    for change in (100_000, 200_000):
        assert any(change < t < change + 20_000 for t in run.detections)


@pytest.mark.parametrize("C", [0.05, 0.3])
def test_holding_is_stepping(C):
    for matrix in (order(4, 1.0), INSTANCES["two arms"]):
        holds = replayed(Anaconda(C=C), matrix, 5000, 1)
        assert holds.exact - holds.ended <= 1  # the horizon may end one
        assert holds.ended > 20
        assert holds_as_it_steps(Anaconda(C=C), matrix, (100, 3000, 5000), 2)


def test_with_one_arm_left_it_holds_to_the_next_replay_or_the_end_of_this_one():
    algorithm, ended, met = Anaconda(C=0.1), 0, 0
    run = Rounds(algorithm, order(4, 1.0).P, 50_000, streams(1, 0))
    while not run.over:
        answer = run.answer()
        course = run.state.replays.course[0]
        if answer.duels > 1:
            end = int(run.state.replays.end[course.depth - 1])
            assert answer.t + answer.duels - 1 == min(end, course.next - 1, 50_000)
            ended += answer.t + answer.duels - 1 == end
            met += answer.t + answer.duels == course.next
    assert min(ended, met) > 3


def test_there_is_room_for_all_that_counts():
    """Ten times the rounds that a pair needs to score some thousand times, at thresholds that are never reached."""
    for matrix, C in ((order(3, 0.6), 0.4), (INSTANCES["no difference"], 2.0)):
        run = Rounds(Anaconda(C=C), matrix.P, 200_000, streams(1, 0))
        run.answer(200_000)
        scores = run.state.scores
        assert scores.course[0].lost == 0
        assert scores.old.max() > 8


def test_it_goes_on_after_the_horizon_where_votes_are_counted():
    algorithm, rng, t = Anaconda(C=0.05), np.random.default_rng(1), 1
    state = algorithm.start(2, 50)
    while t <= 500:
        first, second, count = algorithm.select(state, t, 500, rng)
        assert 1 <= count <= 501 - t
        algorithm.update(state, first, second, int(first < second), count)
        t += count
