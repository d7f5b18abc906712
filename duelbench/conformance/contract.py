"""Properties of every algorithm: valid answers, reproducible runs, declarations, and learning from foreign duels.

Each function raises CheckFailed if its property does not hold, or AnswerError for an invalid answer. Foreign duels are
duels that the algorithm did not choose (``Algorithm.learns_off_policy``).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Declared, Program
from duelbench.arrays import Ints
from duelbench.conformance.case import CheckFailed, order
from duelbench.conformance.rounds import STEPPING, Rounds, contents
from duelbench.engine.answers import checked_declaration
from duelbench.engine.play import Problem, Rules
from duelbench.engine.problem import checkpoints
from duelbench.engine.rollout import LiveRun, Streams, Trajectory, rollout
from duelbench.experiment.answers import Answer, answers
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import regret_table

DISTURBED = "a run differs when another one is played at the same time: they share what they remember"
AMONG = 2_000
"""The largest number of rounds of a program if other runs are played between its blocks."""
TURNS = 40
"""How often two interleaved runs switch, if every answer is one round."""
NewStreams = Callable[[], Streams]
"""A function that returns new streams of a run at each call: ``partial(streams, seed, 0)``."""


def observed(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    marks: Sequence[int] | Ints,
    rngs: Streams,
    kinds: Sequence[str] = ("copeland", "borda"),
    progress: Callable[[int], None] | None = None,
    recommend: str = "",
    **rules: Any,
) -> Trajectory:
    """Play a run with these ``rules`` of the engine. Raises AnswerError for an answer out of range."""
    tables = np.stack([regret_table(matrix, kind) for kind in kinds])
    problem = Problem(matrix.P, tables)
    return rollout(algorithm, problem, np.asarray(marks), rngs, Rules(**rules), progress, recommend)


def same(a: Trajectory, b: Trajectory) -> bool:
    """Return whether two runs are equal."""
    equal = np.array_equal(a.regret, b.regret) and np.array_equal(a.duels, b.duels)
    return equal and a.declaration == b.declaration


def plays_validly(
    algorithm: Algorithm, matrix: PreferenceMatrix, marks: Sequence[int] | Ints, rngs: Streams, **rules: Any
) -> Trajectory:
    """Check that each round is one duel, and that regret neither decreases nor exceeds that of the worst duels."""
    course = observed(algorithm, matrix, marks, rngs, **rules)
    most = np.array([[regret_table(matrix, kind).max()] for kind in ("copeland", "borda")])
    if course.duels.sum() != marks[-1] or course.duels.min() < 0:
        raise CheckFailed(f"{course.duels.sum():,} duels were counted in {marks[-1]:,} rounds")
    if np.any(np.diff(course.regret, axis=1, prepend=0.0) < 0):
        raise CheckFailed("regret falls from one checkpoint to a later one")
    if np.any(course.regret > most * np.asarray(marks) * (1 + 1e-12)):
        raise CheckFailed("regret is larger than that of the worst duel in every round")
    return course


def repeats_itself(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    marks: Sequence[int] | Ints,
    new_streams: NewStreams,
    beside: PreferenceMatrix,
) -> None:
    """Check that the seed determines a run, even while another run is played on the matrix ``beside``."""
    if not same(observed(algorithm, matrix, marks, new_streams()), observed(algorithm, matrix, marks, new_streams())):
        raise CheckFailed(
            "two runs with the same seed differ: draw only from rng, and keep everything it remembers in the state "
            "that start makes"
        )
    horizon = int(marks[-1])
    if isinstance(algorithm, Program):
        _is_not_disturbed(algorithm, matrix, min(horizon, AMONG), new_streams, beside)
        return
    alone, one, other = (Rounds(algorithm, each.P, horizon, new_streams()) for each in (matrix, matrix, beside))
    alone.answer(horizon)
    while not one.over:
        one.answer(horizon // TURNS)
        other.answer(0 if other.over else horizon // TURNS)
    if not np.array_equal(alone.duels, one.duels):
        raise CheckFailed(DISTURBED)


def _is_not_disturbed(
    program: Program, matrix: PreferenceMatrix, horizon: int, new_streams: NewStreams, beside: PreferenceMatrix
) -> None:
    """Check that a run of a program does not change if other runs are played between its blocks."""
    number = 0

    def look(run: LiveRun, answer: Answer) -> None:
        nonlocal number
        number += 1
        if number in (1, 10, 100):
            observed(program, beside, [horizon], new_streams())

    alone = answers(program, matrix.P, horizon, new_streams())
    if answers(program, matrix.P, horizon, new_streams(), look=look) != alone:
        raise CheckFailed(DISTURBED)


def begins_alike(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    horizons: tuple[int, int],
    new_streams: NewStreams,
    per_decade: int = 20,
    stepping: bool = False,
) -> None:
    """Check that a run to the shorter horizon is a prefix of the run to the longer one, with the same checkpoints."""
    marks = checkpoints(horizons, per_decade)
    common = marks[marks <= horizons[0]]
    short, long = (
        observed(algorithm, matrix, each, new_streams(), ("copeland",), stepping=stepping).regret
        for each in (common, marks)
    )
    differ = np.flatnonzero(np.any(short != long[:, : len(common)], axis=0))
    if len(differ):
        t = common[differ[0]]
        raise CheckFailed(
            f"at t = {t:,} the regret depends on whether {horizons[0]:,} or {horizons[1]:,} rounds are played: set "
            "uses_horizon = True, if this is intended"
        )


def is_not_moved_by_being_asked(
    algorithm: Algorithm, matrix: PreferenceMatrix, marks: Sequence[int] | Ints, new_streams: NewStreams
) -> int:
    """Check that each recommendation is an arm and changes nothing; return the number of arms recommended."""
    silent, asked = new_streams(), new_streams()
    quiet = observed(algorithm, matrix, marks, silent)
    recommending = observed(algorithm, matrix, marks, asked, recommend="own")
    if not same(quiet, recommending) or silent.policy.random() != asked.policy.random():
        raise CheckFailed("a run continues differently after it was asked for its recommendation")
    number = named = 0
    horizon = int(marks[-1])

    def look(run: LiveRun, answer: Answer) -> None:
        nonlocal number, named
        number += 1
        if number % 50 == 0 or answer.t + answer.duels > horizon:
            before = contents(run.state)
            named += algorithm.recommendation(run.state) is not None
            if contents(run.state) != before:
                raise CheckFailed(f"at t = {answer.t:,} recommendation changes the state")

    answers(algorithm, matrix.P, horizon, new_streams(), look=look)
    declares = isinstance(algorithm, Program) and quiet.declaration is not None
    return named + declares


def declares_arms(
    algorithm: Algorithm, matrix: PreferenceMatrix, horizon: int, new_streams: NewStreams, every: int = 20
) -> tuple[Declared, int] | None:
    """Check, at regular intervals, that a declaration is a valid arm and round, and does not change later.

    Returns the final declaration.
    """
    if isinstance(algorithm, Program):  # a program declares once, by returning
        return observed(algorithm, matrix, [horizon], new_streams()).declaration
    run = Rounds(algorithm, matrix.P, horizon, new_streams())
    declared = None
    while not run.over:
        run.answer(every)
        said = checked_declaration(algorithm.declaration(run.state), matrix.arms, horizon)
        if said is not None and said[1] >= run.t:
            raise CheckFailed(f"at t = {run.t:,} it declares {said}, a round to come")
        if declared is not None and said != declared:
            raise CheckFailed(f"it declares {declared}, and at t = {run.t:,} {said}")
        declared = said
    return declared


# Foreign duels

EVERY = 10
"""The number of the algorithm's own rounds between foreign duels."""
SURE = 40
"""The number of foreign wins of the best arm over each other arm, enough to decide every pair."""
SHARE = 0.8
"""The smallest share of the last rounds in which the winner of all foreign duels must play."""


class Foreign(NamedTuple):
    """``duels`` of ``first`` against ``second``; ``first`` won ``wins`` of them."""

    first: int
    second: int
    wins: int
    duels: int


def takes_foreign_duels_in_any_order(
    algorithm: Algorithm, matrix: PreferenceMatrix, rounds: int, new_streams: NewStreams
) -> None:
    """Check that only the counts of foreign duels matter, not their order, sides or grouping.

    Two runs with the same random streams learn from the same foreign duels before the first round and between later
    rounds. They play without holds, since the end of a hold may depend on the time of the last update.
    """
    one, other = (Rounds(algorithm, matrix.P, rounds, new_streams(), STEPPING) for _ in range(2))
    rng = np.random.default_rng(0)
    while not one.over:
        duels = list(_some(matrix, rng, everywhere=one.t == 1))
        _tell(algorithm, one, duels)
        _tell(algorithm, other, _otherwise(duels, rng))
        for _ in range(min(EVERY, rounds - one.t + 1)):
            a, b = one.answer(), other.answer()
            if a != b:
                raise CheckFailed(
                    f"after the same foreign duels in another order, it duels ({b.first}, {b.second}) and not "
                    f"({a.first}, {a.second}) at t = {a.t:,}: set learns_off_policy = False, if this is intended"
                )


def follows_foreign_duels(algorithm: Algorithm, arms: int, rounds: int, new_streams: NewStreams) -> bool:
    """Check that the algorithm plays or recommends an arm that has won all foreign duels.

    An algorithm that only explores need not play it. Returns whether foreign duels change anything; an algorithm that
    learns nothing passes.
    """
    duels, recommended = [], []
    for best in range(arms):
        others = [arm for arm in range(arms) if arm != best]
        matrix = order(arms, 1.0).relabelled(np.argsort([best, *others]).tolist())
        run = Rounds(algorithm, matrix.P, rounds, new_streams(), STEPPING)
        wins = [Foreign(best, arm, SURE, SURE) if arm % 2 else Foreign(arm, best, 0, SURE) for arm in others]
        _tell(algorithm, run, wins)
        run.answer(rounds - rounds // 4)
        before = run.duels.copy()
        run.answer(rounds // 4)
        duels.append((before, run.duels - before))
        recommended.append(algorithm.recommendation(run.state))
    if all(np.array_equal(each, duels[0]) for each in duels):
        return False
    for best, (_, last) in enumerate(duels):
        played = int(last[best].sum() + last[:, best].sum() - last[best, best])
        if played < SHARE * last.sum() and recommended[best] != best:
            raise CheckFailed(
                f"after {SURE} foreign wins of arm {best} over each other arm, it duels that arm in {played} of the "
                f"last {last.sum()} rounds of {rounds:,}, and recommends {recommended[best]}"
            )
    return True


def _some(matrix: PreferenceMatrix, rng: np.random.Generator, everywhere: bool) -> Iterable[Foreign]:
    """Yield duels of random pairs, or of every pair."""
    arms = matrix.arms
    pairs = [(i, j) for i in range(arms) for j in range(i)]
    for i, j in pairs if everywhere else [pairs[k] for k in rng.integers(len(pairs), size=3)]:
        count = int(rng.integers(1, 6))
        yield Foreign(i, j, int(rng.binomial(count, matrix.P[i, j])), count)


def _otherwise(duels: list[Foreign], rng: np.random.Generator) -> list[Foreign]:
    """Return the same duels one by one in another order, some with the arms swapped."""
    single = [
        Foreign(each.first, each.second, int(k < each.wins), 1) for each in duels for k in range(each.duels)
    ]  # fmt: skip
    return [
        Foreign(each.second, each.first, 1 - each.wins, 1) if rng.random() < 0.5 else each
        for each in (single[k] for k in rng.permutation(len(single)))
    ]


def _tell(algorithm: Algorithm, run: Rounds, duels: Iterable[Foreign]) -> None:
    for each in duels:
        algorithm.receive(run.state, *each)
