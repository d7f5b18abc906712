"""Rollouts: one run of an algorithm on a problem with two random streams."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arrays import Floats, Ints, Tiers
from duelbench.engine.answers import check_answer, checked_arm, checked_declaration, checked_detections, checked_tiers
from duelbench.engine.loops import loop_for
from duelbench.engine.play import Ledger, Problem, Rules, new_ledger
from duelbench.engine.recommendation import in_order, ranked, recommended
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.scores import Table

COMPILED_PART = 4_000
INTERPRETED_PART = 20
"""The number of answers before the first progress report: a fraction of a second even for the slowest algorithm."""
FASTER = 16
"""The largest ratio of the lengths of successive parts."""
LARGEST_PART = 1_000_000
"""The largest number of answers between two progress reports, since answers may suddenly become slow."""
BREATH = 0.05
"""The target duration of a part in seconds. Compiled code does not handle signals; entering the loop takes 15 µs."""
HEARD = BREATH / 10
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
        How often each ordered pair was duelled. Among arms whose self-duels cost the same in every kind of regret,
        only the sum of their self-duels is meaningful.
    declaration : tuple, optional
        The declared winner or tiers, None if the algorithm declared that no winner exists, and the number of rounds, or
        votes, before the declaration. None if nothing was declared.
    votes : ndarray of int, shape (checkpoints,), optional
        The number of duels of different arms so far.
    recommended : ndarray of int, shape (checkpoints,), optional
        The recommended arm, if recommendations were requested.
    rankings : tuple of Tiers, (checkpoints,)
        The order of the arms, best first, if orders were requested; the recommended arm is its first.
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

    ``progress`` is called now and then with the number of rounds, or votes, since the last call. ``recommend`` is the
    rule for recommending an arm at each checkpoint: one of ``recommendation.RULES`` or ``POSTERIOR``, or a key of
    ``OWN`` for the algorithm's rule if it has one and else the common rule given there; empty for no recommendations.
    With ``finds_order`` it is the rule for the order of all arms, where ``OWN`` falls back on Bradley–Terry strengths.
    Ties are broken by ``order``; a rule that draws matrices uses the seed ``draw_seed``. ``earlier``: (K, K) how often
    each arm has beaten each other arm in earlier votes. An algorithm that learns from any duel learns these first, and
    they count as its first rounds; any other starts afresh. Common rules use them too, or rather ``counted``, the same
    votes with their ties, which are half a win for both if the problem has none. ``watch`` is called with the ledger
    after each answer; it slows down a run and changes no number.

    Raises the exceptions of the algorithm, and ValueError for an invalid answer or declaration.
    """
    arms = problem.arms
    play = loop_for(type(algorithm))
    part = COMPILED_PART if algorithm.compiled() else INTERPRETED_PART
    horizon = int(checkpoints[-1])
    state = algorithm.start(arms, horizon)
    algorithm.merge_equal_self_duels(state, problem.equal_self_duels())
    ledger = new_ledger(checkpoints, len(problem.regrets), arms, rules.delay, ties=bool(problem.T.size))
    if earlier is not None and algorithm.learns_off_policy:
        rules = _tell(algorithm, state, earlier, ledger, rules)
    if counted is None and earlier is not None:
        counted = PairCounts(tuple(map(str, range(arms))), earlier.astype(np.float64), np.zeros(earlier.shape))
    rules = rules._replace(pausing=bool(recommend))
    named = np.empty(len(checkpoints), np.int64)
    rankings: list[Tiers] = []

    def record(since: int, until: int) -> None:
        """Record what is recommended now at these checkpoints."""
        records = _records(ledger, counted)
        if finds_order:
            tiers = _ranking(algorithm, state, recommend, records, draw_seed)
            rankings[since:] = [tiers] * (until - since)
            named[since:until] = in_order(tiers, order)[0]
        else:
            named[since:until] = _recommended(algorithm, state, recommend, records, order, draw_seed)

    place, told = _place(ledger), 0
    while place.checkpoint < len(checkpoints):
        before, began = place, time.perf_counter()
        play(state, problem, rules, ledger, 1 if watch else part, *streams)
        took = time.perf_counter() - began
        _check(ledger, arms)
        if watch is not None:
            watch(ledger)
        place = _place(ledger)
        if recommend and before.checkpoint < place.checkpoint:
            record(before.checkpoint, place.checkpoint)
        if not recommend or before.checkpoint == place.checkpoint:  # else it ended at a checkpoint, perhaps immediately
            part = int(min(max(1, part * min(FASTER, BREATH / max(took, 1e-9))), LARGEST_PART))
        over = place.checkpoint == len(checkpoints)
        late = over and _declares_with_the_last_duel(algorithm, play, state, problem, rules.delay, ledger, streams)
        if late and recommend in OWN:
            record(before.checkpoint, place.checkpoint)
        played = horizon if over else place.votes if rules.votes else place.t - 1  # some votes are never asked for
        if progress is not None and (over or not recommend or took > HEARD):
            progress(played - told)
            told = played
    declaration = checked_declaration(algorithm.declaration(state), arms, rules.max_rounds or horizon)
    if declaration is not None:  # after a declaration, the algorithm plays self-duels of the winner
        winner, rounds = declaration[0], declaration[1] + place.dropped
        declaration = winner, min(rounds, place.votes) if rules.votes else rounds
    return Trajectory(
        checkpoints,
        ledger.regret,
        ledger.duels,
        declaration,
        ledger.votes,
        named if recommend else None,
        tuple(rankings),
        checked_detections(algorithm.detections(state), horizon) if algorithm.detects() else (),
    )


def _declares_with_the_last_duel(
    algorithm: Algorithm,
    play: Callable[..., None],
    state: Any,
    problem: Problem,
    delay: int,
    ledger: Ledger,
    streams: Streams,
) -> bool:
    """Call ``select`` once more after the last round; return whether the algorithm makes a new declaration then.

    Algorithms evaluate outcomes in ``select``, so this evaluates the last outcomes. The duel is played on a copy of the
    ledger, so it does not count. An algorithm that uses the horizon is not asked beyond it.
    """
    if not algorithm.declares() or algorithm.uses_horizon or algorithm.declaration(state) is not None:
        return False
    if ledger.asked[0].left > 0:  # it has evaluated all that it has received
        return False
    ledger.place[0].checkpoint = 0
    beside = ledger._replace(
        checkpoints=np.array([ledger.place[0].t], np.int64),
        regret=np.zeros((len(ledger.regret), 1)),
        votes=np.zeros(1, np.int64),
        duels=ledger.duels.copy(),
        wins=ledger.wins.copy(),
        ties=ledger.ties.copy(),
    )
    play(state, problem, Rules(delay=delay), beside, 1, *streams)
    _check(beside, problem.arms)
    return algorithm.declaration(state) is not None


class _Place(NamedTuple):
    t: int
    votes: int
    checkpoint: int
    waiting: int
    dropped: int


def _place(ledger: Ledger) -> _Place:
    """Return the position of a run; reading all fields at once is faster than reading them one by one."""
    return _Place(*ledger.place.item())


def _check(ledger: Ledger, arms: int) -> None:
    """Raise ValueError if an answer was invalid."""
    first, second, count, t, last = ledger.refused.item()
    if t:
        check_answer(first, second, count, t, last, arms)


def _tell(algorithm: Algorithm, state: Any, earlier: Ints, ledger: Ledger, rules: Rules) -> Rules:
    """Report earlier votes to the algorithm, and begin its rounds after them.

    Raises ValueError if the run does not count votes.
    """
    if not rules.votes:
        raise ValueError("earlier votes need a run that counts votes, not rounds")
    for first, second in zip(*(each.tolist() for each in np.triu_indices(len(earlier), 1)), strict=True):
        wins, losses = int(earlier[first, second]), int(earlier[second, first])
        if wins + losses:
            algorithm.hear(state, first, second, wins, wins + losses)
    rounds = int(earlier.sum())
    ledger.place[0].t += rounds
    return rules._replace(max_rounds=rules.max_rounds + rounds if rules.max_rounds else 0)


class _Records(NamedTuple):
    """The (K, K) outcomes of all duels so far with the earlier votes; ``ties`` is None if a tie is no outcome."""

    duels: Table
    wins: Table
    ties: Table | None


def _records(ledger: Ledger, counted: PairCounts | None) -> _Records:
    ties: Table | None = ledger.ties if ledger.ties.size else None
    if counted is None:
        return _Records(ledger.duels, ledger.wins, ties)
    won = counted.halved() if ties is None else counted.wins
    tied = np.zeros_like(won) if ties is None else np.triu(counted.ties)
    return _Records(ledger.duels + won + tied, ledger.wins + won, None if ties is None else ties + tied)


def _recommended(
    algorithm: Algorithm, state: Any, rule: str, records: _Records, order: Ints | None, draw_seed: int
) -> int:
    own = algorithm.recommendation(state) if rule in OWN else None
    if own is not None:
        return checked_arm(own, len(records.duels))
    return recommended(OWN.get(rule, rule), records.duels, records.wins, order, draw_seed, records.ties)


def _ranking(algorithm: Algorithm, state: Any, rule: str, records: _Records, draw_seed: int) -> Tiers:
    own = algorithm.ranking(state) if rule in OWN else None
    if own is not None:
        return checked_tiers(own, len(records.duels))
    return ranked("btl" if rule in OWN else rule, records.duels, records.wins, draw_seed, records.ties)
