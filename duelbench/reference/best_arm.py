"""A bandit that looks for its best arm: the competitors of SAVAGE (Urvoy et al., ICML 2013), as we read them.

A play of a bandit arm is a duel; its reward is 1 when the first arm of the duel wins. N bandit arms; it knows the
horizon T; delta is 1/T unless given.

1. Intervals are p̂ ± sqrt(log(2 N T / delta) / (2 n)).
2. Elimination (Even-Dar, Mannor, Mansour 2002): play the arms that are left once each, then drop those whose upper end
   is below the largest lower end. Uniform: the same, but drop none. UCB (Auer, Cesa-Bianchi, Fischer 2002): play the
   largest mean + sqrt(2 log n / n_k).
3. Stop when one arm is left (uniform: would be), or when the lower end of an arm of UCB is above all other upper ends.
"""

import math

from .arithmetic import first_wins
from .ucb import Ucb


def search(P, N, duel_of, T, policy, environment, rule, delta):
    """Yield the duels; return the bandit arm found. ``duel_of(k)``: the arms that duel when bandit arm k is played."""
    delta = 1 / T if delta is None else delta
    bandit = Ucb(N, 2.0)

    def ends(k):
        # Step 1.
        rewards = bandit.rewards[k]
        if not rewards:
            return -math.inf, math.inf
        mean, c = sum(rewards) / len(rewards), math.sqrt(math.log(2 * N * T / delta) / (2 * len(rewards)))
        return mean - c, mean + c

    left, queue = list(range(N)), list(range(N))
    while True:
        # Steps 2 and 3.
        if rule in ("elimination", "uniform"):
            if not queue:
                best = max(ends(k)[0] for k in left)
                above = [k for k in left if ends(k)[1] >= best]
                if len(above) == 1 or rule == "elimination":
                    left = above
                queue = list(left)
            if len(left) == 1:
                return left[0]
            play = queue.pop(0)
        else:
            all_ends = [ends(k) for k in range(N)]
            top = max(range(N), key=lambda k: all_ends[k][0])
            if all(all_ends[k][1] < all_ends[top][0] for k in range(N) if k != top):
                return top
            play = bandit.advance(policy)
        i, j = duel_of(play)
        bandit.feedback(play, first_wins(P, i, j, environment))
        yield i, j
