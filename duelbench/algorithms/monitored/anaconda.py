"""ANACONDA: adaptive non-stationary dueling.

In each round two arms are drawn from those that are trusted. An arm that another one has beaten by too much in some
range of rounds loses this trust. Replays, in which all arms are trusted for a while, begin at random: they show if an
eliminated arm has become better. When no arm has been trusted since the beginning of the episode, the episode ends, and
all outcomes are discarded. The algorithm does not need to know how often the Condorcet winner changes. The pseudo-code,
step by step, is ``tests/reference/anaconda.py``; ``tests/test_anaconda.py`` checks that the paths are equal for the
same schedule of replays, and the distribution of the schedule.

Readings. Conda's first layer trusts what is left of A_good. The arms that are bad on a range are found as in
``bad_arms``. Logarithms of T are natural; replays have lengths 2, 4, … 2^⌈log₂ T⌉. The better arm may be the arm
itself, as in the paper: a self-duel is a fair coin, drawn from the policy stream when the duel is chosen. When only one
arm is trusted, its coins score one point each and are not drawn, since their sum is far below what makes an arm bad.

``C`` is a universal constant for which the paper gives no value. Its default is ours: with all K arms trusted a pair
scores about once in 2 K² rounds, K² each time, so the test requires about C log T more scores than expected in K²
rounds, which chance alone must not produce. We played 40 runs of T = 10⁵ each on stationary Bradley–Terry preferences
with strengths 1/2, 1/4, … of 3, 5 and 10 arms. The numbers of runs that found the best arm bad and restarted were: 40,
27 and 18 with C = 0.35; 25, 15 and 9 with 0.4; 9, 2 and 3 with 0.45; 2, 1 and 1 with 0.5; one each with 0.55. The
default is the smallest value with which at most a tenth of the runs restarted. Most restarts come from the best arm's
self-duels, which have no drift: without these the numbers were 3, 1 and 4 with 0.4. A gap of Δ is found in about
``(C log(T) K / Δ)²`` rounds: 9000 with five arms and Δ = 0.3.

Hold. When one arm is trusted it duels itself, and nothing is learned or drawn up to the next replay or the end of the
layer, both of which are known.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.monitored.bad_arms import (
    Replays,
    Scores,
    all_starts_kept,
    begin_episode,
    forget_scores,
    move_to,
    new_replays,
    new_scores,
    score,
    settle,
)
from duelbench.algorithms.monitored.change_detection import (
    Detections,
    OpenDuels,
    ask,
    new_detections,
    new_open_duels,
    note,
    noted,
    received,
)
from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import pick


class AnacondaState(NamedTuple):
    """The layers of trust, the scores of pairs, the open duels, and the rounds after which episodes ended.

    The purpose of an open duel is the score of the first arm if it wins. A self-duel's coin has been drawn already, so
    its purpose is the score itself, 0 or |A|².
    """

    replays: Replays
    scores: Scores
    open_duels: OpenDuels
    detections: Detections


@kernel
def _end_episode(state: AnacondaState, t: int) -> None:
    """End the episode with round t if no arm is left."""
    course = state.replays.course[0]
    if course.depth > 0 and state.replays.size[0] == 0:
        course.depth = 0
        note(state.detections, t)


@kernel
def select(state: AnacondaState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Draw two of the trusted arms; hold when there is only one."""
    replays = state.replays
    course = replays.course[0]
    settle(state.scores, replays, t - 1)
    _end_episode(state, t - 1)
    if course.depth == 0:
        begin_episode(replays, t)
        forget_scores(state.scores)
    move_to(replays, t, rng)
    top = course.depth - 1
    size = replays.size[top]
    first = pick(replays.arms[top], size, rng)
    second = pick(replays.arms[top], size, rng)
    if size == 1:
        end = min(replays.end[top], course.next - 1) if state.scores.course[0].since == 0 else t
        count = min(last, end) - t + 1
        if count == 1:
            ask(state.open_duels, t, 0)
        return first, first, count
    lost = first == second and rng.random() < 0.5
    ask(state.open_duels, t, 0 if lost else size * size)
    return first, second, 1


@kernel
def update(state: AnacondaState, first: int, second: int, wins: int, count: int) -> None:
    """Check whether the second arm is bad if the first has won. Outcomes older than the episode do not count.

    Holds of more than one round are not open duels, since the engine may omit their outcomes if these are late.
    """
    if count > 1:
        return
    t, weight = received(state.open_duels)
    if t < state.replays.start[0]:
        return
    settle(state.scores, state.replays, t)
    if weight > 0 and (wins > 0 or first == second):
        score(state.scores, state.replays, first, second, t, weight)
    _end_episode(state, t)


class Anaconda(Algorithm):
    """Draw arms that no other has beaten by too much, and sometimes try all arms again."""

    name = "anaconda"
    title = "ANACONDA"
    citation = (
        "Kleine Buening, Saha. ANACONDA: An Improved Dynamic Regret Algorithm for Adaptive Non-Stationary Dueling "
        "Bandits. AISTATS 2023, Algorithms 1 and 2"
    )
    assumes = "Condorcet winner"
    regret_order = "K √((S + 1) T) log³ T, S changes of the Condorcet winner"
    uses_horizon = True
    State = AnacondaState
    select = staticmethod(select)
    update = staticmethod(update)

    C: float = Field(
        0.5,
        gt=0,
        description="C in C log(T) K √n, the evidence against an arm in n rounds; the paper has no value: ours",
    )

    def start(self, arms: int, horizon: int) -> AnacondaState:
        """Return the state before the first round."""
        return AnacondaState(
            new_replays(arms, horizon),
            new_scores(arms, self.C * math.log(horizon) * arms),
            new_open_duels(),
            new_detections(),
        )

    def detections(self, state: AnacondaState) -> Ints:
        """Return the rounds after which it restarted. Raises ArithmeticError if scores were lost."""
        all_starts_kept(state.scores)
        return noted(state.detections)
