"""SCOMP2: batches of the best seed against all arms, Algorithm 3.

As SCOMP, but the seeds first duel each other, r(1), and only the best of them, the candidate, duels the arms still in,
r(2). These are two batches with estimates of their own; r(1) of a single seed is none. The candidate is the seed with
the smallest ``max_j p̂_ji``, the lowest one of several, whether or not it is below 1/2 + γ_r.

The pseudo-code, line by line, is ``duelbench/reference/pcomp.py``; that the paths, duel by duel, are equal is checked
by ``tests/test_catalogue.py``. Readings and hold: see ``batched``.
"""

from __future__ import annotations

from duelbench.algorithms.elimination.batched import Batched
from duelbench.algorithms.elimination.batched_rules import SEEDS


class Scomp2(Batched):
    """Each batch compares the best of about √K seeds with the arms still in, until some arm beats it."""

    name = "scomp2"
    title = "SCOMP2"
    assumes = "total order, SST, STI"
    regret_order = "K B T^(1/B) log T"
    in_order = True
    opening = SEEDS
