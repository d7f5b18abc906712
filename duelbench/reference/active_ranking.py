"""Active ranking for the top arm (Heckel, Shah, Ramchandran, Wainwright, Annals of Statistics 2019).

0. A = all arms in random order.
1. At t = 1, 2, ...: every arm of A duels a uniformly random other arm, of all; mean[i] = the share of its duels it won.
2. If the best mean of A is above the second by more than the threshold: declare the best. Arms of A leave whose mean is
   below the best by more than that. Again from 1 while more than one is left; the last one is declared.

The threshold is 4 sqrt(ln(125 K ln(1.12 t) / delta) / t), with ``radius="experiments"`` that of the authors' program,
2 sqrt(0.5 (x + 0.75 ln x + 1.5 ln(1 + ln(t/2))) / t), x = ln(K/delta), where ln(1 + ln(t/2)) > 0; before, nothing is
decided.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def threshold(K, t, delta, radius):
    if radius == "paper":
        return 4 * math.sqrt(math.log(125 * K * math.log(1.12 * t) / delta) / t)
    inner = math.log(1 + math.log(t / 2))
    if inner <= 0:
        return math.inf
    x = math.log(K / delta)
    return 2 * math.sqrt(0.5 * (x + 0.75 * math.log(x) + 1.5 * inner) / t)


def explore(P, horizon, policy, environment, delta=0.1, radius="paper"):
    K = len(P)
    # Step 0.
    A = shuffled(range(K), policy)
    wins, t = [0] * K, 0
    while len(A) > 1:
        # Step 1.
        t += 1
        for i in A:
            others = [j for j in range(K) if j != i]
            j = others[int(policy.random() * (K - 1))] if K > 2 else others[0]
            wins[i] += int(first_wins(P, i, j, environment))
            yield i, j
        # Step 2.
        mean = {i: wins[i] / t for i in A}
        best, second = sorted(A, key=lambda i: -mean[i])[:2]
        if mean[best] - mean[second] > threshold(K, t, delta, radius):
            return best
        A = [i for i in A if not mean[best] - mean[i] > threshold(K, t, delta, radius)]
    return A[0]


def run(P, horizon, policy, environment, delta=0.1, radius="paper"):
    return course(explore(P, horizon, policy, environment, delta, radius), horizon)[0]
