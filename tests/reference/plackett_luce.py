"""PAC algorithms for the Plackett-Luce model: PL-PAC, PLPAC-AMPR, and those of Saha and Gopalan (ALT 2019)."""

import math
from statistics import median

from .conventions import first_wins, no_counts, shuffled


def pl_pac(P, horizon, policy, environment, epsilon=0.05, delta=0.1, variant="paper"):
    """PL-PAC (Szörényi, Busa-Fekete, Paul, Hüllermeier, NeurIPS 2015), for the Plackett-Luce model.

    0. A = all arms in random order; n[i][j] = w[i][j] = 0.
    1. Quicksort with a budget of |A| - 1 duels, one pivot step: a random arm v of A duels every other one once.
    2. For every two arms of A that this orders, (winner, v), (v, loser) and (winner, loser): n += 1, w += 1 for the
       upper.
    3. c = sqrt(ln(4 K² n² / delta) / (2 n)), K the number of all arms; p̂ = w / n. Unseen pairs have c = 1, p̂ = 1/2. i
       leaves A if p̂[i][j] + c < 1/2 for some j of A; arms leave one after the other, so that A is never empty.
    4. If some i of A has p̂[i][j] - c > 1/2 - epsilon for all j of A: declare it; if there are several, the one with
       the most wins against A, ties: the first. Else go on with 1.

    ``variant="heckel"``: c has n/2 instead of n, as in the program of Heckel, Shah, Ramchandran, Wainwright (2019).
    """
    K = len(P)
    # Step 0.
    A = shuffled(range(K), policy)
    n, w = no_counts(K), no_counts(K)

    def mean(i, j):
        return w[i][j] / n[i][j] if n[i][j] > 0 else 0.5

    def c(i, j):
        return radius(n[i][j] / 2 if variant == "heckel" else n[i][j], K, delta)

    def opponents(i):
        return [j for j in A if j != i]

    while True:
        # Step 1.
        v = A[int(policy.random() * len(A))]
        winners, losers = [], []
        for j in opponents(v):
            (losers if first_wins(P, v, j, environment) else winners).append(j)
            yield v, j
        # Step 2.
        ordered = [(i, v) for i in winners] + [(v, j) for j in losers] + [(i, j) for i in winners for j in losers]
        for i, j in ordered:
            n[i][j] += 1
            n[j][i] += 1
            w[i][j] += 1
        # Step 3.
        for i in list(A):
            if any(mean(i, j) + c(i, j) < 0.5 for j in opponents(i)):
                A.remove(i)
        # Step 4.
        good = [i for i in A if all(mean(i, j) - c(i, j) > 0.5 - epsilon for j in opponents(i))]
        if good:
            return max(good, key=lambda i: sum(w[i][j] for j in opponents(i)))


def radius(n, K, delta):
    return math.sqrt(math.log(4 * K**2 * n**2 / delta) / (2 * n)) if n > 0 else 1.0


def plpac_ampr(P, horizon, policy, environment, epsilon=0.0, delta=0.05):
    """PLPAC-AMPR (Szörényi, Busa-Fekete, Paul, Hüllermeier, NeurIPS 2015): an order up to epsilon, Plackett-Luce model.

    0. The arms in random order; n[i][j] = w[i][j] = 0; the ranks of every arm, lo ... hi, are 0 ... K - 1.
    1. Components: arms whose ranks overlap, and those whose ranks overlap with theirs. For each of m >= 2 arms, the
       worst first: quicksort with a budget of ⌊3 (m+1) ln m⌋ + 1 duels.
    2. Quicksort: duel a random arm of the list against every other one, once; then sort the winners, then the losers. A
       list whose |list| - 1 duels exceed the budget is not sorted further and is a class of the result.
    3. For every two arms in different classes: n += 1, w += 1 for the upper one.
    4. p̂ = w / n, c = sqrt(ln(4 K² n² / delta) / (2 n)); unseen pairs have p̂ = 1/2, c = 1. lo is the number of j with
       p̂ - c > 1/2, hi the number of j with p̂ + c >= 1/2.
    5. Stop if p̂ - c > 1/2 - epsilon and p̂ + c < 1/2 + epsilon for every two arms whose ranks overlap: declare the
       arms by decreasing lo, ties at random. Else go on with 1.
    """
    K = len(P)

    def quicksort(arms, budget):
        """The classes, best first, and the remaining budget."""
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


def components(arms, lo, hi):
    found = []
    for i in sorted(arms, key=lambda i: lo[i]):
        if found and lo[i] <= max(hi[j] for j in found[-1]):
            found[-1].append(i)
        else:
            found.append([i])
    return [[i for i in arms if i in component] for component in found]


def divide_and_battle(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    """Divide-and-Battle (Saha, Gopalan, ALT 2019, Algorithm 2), with two arms a duel.

    0. S = all arms; epsilon_0 = epsilon/8, delta_0 = delta/2.
    1. In each round: if two arms are left, first set epsilon_l = 2 epsilon/3, delta_l = delta. Then halve delta_l and
       multiply epsilon_l by 3/4.
    2. S is paired at random; every pair has t = ceil(ln(2/delta_l) / epsilon_l²) duels.
    3. The arm with more wins stays (on a tie, the first), and so does an odd arm. Repeat from 1 while |S| > 1.
    4. The last arm is declared.
    """
    # Step 0.
    S = list(range(len(P)))
    epsilon_l, delta_l = epsilon / 8, delta / 2
    while len(S) > 1:
        # Step 1.
        if len(S) == 2:
            epsilon_l, delta_l = 2 * epsilon / 3, delta
        delta_l, epsilon_l = delta_l / 2, 3 / 4 * epsilon_l
        # Step 2.
        t = math.ceil(math.log(2 / delta_l) / epsilon_l**2)
        S = shuffled(S, policy)
        stay = []
        while len(S) >= 2:
            a, b, *S = S
            wins = 0
            for _ in range(t):
                wins += int(first_wins(P, a, b, environment))
                yield a, b
            # Step 3.
            stay.append(a if wins >= t - wins else b)
        S = stay + S
    # Step 4.
    return S[0]


def halving_battle(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    """Halving-Battle (Saha, Gopalan, ALT 2019, Algorithm 3), with two arms a duel.

    0. S = all arms; epsilon_0 = epsilon/4, delta_0 = delta.
    1. In each round, halve delta_l and multiply epsilon_l by 3/4.
    2. S is paired at random; every pair has t = ceil(ln(4/delta_l) / epsilon_l²) duels.
    3. Arms with at least the median wins of the pair stay, and so does an odd arm. Repeat from 1 while |S| > 1.
    4. The last arm is declared.
    """
    # Step 0.
    S = list(range(len(P)))
    epsilon_l, delta_l = epsilon / 4, delta
    while len(S) > 1:
        # Step 1.
        delta_l, epsilon_l = delta_l / 2, 3 / 4 * epsilon_l
        # Step 2.
        t = math.ceil(math.log(4 / delta_l) / epsilon_l**2)
        S = shuffled(S, policy)
        stay = []
        while len(S) >= 2:
            a, b, *S = S
            wins = {a: 0, b: 0}
            for _ in range(t):
                wins[a if first_wins(P, a, b, environment) else b] += 1
                yield a, b
            # Step 3.
            stay += [arm for arm in (a, b) if wins[arm] >= median(wins.values())]
        S = stay + S
    # Step 4.
    return S[0]


def trace_the_best(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    """Trace-the-Best (Saha, Gopalan, ALT 2019, Algorithm 1), with two arms a duel.

    1. r = a random arm; the others come in random order.
    2. Each of them, c, meets r for t = ceil(4/epsilon² ln(2K/delta)) duels; p̂ is the share that c wins.
    3. If p̂ > 1/2 + epsilon/2: r = c.
    4. After the last one r is declared.
    """
    K = len(P)
    # Step 1.
    r, *others = shuffled(range(K), policy)
    t = math.ceil(4 / epsilon**2 * math.log(2 * K / delta))
    for c in others:
        # Step 2.
        wins = 0
        for _ in range(t):
            wins += int(first_wins(P, c, r, environment))
            yield c, r
        # Step 3.
        if wins / t > 0.5 + epsilon / 2:
            r = c
    # Step 4.
    return r
