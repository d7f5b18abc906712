"""PCOMP: batches of all pairs, Algorithm 1.

Each batch compares all pairs of the arms still in and drops those that lost with confidence, until one is left.

The pseudo-code, line by line, is ``duelbench/reference/pcomp.py``; that the paths, duel by duel, are equal is checked
by ``tests/test_catalogue.py``. Readings and hold: see ``batched``.
"""

from __future__ import annotations

from duelbench.algorithms.elimination.batched import Batched
from duelbench.algorithms.elimination.batched_rules import ALL_PAIRS


class Pcomp(Batched):
    """Each batch compares all pairs of the arms still in, and drops those that lost with confidence."""

    name = "pcomp"
    title = "PCOMP"
    assumes = "Condorcet winner"
    regret_order = "K² T^(1/B) log T"
    in_order = True
    opening = ALL_PAIRS
