"""One run: its instance, its random streams, and the rows of its result.

The digest of this module, and of the algorithms, engine, kernels and preferences that it imports, is part of the key of
every run. So this module contains only code that can change a number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, repeat, starmap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from duelbench.algorithms.algorithm import first_arm
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Ledger, Problem, Rules
from duelbench.engine.problem import problem_of
from duelbench.engine.recommendation import in_order
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream, stream
from duelbench.preferences.changing import Preferences
from duelbench.preferences.order import OrderJudge
from duelbench.preferences.regret import by_kind
from duelbench.results.runs import Noticed, Recommended, Row

if TYPE_CHECKING:
    from duelbench.spec.resolved import ResolvedDataset, Series


def noticed(starts: Sequence[int], detections: Sequence[int], t: int, horizon: int) -> Noticed:
    """Return the detections until round ``t`` of a run of ``horizon`` rounds.

    ``starts``: the first rounds of the segments; the first segment is not a change. ``detections``: the rounds whose
    outcomes made the algorithm detect a change.
    """
    seen = [each for each in detections if each <= t]
    changes = [begin for begin in starts[1:] if begin <= t]
    delays, missed = list[int](), 0
    for begin, end in pairwise([*changes, t + 1]):
        place = bisect_right(seen, begin - 1)
        if place < len(seen) and seen[place] < end:
            delays.append(seen[place] - begin + 1)
        elif end <= t or t == horizon:
            missed += 1
    mean = sum(delays) / len(delays) if delays else None
    return Noticed(len(delays), missed, len(seen) - len(delays), mean)


ROUNDS_PER_VOTE = 100
"""With a budget of votes, a run ends after this many rounds per vote: the algorithm then only plays self-duels."""


def instance_stream(dataset: ResolvedDataset, seed: int, run: int) -> np.random.Generator:
    """Return the stream for drawing the matrix of a run and then the numbering of its arms."""
    return stream(seed, purpose="instance", dataset=dataset.identity, run=run)


def instance(dataset: ResolvedDataset, seed: int, run: int, shuffle_arms: bool) -> Preferences:
    """Return the preferences of a run, which are the same for every algorithm and every horizon."""
    return numbered(dataset, seed, run, shuffle_arms)[0]


def numbered(
    dataset: ResolvedDataset, seed: int, run: int, shuffle_arms: bool
) -> tuple[Preferences, NDArray[np.integer]]:
    """Return the preferences of a run, and the number in the dataset of each of its arms."""
    rng = instance_stream(dataset, seed, run)
    preferences = dataset.source.instance(rng)
    if not shuffle_arms:
        return preferences, np.arange(preferences.arms)
    order = rng.permutation(preferences.arms)
    return preferences.relabelled(order), order


def recommendation_seed(series: Series, seed: int, run: int) -> int:
    """Return the seed of the draws that recommend an arm and divide the wins of a block at a checkpoint."""
    rng = stream(seed, purpose="recommendation", dataset=series.dataset.identity, run=run)
    return int(rng.integers(2**63))


def play_run(
    series: Series,
    seed: int,
    run: int,
    progress: Callable[[int], None] | None = None,
    watch: Callable[[Ledger], None] | None = None,
) -> list[Row]:
    """Play a run and return its rows.

    The environment stream depends on the dataset and the run, so all algorithms get the same instance and the same
    random outcomes. The policy stream also depends on the algorithm and its parameters. If each row is a separate run,
    both streams depend on its horizon, so the points of the curve are independent. The common rule that recommends an
    arm breaks ties by a random order of the arms: their numbering if the run shuffles them, else an order from a
    separate stream. ``progress`` receives the number of rounds as they are played; ``watch`` receives the ledger after
    each answer.
    """
    spec = series.spec
    preferences, arms = numbered(series.dataset, seed, run, spec.shuffle_arms)
    problem = problem_of(preferences, spec.regret, series.ties != "coin")
    algorithm = series.build()
    dataset = series.dataset.identity
    order = None if spec.shuffle_arms else stream(seed, purpose="ties", dataset=dataset, run=run).permutation(len(arms))

    more = _earlier(series, seed, run, arms)
    if spec.recommend:
        more["draw_seed"] = recommendation_seed(series, seed, run)

    judge = OrderJudge(preferences.at(1), spec.by or "copeland", series.sizes) if spec.order_goal else None
    if judge:
        more["finds_order"] = True

    def rows(rounds: Ints, **axes: int) -> list[Row]:
        streams = Streams(
            outcomes_stream(seed, dataset, run, **axes), policy_stream(seed, dataset, run, algorithm, **axes)
        )
        rules = Rules(delay=series.dataset.delay, drop=series.ties == "drop")
        if spec.count == "votes":
            rules = rules._replace(votes=True, max_rounds=ROUNDS_PER_VOTE * int(rounds[-1]))
        trajectory = rollout(
            algorithm, problem, rounds, streams, rules, progress, series.rule, order, watch=watch, **more
        )
        declared = None
        if trajectory.declaration is not None and series.declares:
            answer, duels = trajectory.declaration
            winner = first_arm(answer)
            if judge:
                right = isinstance(answer, tuple) and judge.finds(answer)
                declared = duels, (right,) * len(spec.regret)
            elif winner is None or algorithm.may_declare_no_winner:
                best = preferences.at(int(rounds[-1])).condorcet_winner()
                declared = duels, (winner == best,) * len(spec.regret)
            else:
                simple = problem.regrets_at(int(rounds[-1]))[:, winner, winner]
                declared = duels, tuple((by_kind(simple, spec.regret, len(arms)) == 0.0).tolist())
        curves = by_kind(trajectory.regret, spec.regret, len(arms)).T.tolist()
        named = _recommended(trajectory, problem, arms, spec.regret)
        if judge:
            named = [
                each._replace(judged=judge(tiers, in_order(tiers, order)))
                for each, tiers in zip(named, trajectory.rankings, strict=True)
                if each is not None
            ]
        seen: Iterable[Noticed | None] = repeat(None)
        if algorithm.detects():
            changes = problem.starts.tolist(), trajectory.detections
            seen = [noticed(*changes, t, int(rounds[-1])) for t in rounds.tolist()]
        return [Row(t, *row) for t, *row in zip(rounds.tolist(), curves, repeat(declared), named, seen, strict=False)]

    if series.algorithm.horizons is None:
        return rows(np.array(spec.checkpoints, np.int64))
    return [row for horizon in series.algorithm.horizons for row in rows(np.array([horizon]), horizon=horizon)]


def _earlier(series: Series, seed: int, run: int, arms: NDArray[np.integer]) -> dict[str, Any]:
    """Return the earlier votes, if any, in the run's numbering of the arms.

    The algorithm receives whole wins: ties and fractions of weighted votes are rounded at random, in the same way for
    all algorithms of a run.
    """
    votes = series.dataset.source.earlier_votes
    if votes is None:
        return {}
    coins = stream(seed, purpose="tied votes", dataset=series.dataset.identity, run=run)
    ties, wins = (_whole(table, coins) for table in (np.triu(votes.ties), votes.wins))
    won = coins.binomial(ties, 0.5)
    return {
        "earlier": (wins + won + (ties - won).T)[np.ix_(arms, arms)],
        "counted": votes.chosen(arms.tolist()),
    }


def _whole(votes: Floats, coins: np.random.Generator) -> Ints:
    """Round each number up or down at random, so that its expectation is unchanged."""
    least = np.floor(votes)
    return (least + (coins.random(votes.shape) < votes - least if (votes > least).any() else 0)).astype(np.int64)


def _recommended(
    trajectory: Trajectory, problem: Problem, arms: NDArray[np.integer], kinds: tuple[str, ...]
) -> Iterable[Recommended | None]:
    """Return the recommendation at each checkpoint; ``arms``: the number in the dataset of each arm of the run."""
    if trajectory.recommended is None or trajectory.votes is None:
        return repeat(None)
    named = zip(trajectory.checkpoints.tolist(), trajectory.recommended.tolist(), strict=True)
    simple = [by_kind(problem.regrets_at(t)[:, arm, arm], kinds, len(arms)).tolist() for t, arm in named]
    columns = trajectory.votes.tolist(), arms[trajectory.recommended].tolist(), simple
    return list(starmap(Recommended, zip(*columns, strict=True)))
