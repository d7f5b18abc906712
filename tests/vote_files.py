"""Votes of published studies: a complete table, and files that may be missing."""

import csv
import gzip
import os
from itertools import combinations
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest

from duelbench.preferences.counts import PairCounts
from duelbench.votes.vote_table import VoteTable

PUDDING = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip
"""Rows of (first, second, wins of the first, wins of the second, ties): Davidson, JASA 65, 1970, example 2."""


def pudding():
    wins, ties = np.zeros((2, 6, 6))
    for first, second, won, lost, tied in PUDDING:
        wins[first - 1, second - 1], wins[second - 1, first - 1] = won, lost
        ties[first - 1, second - 1] = ties[second - 1, first - 1] = tied
    return PairCounts(tuple(f"brand{each}" for each in range(1, 7)), wins, ties)


def counts_of(wins, ties=0.0):
    """Return votes on arms called a, b, c, …; ``ties`` is a number for each pair, or a table (upper half)."""
    wins = np.array(wins, dtype=float)
    upper = np.triu(np.full_like(wins, ties), 1)
    return PairCounts(tuple(ascii_lowercase[: len(wins)]), wins, upper + upper.T)


def vote_file(name):
    """Return the path of a file of votes outside the package; skip the test if it is missing."""
    path = Path(os.environ.get("DUELBENCH_DATA", Path(__file__).parents[2] / "shared" / "datasets")) / "votes" / name
    if not path.exists():
        pytest.skip(f"needs {name} in the directory votes of the one named by DUELBENCH_DATA")
    return path


def rows_of(name):
    """Return the rows of a file of votes as dictionaries; skip the test if it is missing."""
    path = vote_file(name)
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rankings(name, group=None):
    """Return WMT's judgements as votes, read independently of the package; without ``group``, each row is a group."""
    names, judges, groups, rows = {}, {}, {}, []
    for line, row in enumerate(rows_of(name)):
        places = range(1, 1 + sum(column.endswith("rank") for column in row))
        ranked = [(row[f"system{place}Id"], int(row[f"system{place}rank"])) for place in places]
        judge = judges.setdefault(row["judgeId"], len(judges))
        together = groups.setdefault(row[group] if group else line, len(groups))
        for (first, rank), (second, other) in combinations(ranked, 2):
            pair = (names.setdefault(name, len(names)) for name in (first, second))
            rows.append((*pair, (rank < other) - (rank > other), judge, together))
    first, second, outcome, judge, together = np.array(rows).T
    arms = tuple(name.partition(".")[0] for name in names)
    return VoteTable(arms, first, second, outcome, np.ones(len(rows)), judge, together, tuple(judges))
