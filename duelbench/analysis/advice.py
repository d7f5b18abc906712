"""What results say about which algorithm finds the winner with fewest votes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from duelbench.proportions import NORMAL, wilson
from duelbench.results.frames import Experiment

SURE = 0.95
"""The share of runs that is enough."""


@dataclass(frozen=True)
class Chance:
    """The share of runs that are ``right`` after ``votes``, with Wilson's 95 % interval."""

    votes: int
    right: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """How an algorithm did: its chances to be right at fractions of the budget, the last with all of it.

    ``enough``: the fewest votes from which on the share of runs that are right is 95 %; None where that never is.
    ``behind``: how much less often it is right at the end than the best, and the error of that, over the same runs.
    ``level``: the best cannot be told from it.
    """

    algorithm: str
    chances: tuple[Chance, ...]
    enough: int | None
    behind: float
    error: float
    level: bool


@dataclass(frozen=True)
class Advice:
    """How algorithms did, over the ``runs`` of each of the ``worlds`` together, the best first."""

    runs: int
    worlds: tuple[str, ...]
    standings: tuple[Standing, ...]

    @property
    def best(self) -> Standing:
        """The algorithm that was right most often."""
        return self.standings[0]

    @property
    def level(self) -> list[str]:
        """The other algorithms that the best cannot be told from."""
        return [each.algorithm for each in self.standings[1:] if each.level]


def advice(experiment: Experiment, fractions: tuple[float, ...]) -> Advice:
    """Return what an experiment with a budget says, at checkpoints next to ``fractions`` of it.

    Shares are those of the summary, where a run is right when the arm it names has no regret of the first kind; all
    worlds count alike. The best is the algorithm with most of them at
    the end; of as many the one with the smaller simple regret. All algorithms face the same matrices, so they are
    compared run by run, and the error of the difference is that of its mean; two are level within 1.96 errors.
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
