"""Votes of published studies: a table that the tests carry, and files that they read where these are."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts

# Davidson (JASA 65, 1970), example 2: which of two puddings is preferred. Wins by row, ties above the diagonal.
PUDDING_WINS = [
    [0, 19, 16, 18, 13, 18],
    [22, 0, 19, 23, 16, 22],
    [19, 19, 0, 19, 16, 13],
    [23, 19, 20, 0, 17, 14],
    [19, 20, 15, 14, 0, 11],
    [21, 20, 18, 19, 21, 0],
]
PUDDING_TIES = [
    [0, 16, 12, 13, 18, 12],
    [0, 0, 10, 9, 12, 12],
    [0, 0, 0, 15, 17, 10],
    [0, 0, 0, 0, 16, 18],
    [0, 0, 0, 0, 0, 12],
    [0, 0, 0, 0, 0, 0],
]


def pudding():
    ties = np.array(PUDDING_TIES, float)
    return PairCounts(tuple(f"brand{k}" for k in range(1, 7)), np.array(PUDDING_WINS, float), ties + ties.T)


def rows_of(name):
    """Return the rows of a file of votes as dictionaries; skip the test where it is missing."""
    path = Path(os.environ.get("DUELBENCH_DATA", "")) / "votes" / name
    if not path.is_file():
        pytest.skip(f"needs votes/{name} in the directory named by DUELBENCH_DATA")
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def arena():
    rows = rows_of("arena_20240814.csv.gz")
    names = sorted({row[side] for row in rows for side in ("first", "second")})
    place = {name: k for k, name in enumerate(names)}
    wins, ties = np.zeros((2, len(names), len(names)))
    for row in rows:
        i, j = place[row["first"]], place[row["second"]]
        wins[i, j], wins[j, i] = row["wins_first"], row["wins_second"]
        ties[i, j] = ties[j, i] = row["ties"]
    return PairCounts(tuple(names), wins, ties)


def rankings(name, systems):
    """Return all pairs of rankings of so many systems each; equal ranks tie."""
    rows = rows_of(name)
    names = sorted({row[f"system{k}Id"] for row in rows for k in range(1, systems + 1)})
    place = {name: k for k, name in enumerate(names)}
    arms = np.array([[place[row[f"system{k}Id"]] for k in range(1, systems + 1)] for row in rows])
    ranks = np.array([[int(row[f"system{k}rank"]) for k in range(1, systems + 1)] for row in rows])
    wins, ties = np.zeros((2, len(names), len(names)))
    for a in range(systems):
        for b in range(systems):
            better, equal = ranks[:, a] < ranks[:, b], (ranks[:, a] == ranks[:, b]) & (a != b)
            np.add.at(wins, (arms[better, a], arms[better, b]), 1)
            np.add.at(ties, (arms[equal, a], arms[equal, b]), 1)
    return PairCounts(tuple(names), wins, ties)


def football(season):
    """Return how often the home team, by row, won against each guest, lost and tied."""
    rows = [row for row in rows_of("football.csv.gz") if row["season"] == season]
    place = {name: k for k, name in enumerate(sorted({row["home"] for row in rows}))}
    tables = {result: np.zeros((len(place), len(place))) for result in ("home", "away", "tie")}
    for row in rows:
        tables[row["result"]][place[row["home"]], place[row["away"]]] += 1
    return tuple(tables.values())
