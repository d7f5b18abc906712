"""How blocks of duels are played, for every algorithm, and ``duel``, by which programs ask for duels.

A program calls ``duel(world, i, j, count)`` and receives how often i has won. The world is that of one run: ``arms``,
their number; ``run``, a reference to its ``problem``, ``rules``, ``ledger`` (see ``engine.play``) and ``environment``,
the random stream that decides duels; ``hook``, which calls Python back; and ``play``, which plays blocks of duels. Only
single duels that end before the next checkpoint are compiled into the program.

A block is duels of one pair, whose outcomes are drawn together. It ends before a change of the preferences, so that one
request may be several blocks; a checkpoint only looks into a block, which is counted in parts. If a request begins
after the last round has been played, ``ProgramLeft`` ends the program. Python is called back before a request that
follows ``place.answers`` blocks, and at a checkpoint at which something is recommended: by then the program has used
all outcomes except those of an unfinished block. Python stops the program by leaving ``place.answers`` at 0.

With ``rules.recorded`` outcomes are not drawn but read, one block after the other, from ``ledger.late``. The first
block without an outcome, of at most ``asked.left`` duels, is put into ``ledger.asked``, and ends the program. An
outcome is replayed with the limit that its question had, since a program may plan by this limit. Self-duels are played
without a record, unless ``asked.self_duels``: then they are questions, too.
"""

import reprlib
from typing import Any, TypeAlias

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import lower_builtin, overload, type_callable

from duelbench.arrays import Ints
from duelbench.compiling.addresses import call_back, play_at, referred
from duelbench.compiling.jit import kernel
from duelbench.errors import AnswerError
from duelbench.kernels.blocks import COUNTED, PART, WHOLE, divide
from duelbench.kernels.draws import binomial

NEVER = 2**62
"""A round after all horizons."""
LONGEST = 999_999_999
"""The largest number of duels of a block: ``divide`` computes in floats, which are exact enough up to this number."""
BLOCK = 16
"""The number of arms that share an entry of ``met``, two cache lines of ``duels``: many pairs may never have met."""
AHEAD = 1_000_000
"""The largest number of duels in a question of a session, and of self-duels before it counts as finished."""
UNDECLARED, WINNER, NO_WINNER, ORDER = 0, 1, 2, 3
"""What a program has declared."""
_NOBODY = -(2**40)
"""What ``no_winner`` returns for arm 0."""
NOT_WHOLE_DUEL = "duel takes whole numbers, two arms and a count, not"
NOT_RETURNED = "explore must return an arm, or an array of all arms, best first, not"
"""The beginnings of numba's error messages for a program with any other types."""

World: TypeAlias = Any


class ProgramLeft(Exception):
    """The program ends here: the ledger says why."""


@kernel
def outcome(problem: Any, row: int, first: int, second: int, environment: np.random.Generator) -> int:
    """Return whether the first of two arms wins a duel, where there are no ties."""
    return int(environment.random() < problem.P[row + first, second])


@kernel
def outcomes(
    problem: Any, row: int, first: int, second: int, count: int, environment: np.random.Generator
) -> tuple[int, int]:
    """Return how many of ``count`` duels of two arms the first wins, and how many are ties."""
    P, T = problem.P, problem.T
    if T.shape[0] == 0:
        if count == 1:
            return outcome(problem, row, first, second, environment), 0
        return binomial(count, P[row + first, second], environment), 0
    tie = T[first, second]
    win = P[first, second] - tie / 2
    if count == 1:
        chance = environment.random()
        return int(chance < win), int(win <= chance < win + tie)
    ties = binomial(count, tie, environment)
    return binomial(count - ties, min(1.0, win / (1.0 - tie)), environment) if ties < count else 0, ties


@kernel(inline=False)
def regret_since(ledger: Any, problem: Any, kind: int, row: int) -> float:
    """Return the regret of the duels in the current segment, whose tables begin at ``row``.

    Pairs that never met, which are most pairs if there are many arms, are skipped a block at a time.
    """
    begun, duels, met, regrets = ledger.begun, ledger.duels, ledger.met, problem.regrets
    arms = duels.shape[0]
    total = 0.0
    for i in range(arms):
        for b in range(met.shape[1]):
            if met[i, b]:
                for j in range(b * BLOCK, min(arms, (b + 1) * BLOCK)):
                    total += (duels[i, j] - begun[i, j]) * regrets[kind, row + i, j]
    return total


@kernel
def pass_checkpoints(problem: Any, rules: Any, ledger: Any) -> None:
    """Record the regret at the checkpoints that are reached, if any, and go on to the next segment if it begins.

    The regret of the segment that ends is added to ``past``.
    """
    place = ledger.place[0]
    arms = problem.P.shape[1]
    kinds = problem.regrets.shape[0]
    row = place.segment * arms
    counted = place.votes if rules.votes else place.t - 1
    over = 0 < rules.max_rounds < place.t
    while place.checkpoint < ledger.checkpoints.shape[0] and (over or ledger.checkpoints[place.checkpoint] <= counted):
        for kind in range(kinds):
            ledger.regret[kind, place.checkpoint] = ledger.past[kind] + regret_since(ledger, problem, kind, row)
        ledger.votes[place.checkpoint] = place.votes
        place.checkpoint += 1
        if rules.pausing:
            place.answers = 0
    if place.segment + 1 < problem.starts.shape[0] and problem.starts[place.segment + 1] == place.t:
        for kind in range(kinds):
            ledger.past[kind] += regret_since(ledger, problem, kind, row)
        for i in range(arms):
            for j in range(arms):
                ledger.begun[i, j] = ledger.duels[i, j]
        place.segment += 1


@kernel
def last_round(problem: Any, rules: Any, ledger: Any) -> int:
    """Return the last round that a block beginning now may reach: before the next change, within ``LONGEST`` duels.

    With ``rules.stepping`` it is the current round. Checkpoints limit only algorithms whose blocks must end there. The
    horizon is no limit: a block that goes beyond it is cut when it is counted.
    """
    place = ledger.place[0]
    if rules.stepping:
        return int(place.t)
    last = int(place.t) + LONGEST - 1
    if rules.cut:
        last = min(last, next_look(rules, ledger, True))
    if place.segment + 1 < problem.starts.shape[0]:
        last = min(last, int(problem.starts[place.segment + 1] - 1))
    return last


@kernel
def next_look(rules: Any, ledger: Any, voting: bool) -> int:
    """Return the round that reaches the next checkpoint or the end, if all rounds until then are votes or none is."""
    place = ledger.place[0]
    last = ledger.checkpoints[place.checkpoint]
    if rules.votes:
        last = last + place.t - 1 - place.votes if voting else NEVER
    return int(min(last, rules.max_rounds) if rules.max_rounds > 0 else last)


@kernel
def next_stop(problem: Any, rules: Any, ledger: Any) -> int:
    """Return the first round that may reach the next checkpoint, change of the preferences or end."""
    return min(next_look(rules, ledger, True), last_round(problem, rules, ledger))


@kernel
def count_duels(ledger: Any, first: int, second: int, count: int) -> None:
    """Count duels in the ledger, without their outcomes."""
    place = ledger.place[0]
    ledger.duels[first, second] += count
    ledger.met[first, second // BLOCK] = True
    place.t += count
    if first != second:
        place.votes += count


@kernel
def count_outcomes(ledger: Any, first: int, second: int, wins: int, ties: int) -> None:
    """Count the outcomes of duels that ``count_duels`` has counted: one answer is complete."""
    ledger.wins[first, second] += wins
    if ties > 0:
        ledger.ties[first, second] += ties
    ledger.place[0].answers -= 1


@kernel
def begin_block(ledger: Any, first: int, second: int, count: int, wins: int, ties: int) -> None:
    """Begin a block of these duels, whose outcomes are known; ``count_block`` counts it."""
    block = ledger.block[0]
    block.first, block.second, block.count, block.left = first, second, count, count
    block.wins, block.ties, block.shared = wins, ties, False


@kernel
def is_shared(ledger: Any) -> bool:
    """Return whether the self-duels to come are shared by several arms."""
    shared = False
    for arm in range(ledger.shares.shape[1]):
        shared = shared or ledger.shares[WHOLE, arm] > 0
    return shared


@kernel(rare=True)
def count_shares(ledger: Any, part: int) -> None:
    """Count the next ``part`` self-duels of a hold that several arms share."""
    place, block, shares = ledger.place[0], ledger.block[0], ledger.shares
    divide(shares, int(block.count), int(block.count - block.left) + part, int(block.key))
    for arm in range(shares.shape[1]):
        if shares[PART, arm] > shares[COUNTED, arm]:
            ledger.duels[arm, arm] += shares[PART, arm] - shares[COUNTED, arm]
            ledger.met[arm, arm // BLOCK] = True
            shares[COUNTED, arm] = shares[PART, arm]
        if part == block.left:
            shares[WHOLE, arm] = shares[COUNTED, arm] = 0
    place.t += part


@kernel(rare=True)
def count_block(problem: Any, rules: Any, ledger: Any) -> bool:
    """Count the duels of the block in the ledger, and pass the checkpoints and the change that it reaches.

    Return whether all are counted. Counting is interrupted at a checkpoint with a recommendation, and at the end of the
    run. The outcomes are counted with the last duel.
    """
    place, block = ledger.place[0], ledger.block[0]
    first, second = int(block.first), int(block.second)
    while True:
        part = min(int(block.left), next_look(rules, ledger, first != second) - int(place.t) + 1)
        if block.shared:
            count_shares(ledger, part)
        else:
            count_duels(ledger, first, second, part)
        block.left -= part
        if block.left == 0:
            count_outcomes(ledger, first, second, int(block.wins), int(block.ties))
        pass_checkpoints(problem, rules, ledger)
        if block.left == 0:
            return True
        if place.checkpoint == ledger.checkpoints.shape[0] or place.answers <= 0:
            return False


# What programs call


@kernel(inline=False)
def block_limit(world: World) -> int:
    """Return the largest number of duels that can be played as one block now, for instance before a change.

    A test whose blocks depend on the outcomes so far asks for no more, and computes the next block anew.
    """
    run = referred(world.run)
    problem, rules, ledger = run.problem, run.rules, run.ledger
    if ledger.place[0].checkpoint == ledger.checkpoints.shape[0]:
        raise ProgramLeft
    most = last_round(problem, rules, ledger) - int(ledger.place[0].t) + 1
    return min(most, recorded_limit(ledger)) if rules.recorded else most


@kernel
def duel(world: World, first: int, second: int, count: int) -> int:
    """Let two arms duel ``count`` times, and return how often the first won.

    A duel of an arm with itself teaches nothing: it has 0 wins.
    """
    return duel_with_ties(world, first, second, count)[0]


@kernel(inline=False)
def duel_with_ties(world: World, first: int, second: int, count: int) -> tuple[int, int]:
    """Let two arms duel ``count`` times, and return how often the first won, and how many duels were ties.

    Only a program that ``takes_ties`` receives ties; for others, each tie is decided by a coin or dropped.
    """
    check_duel(first, second, count, world.arms)
    if not (0 <= first < world.arms and 0 <= second < world.arms and count >= 1):
        refuse(world, first, second, count)
    run = referred(world.run)
    problem, rules, ledger = run.problem, run.rules, run.ledger
    place = ledger.place[0]
    if (
        count > 1
        or rules.recorded
        or rules.drop
        or rules.delay > 1
        or place.answers <= 0
        or problem.T.shape[0] > 0
        or place.checkpoint == ledger.checkpoints.shape[0]
        or place.t >= next_stop(problem, rules, ledger)
    ):
        return play_at(world.play, world, first, second, count)
    wins = 0
    if first != second:
        wins = outcome(problem, place.segment * world.arms, first, second, run.environment)
    count_duels(ledger, first, second, 1)
    count_outcomes(ledger, first, second, wins, 0)
    return wins, 0


@kernel
def duel_in_blocks(world: World, first: int, second: int, count: int) -> tuple[int, int]:
    """Play any number of blocks for ``duel``: all programs share this machine code, at the address ``world.play``."""
    run = referred(world.run)
    problem, rules, ledger = run.problem, run.rules, run.ledger
    place, block, delay = ledger.place[0], ledger.block[0], rules.delay
    wins, ties, left = 0, 0, count
    while left > 0 or (delay > 1 and first != second and (place.t - 1) % delay > 0):
        if place.checkpoint == ledger.checkpoints.shape[0]:
            if ledger.declared[0].arm >= 0:  # the declared arm has been played to the end
                break
            raise ProgramLeft
        if rules.recorded and place.t - place.votes > AHEAD and not ledger.asked[0].self_duels:
            raise ProgramLeft
        if place.answers <= 0:
            call_back(world.hook)
            if place.answers <= 0:
                raise ProgramLeft
        if block.left == 0:
            most = last_round(problem, rules, ledger) - int(place.t) + 1
            most = min(most, left if left > 0 else delay - (place.t - 1) % delay)
            won, tied = 0, 0
            if rules.recorded and (first != second or asks_itself(ledger)):
                most = min(most, recorded_limit(ledger), next_look(rules, ledger, True) - int(place.t) + 1)
                if place.waiting == ledger.late.shape[0]:
                    asked = ledger.asked[0]
                    asked.first, asked.second, asked.count = first, second, most
                    raise ProgramLeft
                read = ledger.late[place.waiting]
                won, tied = int(read.wins), int(read.ties)
                place.waiting += 1
            elif first != second:
                won, tied = outcomes(problem, place.segment * world.arms, first, second, most, run.environment)
            begin_block(ledger, first, second, most, won, tied)
        if count_block(problem, rules, ledger) and left > 0:  # else its outcomes have not arrived, or are not used
            wins += int(block.wins)
            ties += int(block.ties)
            left -= int(block.count - block.ties if rules.drop else block.count)
        if rules.drop:
            asked = ledger.asked[0]
            asked.count, asked.left, asked.wins = count, left, wins
    return wins, 0 if rules.drop else ties


@kernel
def no_winner(world: World, arm: int) -> int:
    """Declare that there is no Condorcet winner: ``return no_winner(world, arm)`` plays this arm to the end."""
    return _NOBODY - arm if 0 <= arm < world.arms else arm


# What these functions call


def check_duel(first: Any, second: Any, count: Any, arms: int) -> None:
    """Raise AnswerError for a request of a program in plain Python that is not valid."""
    asked = f"duel(world, {', '.join(map(reprlib.repr, (first, second, count)))})"
    if not (is_whole(first) and is_whole(second) and is_whole(count)):
        raise AnswerError(f"{asked}: it takes whole numbers, two arms from 0 … {arms - 1} and a count")
    if not (0 <= first < arms and 0 <= second < arms):
        raise AnswerError(f"{asked}: arms are 0 … {arms - 1}")
    if count < 1:
        raise AnswerError(f"{asked}: the count must be 1 or more")


@type_callable(check_duel)
def _type_of_check_duel(context: Any) -> Any:
    def typed(first: Any, second: Any, count: Any, arms: Any) -> Any:
        if not all(isinstance(each, types.Integer) for each in (first, second, count)):
            raise TypingError(f"{NOT_WHOLE_DUEL} {(first, second, count)}")
        return types.none

    return typed


@lower_builtin(check_duel, types.Any, types.Any, types.Any, types.Any)  # type: ignore[no-untyped-call,untyped-decorator]
def _lower_check_duel(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.get_dummy_value()


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number, not a bool, that compiled code can represent."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and abs(int(value)) < 2**63


@kernel
def recorded_limit(ledger: Any) -> int:
    """Return the limit on the duels of a session's next question or, if it has been answered, the limit it had then."""
    place = ledger.place[0]
    if place.waiting < ledger.late.shape[0]:
        return int(ledger.late[place.waiting].limit)
    return int(ledger.asked[0].left)


@kernel
def asks_itself(ledger: Any) -> bool:
    """Return whether the next question of a session is a self-duel."""
    place = ledger.place[0]
    if place.waiting < ledger.late.shape[0]:
        return bool(ledger.late[place.waiting].first == ledger.late[place.waiting].second)
    return bool(ledger.asked[0].self_duels)


@kernel(rare=True)
def refuse(world: World, first: int, second: int, count: int) -> None:
    """Record a request that is not valid, or an ``explore`` that returned no arm, and end the program."""
    ledger = referred(world.run).ledger
    refused = ledger.refused[0]
    refused.first, refused.second, refused.count, refused.t = first, second, count, ledger.place[0].t
    raise ProgramLeft


def settle(world: World, answer: Any) -> None:
    """Declare what ``explore`` has returned: a whole number, or all arms in order."""
    if is_whole(answer):
        settle_on_arm(world, answer)
        return
    order = answer if isinstance(answer, tuple | list | np.ndarray) else ()
    if sorted(arm for arm in order if is_whole(arm)) != list(range(world.arms)) or len(order) != world.arms:
        raise AnswerError(
            f"explore returned {reprlib.repr(answer)}: it must be an arm from 0 … {world.arms - 1}, or all arms, best "
            "first"
        )
    settle_on_order(world, np.array(order))


@overload(settle, inline="always")
def _compile_settle(world, answer):  # type: ignore[no-untyped-def]
    if isinstance(answer, types.Integer):
        return lambda world, answer: settle_on_arm(world, answer)
    if isinstance(answer, types.Array) and answer.ndim == 1 and isinstance(answer.dtype, types.Integer):
        return lambda world, answer: settle_on_order(world, answer)
    raise TypingError(f"{NOT_RETURNED} {answer}")


@kernel
def settle_on_arm(world: World, answer: int) -> None:
    """Declare an arm, or that there is no winner, and play the arm from now on."""
    ledger = referred(world.run).ledger
    declared = ledger.declared[0]
    nobody = answer <= _NOBODY
    arm = _NOBODY - answer if nobody else answer
    declared.kind = NO_WINNER if nobody else WINNER
    if not 0 <= arm < world.arms:
        refuse(world, arm, arm, 0)
    declared.arm, declared.rounds = arm, ledger.place[0].t - 1


@kernel
def settle_on_order(world: World, order: Ints) -> None:
    """Declare the order of all arms, and play the first from now on."""
    ledger = referred(world.run).ledger
    declared = ledger.declared[0]
    declared.kind = ORDER
    if order.shape[0] != world.arms:
        refuse(world, 0, 0, 0)
    for arm in range(world.arms):
        ledger.order[arm] = -1
    for arm in order:
        if not (0 <= arm < world.arms and ledger.order[arm] < 0):
            refuse(world, 0, 0, 0)
        ledger.order[arm] = arm
    for place in range(world.arms):
        ledger.order[place] = order[place]
    declared.arm, declared.rounds = order[0], ledger.place[0].t - 1
