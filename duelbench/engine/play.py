"""The round loop: one text for every algorithm, which ``loops`` binds to the algorithm's own kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from duelbench.arrays import Flags, Floats, Ints, Record, State, record
from duelbench.compiling.jit import kernel
from duelbench.engine.answers import whole

LATE = np.dtype([("first", np.int64), ("second", np.int64), ("wins", np.int64), ("count", np.int64)], align=True)
"""An outcome on its way."""
BLOCK = 16
"""Arms, two lines of a cache: between two checkpoints fewer pairs may have met than there are."""


def select(state: State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Ask the algorithm for its next duels: ``loops`` puts its kernel in this place."""
    raise NotImplementedError


def update(state: State, first: int, second: int, wins: int, count: int) -> None:
    """Tell the algorithm how its duels ended: ``loops`` puts its kernel in this place."""
    raise NotImplementedError


NEVER = 2**62
"""A round beyond all horizons."""
FROM_THE_START = np.array([1])


class Problem(NamedTuple):
    """What is duelled on, and what a duel costs: all the time, or in each of the segments of time between two changes.

    ``P``: (segments · K, K) the preference matrices, one below the other; (K, K) where nothing changes. ``regrets``:
    (kinds, segments · K, K) regret of one duel of every ordered pair. ``starts``: (segments,) the first round of each
    segment, increasing from 1.
    """

    P: Floats
    regrets: Floats
    starts: Ints = FROM_THE_START

    @classmethod
    def changing(cls, starts: Sequence[int] | Ints, P: Sequence[Floats], regrets: Sequence[Floats]) -> Self:
        """Return what changes: from each of the rounds on there are these (K, K) ``P`` and (kinds, K, K) ``regrets``.

        Raises ValueError when the rounds do not increase from 1, or there are not as many of each.
        """
        rounds = np.array(starts, np.int64)
        if not (len(rounds) == len(P) == len(regrets) > 0 and rounds[0] == 1 and (np.diff(rounds) > 0).all()):
            raise ValueError(f"segments begin at rounds that increase from 1, each with its matrix, not at {starts}")
        stacked = np.concatenate(P)
        stacked.flags.writeable = False  # as every matrix is: loops are compiled for that type
        return cls(stacked, np.concatenate(regrets, axis=1), rounds)

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return int(self.P.shape[1])

    def segment(self, t: int) -> int:
        """Return the number of the segment that round ``t`` is in."""
        return int(np.searchsorted(self.starts, t, side="right")) - 1

    def regrets_at(self, t: int) -> Floats:
        """Return the (kinds, K, K) regret of one duel in round ``t``."""
        row = self.segment(t) * self.arms
        return self.regrets[:, row : row + self.arms]

    def equal_self_duels(self) -> Flags:
        """Return the (K, K) pairs of arms whose self-duels cost the same, in every kind of regret and all the time."""
        kinds, arms = len(self.regrets), np.arange(self.arms)
        cost = self.regrets.reshape(kinds, -1, self.arms, self.arms)[:, :, arms, arms]
        equal: Flags = (cost[..., :, None] == cost[..., None, :]).all(axis=(0, 1))
        return equal


class Rules(NamedTuple):
    """How the algorithm is asked and told, and for how long.

    ``delay``: outcomes reach it only after every so many rounds; 1 is at once. ``stepping``: every answer is a single
    round, there are no holds. ``votes``: checkpoints are numbers of votes, duels of different arms, and not of rounds.
    ``max_rounds``: the rounds of a run, 0 for no bound; where it ends before the last checkpoint, the later ones are
    as it left off: an algorithm that has converged asks for no more votes. ``pausing``: a call ends at the next
    checkpoint.
    """

    delay: int = 1
    stepping: bool = False
    votes: bool = False
    max_rounds: int = 0
    pausing: bool = False


class Ledger(NamedTuple):
    """What the loop writes down.

    ``checkpoints``: increasing rounds, or votes, at which the regret is recorded. ``regret``: (kinds, checkpoints),
    cumulative. ``votes``: (checkpoints,) the duels of different arms until then. ``duels``: (K, K) duels of every
    ordered pair so far. ``wins``: (K, K) how many of these its first arm won, 0 for self-duels. ``late``: room for the
    outcomes that the algorithm has not seen yet, records of ``first``, ``second``, ``wins``, ``count``. ``place``:
    ``t``, the round to be played next; ``votes``, the duels of different arms so far; ``checkpoint``, the number of
    checkpoints that are behind it; ``waiting``, the number of outcomes in ``late``.
    ``begun``: (K, K) the duels before the segment that is on. ``past``: (kinds,) their regret. ``met[i, b]``: whether i
    was duelled first against one of the ``BLOCK`` arms from ``b * BLOCK`` on.
    ``refused``: the answer ``first``, ``second``, ``count`` at round ``t`` that is out of range, if ``t`` is not 0;
    ``last`` is the last round that it could have reached.
    """

    checkpoints: Ints
    regret: Floats
    votes: Ints
    duels: Ints
    wins: Ints
    late: Record
    place: Record
    refused: Record
    begun: Ints
    past: Floats
    met: Flags


def new_ledger(checkpoints: Ints, kinds: int, arms: int, delay: int = 1) -> Ledger:
    """Return the ledger of a run that has not begun."""
    return Ledger(
        checkpoints,
        np.zeros((kinds, len(checkpoints))),
        np.zeros(len(checkpoints), np.int64),
        np.zeros((arms, arms), np.int64),
        np.zeros((arms, arms), np.int64),
        np.zeros(delay, LATE).view(np.recarray),
        record(t=1, votes=0, checkpoint=0, waiting=0),
        record(first=0, second=0, count=0, t=0, last=0),
        np.zeros((arms, arms), np.int64),
        np.zeros(kinds),
        np.zeros((arms, (arms - 1) // BLOCK + 1), np.bool_),
    )


@kernel(inline=False)
def regret_since(met: Flags, begun: Ints, duels: Ints, regrets: Floats, kind: int, row: int) -> float:
    """Return the regret of the duels since those that had ``begun``, all of the segment whose tables begin at ``row``.

    Pairs that never met, most of those of many arms, are passed over a block at a time: they would add nothing.
    """
    arms = duels.shape[0]
    total = 0.0
    for i in range(arms):
        for b in range(met.shape[1]):
            if met[i, b]:
                for j in range(b * BLOCK, min(arms, (b + 1) * BLOCK)):
                    total += (duels[i, j] - begun[i, j]) * regrets[kind, row + i, j]
    return total


def play(
    state: State,
    problem: Problem,
    rules: Rules,
    ledger: Ledger,
    answers: int,
    environment: np.random.Generator,
    policy: np.random.Generator,
) -> None:
    """Play from round ``ledger.place[0].t``, for that many ``answers`` or to the last checkpoint; keep the ``ledger``.

    Compiled code holds the interpreter's lock: answers are what takes time, so a call ends after some, and then
    signals, threads and timeouts have their turn. One answer may stand for all rounds, so these would not do.

    The two generators are arguments of their own, as compiled code holds on to those that it is given inside of
    another object. An answer out of range ends it, and is ``ledger.refused``; the ledger is then good for nothing else.
    In plain Python ValueError is raised when an answer is no whole numbers.

    Regret is summed over pairs from integer counts, segment by segment, so it is the same to the last bit however
    rounds are grouped. No answer reaches beyond a change: a hold stands for duels of one matrix.
    """
    P, regrets, duels, late, place = problem.P, problem.regrets, ledger.duels, ledger.late, ledger.place[0]
    starts, begun, past, met = problem.starts, ledger.begun, ledger.past, ledger.met
    delay, stepping = rules.delay, rules.stepping
    t, votes, checkpoint, waiting = int(place.t), int(place.votes), int(place.checkpoint), int(place.waiting)
    arms = P.shape[1]
    segment = 0
    while segment + 1 < starts.shape[0] and starts[segment + 1] <= t:
        segment += 1
    row = segment * arms
    most = rules.max_rounds if rules.max_rounds > 0 else NEVER
    change = int(starts[segment + 1]) if segment + 1 < starts.shape[0] else NEVER
    end = min(most, change - 1)
    while checkpoint < ledger.checkpoints.shape[0] and answers > 0:
        answers -= 1
        last = ledger.checkpoints[checkpoint]
        if rules.votes:
            last += t - 1 - votes  # as if all rounds to come were votes: more rounds follow if they are not
        reach = t if stepping else min(last, end)
        if waiting > 0:  # an answer stands only until the next outcomes arrive
            reach = min(reach, (t + delay - 1) // delay * delay)
        first, second, count = whole(select(state, t, reach, policy), t, arms)
        if not (0 <= first < arms and 0 <= second < arms and 1 <= count <= reach - t + 1):
            refused = ledger.refused[0]
            refused.first, refused.second, refused.count, refused.t, refused.last = first, second, count, t, reach
            return
        if first == second:
            wins = 0
        elif count == 1:
            wins = int(environment.random() < P[row + first, second])
        else:
            wins = environment.binomial(count, P[row + first, second])
        duels[first, second] += count
        met[first, second // BLOCK] = True
        ledger.wins[first, second] += wins
        if first != second:
            votes += count
        if delay == 1:
            update(state, first, second, wins, count)
        else:
            if first != second or count == 1:  # a hold is known to teach nothing
                outcome = late[waiting]
                outcome.first = first
                outcome.second = second
                outcome.wins = wins
                outcome.count = count
                waiting += 1
            if (t + count - 1) // delay > (t - 1) // delay:
                for k in range(waiting):
                    outcome = late[k]
                    update(state, outcome.first, outcome.second, outcome.wins, outcome.count)
                waiting = 0
        t += count
        counted = votes if rules.votes else t - 1
        over = t > most
        while checkpoint < ledger.checkpoints.shape[0] and (over or ledger.checkpoints[checkpoint] <= counted):
            for kind in range(regrets.shape[0]):
                ledger.regret[kind, checkpoint] = past[kind] + regret_since(met, begun, duels, regrets, kind, row)
            ledger.votes[checkpoint] = votes
            checkpoint += 1
            if rules.pausing:
                answers = 0
        if t == change:
            for kind in range(regrets.shape[0]):
                past[kind] += regret_since(met, begun, duels, regrets, kind, row)
            for i in range(arms):
                for j in range(arms):
                    begun[i, j] = duels[i, j]
            segment += 1
            row = segment * arms
            change = int(starts[segment + 1]) if segment + 1 < starts.shape[0] else NEVER
            end = min(most, change - 1)
    place.t, place.votes, place.checkpoint, place.waiting = t, votes, checkpoint, waiting
