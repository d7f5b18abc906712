"""Runs for checks: complete, or answer by answer from any state of the algorithm."""

import copy
from collections.abc import Callable
from typing import Self

import numpy as np

from duelbench.algorithms.algorithm import Algorithm
from duelbench.arrays import Floats, Ints, State
from duelbench.engine.answers import check_answer
from duelbench.engine.loops import loop_for
from duelbench.engine.play import Problem, Rules, new_ledger
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.engine.streams import copied, generator_at
from duelbench.experiment.answers import Answer


def streams(seed: int, run: int) -> Streams:
    """Return new environment and policy streams of a run."""
    return Streams(np.random.default_rng([seed, run, 0]), np.random.default_rng([seed, run, 1]))


def simulate(
    algorithm: Algorithm,
    P: Floats,
    tables: Floats,
    checkpoints: Ints,
    environment: np.random.Generator,
    policy: np.random.Generator,
    *,
    delay: int = 1,
    stepping: bool = False,
    T: Floats | None = None,
) -> Trajectory:
    """Play a run on the (K, K) matrix ``P`` with (kinds, K, K) ``tables`` of regret.

    ``T``: (K, K) the probabilities of ties; an algorithm that does not take ties never sees them.
    """
    problem, rules = Problem(P, tables), Rules(delay, stepping)
    if T is not None and algorithm.takes_ties:
        problem = problem._replace(T=T)
    return rollout(algorithm, problem, checkpoints, Streams(environment, policy), rules)


def in_numbers(run: Trajectory) -> tuple[int, int]:
    """Return the declared winner and its round; the winner is −1 without a declaration, −2 for "no winner".

    Tiers are encoded as one number; its digits are the tiers of the arms.
    """
    winner, rounds = run.declaration or (-1, int(run.checkpoints[-1]))
    if isinstance(winner, tuple):
        K = len(run.duels)
        winner = sum(place * K**arm for place, tier in enumerate(winner) for arm in tier)
    return -2 if winner is None else winner, rounds


def pair_tables(arms: int) -> Floats:
    """Return one table of "regret" per ordered pair, with 1 for a duel of the pair, so that curves count duels."""
    return np.eye(arms * arms).reshape(arms * arms, arms, arms)


STEPPING = Rules(stepping=True)


class Rounds:
    """A run of a policy that is played answer by answer, up to ``horizon`` rounds or votes.

    ``problem`` may be a matrix; there is no regret then. ``loop`` replaces the loop of the algorithm.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        problem: Problem | Floats,
        horizon: int,
        rngs: Streams,
        rules: Rules = Rules(),
        loop: Callable[..., None] | None = None,
    ) -> None:
        self.algorithm, self.horizon, self.rngs = algorithm, horizon, rngs
        self._loop = loop or loop_for(type(algorithm))
        self.arms = problem.arms if isinstance(problem, Problem) else len(problem)
        self.state = algorithm.start(self.arms, horizon)
        if isinstance(problem, Problem):
            self.problem, equal = problem, problem.equal_self_duels()
        else:
            self.problem, equal = Problem(problem, np.zeros((1, *problem.shape))), np.eye(self.arms, dtype=bool)
        algorithm.merge_equal_self_duels(self.state, equal)
        self._begin(1, rules)

    @property
    def t(self) -> int:
        """The next round."""
        return int(self._ledger.place[0].t)

    @property
    def over(self) -> bool:
        """Whether the last round is played."""
        return bool(self._ledger.place[0].checkpoint)

    @property
    def duels(self) -> Ints:
        """(K, K) the duels of every ordered pair so far."""
        return self._ledger.duels

    def stepping_from(self, t: int, state: State, rngs: Streams) -> Self:
        """Return the same run without holds, continued from round ``t`` with a state of the algorithm."""
        other = copy.copy(self)
        other.state, other.rngs = state, rngs
        other._begin(t, STEPPING)
        return other

    def fork(self) -> Self:
        """Return an independent copy of this run."""
        other = copy.copy(self)
        other.state, other.rngs = copied(self.state), Streams(*map(generator_at, self.rngs))
        shares = self.algorithm.hold_shares(other.state)
        other._ledger = copied(self._ledger)
        if shares is not None:
            other._ledger = other._ledger._replace(shares=shares)
        return other

    def answer(self, answers: int = 1) -> Answer:
        """Play some answers, and return their most frequent pair. Raises ValueError for an answer out of range."""
        t, before = self.t, self._ledger.duels.copy()
        self._ledger.place[0].answers = answers
        self._loop(self.state, self.problem, self._rules, self._ledger, *self.rngs)
        refused = self._ledger.refused[0]
        if refused.t:
            check_answer(refused.first, refused.second, refused.count, refused.t, refused.last, self.arms)
        grown = self._ledger.duels - before
        first, second = np.unravel_index(np.argmax(grown), grown.shape)
        duels = grown.sum() if answers == 1 else grown[first, second]  # several arms may share a hold
        return Answer(t, int(first), int(second), int(duels))

    def _begin(self, t: int, rules: Rules) -> None:
        self._rules = rules._replace(cut=self.algorithm.ends_blocks_at_checkpoints)
        ties, shares = bool(self.problem.T.size), self.algorithm.hold_shares(self.state)
        self._ledger = new_ledger(
            np.array([self.horizon]), len(self.problem.regrets), self.arms, rules.delay, ties, shares
        )
        self._ledger.place[0].t = t
        self._ledger.place[0].segment = self.problem.segment(t)


def contents(state: State) -> list[bytes]:
    """Return the contents of all arrays in a state, which may be nested."""
    if isinstance(state, tuple):
        return [each for part in state for each in contents(part)]
    return [state.tobytes()] if isinstance(state, np.ndarray) and state.dtype != object else []


def will_draw_the_same(one: np.random.Generator, other: np.random.Generator) -> bool:
    """Return whether two generators are at the same position of the same stream."""
    return one.bit_generator.state == other.bit_generator.state
