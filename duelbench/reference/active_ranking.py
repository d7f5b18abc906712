"""Active ranking (Heckel, Shah, Ramchandran, Wainwright, Annals of Statistics 2019), by default for the top arm.

0. A = all arms in random order; free = the sizes of the tiers, best first.
1. At t = 1, 2, ...: every arm of A duels a uniformly random other arm, of all; mean[i] = the share of its duels it won.
2. Sort A by mean. The first free[0] arms belong to the first tier, and so on. An arm is settled if no arm is above its
   tier, or the last one there has a mean that is larger by more than the threshold; and no arm is below its tier, or
   the first one there has a mean that is smaller by more than the threshold.
3. All settled arms leave A, and their tiers have so many fewer places. Again from 1 while an arm is left.

The threshold is 4 sqrt(ln(125 K ln(1.12 t) / delta) / t), with ``radius="program"`` a quarter of that, and with
``radius="experiments"`` that of the authors' program for the top arms,
2 sqrt(0.5 (x + 0.75 ln x + 1.5 ln(1 + ln(t/2))) / t), x = ln(K/delta), where ln(1 + ln(t/2)) > 0; before, nothing is
decided. Without ``tiers`` the best arm is declared.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def threshold(K, t, delta, radius):
    if radius != "experiments":
        factor = 4 if radius == "paper" else 1
        return factor * math.sqrt(math.log(125 * K * math.log(1.12 * t) / delta) / t)
    inner = math.log(1 + math.log(t / 2))
    if inner <= 0:
        return math.inf
    x = math.log(K / delta)
    return 2 * math.sqrt(0.5 * (x + 0.75 * math.log(x) + 1.5 * inner) / t)


def all_sizes(tiers, K):
    if tiers == "order":
        return [1] * K
    tiers = (1,) if tiers is None else tiers
    return [*tiers, K - sum(tiers)] if sum(tiers) < K else list(tiers)


def explore(P, horizon, policy, environment, delta=0.1, radius="paper", tiers=None):
    K = len(P)
    # Step 0.
    A = shuffled(range(K), policy)
    ranked, free = list(A), all_sizes(tiers, K)
    settled = [[] for _ in free]
    wins, t = [0] * K, 0
    while A:
        # Step 1.
        t += 1
        for i in A:
            others = [j for j in range(K) if j != i]
            j = others[int(policy.random() * (K - 1))] if K > 2 else others[0]
            wins[i] += int(first_wins(P, i, j, environment))
            yield i, j
        # Step 2.
        mean = {i: wins[i] / t for i in A}
        ranked.sort(key=lambda i: -mean[i])
        enough = threshold(K, t, delta, radius)
        place = 0
        for tier, size in zip(settled, free, strict=True):
            above, here, below = ranked[:place], ranked[place : place + size], ranked[place + size :]
            for i in here:
                above_is_better = not above or mean[above[-1]] - mean[i] > enough
                if above_is_better and (not below or mean[i] - mean[below[0]] > enough):
                    tier.append(i)
            place += size
        # Step 3.
        A = [i for i in A if not any(i in tier for tier in settled)]
        ranked = [i for i in ranked if i in A]
        free = [size - len(tier) for size, tier in zip(all_sizes(tiers, K), settled, strict=True)]
    return settled[0][0] if tiers is None else settled


def run(P, horizon, policy, environment, delta=0.1, radius="paper", tiers=None):
    return course(explore(P, horizon, policy, environment, delta, radius, tiers), horizon)[0]
