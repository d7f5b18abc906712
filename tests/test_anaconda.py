"""ANACONDA: its path if the reference draws replays like the kernels, their distribution, and bad arms."""

import itertools
import math

import numpy as np
import pytest

from duelbench.algorithms.monitored import bad_arms
from duelbench.algorithms.monitored.anaconda import Anaconda
from duelbench.algorithms.monitored.bad_arms import NEVER, begin_episode, begins_within, draw_next, move_to, new_replays
from duelbench.conformance.case import order
from duelbench.conformance.holds import holds_as_it_steps, replayed
from duelbench.conformance.rounds import Rounds, streams
from duelbench.engine.play import Rules
from tests.instances import INSTANCES
from tests.monitored import changing, on_changes, path_of
from tests.playing import engine_path
from tests.reference import anaconda as reference
from tests.reference_paths import reference_course

EAGER = {"two arms": 0.05, "no difference": 0.03, "certain": 0.05, "mslr5-condorcet": 0.02, "three winners": 0.05}
"""Constants so small that arms are often bad and episodes often end."""


def drawn_at_once():
    """Return a schedule that draws like the kernels: first the next round with a replay, then its length."""
    due = {}

    def replay(s, t_l, T, policy):
        def some(rounds):
            chances = [reference.replay_chance(2**k, rounds) for k in range(1, math.ceil(math.log2(T)) + 1)]
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
                    while m > 2 and left >= reference.replay_chance(m, rounds):
                        left = (left - reference.replay_chance(m, rounds)) / (1 - reference.replay_chance(m, rounds))
                        m //= 2
                    due["m"] = m
                    break
                rounds += 1
        return due["m"] if due["next"] == s else 0

    return replay


@pytest.fixture(autouse=True)
def same_schedule(monkeypatch):
    """Let the reference draw replays like the kernels; the distribution of its schedule is tested below."""
    monkeypatch.setattr(reference, "replay", drawn_at_once())


def plays(matrix, horizon, seed, C):
    path, _ = reference_course(Anaconda(C=C), matrix, horizon, seed)
    return np.array_equal(engine_path(Anaconda(C=C), matrix, horizon, seed), path)


@pytest.mark.parametrize("name", EAGER)
def test_path(name, monkeypatch):
    for factor in (1, 4):
        for seed, horizon in ((1, 1000), (3, 2), (4, 1), (5, 3), (6, 17)):
            monkeypatch.setattr(reference, "replay", drawn_at_once())
            assert plays(INSTANCES[name], horizon, seed, EAGER[name] * factor), (factor, seed, horizon)


def test_path_where_preferences_change(monkeypatch):
    monkeypatch.setattr(reference.Course, "__init__", with_a_schedule_of_its_own(monkeypatch))
    path, _ = reference_course(Anaconda(C=0.05), changing(300), 900, 1)
    assert np.array_equal(path_of(on_changes(Anaconda(C=0.05), 300, 1)), path)


def with_a_schedule_of_its_own(monkeypatch, right=reference.Course.__init__):
    """Return a constructor that begins a new schedule: the reference is played once for each segment."""

    def begin(self, *given):
        monkeypatch.setattr(reference, "replay", drawn_at_once())
        right(self, *given)

    return begin


def test_late_outcomes():
    run = on_changes(Anaconda(C=0.4), 100_000, 1, rules=Rules(delay=30))
    path = path_of(run)
    for end, winner in ((100_000, 0), (200_000, 3), (300_000, 2)):
        assert np.mean(path[end - 50_000 : end] == winner) > 0.4
    for change in (100_000, 200_000):
        assert any(change < t < change + 20_000 for t in run.detections)


@pytest.mark.parametrize("C", [0.05, 0.3])
def test_holding_is_stepping(C):
    for matrix in (order(4, 1.0), INSTANCES["two arms"]):
        holds = replayed(Anaconda(C=C), matrix, 5000, 1)
        assert holds.exact - holds.ended <= 1  # the horizon may cut one
        assert holds.ended > 20
        assert holds_as_it_steps(Anaconda(C=C), matrix, (100, 3000, 5000), 2)


def test_hold_ends_with_its_replay():
    algorithm, ended, met = Anaconda(C=0.1), 0, 0
    run = Rounds(algorithm, order(4, 1.0).P, 12_000, streams(1, 0))
    while not run.over:
        answer = run.answer()
        course = run.state.replays.course[0]
        if answer.duels > 1:
            end = int(run.state.replays.end[course.depth - 1])
            assert answer.t + answer.duels - 1 == min(end, course.next - 1, 12_000)
            ended += answer.t + answer.duels - 1 == end
            met += answer.t + answer.duels == course.next
    assert min(ended, met) > 3


def test_room_for_old_starts():
    """No old start is lost in a long run in which thresholds are never reached, though a pair has more than eight."""
    for matrix, C in ((order(3, 0.6), 0.4), (INSTANCES["no difference"], 2.0)):
        run = Rounds(Anaconda(C=C), matrix.P, 200_000, streams(1, 0))
        run.answer(200_000)
        scores = run.state.scores
        assert scores.course[0].lost == 0
        assert scores.old.max() > 8


@pytest.mark.usefixtures("interpreted")
def test_rounds_after_the_horizon():
    algorithm, rng, t = Anaconda(C=0.05), np.random.default_rng(1), 1
    state = algorithm.start(2, 50)
    while t <= 500:
        first, second, count = algorithm.select(state, t, 500, rng)
        assert 1 <= count <= 501 - t
        algorithm.update(state, first, second, int(first < second), count)
        t += count


# The scores of the arms and their starts


def test_new_episode_forgets_scores(interpreted):
    scores, fresh = bad_arms.new_scores(2, 1.0), bad_arms.new_scores(2, 1.0)
    for table in (scores.scored, scores.old, scores.eldest, scores.youngest):
        table[:] = 3
    bad_arms.forget_scores(scores)
    for name in ("scored", "old", "eldest", "youngest"):
        assert np.array_equal(getattr(scores, name), getattr(fresh, name)), name


def test_a_run_that_has_lost_starts_fails(interpreted):
    algorithm = Anaconda()
    state = algorithm.start(3, 1000)
    assert len(algorithm.detections(state)) == 0
    state.scores.course[0].lost = 2
    bad_arms.forget_scores(state.scores)  # forgets the scores of an episode; the run still counts the lost starts
    with pytest.raises(ArithmeticError, match="2 starts found no place among the 64 of their pair"):
        algorithm.detections(state)


# The distribution of the schedule of replays, and the ends of layers


T, EPISODE, EPISODES = 1000, 37, 250
LENGTHS = [2**k for k in range(1, 11)]
AGES = [1, 2, 5, 30, 200, T - EPISODE + 1]


def counted():
    """Count how often a replay of each length was the longest of its round, by the age of the episode."""
    replays, rng, found = new_replays(3, T), np.random.default_rng(1), np.zeros((len(AGES) - 1, len(LENGTHS)))
    for _ in range(EPISODES):
        begin_episode(replays, EPISODE)
        t = EPISODE
        while True:
            draw_next(replays, t + 1, rng)
            t = int(replays.course[0].next)
            if t == NEVER:
                break
            row = np.searchsorted(AGES, t - EPISODE, side="right") - 1
            found[row, int(math.log2(replays.course[0].length)) - 1] += 1
    return found


def expected():
    """Return the expected values of these counts, from the probability of each replay."""
    numbers = np.zeros((len(AGES) - 1, len(LENGTHS)))
    for row, (low, high) in enumerate(itertools.pairwise(AGES)):
        for age in range(low, high):
            none = 1.0
            for k in reversed(range(len(LENGTHS))):
                chance = reference.replay_chance(LENGTHS[k], age)
                numbers[row, k] += none * chance
                none *= 1 - chance
    return EPISODES * numbers


def unlikely(found, mean):
    """Return the largest difference in standard errors: by age and length, by length, by age and in total."""
    several = [(found, mean), *((found.sum(axis), mean.sum(axis)) for axis in (0, 1, None))]
    return max(np.max(np.abs(a - b) / np.sqrt(b + 1)) for a, b in several)


def test_schedule_of_replays():
    assert unlikely(counted(), expected()) < 4.5


def layers(replays):
    depth = replays.course[0].depth
    arms = [replays.arms[k, : replays.size[k]].tolist() for k in range(depth)]
    return list(zip(replays.start[:depth].tolist(), replays.end[:depth].tolist(), arms, strict=True))


def test_layers_end(interpreted):
    replays, rng, everybody = new_replays(3, 100), np.random.default_rng(1), [0, 1, 2]
    begin_episode(replays, 10)
    for t, length in ((20, 16), (22, 4), (24, 4), (25, 2)):
        replays.course[0].next, replays.course[0].length = t, length
        move_to(replays, t, rng)
    assert layers(replays) == [(10, NEVER, everybody), (20, 36, everybody), (24, 28, everybody), (25, 27, everybody)]
    replays.course[0].next = NEVER
    move_to(replays, 29, rng)
    assert layers(replays) == [(10, NEVER, everybody), (20, 36, everybody)]
    assert [begins_within(replays, *each) for each in ((19, 20), (20, 21), (15, 40))] == [True, False, True]
    replays.course[0].next, replays.course[0].length = 30, 128
    move_to(replays, 30, rng)
    assert layers(replays) == [(10, NEVER, everybody), (30, 100, everybody)]
