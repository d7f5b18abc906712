"""The round loop. All algorithms share this code; ``loops`` binds it to the kernels of each algorithm."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numba
import numpy as np
from numba import types

from duelbench.arrays import Flags, Floats, Ints, Record, State, record, record_dtype
from duelbench.compiling.addresses import address_of, by_reference, play_at
from duelbench.compiling.dispatcher import PlainPython
from duelbench.engine.answers import whole
from duelbench.kernels.blocks import new_shares
from duelbench.kernels.duels import (
    BLOCK,
    NEVER,
    begin_block,
    count_block,
    count_duels,
    count_outcomes,
    duel_in_blocks,
    is_shared,
    last_round,
    next_stop,
    outcomes,
    settle,
)

LATE = record_dtype([(name, np.int64) for name in ("first", "second", "wins", "ties", "count", "limit")])
"""A delayed outcome, or one recorded in a session; ``limit``, for sessions, is the largest possible count."""


def select(state: State, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return the algorithm's next duels; ``loops`` replaces this function by the kernel."""
    raise NotImplementedError


def update(state: State, first: int, second: int, wins: int, count: int) -> None:
    """Report the outcomes of duels to the algorithm; ``loops`` replaces this function by the kernel."""
    raise NotImplementedError


def update_with_ties(state: State, first: int, second: int, wins: int, ties: int, count: int) -> None:
    """Report the outcomes of duels to an algorithm that takes ties, instead of ``update``."""
    raise NotImplementedError


def explore(world: Any, state: State, rng: np.random.Generator) -> Any:
    """Explore and return an arm, or all arms in order; ``loops`` replaces this function by the program's."""
    raise NotImplementedError


takes_ties = False
"""Whether the algorithm takes ties; ``loops`` replaces it. A constant: only one of the two calls is compiled."""
FROM_THE_START = np.array([1])
NO_TIES = np.zeros((0, 0))
NO_TIES.flags.writeable = False  # like every matrix: loops are compiled for this type


class Problem(NamedTuple):
    """The preference matrix and the regret of each duel, for every segment between changes.

    ``P``: (segments · K, K) the stacked preference matrices. ``regrets``: (kinds, segments · K, K) the regret of one
    duel of every ordered pair. ``starts``: (segments,) the first round of each segment, increasing from 1. ``T``:
    (K, K) the probabilities of ties if a tie is a third outcome; (0, 0) if a fair coin decides ties, as ``P`` assumes.
    Ties need a single segment.
    """

    P: Floats
    regrets: Floats
    starts: Ints = FROM_THE_START
    T: Floats = NO_TIES

    @classmethod
    def changing(cls, starts: Sequence[int] | Ints, P: Sequence[Floats], regrets: Sequence[Floats]) -> Self:
        """Return a problem whose (K, K) ``P`` and (kinds, K, K) ``regrets`` change at the rounds ``starts``.

        Raises ValueError if the rounds do not increase from 1 or the lengths differ.
        """
        rounds = np.array(starts, np.int64)
        if not (len(rounds) == len(P) == len(regrets) > 0 and rounds[0] == 1 and (np.diff(rounds) > 0).all()):
            raise ValueError(f"segments must begin at increasing rounds from 1, each with one matrix, not at {starts}")
        stacked = np.concatenate(P)
        stacked.flags.writeable = False  # like every matrix: loops are compiled for this type
        return cls(stacked, np.concatenate(regrets, axis=1), rounds)

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return int(self.P.shape[1])

    def segment(self, t: int) -> int:
        """Return the number of the segment of round ``t``."""
        return int(np.searchsorted(self.starts, t, side="right")) - 1

    def regrets_at(self, t: int) -> Floats:
        """Return the (kinds, K, K) regret of one duel in round ``t``."""
        row = self.segment(t) * self.arms
        return self.regrets[:, row : row + self.arms]

    def equal_self_duels(self) -> Flags:
        """Return (K, K) flags: whether self-duels of two arms have equal regret of every kind in every segment."""
        kinds, arms = len(self.regrets), np.arange(self.arms)
        cost = self.regrets.reshape(kinds, -1, self.arms, self.arms)[:, :, arms, arms]
        equal: Flags = (cost[..., :, None] == cost[..., None, :]).all(axis=(0, 1))
        return equal


class Rules(NamedTuple):
    """The rules of a run.

    ``delay``: the algorithm receives outcomes every ``delay`` rounds; 1 means no delay. ``stepping``: every answer is a
    single round, without holds. ``votes``: checkpoints count votes (duels of different arms), not rounds.
    ``max_rounds``: the largest number of rounds, 0 for no limit. If it is reached before the last checkpoint, the later
    checkpoints repeat the final values: an algorithm that has converged asks for no more votes. ``pausing``: a call
    ends at the next checkpoint. ``drop``: a tied duel takes a round and is repeated until it is decided. The algorithm
    receives and counts only decided duels; there is no delay. ``recorded``: read the outcomes of a program's duels from
    ``Ledger.late``. ``cut``: blocks end at checkpoints.
    """

    delay: int = 1
    stepping: bool = False
    votes: bool = False
    max_rounds: int = 0
    pausing: bool = False
    drop: bool = False
    recorded: bool = False
    cut: bool = False


class Ledger(NamedTuple):
    """The records of the loop.

    - ``checkpoints``: increasing rounds, or votes, at which the regret is recorded.
    - ``regret``: (kinds, checkpoints), cumulative. ``votes``: (checkpoints,) the duels of different arms until then.
    - ``duels``: (K, K) the duels of every ordered pair so far. ``wins``, ``ties``: (K, K) how many of these the first
      arm won, and how many were ties, 0 for self-duels; ``ties`` is (0, 0) if the problem has none.
    - ``late``: a buffer of outcomes (``first``, ``second``, ``wins``, ``ties``, ``count``) that the algorithm has not
      received yet. In a session: the recorded outcomes, with the ``limit`` of each question.
    - ``place``: ``t``, the next round; ``votes``, the duels of different arms so far; ``checkpoint``, the number of
      checkpoints passed; ``segment``, the number of changes so far; ``answers``, how many answers to play before
      returning to Python; ``waiting``, the number of outcomes in ``late``; ``dropped``, the number of ties dropped.
    - ``asked``: if ties are dropped, a request for ``count`` duels of ``first`` against ``second`` (a program stores no
      pair): ``left`` are not decided yet, and ``first`` won ``wins``. In a session: the next question, see ``duels``.
    - ``begun``: (K, K) the duels before the current segment. ``past``: (kinds,) their regret.
    - ``met[i, b]``: whether i was the first arm of a duel against one of the ``BLOCK`` arms from ``b * BLOCK`` on.
    - ``refused``: if ``t`` is not 0, an answer ``first``, ``second``, ``count`` at round ``t`` that is out of range;
      ``last`` is the last round that it could have reached.
    - ``declared``: the declaration of a program: its ``kind`` (see ``duels``), the ``rounds`` before it, and the
      ``arm`` that duels itself from then on. ``order``: (K,) the arms in order, if it declared an order.
    - ``block``: ``count`` duels of ``first`` against ``second`` with their outcomes, if they are counted in parts:
      ``left`` are not counted yet. If ``shared``, these are self-duels that ``divide`` splits among arms with the
      ``key``.
    - ``shares``: how the algorithm splits them, see ``Algorithm.hold_shares``.
    """

    checkpoints: Ints
    regret: Floats
    votes: Ints
    duels: Ints
    wins: Ints
    ties: Ints
    late: Record
    place: Record
    asked: Record
    refused: Record
    begun: Ints
    past: Floats
    met: Flags
    declared: Record
    order: Ints
    block: Record
    shares: Ints


class Run(NamedTuple):
    """The run of a program. Compiled code creates it: numba leaks a generator that Python has put into a tuple."""

    problem: Problem
    rules: Rules
    ledger: Ledger
    environment: np.random.Generator


class World(NamedTuple):
    """The argument of a program, see ``duels``; ``run`` is a reference to a ``Run``."""

    arms: int
    run: Any
    hook: Any
    play: Any


class PlainWorld(World, PlainPython):
    """The world of a program in plain Python; ``hook`` and ``play`` are functions."""

    __slots__ = ()


_addresses: dict[tuple[int, ...], int] = {}


def address_of_blocks(problem: Problem, rules: Rules, ledger: Ledger, environment: np.random.Generator) -> int:
    """Return the address of ``duel_in_blocks`` for the world of a run: all programs share its machine code."""
    given = (*problem, ledger.checkpoints)  # all other types are the same in all runs
    key = tuple(number for each in given for number in (each.flags.num, each.dtype.num))
    if key not in _addresses:
        untyped: Any = numba
        kinds, number = untyped.types, types.int64
        run = kinds.NamedTuple([untyped.typeof(each) for each in (problem, rules, ledger, environment)], Run)
        world = kinds.NamedTuple([number, kinds.CPointer(run), number, number], World)
        _addresses[key] = address_of(duel_in_blocks, world, number, number, number)
    return _addresses[key]


plain_blocks: Callable[..., tuple[int, int]] = getattr(duel_in_blocks, "plain", duel_in_blocks)
"""``duel_in_blocks`` for programs in plain Python."""


def new_ledger(
    checkpoints: Ints, kinds: int, arms: int, delay: int = 1, ties: bool = False, shares: Ints | None = None
) -> Ledger:
    """Return the ledger of a new run; ``ties``: whether its problem has a third outcome."""
    return Ledger(
        checkpoints,
        np.zeros((kinds, len(checkpoints))),
        np.zeros(len(checkpoints), np.int64),
        np.zeros((arms, arms), np.int64),
        np.zeros((arms, arms), np.int64),
        np.zeros((arms, arms) if ties else (0, 0), np.int64),
        np.zeros(delay, LATE),
        record(t=1, votes=0, checkpoint=0, segment=0, answers=NEVER, waiting=0, dropped=0),
        record(first=0, second=0, count=0, left=0, wins=0, self_duels=0),
        record(first=0, second=0, count=0, t=0, last=0),
        np.zeros((arms, arms), np.int64),
        np.zeros(kinds),
        np.zeros((arms, (arms - 1) // BLOCK + 1), np.bool_),
        record(kind=0, arm=-1, rounds=0),
        np.zeros(arms, np.int64),
        record(first=0, second=0, count=0, left=0, wins=0, ties=0, shared=False, key=0),
        new_shares(0) if shares is None else shares,
    )


def play(
    state: State,
    problem: Problem,
    rules: Rules,
    ledger: Ledger,
    environment: np.random.Generator,
    policy: np.random.Generator,
) -> None:
    """Play a policy from round ``place.t`` for ``place.answers`` answers or to the last checkpoint.

    Compiled code holds the global interpreter lock, so a call ends after some answers to let signals, threads and
    timeouts run. The limit counts answers, not rounds: the time depends on the answers, and one answer may cover all
    rounds.

    The two generators are separate arguments, since compiled code leaks generators that are passed inside another
    object. An answer out of range ends the call and is recorded in ``ledger.refused``; do not use the ledger for
    anything else then. In plain Python, an answer that is not three whole numbers raises AnswerError.

    Regret is summed over pairs from integer counts, segment by segment, so it has the same bits however rounds are
    grouped. No answer extends beyond a change: all duels of a hold use the same matrix.

    If ties are dropped, an answer of n duels takes n rounds plus one per tie, perhaps beyond the next checkpoint. The
    algorithm receives the n decided duels at once, as if it played on the matrix ``W / (W + Wᵀ)`` with
    ``W = P − T / 2``.
    """
    late, place, asked, block = ledger.late, ledger.place[0], ledger.asked[0], ledger.block[0]
    delay, drop, arms = rules.delay, rules.drop, problem.P.shape[1]
    while place.checkpoint < ledger.checkpoints.shape[0] and place.answers > 0:
        if block.left == 0:
            t = int(place.t)
            reach = last_round(problem, rules, ledger)
            if place.waiting > 0:  # an answer is valid only until the next outcomes arrive
                reach = min(reach, (t + delay - 1) // delay * delay)
            if drop and asked.left > 0:
                first, second, count = int(asked.first), int(asked.second), min(int(asked.left), reach - t + 1)
            else:
                clock, last = t - int(place.dropped), reach - int(place.dropped)
                first, second, count = whole(select(state, clock, last, policy), clock, arms)
                if not (0 <= first < arms and 0 <= second < arms and 1 <= count <= last - clock + 1):
                    refused = ledger.refused[0]
                    refused.first, refused.second, refused.count = first, second, count
                    refused.t, refused.last = clock, last
                    return
                if drop and first != second:
                    asked.first, asked.second, asked.count, asked.left, asked.wins = first, second, count, count, 0
            wins, ties = 0, 0
            if first != second:
                wins, ties = outcomes(problem, place.segment * arms, first, second, count, environment)
            if first == second and is_shared(ledger):
                begin_block(ledger, first, second, count, wins, ties)
                block.shared, block.key = True, int(policy.random() * 2**32) if count > 1 else 0
            elif t + count > next_stop(problem, rules, ledger):
                begin_block(ledger, first, second, count, wins, ties)
            else:
                count_duels(ledger, first, second, count)
                count_outcomes(ledger, first, second, wins, ties)
        else:
            first, second, count = int(block.first), int(block.second), int(block.count)
            wins, ties = int(block.wins), int(block.ties)
        if block.left > 0 and not count_block(problem, rules, ledger):
            continue
        t, waiting = int(place.t) - count, int(place.waiting)
        arrivals, size = 0, count  # outcomes that the algorithm receives now, and the duels of each
        if drop and first != second:
            place.dropped += ties
            asked.left -= count - ties
            asked.wins += wins
            if asked.left == 0:
                arrivals, wins, ties, size = 1, int(asked.wins), 0, int(asked.count)
        elif delay == 1:
            arrivals = 1
        else:
            if first != second or count == 1:  # a hold never changes the state
                outcome = late[waiting]
                outcome.first = first
                outcome.second = second
                outcome.wins = wins
                outcome.ties = ties
                outcome.count = count
                waiting += 1
            if (t + count - 1) // delay > (t - 1) // delay:
                arrivals, waiting = waiting, 0
            place.waiting = waiting
        for k in range(arrivals):
            if delay > 1:
                outcome = late[k]
                first, second, wins = int(outcome.first), int(outcome.second), int(outcome.wins)
                ties, size = int(outcome.ties), int(outcome.count)
            if takes_ties:
                update_with_ties(state, first, second, wins, ties, size)
            else:
                update(state, first, second, wins, size)


def play_program(
    state: State,
    problem: Problem,
    rules: Rules,
    ledger: Ledger,
    hook: Any,
    blocks: Any,
    environment: np.random.Generator,
    policy: np.random.Generator,
) -> None:
    """Play a program to the last checkpoint: it explores, then the arm that it returns duels itself.

    ``blocks`` is the address of ``duel_in_blocks``. A program cannot be suspended, so after ``place.answers`` answers
    the loop calls ``hook`` instead of returning (see ``duels``). Raises ``ProgramLeft`` if the program is still
    exploring at the end.
    """
    world = World(problem.P.shape[1], by_reference(Run(problem, rules, ledger, environment)), hook, blocks)
    settle(world, explore(world, state, policy))
    arm = int(ledger.declared[0].arm)
    play_at(world.play, world, arm, arm, NEVER)
