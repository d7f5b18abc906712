"""The ordinary bandits that SAVAGE was compared with (Urvoy, Clerot, Féraud, Naamane, ICML 2013), as we read them.

Wrapped: bandit arms are the K arms; a play duels a random other arm. Naive: they are the K (K - 1) ordered pairs,
lexicographically; a play is that duel. The reward is 1 when the first arm wins. N bandit arms; delta is 1/T unless
given.

1. Intervals are p̂ ± sqrt(log(2 N T / delta) / (2 n)).
2. Elimination (Even-Dar, Mannor, Mansour 2002): play the arms that are left once each, then drop those whose upper end
   is below the largest lower end. UCB (Auer, Cesa-Bianchi, Fischer 2002): play the largest mean + sqrt(2 log n / n_k).
3. Stop when one arm is left, or when the lower end of an arm of UCB is above all other upper ends.
4. The first arm of that bandit arm duels itself for ever.
"""

import math
from itertools import permutations

import numpy as np

from .arithmetic import first_wins, pick
from .ucb import Ucb


def run(P, horizon, policy, environment, over="arms", rule="elimination", delta=None):
    K = len(P)
    plays = [(i, None) for i in range(K)] if over == "arms" else list(permutations(range(K), 2))
    N = len(plays)
    delta = 1 / horizon if delta is None else delta
    bandit = Ucb(N, 2.0)

    def ends(k):
        # Step 1.
        rewards = bandit.rewards[k]
        if not rewards:
            return -math.inf, math.inf
        mean, c = sum(rewards) / len(rewards), math.sqrt(math.log(2 * N * horizon / delta) / (2 * len(rewards)))
        return mean - c, mean + c

    left, queue, winner = list(range(N)), list(range(N)), None
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        if winner is None:
            # Steps 2 and 3.
            if rule == "elimination" and not queue:
                best = max(ends(k)[0] for k in left)
                left = [k for k in left if ends(k)[1] >= best]
                queue = list(left)
            if rule == "ucb":
                all_ends = [ends(k) for k in range(N)]
                top = max(range(N), key=lambda k: all_ends[k][0])
                above = all(all_ends[k][1] < all_ends[top][0] for k in range(N) if k != top)
                winner = plays[top][0] if above else None
            elif len(left) == 1:
                winner = plays[left[0]][0]
        if winner is not None:
            # Step 4.
            path[t - 1] = winner, winner
            continue
        play = bandit.advance(policy) if rule == "ucb" else queue.pop(0)
        i, j = plays[play]
        if j is None:
            j = pick([k for k in range(K) if k != i], policy)
        path[t - 1] = i, j
        bandit.feedback(play, first_wins(P, i, j, environment))
    return path
