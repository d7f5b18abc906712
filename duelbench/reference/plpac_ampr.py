"""PLPAC-AMPR (Szörényi, Busa-Fekete, Paul, Hüllermeier, NeurIPS 2015): an order up to epsilon, Plackett-Luce model.

0. The arms in random order; n[i][j] = w[i][j] = 0; the ranks of every arm, lo ... hi, are 0 ... K - 1.
1. Components: arms whose ranks overlap, and those whose ranks overlap with theirs. For each of m >= 2 arms, the worst
   first: quicksort with a budget of ⌊3 (m+1) ln m⌋ + 1 duels.
2. Quicksort: duel a random arm of the list with every other one, once; the winners are the next list, then the losers.
   A list for which the budget does not suffice, |list| - 1 duels, stays as it is, a class of the result.
3. For every two arms in different classes: n += 1, w += 1 for the upper one.
4. p̂ = w / n, c = sqrt(ln(4 K² n² / delta) / (2 n)); unseen pairs have p̂ = 1/2, c = 1. lo is the number of j with
   p̂ - c > 1/2, hi the number of j with p̂ + c >= 1/2.
5. Stop if p̂ - c > 1/2 - epsilon and p̂ + c < 1/2 + epsilon for every two arms whose ranks overlap: declare the arms by
   falling lo, of equal ones a random one first. Else go on with 1.
"""

import math

from .arithmetic import first_wins, no_counts
from .exploration import course
from .random_order import shuffled


def radius(n, K, delta):
    return math.sqrt(math.log(4 * K**2 * n**2 / delta) / (2 * n)) if n > 0 else 1.0


def components(arms, lo, hi):
    found = []
    for i in sorted(arms, key=lambda i: lo[i]):
        if found and lo[i] <= max(hi[j] for j in found[-1]):
            found[-1].append(i)
        else:
            found.append([i])
    return [[i for i in arms if i in component] for component in found]


def explore(P, horizon, policy, environment, epsilon=0.0, delta=0.05):
    K = len(P)

    def quicksort(arms, budget):
        """The classes, best first, and what is left of the budget."""
        if len(arms) < 2 or len(arms) - 1 > budget:
            return [arms] if arms else [], budget
        v = arms[int(policy.random() * len(arms))]
        winners, losers = [], []
        for j in arms:
            if j != v:
                (losers if first_wins(P, v, j, environment) else winners).append(j)
                yield v, j
        upper, budget = yield from quicksort(winners, budget - len(arms) + 1)
        lower, budget = yield from quicksort(losers, budget)
        return [*upper, [v], *lower], budget

    # Step 0.
    arms = shuffled(range(K), policy)
    n, w = no_counts(K), no_counts(K)
    lo, hi = [0] * K, [K - 1] * K

    def mean(i, j):
        return w[i][j] / n[i][j] if n[i][j] > 0 else 0.5

    def c(i, j):
        return radius(n[i][j], K, delta)

    while True:
        # Step 1.
        for component in components(arms, lo, hi):
            if (m := len(component)) < 2:
                continue
            # Step 2.
            classes, _ = yield from quicksort(component, math.floor(3 * (m + 1) * math.log(m)) + 1)
            # Step 3.
            for place, upper in enumerate(classes):
                for i, j in [(i, j) for lower in classes[place + 1 :] for i in upper for j in lower]:
                    n[i][j] += 1
                    n[j][i] += 1
                    w[i][j] += 1
        # Step 4.
        for i in range(K):
            lo[i] = sum(mean(i, j) - c(i, j) > 0.5 for j in range(K) if j != i)
            hi[i] = sum(mean(i, j) + c(i, j) >= 0.5 for j in range(K) if j != i)
        # Step 5.
        overlapping = [(i, j) for i in range(K) for j in range(K) if i != j and lo[i] <= hi[j] and lo[j] <= hi[i]]
        if all(mean(i, j) - c(i, j) > 0.5 - epsilon and mean(i, j) + c(i, j) < 0.5 + epsilon for i, j in overlapping):
            return [[i] for i in sorted(shuffled(arms, policy), key=lambda i: -lo[i])]


def run(P, horizon, policy, environment, epsilon=0.0, delta=0.05):
    return course(explore(P, horizon, policy, environment, epsilon, delta), horizon)[0]
