"""SCOMP: batches of seeds against all arms, Algorithm 2.

Each batch compares about √K seeds, drawn at first, with the arms still in; when some arm beats all seeds, PCOMP takes
over. The test for that sees seeds and active arms as the elimination left them. Without a seed, at first or later,
PCOMP goes on with the active arms. It starts with the exponent of the batch that switched and the same q; its δ is that
of the arms and rounds that are left.

The pseudo-code, line by line, is ``duelbench/reference/pcomp.py``; that the paths, duel by duel, are equal is checked
by ``tests/test_catalogue.py``. Readings and hold: see ``batched``.
"""

from __future__ import annotations

from duelbench.algorithms.elimination.batched import Batched
from duelbench.algorithms.elimination.batched_rules import SEEDED


class Scomp(Batched):
    """Each batch compares about √K seeds with the arms still in, until some arm beats all seeds."""

    name = "scomp"
    title = "SCOMP"
    assumes = "total order, SST, STI"
    regret_order = "K^(3/2) T^(1/B) log T"
    in_order = True
    opening = SEEDED
