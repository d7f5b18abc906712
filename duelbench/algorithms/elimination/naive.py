"""Naive bandits: an ordinary bandit, as preferences; explore then exploit.

In the bandit simulations of section 5.1 of SAVAGE's paper "naive" rules see an arm's own reward. Here its mean is the
probability P[i, 0] to win against arm 0, which is only a yardstick: bandit arm i ≥ 1 is played by a duel with it. So it
finds the arm with the best chance against arm 0; instances are those of the generator ``bandit``, and a spec has
``shuffle_arms: false``, or arm 0 is another one in each run. How it looks for that, and why its hold is exact:
``best_arm``.

The pseudo-code, step by step, is ``duelbench/reference/savage.py``; ``tests/test_catalogue.py`` checks that the paths
are equal.
"""

from __future__ import annotations

from duelbench.algorithms.elimination.best_arm import BestArmSearch


class Naive(BestArmSearch):
    """An ordinary bandit, whose reward is the outcome of a duel with arm 0."""

    name = "naive"
    title = "Naive"
    assumes = "arm 0 is a baseline"
    regret_order = "K log T"
    in_order = True
    against_first = True
