"""Choosing the algorithm that finds the winner with the fewest votes, from results."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from duelbench.proportions import NORMAL, wilson
from duelbench.results.frames import Experiment

SURE = 0.95
"""The share of runs that must be right for a number of votes to be enough."""


@dataclass(frozen=True)
class Chance:
    """The share of runs that are ``right`` after ``votes`` votes, with Wilson's 95 % interval."""

    votes: int
    right: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """The performance of an algorithm.

    ``chances``: the shares of runs that are right at fractions of the budget; the last is at the full budget.
    ``enough``: the smallest number of votes from which on at least 95 % of the runs are right; None if there is none.
    ``behind``: the share of right runs of the best algorithm at the end minus its own, and ``error`` the standard error
    of this difference, paired by run. ``level``: whether it is not significantly worse than the best.
    """

    algorithm: str
    chances: tuple[Chance, ...]
    enough: int | None
    behind: float
    error: float
    level: bool


@dataclass(frozen=True)
class Advice:
    """The performance of algorithms over ``runs`` runs on each of the ``worlds``, the best first."""

    runs: int
    worlds: tuple[str, ...]
    standings: tuple[Standing, ...]

    @property
    def best(self) -> Standing:
        """The algorithm that is right most often."""
        return self.standings[0]

    @property
    def level(self) -> list[str]:
        """The other algorithms that are not significantly worse than the best."""
        return [each.algorithm for each in self.standings[1:] if each.level]


def advice(experiment: Experiment, fractions: tuple[float, ...]) -> Advice:
    """Return the performance of algorithms at the checkpoints nearest to ``fractions`` of the budget of an experiment.

    Shares come from the summary, where a run is right if the arm it names has no regret of the first kind; all worlds
    have equal weight. The best algorithm has the largest share at the end; ties go to the smaller simple regret. All
    algorithms face the same matrices, so they are compared run by run: an algorithm is level with the best if the mean
    difference is within 1.96 standard errors.
    """
    spec, kind = experiment.spec, experiment.spec["regret"][0]
    worlds = tuple(each["label"] for each in spec["datasets"])
    summary = experiment.summary[experiment.summary["regret"] == kind].astype({"algorithm": str})
    means = summary.groupby(["algorithm", "t"])[["recommended_right", "simple"]].mean()
    runs = summary.groupby(["algorithm", "t"])["runs"].sum()
    ends = experiment.runs[(experiment.runs["regret"] == kind) & (experiment.runs["t"] == summary["t"].max())]
    right_at_end = (ends.astype({"algorithm": str}).pivot(
        index=["dataset", "run"], columns="algorithm", values="simple") == 0).astype(float)  # fmt: skip
    times = np.array(sorted(set(summary["t"])), np.int64)
    shown = [int(np.abs(times - fraction * times[-1]).argmin()) for fraction in fractions]
    labels = [each["label"] for each in spec["algorithms"]]
    last = {label: means.loc[label, times[-1]] for label in labels}
    order = sorted(labels, key=lambda label: (-last[label]["recommended_right"], last[label]["simple"]))
    standings = []
    for label in order:
        share = means.loc[label]["recommended_right"].to_numpy()
        count = runs.loc[label].to_numpy()
        lost = right_at_end[order[0]] - right_at_end[label]
        error = float(lost.std()) / math.sqrt(len(lost)) if len(lost) > 1 else math.inf
        chances = tuple(Chance(int(times[k]), float(share[k]), *wilson(float(share[k]), count[k])) for k in shown)
        behind = float(lost.mean())
        level = label == order[0] or behind <= NORMAL * error
        standings.append(Standing(label, chances, _enough(times, share), behind, error, level))
    return Advice(int(spec["runs"]), worlds, tuple(standings))


def _enough(times: NDArray[np.int64], share: NDArray[np.float64]) -> int | None:
    short = np.flatnonzero(share < SURE)
    first = int(short[-1]) + 1 if len(short) else 0
    return int(times[first]) if first < len(times) else None
