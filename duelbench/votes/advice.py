"""Advice on the next votes: which algorithm finds the winner with the fewest, and whether a budget is enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from duelbench.arrays import Flags, Floats
from duelbench.proportions import NORMAL, wilson
from duelbench.results.frames import Experiment
from duelbench.spec.values import OrderGoal, Top
from duelbench.votes.posterior.posterior import Posterior
from duelbench.votes.posterior.worlds import Notion, Worlds

SURE = 0.95
"""The share of runs that must be right for a number of votes to be enough."""
MOST_DRAWS, FEWEST_DRAWS = 4_000, 400
ENTRIES = 20_000_000
"""Entries of all matrices drawn for the probabilities now, but at least ``FEWEST_DRAWS`` matrices."""

Near = Callable[[str, int], Flags]
"""Returns which arms are within the margin of the best, by the label of a dataset and the number of a run."""


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """Which arm is best now, and how often algorithms name a best arm after more votes.

    Attributes
    ----------
    now : DataFrame or None
        For each ``arm``, the most probable first, the probability that it is ``best`` given the votes so far, and that
        it is ``within_margin`` of the best. With ``find="condorcet"``, given that a Condorcet winner exists; with
        ``find="top:K"``, the probability that it is one of the top K. None before any votes.
    curve : DataFrame
        For each ``algorithm`` and number of new ``votes``, the share of matrices on which the most probable arm is a
        best one, or the order or the top K are right (``right``), with a 95 % interval from ``low`` to ``high``, and
        ``within_margin`` of the best. With 0 new votes, this is the value of the votes so far.
    algorithms : DataFrame
        The algorithms by name, the best first: ``votes_to_95``, the number of new votes from which on at least 95 % are
        right, interpolated, missing if there is none within the budget; ``behind``, how much smaller than that of the
        first its share is at the end, with the standard ``error`` of this difference; whether it is ``level`` with the
        first, which is not significantly better; and whether it ``starts_afresh``, since it learns only from its own
        duels.
    best : str
        The algorithm that is right most often with the full budget, or the best of those level with it that learn from
        any duel, if some do: they also use votes on pairs that they did not choose.
    worlds : tuple of str
        What the matrices were drawn from.
    runs : int
        The number of matrices of each world.
    margin : float
        The margin, a difference of probabilities.
    exists : float
        With ``find="condorcet"``, the probability now that a Condorcet winner exists; else 1.
    """

    now: pd.DataFrame | None
    curve: pd.DataFrame
    algorithms: pd.DataFrame
    best: str
    worlds: tuple[str, ...]
    runs: int
    margin: float = 0.0
    exists: float = 1.0

    def __repr__(self) -> str:
        return f"Advice(best={self.best!r}, algorithms={list(self.algorithms.index)}, runs={self.runs:,})"


@dataclass(frozen=True)
class Now:
    """The probabilities of arms to be best, and within the margin of the best, from ``draws`` matrices.

    ``right`` and ``near_right`` are those of the answer: of the most probable arm, or of an order or a set of arms. If
    the top k are to be found, an arm is best if it is one of these.
    """

    names: tuple[str, ...]
    best: Floats
    near: Floats
    draws: int
    exists: float
    right: float
    near_right: float

    def frame(self) -> pd.DataFrame:
        """Return the probabilities as a frame, the most probable arm first."""
        order = np.argsort(-self.best, kind="stable")
        columns = {"best": self.best[order], "within_margin": self.near[order]}
        return pd.DataFrame({"arm": [self.names[arm] for arm in order], **columns})


def chances_now(posterior: Posterior, find: Notion | OrderGoal, margin: float, seed: int) -> Now:
    """Return the probabilities given the votes so far; for Condorcet winners, given that there is one."""
    counts = posterior.counts
    draws = min(MOST_DRAWS, max(FEWEST_DRAWS, ENTRIES // counts.arms**2))
    worlds, exists = posterior.sample(draws, seed, margin=margin), 1.0
    if not isinstance(find, str) or find == "ranking":
        return _order_now(counts.names, worlds, find)
    notion = find
    if notion == "condorcet":
        some = worlds.best(notion).any(axis=1)
        exists = float(some.mean())
        names = ("wins", "nearly", "borda", "strengths", "above")
        worlds = replace(worlds, **{name: getattr(worlds, name)[some] for name in names})
    best, near = worlds.chances(notion), worlds.within_margin(notion)
    leader = int(best.argmax())
    return Now(counts.names, best, near, worlds.draws, exists, float(best[leader]), float(near[leader]))


def _order_now(names: tuple[str, ...], worlds: Worlds, find: OrderGoal) -> Now:
    """Return the probabilities of an order by the number of arms beaten, then by Borda scores, as in ``Judge``."""
    scores = worlds.wins + worlds.borda / 2.0  # Borda scores are at most 1
    worlds = replace(worlds, wins=scores, nearly=scores)
    order = np.argsort(-scores.mean(axis=0), kind="stable").tolist()
    k = find.top if isinstance(find, Top) else 1
    right = float(worlds.tops(order)[k - 1]) if isinstance(find, Top) else worlds.in_order(order)
    best = (scores >= np.sort(scores, axis=1)[:, [-k]]).mean(axis=0)
    return Now(names, best, best, worlds.draws, 1.0, right, right)


def advice(
    experiment: Experiment,
    now: Now | None = None,
    afresh: Mapping[str, bool] | None = None,
    near: Near | None = None,
    margin: float = 0.0,
    own: Collection[str] = (),
) -> Advice:
    """Return the performance of the algorithms of an experiment, and the chances ``now``.

    A run is right if the arm it names has no regret of the first kind, or its order is exact, and ``near`` says whether
    it is within the ``margin``; all worlds have equal weight. The best algorithm has the largest share at the end; ties
    go to the smaller simple regret, or tau distance. All algorithms face the same matrices, so they are compared run by
    run: an algorithm is level with the best if the mean difference is within 1.96 standard errors. ``afresh``: the
    algorithms that start afresh. ``own``: those that learn only from their own duels, which are not recommended if
    another one is level.
    """
    spec = experiment.spec
    runs = experiment.runs[experiment.runs["regret"] == spec["regret"][0]]
    runs = runs.astype({"dataset": str, "algorithm": str}).assign(
        right=(runs["exact"] if "exact" in runs else runs["simple"] == 0).astype(float),
        away=runs["tau"] if "tau" in runs else runs["simple"],
    )
    runs["within_margin"] = runs["right"] if near is None else _within(runs, near)
    columns = ["right", "within_margin", "away"]
    means = runs.groupby(["algorithm", "t", "dataset"])[columns].mean().groupby(["algorithm", "t"]).mean()
    sizes = runs.groupby(["algorithm", "t"]).size()
    ends = runs[runs["t"] == runs["t"].max()].pivot(index=["dataset", "run"], columns="algorithm", values="right")
    last = {each["label"]: means.loc[each["label"]].iloc[-1] for each in spec["algorithms"]}
    order = sorted(last, key=lambda label: (-last[label]["right"], last[label]["away"]))
    curve, rows = [], []
    for label in order:
        shares, many = means.loc[label], sizes.loc[label]
        points = [
            (int(t), *_with_interval(share, many[t]), within)
            for t, share, within in zip(shares.index, shares["right"], shares["within_margin"], strict=True)
        ]
        if now is not None:
            points.insert(0, (0, *_with_interval(now.right, now.draws), now.near_right))
        curve += [(label, *point) for point in points]
        lost = ends[order[0]] - ends[label]
        error = float(lost.std()) / math.sqrt(len(lost)) if len(lost) > 1 else math.inf
        behind = float(lost.mean())
        level = label == order[0] or behind <= NORMAL * error
        enough = votes_to(SURE, [(each[0], each[1]) for each in points])
        rows.append((label, enough, behind, error, level, bool(afresh and afresh[label])))
    best = next((row[0] for row in rows if row[4] and row[0] not in own), order[0])
    algorithms = pd.DataFrame(rows, columns=["algorithm", "votes_to_95", "behind", "error", "level", "starts_afresh"])
    return Advice(
        None if now is None else now.frame(),
        pd.DataFrame(curve, columns=["algorithm", "votes", "right", "low", "high", "within_margin"]),
        algorithms.astype({"votes_to_95": "Int64"}).set_index("algorithm"),
        best,
        tuple(each["label"] for each in spec["datasets"]),
        int(spec["runs"]),
        margin,
        1.0 if now is None else now.exists,
    )


def _with_interval(share: float, trials: int) -> tuple[float, float, float]:
    return float(share), *wilson(float(share), int(trials))


def _within(runs: pd.DataFrame, near: Near) -> Floats:
    """Return for each row whether its recommended arm is within the margin of the best."""
    of = {key: near(*key) for key in set(zip(runs["dataset"], runs["run"], strict=True))}
    rows = zip(runs["dataset"], runs["run"], runs["recommended"], strict=True)
    return np.array([of[dataset, run][arm] for dataset, run, arm in rows], float)


def votes_to(share: float, points: Sequence[tuple[int, float]]) -> int | None:
    """Return the number of votes from which on at least this share is right; None if it is not at the end.

    ``points``: numbers of votes and shares. Between two of them shares are linear in the logarithm of 1 + votes.
    """
    short = [place for place, (_, right) in enumerate(points) if right < share]
    if not short:
        return points[0][0]
    if short[-1] + 1 == len(points):
        return None
    (before, low), (after, high) = points[short[-1]], points[short[-1] + 1]
    ends = math.log1p(before), math.log1p(after)
    return math.ceil(math.expm1(ends[0] + (share - low) / (high - low) * (ends[1] - ends[0])) - 1e-9)
