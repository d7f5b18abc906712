"""From the cells of a row to votes."""

import pytest

from duelbench.sources.votes.layouts import Counts, Flags, Ranks, WinnerLoser, Winners
from duelbench.sources.votes.tally import Refusal

FLAGS = Flags("a", "b", "won_a", "won_b", "tie")
EQUAL = Winners("a", "b", "chosen", "equal")
COUNTS = Counts("a", "b", "wins_a", "wins_b", "ties")
RANKS = Ranks((("s1", "r1"), ("s2", "r2"), ("s3", "r3")))


def read(layout, *cells):
    reading, _, _ = layout.read({cells: 1})
    return [tuple(duel) for duel in reading(cells)]


@pytest.mark.parametrize(
    ("layout", "cells", "duels"),
    [
        (FLAGS, ("x", "y", "1", "0", "0"), [("x", "y", 1, 0, 0)]),
        (FLAGS, ("x", " y", "0", "1.0", ""), [("x", "y", 0, 1, 0)]),
        (FLAGS, ("x", "y", "False", "False", "True"), [("x", "y", 0, 0, 1)]),
        (EQUAL, ("x", "y", "", "true"), [("x", "y", 0, 0, 1)]),
        (EQUAL, ("x", "y", "y", "false"), [("x", "y", 0, 1, 0)]),
        (WinnerLoser("w", "l"), ("x", "y"), [("x", "y", 1, 0, 0)]),
        (COUNTS, ("x", "y", "3", "4.5", "2"), [("x", "y", 3, 4.5, 2)]),
        (Counts("a", "b", "wins_a", "wins_b", None), ("x", "y", "3", "4"), [("x", "y", 3, 4, 0)]),
        (RANKS, ("x", "1", "y", "2", "z", "2"), [("x", "y", 1, 0, 0), ("x", "z", 1, 0, 0), ("y", "z", 0, 0, 1)]),
        (RANKS, ("x", "0", "y", "1", "z", ""), [("x", "y", 1, 0, 0)]),
        (RANKS, ("x", "3", "y", "-1", "z", "2"), [("x", "z", 0, 1, 0)]),
    ],
)
def test_rows_that_mean_something(layout, cells, duels):
    assert read(layout, *cells) == duels


@pytest.mark.parametrize(
    ("layout", "cells", "says"),
    [
        (FLAGS, ("x", "y", "0", "0", "0"), "none of its outcomes is 1"),
        (FLAGS, ("x", "y", "1", "0", "1"), "more than one of its outcomes is 1"),
        (EQUAL, ("x", "y", "", "false"), "there is no outcome"),
        (EQUAL, ("x", "x ", "x", "false"), "compared with itself"),
        (EQUAL, ("x", "", "x", "false"), "an arm has no name"),
        (WinnerLoser("w", "l"), ("x" * 600, "y"), "a name is one line"),
        (WinnerLoser("w", "l"), ("x\ny", "y"), "a name is one line"),
        (COUNTS, ("x", "y", "-1", "0", "0"), "not 0 and not from 1e-06 to 1e[+]12: '-1'"),
        (COUNTS, ("x", "y", "1", "many", "0"), "no number: 'many'"),
        (COUNTS, ("x", "y", "1", "1,5", "0"), "no number: '1,5', write decimals with a point"),
        (COUNTS, ("x", "y", "1", "nan", "0"), "to 1e[+]12: 'nan'"),
        (RANKS, ("x", "1", "y", "-1", "z", ""), "fewer than two arms have a rank"),
        (RANKS, ("x", "1", "y", "best", "z", ""), "the rank is no number: 'best'"),
    ],
)
def test_rows_that_mean_nothing(layout, cells, says):
    with pytest.raises(Refusal, match=says):
        read(layout, *cells)
