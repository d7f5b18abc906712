"""Rollouts: one run of an algorithm on a problem with two random streams."""

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Declared, Program, first_arm
from duelbench.arrays import Floats, Ints, Tiers
from duelbench.compiling.addresses import Hook
from duelbench.engine.answers import (
    check_answer,
    check_program,
    checked_arm,
    checked_declaration,
    checked_detections,
    checked_tiers,
)
from duelbench.engine.complaint import AS_PLAIN_PYTHON
from duelbench.engine.loops import loop_for
from duelbench.engine.play import Ledger, Problem, Rules, address_of_blocks, new_ledger, plain_blocks
from duelbench.engine.recommendation import in_order, ranked, recommended
from duelbench.engine.streams import copied
from duelbench.errors import AnswerError
from duelbench.kernels.blocks import PART, WHOLE, divide, mix, new_shares
from duelbench.kernels.duels import NO_WINNER, ORDER, UNDECLARED, ProgramLeft
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.scores import Counts

COMPILED_PART = 4_000
INTERPRETED_PART = 20
"""The number of answers before the first progress report: a fraction of a second even for the slowest algorithm."""
FASTER = 16
"""The largest ratio of the lengths of successive parts."""
LARGEST_PART = 1_000_000
"""The largest number of answers between two progress reports, since answers may suddenly become slow."""
BREATH = 0.05
"""The target duration of a part in seconds. Compiled code does not handle signals; entering the loop takes 15 µs."""
_SHORTEST_REPORT = BREATH / 10
"""The shortest duration to report, in seconds: with recommendations, parts also end at checkpoints."""


OWN = {"own": "copeland", "own or borda": "borda"}
"""The common rule to use if the algorithm has no rule."""


class Streams(NamedTuple):
    """The random streams of a run: ``environment`` decides duels, ``policy`` belongs to the algorithm."""

    environment: np.random.Generator
    policy: np.random.Generator


@dataclass(frozen=True)
class Trajectory:
    """The result of a run.

    Attributes
    ----------
    checkpoints : ndarray of int, shape (checkpoints,)
        The rounds t of the columns of ``regret``.
    regret : ndarray of float, shape (kinds, checkpoints)
        Cumulative regret.
    duels : ndarray of int, shape (K, K)
        How often each ordered pair was duelled. In D-TS+, if self-duels of several arms have the same regret of every
        kind, only the sum of these self-duels is meaningful.
    declaration : tuple, optional
        The declared winner or tiers (None if the algorithm declared that no winner exists), and the number of rounds,
        or votes, before the declaration. None if nothing was declared.
    votes : ndarray of int, shape (checkpoints,), optional
        The number of duels of different arms so far.
    recommended : ndarray of int, shape (checkpoints,), optional
        The recommended arm, if recommendations were requested.
    rankings : tuple of Tiers, (checkpoints,)
        The order of the arms, best first, if orders were requested; it begins with the recommended arm.
    detections : tuple of int
        The rounds after which the algorithm restarted because it detected a change.
    """

    checkpoints: Ints
    regret: Floats
    duels: Ints
    declaration: tuple[Declared, int] | None
    votes: Ints | None = None
    recommended: Ints | None = None
    rankings: tuple[Tiers, ...] = ()
    detections: tuple[int, ...] = ()

    @property
    def informative(self) -> int:
        """The number of duels between different arms."""
        return int(self.duels.sum() - np.trace(self.duels))


def rollout(
    algorithm: Algorithm,
    problem: Problem,
    checkpoints: Ints,
    streams: Streams,
    rules: Rules = Rules(),
    progress: Callable[[int], None] | None = None,
    recommend: str = "",
    order: Ints | None = None,
    earlier: Ints | None = None,
    counted: PairCounts | None = None,
    watch: Callable[[Ledger], None] | None = None,
    draw_seed: int = 0,
    finds_order: bool = False,
) -> Trajectory:
    """Play ``algorithm`` on ``problem`` to the last of the ``checkpoints``, which is its horizon.

    ``progress`` is called from time to time with the number of rounds, or votes, since the last call. ``recommend`` is
    the recommendation rule at each checkpoint: one of ``recommendation.RULES`` or ``POSTERIOR``; a key of ``OWN`` for
    the algorithm's own rule, or if it has none the common rule given there; empty for no recommendations. With
    ``finds_order`` it is the rule for the order of all arms, and ``OWN`` falls back on Bradley–Terry strengths.
    ``order`` breaks ties; a rule that draws matrices uses the seed ``draw_seed``. ``earlier``: (K, K) how often each
    arm beat each other arm in earlier votes. An algorithm that learns from any duel learns these first, and they count
    as its first rounds; others ignore them. Common rules use ``counted``, the same votes with their ties; if the
    problem has no ties, each is half a win for both. ``watch`` is called with the ledger after each answer; it slows
    down a run and changes no number.

    Raises the exceptions of the algorithm, and ValueError for an invalid answer or declaration.
    """
    run = LiveRun(algorithm, problem, checkpoints, streams, rules, progress, recommend, watch)
    run.order, run.draw_seed, run.finds_order = order, draw_seed, finds_order
    if earlier is not None and algorithm.learns_off_policy:
        run.rules = _report_earlier(algorithm, run.state, earlier, run.ledger, run.rules)
        run.ledger.place[0].segment = problem.segment(_place(run.ledger).t)
    if counted is None and earlier is not None:
        counted = PairCounts(tuple(map(str, range(problem.arms))), earlier.astype(np.float64), np.zeros(earlier.shape))
    run.counted = counted
    run.rules = run.rules._replace(pausing=bool(recommend))
    run.play()
    place = _place(run.ledger)
    declaration = run.declaration()
    if declaration is not None:  # after a declaration, the algorithm plays self-duels of the winner
        winner, declared = declaration[0], declaration[1] + place.dropped
        declaration = winner, min(declared, place.votes) if rules.votes else declared
    return Trajectory(
        checkpoints,
        run.ledger.regret,
        run.ledger.duels,
        declaration,
        run.ledger.votes,
        run.named if recommend else None,
        tuple(run.rankings),
        checked_detections(algorithm.detections(run.state), place.t - 1) if algorithm.detects() else (),
    )


class LiveRun:
    """A run that is played in parts; Python reports progress and records between them. See ``rollout``.

    ``loop`` replaces the algorithm's loop.
    """

    order: Ints | None = None
    draw_seed = 0
    finds_order = False
    counted: PairCounts | None = None

    def __init__(
        self,
        algorithm: Algorithm,
        problem: Problem,
        checkpoints: Ints,
        streams: Streams,
        rules: Rules = Rules(),
        progress: Callable[[int], None] | None = None,
        recommend: str = "",
        watch: Callable[[Ledger], None] | None = None,
        loop: Callable[..., None] | None = None,
    ) -> None:
        self.algorithm, self.problem, self.streams = algorithm, problem, streams
        self.rules = rules._replace(cut=algorithm.ends_blocks_at_checkpoints)
        self.checkpoints, self.recommend = checkpoints, recommend
        self._progress, self._watch = progress, watch
        self.state = algorithm.start(problem.arms, int(checkpoints[-1]))
        algorithm.merge_equal_self_duels(self.state, problem.equal_self_duels())
        ties, shares = bool(problem.T.size), algorithm.hold_shares(self.state)
        self.ledger = new_ledger(checkpoints, len(problem.regrets), problem.arms, rules.delay, ties, shares)
        self.named = np.empty(len(checkpoints), np.int64)
        self.rankings: list[Tiers] = []
        self._part = COMPILED_PART if algorithm.compiled() else INTERPRETED_PART
        self._reported = 0
        self._loop = loop or loop_for(type(algorithm))

    def play(self) -> None:
        """Play to the last checkpoint."""
        self._before, self._began = _place(self.ledger), time.perf_counter()
        self.ledger.place[0].answers = 1 if self._watch else self._part
        if isinstance(self.algorithm, Program):
            play_to_the_end(self._loop, self.algorithm, self.state, self.problem, self.rules, self.ledger,
                            self.streams, self._between)  # fmt: skip
            self._between()
            return
        while self._before.checkpoint < len(self.checkpoints):
            self._loop(self.state, self.problem, self.rules, self.ledger, *self.streams)
            self._between()

    def _between(self) -> None:
        """Report progress, record recommendations, and set the size of the next part."""
        before, place, took = self._before, _place(self.ledger), time.perf_counter() - self._began
        recommend, progress, horizon = self.recommend, self._progress, int(self.checkpoints[-1])
        _check(self.algorithm, self.ledger, self.problem.arms)
        if self._watch is not None:
            self._watch(self.ledger)
        if recommend and before.checkpoint < place.checkpoint:
            self._record(before.checkpoint, place.checkpoint)
        if not recommend or before.checkpoint == place.checkpoint:  # else it ended at a checkpoint, perhaps immediately
            self._part = int(min(max(1, self._part * min(FASTER, BREATH / max(took, 1e-9))), LARGEST_PART))
        over = place.checkpoint == len(self.checkpoints)
        if over and self._declares_with_the_last_duel() and recommend in OWN:
            self._record(before.checkpoint, place.checkpoint)
        played = horizon if over else place.votes if self.rules.votes else place.t - 1  # some votes are never asked for
        if progress is not None and (over or not recommend or took > _SHORTEST_REPORT):
            progress(played - self._reported)
            self._reported = played
        self.ledger.place[0].answers = 1 if self._watch else self._part
        self._before, self._began = place, time.perf_counter()

    def declaration(self) -> tuple[Declared, int] | None:
        """Return the declaration and the number of rounds before it; None if there is none."""
        if isinstance(self.algorithm, Program):
            return declared_by(self.algorithm, self.ledger, int(self.checkpoints[-1]))
        horizon = self.rules.max_rounds or int(self.checkpoints[-1])
        return checked_declaration(self.algorithm.declaration(self.state), self.problem.arms, horizon)

    def _record(self, since: int, until: int) -> None:
        """Record the current recommendation for the checkpoints ``since`` … ``until`` − 1."""
        records, arms = _records(self.ledger, self.counted, self.draw_seed), self.problem.arms
        own: Any = None
        if self.recommend in OWN:
            state = self._state_now()
            declared = self.declaration() if isinstance(self.algorithm, Program) else None
            if declared and declared[1] == _place(self.ledger).t - 1 and until < len(self.checkpoints):
                declared = None  # counts from the next round on, as for policies
            if self.finds_order:
                own = declared[0] if declared and isinstance(declared[0], tuple) else self.algorithm.ranking(state)
                own = None if own is None else checked_tiers(own, arms)
            else:
                own = first_arm(declared[0]) if declared else None
                own = self.algorithm.recommendation(state) if own is None else own
                own = None if own is None else checked_arm(own, arms)
        if self.finds_order:
            rule = "btl" if self.recommend in OWN else self.recommend
            tiers = own or ranked(rule, records.duels, records.wins, self.draw_seed, records.ties)
            self.rankings[since:] = [tiers] * (until - since)
            self.named[since:until] = in_order(tiers, self.order)[0]
        elif own is None:
            rule = OWN.get(self.recommend, self.recommend)
            self.named[since:until] = recommended(
                rule, records.duels, records.wins, self.order, self.draw_seed, records.ties
            )
        else:
            self.named[since:until] = own

    def _state_now(self) -> Any:
        """Return the state; within a block, a copy that has learned the outcomes so far unless outcomes are delayed."""
        block, asked, drop = self.ledger.block[0], self.ledger.asked[0], self.rules.drop
        if block.first == block.second or self.rules.delay > 1:
            return self.state
        part = int(block.count - block.left) if block.left > 0 else 0
        wins, ties = outcomes_within(self.ledger, self.draw_seed) if part > 0 else (0, 0)
        if drop:
            part, ties = part - ties, 0
            if asked.left > 0:  # earlier blocks of the same request
                wins, part = wins + int(asked.wins), part + int(asked.count - asked.left)
        if part == 0:
            return self.state
        state = copied(self.state)
        self.algorithm.learn_part(state, int(block.first), int(block.second), wins, ties, part)
        return state

    def _declares_with_the_last_duel(self) -> bool:
        """Call ``select`` once more after the last round; return whether the algorithm then makes its declaration.

        Policies evaluate outcomes in ``select``, so this evaluates the last outcomes. The extra duel is played on a
        copy of the ledger. An algorithm that uses the horizon is not asked beyond it.
        """
        algorithm, ledger = self.algorithm, self.ledger
        if isinstance(algorithm, Program) or not algorithm.declares() or algorithm.uses_horizon:
            return False
        if algorithm.declaration(self.state) is not None:
            return False
        if ledger.asked[0].left > 0 or ledger.block[0].left > 0:  # it has evaluated all outcomes received so far
            return False
        ledger.place[0].checkpoint, ledger.place[0].answers = 0, 1
        beside = ledger._replace(
            checkpoints=np.array([ledger.place[0].t], np.int64),
            regret=np.zeros((len(ledger.regret), 1)),
            votes=np.zeros(1, np.int64),
            duels=ledger.duels.copy(),
            wins=ledger.wins.copy(),
            ties=ledger.ties.copy(),
            block=ledger.block.copy(),
            shares=ledger.shares.copy(),
        )
        self._loop(self.state, self.problem, Rules(delay=self.rules.delay), beside, *self.streams)
        _check(algorithm, beside, self.problem.arms)
        return algorithm.declaration(self.state) is not None


def play_to_the_end(
    loop: Callable[..., None],
    program: Program,
    state: Any,
    problem: Problem,
    rules: Rules,
    ledger: Ledger,
    streams: Streams,
    between: Callable[[], None] = lambda: None,
) -> None:
    """Play a program to the last checkpoint; call ``between`` after every ``place.answers`` answers, which it resets.

    Raises the exceptions of ``between``, and of a program in plain Python.
    """
    raised: list[BaseException] = []

    def call() -> None:
        try:
            between()
        except BaseException as error:
            raised.append(error)
            ledger.place[0].answers = 0

    hook = Hook(call) if program.compiled() else None
    try:
        if hook:
            blocks = address_of_blocks(problem, rules, ledger, streams.environment)
            loop(state, problem, rules, ledger, hook.address, blocks, *streams)
        else:
            loop(state, problem, rules, ledger, call, plain_blocks, *streams)
        return
    except ProgramLeft:
        pass
    if raised:
        raise raised[0]
    _check(program, ledger, problem.arms)
    place = _place(ledger)
    if place.answers <= 0 and place.checkpoint < len(ledger.checkpoints):
        raise KeyboardInterrupt  # it interrupted code outside ``call``


def declared_by(program: Program, ledger: Ledger, horizon: int) -> tuple[Declared, int] | None:
    """Return the declaration of a program and the number of rounds before it; None if there is none.

    If the program uses the horizon, a declaration after the last round does not count: its plan ignores that outcome.
    """
    kind, arm, rounds = ledger.declared.item()
    if kind == UNDECLARED or (program.uses_horizon and rounds >= horizon):
        return None
    answer = None if kind == NO_WINNER else program.declared(ledger.order) if kind == ORDER else arm
    return answer, rounds


class _Place(NamedTuple):
    t: int
    votes: int
    checkpoint: int
    segment: int
    answers: int
    waiting: int
    dropped: int


def _place(ledger: Ledger) -> _Place:
    """Return the position of a run; reading all fields at once is faster than reading them one by one."""
    return _Place(*ledger.place.item())


def _check(algorithm: Algorithm, ledger: Ledger, arms: int) -> None:
    """Raise AnswerError if an answer was invalid."""
    first, second, count, t, last = ledger.refused.item()
    if not isinstance(algorithm, Program):
        if t:
            check_answer(first, second, count, t, last, arms)
        return
    declared = int(ledger.declared[0].kind)
    if t:
        try:
            check_program(first, second, count, arms, declared)
        except AnswerError as error:
            if not algorithm.compiled():
                raise
            file = inspect.getfile(type(algorithm))
            raise AnswerError(f"explore in {file}: {error}; the line is not known, but {AS_PLAIN_PYTHON}") from None
    elif declared == ORDER and not algorithm.declares_tiers:
        raise AnswerError("explore returned all arms in order: set declares_tiers = True in the class, or return one")
    elif declared == NO_WINNER and not algorithm.may_declare_no_winner:
        raise AnswerError("explore returned no_winner: set may_declare_no_winner = True in the class, or return an arm")


def _report_earlier(algorithm: Algorithm, state: Any, earlier: Ints, ledger: Ledger, rules: Rules) -> Rules:
    """Report earlier votes to the algorithm, and begin its rounds after them.

    Raises ValueError if the run does not count votes.
    """
    if not rules.votes:
        raise ValueError("earlier votes need a run that counts votes, not rounds")
    for first, second in zip(*(each.tolist() for each in np.triu_indices(len(earlier), 1)), strict=True):
        wins, losses = int(earlier[first, second]), int(earlier[second, first])
        if wins + losses:
            algorithm.receive(state, first, second, wins, wins + losses)
    rounds = int(earlier.sum())
    ledger.place[0].t += rounds
    return rules._replace(max_rounds=rules.max_rounds + rounds if rules.max_rounds else 0)


class _Records(NamedTuple):
    """The (K, K) counts of all duels so far and the earlier votes; ``ties`` is None if a tie is not an outcome."""

    duels: Counts
    wins: Counts
    ties: Counts | None


def outcomes_within(ledger: Ledger, seed: int) -> tuple[int, int]:
    """Return how many duels of the current block the first arm has won so far, and how many were ties.

    The result depends only on the block, the seed and the number of duels so far, not on earlier calls.
    """
    block, kinds = ledger.block[0], new_shares(3)
    count, part = int(block.count), int(block.count - block.left)
    kinds[WHOLE] = block.wins, block.ties, count - block.wins - block.ties
    _divide(kinds, count, part, _mix(_mix(0, seed), int(ledger.place[0].t) - part))
    return int(kinds[PART, 0]), int(kinds[PART, 1])


_divide: Any = getattr(divide, "plain", divide)  # compiling would take longer than many calls in plain Python
_mix: Any = getattr(mix, "plain", mix)


def _records(ledger: Ledger, counted: PairCounts | None, seed: int) -> _Records:
    wins: Counts = ledger.wins
    ties: Counts | None = ledger.ties if ledger.ties.size else None
    block = ledger.block[0]
    if block.left > 0 and block.first != block.second:
        pair, outcomes = (int(block.first), int(block.second)), outcomes_within(ledger, seed)
        wins = wins.copy()
        wins[pair] += outcomes[0]
        if ties is not None:
            ties = ties.copy()
            ties[pair] += outcomes[1]
    if counted is None:
        return _Records(ledger.duels, wins, ties)
    won = counted.halved() if ties is None else counted.wins
    tied = np.zeros_like(won) if ties is None else np.triu(counted.ties)
    return _Records(ledger.duels + won + tied, wins + won, None if ties is None else ties + tied)
