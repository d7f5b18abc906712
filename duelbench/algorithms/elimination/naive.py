"""Naive bandits: a bandit with an arm for each of the K(K − 1) ordered pairs; explore then exploit.

Its reward is 1 when the pair's first arm wins. So it finds the surest win, and declares the arm that has it, which need
not be a winner in any other sense. How it looks for that, and why its hold is exact: ``best_arm``.

The pseudo-code, step by step, is ``duelbench/literal/naive.py``; ``tests/test_algorithms_elimination.py`` checks that
the paths are equal.
"""

from __future__ import annotations

from duelbench.algorithms.elimination.best_arm import BestArmSearch


class Naive(BestArmSearch):
    """A bandit over ordered pairs that finds the surest win."""

    name = "naive"
    assumes = "one surest win, and that it is the winner's"
    regret_order = "K² log T"
    in_order = True
    pairs = True
