"""The SUSHI Preference Data Set: from its order files to a preference matrix.

Kamishima, Nantonac Collaborative Filtering: Recommendation Based on Order Responses, KDD 2003. The licence of the raw
files forbids passing them on, so everybody gets them from https://www.kamishima.net/sushi/. An order file begins with
a line ``<number of items> 1``; each further line is a user's: ``0 <length> <item> <item> …``, the most preferred item
first, items numbered from 0.

The shipped table ``sushi16`` has its rows in increasing number of comparisons: its items are numbers 15, 14, 13, 12,
11, 9, 10, 8, 7, 4, 2, 6, 5, 3, 1, 0 of item set B. ``Orders.top`` follows that rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.files import regular
from duelbench.preferences.matrix import PreferenceMatrix

ORDER_FILE = "sushi3b.5000.10.order"
"""The order file of item set B: ten of its 100 items, ordered by each of 5,000 users."""

_MAX_ITEMS = 1_000
"""The largest number of items. The data set has 100; a table of all pairs is computed."""

Criterion = Literal["comparisons", "popularity"]


@dataclass(frozen=True)
class Orders:
    """The orders of an order file: ``wins[i, j]``, (items, items), counts the users who rank item i above item j."""

    source: str
    users: int
    wins: Ints

    def top(self, count: int, by: Criterion) -> Ints:
        """Return the ``count`` items with the most comparisons or, ``by`` popularity, with the largest share won.

        They are in increasing order, so the last item has the most; among ties a higher number comes first.

        Raises:
            UserError: there are not so many.
        """
        items = len(self.wins)
        if not 2 <= count <= items:
            raise UserError(
                f"there are {items} items to choose from: choose between 2 and {items}",
                source=self.source,
                key=("arms",),
            )
        comparisons = (self.wins + self.wins.T).sum(axis=1)
        score = comparisons if by == "comparisons" else self.wins.sum(axis=1) / np.maximum(comparisons, 1)
        return np.lexsort((-np.arange(items), score))[-count:]

    def shares(self, items: Ints, digits: int) -> tuple[PreferenceMatrix, int]:
        """Return the matrix of some items, and the number of pairs that nobody compared, which count as ties.

        Entry (i, j) is the share of the users who rank ``items[i]`` above ``items[j]``, among those who rank both,
        rounded to ``digits``.
        """
        wins = self.wins[np.ix_(items, items)]
        compared = wins + wins.T
        shares: Floats = np.divide(wins, compared, out=np.full(wins.shape, 0.5), where=compared > 0)
        unknown = int(np.count_nonzero(np.triu(compared == 0, 1)))
        # Round only one triangle: otherwise both entries of a pair could be rounded up.
        upper = np.triu(np.round(shares, digits), 1)
        return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(len(items)) / 2, self.source), unknown


def read_orders(place: Path) -> Orders:
    """Read an order file, or the one of item set B in a directory.

    Raises:
        UserError: no such file, or a line that does not follow the format; ``source`` and ``line`` say where.
    """
    path = place / ORDER_FILE if place.is_dir() else place
    try:
        lines = regular(path).read_text(encoding="ascii").splitlines()
    except UnicodeDecodeError:
        raise UserError("this is not an order file of the SUSHI data set", source=str(path)) from None
    except FileNotFoundError:
        raise UserError(
            f"there is no {path}: get the SUSHI data set from https://www.kamishima.net/sushi/ and name its directory"
        ) from None
    except OSError as error:
        raise UserError(f"the file cannot be read: {error.strerror or error}", source=str(path)) from None

    def numbers(line: int) -> list[int]:
        try:
            return [int(word) for word in lines[line - 1].split()]
        except ValueError:
            raise UserError("an order file holds whole numbers only", source=str(path), line=line) from None

    header = numbers(1) if lines else []
    if len(header) != 2 or header[0] < 2 or header[1] != 1:
        raise UserError("an order file begins with its number of items and 1, as in '100 1'", source=str(path), line=1)
    items = header[0]
    if items > _MAX_ITEMS:
        raise UserError(f"an order file has at most {_MAX_ITEMS:,} items, not {items}", source=str(path), line=1)
    wins = [[0] * items for _ in range(items)]
    users = 0
    for line in range(2, len(lines) + 1):
        words = numbers(line)
        if not words:
            continue
        order = words[2:]
        fault = None
        if len(words) < 2 or words[0] != 0 or words[1] != len(order):
            fault = "a user's line is 0, the number of items in the order, and the items"
        elif wrong := [item for item in order if not 0 <= item < items]:
            fault = f"there is no item {wrong[0]}: the {items} items are numbered from 0"
        elif len(set(order)) < len(order):
            fault = "an item appears twice in this order"
        if fault:
            raise UserError(fault, source=str(path), line=line)
        for above, below in combinations(order, 2):
            wins[above][below] += 1
        users += 1
    if not users:
        raise UserError("the file has no orders", source=str(path))
    return Orders(str(path), users, np.array(wins))
