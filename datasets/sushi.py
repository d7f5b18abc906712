"""Make ``sushi16.csv`` from the SUSHI Preference Data Set: ``python datasets/sushi.py sushi3b.5000.10.order``.

The licence of the raw files forbids passing them on: get them from https://www.kamishima.net/sushi/. The arms are the
items that were compared most, in increasing order of their comparisons; in a tie, the higher number comes first.
Entry (i, j) is the share of the users who rank item i above item j, among those who rank both, with three digits.

In an order file the first line has the number of items, and each further line is a user's: ``0 <length> <item> <item>
…``, the most preferred item first, items numbered from 0.
"""

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np


def counts(path):
    """Return how many users rank item i above item j, an array of shape (items, items)."""
    items = int(Path(path).read_text(encoding="ascii").split(maxsplit=1)[0])
    wins = np.zeros((items, items), int)
    for order in np.loadtxt(path, int, skiprows=1, ndmin=2)[:, 2:]:
        for above, below in combinations(order, 2):
            wins[above, below] += 1
    return wins


def most_compared(wins, number):
    """Return the items that were compared most; the last one has most comparisons."""
    return np.lexsort((-np.arange(len(wins)), (wins + wins.T).sum(axis=1)))[-number:]


def shares(wins, items):
    """Return the preference matrix of some items; pairs that nobody compared are ties."""
    wins = wins[np.ix_(items, items)]
    compared = wins + wins.T
    upper = np.triu(np.round(np.divide(wins, compared, out=np.full(wins.shape, 0.5), where=compared > 0), 3), 1)
    return upper + np.tril(1 - upper.T, -1) + np.eye(len(items)) / 2  # both entries of a pair could be rounded up


def main(arguments=None):
    """Write the matrix."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("orders", help="the file sushi3b.5000.10.order")
    parser.add_argument("-n", "--arms", type=int, default=16, help="number of items (16)")
    parser.add_argument("-o", "--output", default="sushi16.csv", help="file to write (sushi16.csv)")
    options = parser.parse_args(arguments)
    wins = counts(options.orders)
    items = most_compared(wins, options.arms)
    np.savetxt(options.output, shares(wins, items), "%g", ",")
    print(f"{options.output}: rows are items {' '.join(map(str, items))}")


if __name__ == "__main__":
    main()
