"""What results say about which algorithm finds the winner with fewest votes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
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

    A run is right when the arm it names has no regret of the first kind. The best is the algorithm with most of them at
    the end; of as many the one with the smaller simple regret. All algorithms face the same matrices, so they are
    compared run by run, and the error of the difference is that of its mean; two are level within 1.96 errors.
    """
    spec = experiment.spec
    rows = experiment.runs[experiment.runs["regret"] == spec["regret"][0]]
    worlds = tuple(each["label"] for each in spec["datasets"])
    tables = {each["label"]: _right(rows, each["label"], worlds) for each in spec["algorithms"]}
    times, _ = next(iter(tables.values()))
    shown = [int(np.abs(times - fraction * times[-1]).argmin()) for fraction in fractions]
    simple = rows[rows["t"] == times[-1]].groupby("algorithm", observed=True)["simple"].mean()
    order = sorted(tables, key=lambda label: (-tables[label][1][-1].mean(), simple[label]))
    best = tables[order[0]][1][-1]
    standings = []
    for label in order:
        right = tables[label][1]
        lost = best.astype(float) - right[-1]
        error = float(lost.std(ddof=1)) / math.sqrt(len(lost)) if len(lost) > 1 else math.inf
        share = right.mean(axis=1)
        chances = tuple(Chance(int(times[k]), float(share[k]), *wilson(float(share[k]), right.shape[1])) for k in shown)
        behind = float(lost.mean())
        level = label == order[0] or behind <= NORMAL * error
        standings.append(Standing(label, chances, _enough(times, share), behind, error, level))
    return Advice(int(spec["runs"]), worlds, tuple(standings))


def _right(rows: pd.DataFrame, label: str, worlds: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the times of an algorithm's rows, and whether each of its runs was right there, (times, runs)."""
    parts = []
    for world in worlds:
        mine = rows[(rows["algorithm"] == label) & (rows["dataset"] == world)]
        parts.append(mine.pivot(index="t", columns="run", values="simple") == 0)
    table = pd.concat(parts, axis=1)
    return table.index.to_numpy(np.int64), table.to_numpy()


def _enough(times: NDArray[np.int64], share: NDArray[np.float64]) -> int | None:
    short = np.flatnonzero(share < SURE)
    first = int(short[-1]) + 1 if len(short) else 0
    return int(times[first]) if first < len(times) else None
