"""Who is bad since when: what is kept of a pair's past says the same as all of it."""

import numpy as np
import pytest

from duelbench.algorithms.monitored import bad_arms, replays
from duelbench.algorithms.monitored.anaconda import Anaconda
from tests.monitored import interpreted

T = 1000
LAYERS = (100, 130, 500, 501, 502, 900)


LAYERED = interpreted(replays)
USED = {name: vars(LAYERED)[name] for name in ("begins_within", "distrust", "first_round_trusted")}
RIGHT = interpreted(bad_arms, **USED)


class Walk:
    """All rounds of a pair: since when it makes its second arm bad, by definition."""

    def __init__(self, scale, K):
        self.scale, self.square, self.sums, self.since = scale, K * K, np.zeros(T + 1), 0

    def play(self, t, weight):
        self.sums[t] = self.sums[t - 1] + weight - 0.5
        s1 = np.arange(1, t)
        bad = s1[self.sums[t] - self.sums[: t - 1] > self.scale * np.sqrt(np.maximum(t - s1, self.square))]
        self.since = max([self.since, *bad])


def played(scale, seed, K=3, corners=64, tested=RIGHT):
    """Play scores of the pair (0, 1) at random, at rates that change, in layers that begin at ``LAYERS``. Return the
    rounds in which a layer trusts arm 1 that should not, or the other way round; the most old starts; the lost ones.
    """
    rng, walk, wrong, most = np.random.default_rng(seed), Walk(scale, K), [], 0
    stack, scores = LAYERED.no_replays(K, T), tested.no_scores(K, scale, corners)
    LAYERED.begin_episode(stack, 1)
    for t in range(1, T + 1):
        if t in LAYERS:
            LAYERED.push(stack, t, T)
        if t % 50 == 1:
            chance = rng.choice([0.02, 0.08, 0.15, 0.4])
        weight = int(rng.choice([4, 9])) if rng.random() < chance else 0
        walk.play(t, weight)
        if weight:
            tested.score(scores, stack, 0, 1, t, weight)
        tested.settle(scores, stack, t)
        depth = stack.course[0].depth
        if stack.trusts[:depth, 1].tolist() != [start > walk.since for start in stack.start[:depth].tolist()]:
            wrong.append(t)
        most = max(most, int(scores.old.max()))
    return wrong, most, int(scores.course[0].lost)


CASES = ((12.0, 0), (12.0, 2), (40.0, 2), (4.0, 2), (0.5, 0), (2.0, 2), (8.0, 7, 10))


@pytest.mark.parametrize("case", CASES)
def test_an_arm_is_bad_since_the_round_that_all_the_past_says(case):
    wrong, most, lost = played(*case)
    assert (wrong, lost) == ([], 0)
    assert most > 7 or case not in CASES[:3]


MISTAKES = {
    "all above a chord": [("whole: bool = rise * (start - left) >=", "whole: bool = True or")],
    "below a chord": [("(height(start, before) - low) * (rounds[k] - left)", "0")],
    "chords over layers": [("and not begins_within(replays, rounds[count - 2], rounds[count - 1])", "")],
    "old too soon": [("if scores.round[place] > t - room:", "if scores.round[place] > t - 1:")],
    "forgets the lowest": [("(scores.round[place], scores.before[place]) >= new:", "(t, scores.before[place]) < new:")],
    "no round after": [("if 0 < course.since < over:", "if False:")],
    "no round before": [("return t - 1  #", "return 0  #")],
    "the eldest first": [
        ("        place = scores.youngest[pair]\n        while", "        place = eldest\n        while")
    ],
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_seen(mistake):
    tested = interpreted(bad_arms, MISTAKES[mistake], **USED)
    assert any(played(*case, tested=tested)[0] for case in CASES)


def test_with_too_little_room_old_starts_are_lost_and_counted():
    wrong, most, lost = played(12.0, 2, corners=3)
    assert (most, lost > 0) == (3, True)
    assert len(wrong) < T / 2


def test_a_run_that_has_lost_starts_fails():
    algorithm = Anaconda()
    state = algorithm.start(3, T)
    assert len(algorithm.detections(state)) == 0
    state.scores.course[0].lost = 2
    bad_arms.forget_scores(state.scores)  # of an episode; the run has lost them all the same
    with pytest.raises(ArithmeticError, match="2 starts found no place among the 64 of their pair"):
        algorithm.detections(state)
