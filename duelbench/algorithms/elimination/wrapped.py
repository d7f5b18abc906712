"""Wrapped bandits: a bandit whose reward is the outcome of a duel with a random opponent; explore then exploit.

It has an arm for each of the K arms; its reward is 1 when that arm beats a random other one. So its best arm is the
Borda winner. How it looks for that, and why its hold is exact: ``best_arm``.

The pseudo-code, step by step, is ``duelbench/reference/savage.py``; ``tests/test_catalogue.py`` checks that
the paths are equal.
"""

from __future__ import annotations

from duelbench.algorithms.elimination.best_arm import BestArmSearch


class Wrapped(BestArmSearch):
    """A bandit whose reward is the outcome of a duel with a random opponent."""

    name = "wrapped"
    title = "Wrapped elimination"
    assumes = "one Borda winner"
    regret_order = "K log T"
    in_order = True
    against_first = False
