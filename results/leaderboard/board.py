"""The numbers of the leaderboard: regret of algorithms on datasets, ranks, and groups of algorithms.

Algorithms that minimise regret are ranked separately from algorithms that identify a winner with a given confidence
and play it from then on: these stop learning. An algorithm has no rank on a table that does not meet its assumptions.
On preferences that change, no assumption of constant preferences holds, and all algorithms are ranked together.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import gmean

from duelbench import load_results
from duelbench.algorithms.catalogue import catalogue
from duelbench.analysis.difference import LEVEL, Sample, compared_by_welch
from duelbench.preferences.assumptions import unmet
from duelbench.results.summary import uncertain
from duelbench.sources.published_matrices import TABLES

MADE_FOR_CHANGES = "are made for preferences that change"
_GROUPS = (
    "need no Condorcet winner",
    "need a Condorcet winner",
    "need more: an order of the arms, or utilities",
    "identify a winner with a given confidence, then play it",
    MADE_FOR_CHANGES,
    "are made for constant preferences",
)
"""Groups of algorithms, in the order of the figures."""
_COLUMNS = ["dataset", "table", "algorithm", "title", "t", "runs", "mean", "sem", "q50", "kurtosis", "declared"]
_FOR_AN_ADVERSARY = {"dexp3", "dexp3-hp", "rex3", "sparring-exp3", "sparring-exp3s", "versatile-db"}
"""Algorithms with guarantees against an adversary, who may change the preferences in every round."""


class Board(NamedTuple):
    """The ``algorithms`` of the leaderboard, by name in the order of the figure, and its ``cells`` in this order.

    ``algorithms``: ``title``, ``group``, whether it ``identifies`` a winner, the number of datasets where it is
    ``ranked``, ``mean_rank`` and ``times`` (the geometric mean) there, and ``seconds``, the median time of a run on
    datasets that meet its assumptions, or on all if none does.

    ``cells``: ``algorithm``, ``title``, ``dataset`` and its title ``table``; ``mean``, ``sem`` and the median ``q50``
    of the regret; the share of runs that have ``declared`` a winner; the assumptions that are ``unmet``; ``rank`` and
    ``times``, the multiple of the best mean, NaN if an assumption is unmet; whether the standard error is
    ``uncertain``; ``best``: the best or not significantly worse, and certain.

    ``tables``: titles of datasets by label: first those ``with_winner``, a Condorcet winner, then the ``others``.
    """

    algorithms: pd.DataFrame
    cells: pd.DataFrame
    tables: dict[str, str]
    with_winner: list[str]
    others: list[str]
    changing: bool
    horizon: int
    runs: str

    @property
    def ranked(self) -> pd.DataFrame:
        """Return the cells with a rank."""
        return self.cells[self.cells["rank"].notna()]

    def contest(self, identifies: bool) -> pd.DataFrame:
        """Return the algorithms that are ranked together: those that identify a winner, or all others."""
        return self.algorithms[self.algorithms.identifies == identifies]


def board(directories: Sequence[Path], changing: bool = False) -> Board:
    """Return the board of experiments on the shipped matrices, or of those on preferences that are ``changing``."""
    cells = pd.concat([_results(each, changing) for each in directories], ignore_index=True)
    _rank(cells)
    tables = dict(zip(cells.dataset, cells.table, strict=True))
    with_winner = [each for each in tables if not changing and TABLES[each].matrix().condorcet_winner() is not None]
    others = [each for each in tables if each not in with_winner]
    tables = {each: tables[each] for each in (*with_winner, *others)}

    of, ranked = cells.groupby("algorithm", sort=False), cells[cells["rank"].notna()]
    algorithms = of.agg({"title": "first", "identifies": "first"})
    algorithms["ranked"], algorithms["mean_rank"] = of["rank"].count(), of["rank"].mean()
    algorithms["times"] = ranked.groupby("algorithm").times.agg(gmean)
    algorithms["seconds"] = ranked.groupby("algorithm").seconds.median()
    algorithms["seconds"] = algorithms.seconds.fillna(of.seconds.median())
    without = set(ranked[ranked.dataset.isin(others)].algorithm)
    groups = [_GROUPS[_group(name, finds, changing, name in without)] for name, finds in algorithms.identifies.items()]
    algorithms["group"] = pd.Categorical(groups, _GROUPS, ordered=True)
    algorithms = algorithms.sort_values(["group", "mean_rank", "title"])

    order = [*algorithms.index, *tables]
    cells = cells.sort_values(["algorithm", "dataset"], key=lambda labels: labels.map(order.index))
    runs = " to ".join(f"{runs}" for runs in sorted({cells.runs.min(), cells.runs.max()}))
    return Board(algorithms, cells, tables, with_winner, others, changing, cells.t.max(), runs)


def not_for(name: str, table: str, parameters: Mapping[str, Any]) -> list[str]:
    """Return, in words, the assumptions of an algorithm that a shipped matrix does not meet.

    This includes the assumption that the arm that the algorithm looks for exists and has no Copeland regret.
    """
    kind, matrix = catalogue()[name], TABLES[table].matrix()
    found = unmet(matrix, kind.assumes, parameters)
    winners = set(matrix.copeland_winners().tolist())
    if "Borda winner" in kind.assumes and int(matrix.borda_scores().argmax()) not in winners:
        found.append("looks for the Borda winner, which is not a Copeland winner")
    if kind.may_declare_no_winner and matrix.condorcet_winner() is None:
        found.append("looks for a Condorcet winner, and there is none")
    return found


def _group(name: str, identifies: bool, changing: bool, without: bool) -> int:
    """Return an algorithm's group; ``without``: it is ranked on a matrix without a Condorcet winner."""
    kind = catalogue()[name]
    if changing:
        return 4 if kind.detects() or name in _FOR_AN_ADVERSARY else 5
    if identifies:
        return 3
    return 0 if without else 1 if set(kind.assumes.split(", ")) <= {"Condorcet winner", "no ties"} else 2


def _results(directory: Path, changing: bool) -> pd.DataFrame:
    """Return the Copeland regret of an experiment at its horizon, a row for each algorithm and dataset."""
    experiment = load_results(directory)
    titles = experiment.series[["dataset", "algorithm", "dataset_title", "algorithm_title"]]
    cells = experiment.summary.query("regret == 'copeland' and t == t.max()")
    cells = cells.merge(titles, on=["dataset", "algorithm"]).astype({"dataset": str, "algorithm": str})
    cells = cells.rename(columns={"dataset_title": "table", "algorithm_title": "title"})[_COLUMNS]
    places = [*zip(cells.algorithm, cells.dataset, strict=True)]
    took = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))["seconds"]
    cells["seconds"] = [took[dataset][name]["median"] for name, dataset in places]
    cells["total_seconds"] = [took[dataset][name]["total"] for name, dataset in places]
    kinds = [catalogue()[name] for name in cells.algorithm]
    cells["identifies"] = [kind.declares() and not kind.uses_horizon and not changing for kind in kinds]
    parameters = {each["label"]: each["parameters"] for each in experiment.spec["algorithms"]}
    fails = [[] if changing else not_for(name, dataset, parameters[name]) for name, dataset in places]
    cells["unmet"] = [*map(", ".join, fails)]
    return cells


def _rank(cells: pd.DataFrame) -> None:
    """Add the columns ``rank``, ``times``, ``uncertain`` and ``best``."""
    cells["uncertain"] = [*map(uncertain, cells["mean"], cells["sem"], cells["runs"], cells["kurtosis"])]
    contests = cells[cells.unmet == ""].groupby(["identifies", "dataset"])
    cells["rank"] = contests["mean"].rank(method="first")
    cells["times"] = cells["mean"] / contests["mean"].transform("min")
    cells["best"] = False
    for _, contest in contests:
        samples = [*map(Sample, contest["mean"], contest["sem"], contest["runs"])]
        p = compared_by_welch(samples)[np.argmin(contest["mean"])]
        cells.loc[contest.index, "best"] = (p >= LEVEL) & ~contest.uncertain
