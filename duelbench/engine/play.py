"""The round loop: the same code for every algorithm, which ``loops`` binds to the algorithm's kernels."""

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
    duel_in_blocks,
    is_shared,
    last_round,
    outcomes,
    settle,
)

LATE = record_dtype([(name, np.int64) for name in ("first", "second", "wins", "ties", "count", "limit")])
"""An outcome that is delayed, or recorded in a session: there ``limit`` is the largest count that was possible."""


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
    """Explore and return an arm, or all arms in order; ``loops`` replaces this function by a program's."""
    raise NotImplementedError


takes_ties = False
"""Whether the algorithm takes ties; ``loops`` replaces it. A constant: only one of the two calls is compiled."""
FROM_THE_START = np.array([1])
NO_TIES = np.zeros((0, 0))
NO_TIES.flags.writeable = False  # like every matrix: loops are compiled for this type


class Problem(NamedTuple):
    """Preference matrices and the regret of each duel, for a single segment or for each segment between two changes.

    ``P``: (segments · K, K) the preference matrices, stacked; (K, K) where nothing changes. ``regrets``:
    (kinds, segments · K, K) regret of one duel of every ordered pair. ``starts``: (segments,) the first round of each
    segment, increasing from 1. ``T``: (K, K) the probabilities of ties, if the run has a third outcome; (0, 0) if each
    tie is decided by a coin, as ``P`` says. Ties need a single segment.
    """

    P: Floats
    regrets: Floats
    starts: Ints = FROM_THE_START
    T: Floats = NO_TIES

    @classmethod
    def changing(cls, starts: Sequence[int] | Ints, P: Sequence[Floats], regrets: Sequence[Floats]) -> Self:
        """Return a problem whose (K, K) ``P`` and (kinds, K, K) ``regrets`` change at the rounds ``starts``.

        Raises ValueError when the rounds do not increase from 1 or the lengths differ.
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
        """Return the (K, K) pairs of arms whose self-duels have the same regret, of every kind and in every segment."""
        kinds, arms = len(self.regrets), np.arange(self.arms)
        cost = self.regrets.reshape(kinds, -1, self.arms, self.arms)[:, :, arms, arms]
        equal: Flags = (cost[..., :, None] == cost[..., None, :]).all(axis=(0, 1))
        return equal


class Rules(NamedTuple):
    """The rules of a run.

    ``delay``: outcomes reach the algorithm after every ``delay`` rounds; 1 means no delay. ``stepping``: every answer
    is a single round, without holds. ``votes``: checkpoints count votes (duels of different arms), not rounds.
    ``max_rounds``: the largest number of rounds, 0 for no limit. If it is reached before the last checkpoint, the later
    checkpoints repeat the final values: an algorithm that has converged asks for no more votes. ``pausing``: a call
    ends at the next checkpoint. ``drop``: a tie takes a round, and the algorithm does not receive it: the duel is
    repeated until it is decided. The algorithm then counts only the rounds that it received, and there is no delay.
    ``recorded``: the outcomes of a program's duels are read from ``Ledger.late``. ``cut``: blocks end at checkpoints.
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

    ``checkpoints``: increasing rounds, or votes, at which the regret is recorded. ``regret``: (kinds, checkpoints),
    cumulative. ``votes``: (checkpoints,) the duels of different arms until then. ``duels``: (K, K) duels of every
    ordered pair so far. ``wins``, ``ties``: (K, K) how many of these the first arm won, and how many were ties, 0 for
    self-duels; ``ties`` is (0, 0) where the problem has none. ``late``: a buffer for outcomes that the algorithm has
    not received yet, records of ``first``, ``second``, ``wins``, ``ties``, ``count``, or those that a session has
    recorded, with the ``limit`` of each question. ``place``: ``t``, the next round; ``votes``, the duels of different
    arms so far; ``checkpoint``, the number of checkpoints passed; ``segment``, the number of changes so far;
    ``answers``, how many may be played before Python is asked; ``waiting``, the number of outcomes in ``late``;
    ``dropped``, the number of ties dropped. ``asked``: where ties are dropped, the duels asked for, ``count`` of
    ``first`` against ``second`` (of a program without the pair), of which ``left`` are not decided yet and ``first``
    has won ``wins``; in a session, the next question, see ``duels``. ``begun``: (K, K) the duels before the current
    segment. ``past``: (kinds,) their regret. ``met[i, b]``: whether i was the first arm of a duel against one of the
    ``BLOCK`` arms from ``b * BLOCK`` on. ``refused``: an answer ``first``, ``second``, ``count`` at round ``t`` that is
    out of range, if ``t`` is not 0; ``last`` is the last round that it could have reached. ``declared``: what a program
    has declared, ``kind`` (see ``duels``), after how many ``rounds``, and the ``arm`` that duels itself from then on.
    ``order``: (K,) the arms in order, if that is what it has declared. ``block``: the duels played now, ``count`` of
    ``first`` against ``second`` with their outcomes, of which ``left`` are not counted yet; or ``shared`` self-duels,
    which ``divide`` divides with the ``key``. ``shares``: what an algorithm says of them, see
    ``Algorithm.hold_shares``.
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
    """What a program plays in: compiled code makes it, as it would leak a generator that Python puts into a tuple."""

    problem: Problem
    rules: Rules
    ledger: Ledger
    environment: np.random.Generator


class World(NamedTuple):
    """What a program is given, see ``duels``; ``run`` is a reference to a ``Run``."""

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
    given = (*problem, ledger.checkpoints)  # all else has the same types in all runs
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
    timeouts run. The limit counts answers, not rounds, since the time depends on the answers: one may stand for all
    rounds.

    The two generators are separate arguments, since compiled code leaks generators that are passed inside another
    object. An answer out of range ends the call and is recorded in ``ledger.refused``; the ledger is then not usable
    for anything else. In plain Python, ValueError is raised for an answer that is not three whole numbers.

    Regret is summed over pairs from integer counts, segment by segment, so it is the same to the last bit however
    rounds are grouped. No answer extends beyond a change: all duels of a hold use the same matrix.

    Where ties are dropped, an answer of n duels takes n rounds and one for each tie, perhaps beyond the next
    checkpoint. The algorithm receives the n decided duels at once, so it plays as on the matrix ``W / (W + Wᵀ)`` of
    the decided outcomes, ``W = P − T / 2``.
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
            begin_block(ledger, first, second, count, wins, ties)
            if first == second and is_shared(ledger):
                block.shared, block.key = True, int(policy.random() * 2**32) if count > 1 else 0
        if not count_block(problem, rules, ledger):
            continue
        first, second, count, wins = int(block.first), int(block.second), int(block.count), int(block.wins)
        ties, t, waiting = int(block.ties), int(place.t) - count, int(place.waiting)
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
    """Play a program to the last checkpoint: first it explores, then the arm that it names duels itself.

    ``blocks`` is the address of ``duel_in_blocks``. ``hook`` is called, as ``duels`` says, instead of returning after
    ``place.answers`` answers: a program cannot be left and entered again. Raises ``ProgramLeft`` if it is still
    exploring at the end.
    """
    world = World(problem.P.shape[1], by_reference(Run(problem, rules, ledger, environment)), hook, blocks)
    settle(world, explore(world, state, policy))
    arm = int(ledger.declared[0].arm)
    play_at(world.play, world, arm, arm, NEVER)
