"""Compare runs with holds to runs without ("stepping"): equal paths or, for holds that draw, equal distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Program
from duelbench.arrays import Ints
from duelbench.conformance.case import CheckFailed
from duelbench.conformance.contract import same
from duelbench.conformance.rounds import STEPPING, Rounds, pair_tables, simulate, streams, will_draw_the_same
from duelbench.engine.problem import checkpoints
from duelbench.engine.rollout import LiveRun, Streams
from duelbench.engine.streams import copied, generator_at
from duelbench.experiment.answers import Answer, Enough, answers
from duelbench.preferences.matrix import PreferenceMatrix


def holds_as_it_steps(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    marks: Sequence[int] | Ints,
    seed: int,
    draws: bool = True,
    delay: int = 1,
) -> bool:
    """Return whether run 0 is the same with and without holds; ``draws`` also compares the next draws of the streams.

    Use ``draws=False`` if the algorithm asks for blocks of duels: the outcomes of a block are one draw of the
    environment, so such runs are equal only if outcomes are certain or do not matter.
    """
    tables, played = pair_tables(matrix.arms), []
    for stepping in (False, True):
        rngs = streams(seed, 0)
        run = simulate(algorithm, matrix.P, tables, np.asarray(marks), *rngs, delay=delay, stepping=stepping)
        played.append((run, [rng.random() for rng in rngs]))
    (held, drawn), (stepped, drawn_stepping) = played
    return same(held, stepped) and (not draws or drawn == drawn_stepping)


# Replaying single holds


TOGETHER = 50
"""The number of answers to play before searching for a hold among them."""


class Replay(NamedTuple):
    """Counts of the answers of a run that cover several rounds.

    Attributes
    ----------
    exact : int
        The holds in which nothing is drawn.
    ended : int
        The number of these holds that end before ``last``.
    longest : int
        The number of rounds of the longest of these holds.
    random : int
        The holds that draw, themselves or if played round by round.
    blocks : int
        The answers with several duels of different arms.
    played : int
        The number of rounds of the run.
    """

    exact: int = 0
    ended: int = 0
    longest: int = 0
    random: int = 0
    blocks: int = 0
    played: int = 0

    def __add__(self, other: Replay) -> Replay:  # type: ignore[override]
        """Return the counts of two runs together."""
        longest = max(self.longest, other.longest)
        return Replay(*(a + b for a, b in zip(self, other, strict=True)))._replace(longest=longest)


def replayed(
    algorithm: Algorithm,
    matrix: PreferenceMatrix,
    horizon: int,
    seed: int,
    most: int | None = None,
) -> Replay:
    """Replay each hold of run 0 round by round, from the state at its beginning, and count the answers.

    ``most`` limits the number of answers. Raises CheckFailed if a hold that draws nothing is not the same self-duel in
    each of its rounds, or if a run without draws changes when it is played round by round.
    """
    if isinstance(algorithm, Program):
        return _blocks(algorithm, matrix, horizon, seed, most or horizon)
    held = Rounds(algorithm, matrix.P, horizon, streams(seed, 0))
    found, left = Replay(), horizon if most is None else most
    while left and not held.over:
        some = min(left, TOGETHER)
        left -= some
        ahead = held.fork()
        ahead.answer(some)
        if ahead.t - held.t == some:  # no answer covers several rounds
            held = ahead
            continue
        for _ in range(some):
            if not held.over:
                found += _replayed_answer(held)
    if not (found.random or found.blocks):
        _step_through(held, streams(seed, 0))
    return found + Replay(played=held.t - 1)


def _blocks(program: Program, matrix: PreferenceMatrix, horizon: int, seed: int, most: int) -> Replay:
    """Count the blocks of a program, and check that blocks change nothing if outcomes are certain."""
    found = Replay()

    def look(run: LiveRun, answer: Answer) -> None:
        nonlocal found, most
        found += Replay(blocks=int(answer.duels > 1 and answer.first != answer.second), played=answer.duels)
        most -= 1
        if most <= 0:
            raise Enough

    answers(program, matrix.P, horizon, streams(seed, 0), look=look)
    places = np.arange(matrix.arms)
    wins = (matrix.P > 0.5) | ((matrix.P == 0.5) & (places[:, None] < places))
    certain = PreferenceMatrix(np.where(np.eye(matrix.arms, dtype=bool), 0.5, wins))
    if not holds_as_it_steps(program, certain, checkpoints([found.played], 3), seed, draws=False):
        raise CheckFailed(
            "where one arm always wins, it duels differently when every block is one duel: what a block of duels shows "
            "must not depend on its length"
        )
    return found


def _replayed_answer(held: Rounds) -> Replay:
    """Play an answer and, if it is a hold that draws nothing, replay it round by round."""
    before, policy = copied(held.state), generator_at(held.rngs.policy)
    answer = held.answer()
    if answer.duels == 1:
        return Replay()
    if answer.first != answer.second:
        return Replay(blocks=1)
    if not will_draw_the_same(policy, held.rngs.policy):
        return Replay(random=1)
    return _replay(held, before, answer, policy)


def _step_through(held: Rounds, rngs: Streams) -> None:
    """Check that a run does not change if every answer is one round."""
    stepped = Rounds(held.algorithm, held.problem, held.horizon, rngs, STEPPING)
    stepped.answer(held.t - 1)
    if not np.array_equal(stepped.duels, held.duels) or not will_draw_the_same(stepped.rngs.policy, held.rngs.policy):
        raise CheckFailed(
            f"until t = {held.t - 1:,} it duels differently when asked round by round (last = t), though its holds "
            "draw nothing: neither draws nor what a hold leaves in the state may depend on last"
        )


def _replay(held: Rounds, before: Any, answer: Answer, policy: np.random.Generator) -> Replay:
    """Replay a hold that has drawn nothing, from its first round."""
    stepped = held.stepping_from(answer.t, copied(before), Streams(np.random.default_rng(0), generator_at(policy)))
    last = stepped.answer(answer.duels)
    if (last.first, last.second, last.duels) == (answer.first, answer.first, answer.duels):
        if not will_draw_the_same(policy, stepped.rngs.policy):
            return Replay(random=1)
        return Replay(1, int(not held.over), answer.duels)
    stepped = held.stepping_from(answer.t, before, Streams(np.random.default_rng(0), generator_at(policy)))
    while will_draw_the_same(policy, stepped.rngs.policy):  # except the round that differs, which may draw
        one = stepped.answer()
        if (one.first, one.second) != (answer.first, answer.first):
            raise CheckFailed(
                f"select answers ({answer.first}, {answer.second}, {answer.duels}) at t = {answer.t:,} and holds to "
                f"t = {answer.t + answer.duels - 1:,}, but round by round it duels ({one.first}, {one.second}) at "
                f"t = {one.t:,}"
            )
    return Replay(random=1)
