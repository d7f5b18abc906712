"""Swiss system: rounds of floor(K/2) pairs with about as many wins.

1. A random order of the arms; the last one rests if K is odd. Sort the others by their wins, most first; those with
   equal wins keep the random order.
2. Neighbours duel: the first and the second, the third and the fourth, and so on.
"""

import numpy as np

from .arithmetic import duel, no_counts
from .random_order import shuffled


def run(P, horizon, policy, environment):
    K = len(P)
    w, path, arms = no_counts(K), [], list(range(K))
    while len(path) < horizon:
        # Step 1.
        arms = shuffled(arms, policy)
        m = K - K % 2
        playing, resting = arms[:m], arms[m:]
        playing.sort(key=lambda arm: -sum(w[arm]))
        arms = playing + resting
        # Step 2.
        for i, j in zip(playing[::2], playing[1::2], strict=True):
            duel(P, i, j, environment, w)
            path.append((i, j))
    return np.array(path[:horizon], dtype=int)
