"""Borda scores: BCB, successive elimination with and without sparsity, active ranking."""

import math

from .conventions import first_wins, no_counts, shuffled


def bcb(P, horizon, policy, environment, delta=0.1):
    """Borda-Confidence-Bound (Saha, Koren, Mansour, ICML 2021, Algorithm 3), with known horizon T.

    s[i] is the sum over rounds of the estimated shifted Borda scores of arm i, at first 0. In each round t:

    1. x is a random arm, y a random other one. Duel (x, y): o = 1 if x won, else 0. s_x += K o.
    2. b = s / t, width = 2 sqrt((K / t) ln(2 K T / delta)). If b - width of the best arm exceeds b + width of every
       other arm, the best arm duels itself for ever.
    """
    K = len(P)
    s = [0] * K
    t = 0
    while True:
        # Step 1.
        t += 1
        x = int(policy.random() * K)
        y = int(policy.random() * (K - 1))
        y += y >= x
        o = first_wins(P, x, y, environment)
        yield x, y
        s[x] += K * o
        # Step 2.
        b = [each / t for each in s]
        width = 2 * math.sqrt(K / t * math.log(2 * K * horizon / delta))
        best = max(range(K), key=lambda i: b[i])
        if all(b[best] - width > b[i] + width for i in range(K) if i != best):
            return best


def borda_elimination(P, horizon, policy, environment, delta=0.1):
    """Successive elimination by Borda scores (Jamieson, Katariya, Deshpande, Nowak, AISTATS 2015, the Borda reduction).

    0. A = all arms in random order.
    1. At t = 1, 2, ...: I is uniform over all arms; every j of A but I duels it once.
    2. ŝ[j] = K/((K-1) t) times the wins of j. j leaves A if ŝ[i] > ŝ[j] + K/(K-1) sqrt(2 ln(4 K t² / delta) / t) for
       some i of A.
    3. The last arm of A is declared.
    """
    K = len(P)
    # Step 0.
    A = shuffled(range(K), policy)
    wins, t = no_counts(K), 0
    while len(A) > 1:
        t += 1
        yield from duels_of_a_round(P, A, wins, policy, environment)
        low = low_scores(A, wins, t, delta)
        A = [j for j in A if j not in low]
    # Step 3.
    return A[0]


def borda_elimination_radius(K, t, delta):
    return K / (K - 1) * math.sqrt(2 * math.log(4 * K * t**2 / delta) / t)


def duels_of_a_round(P, A, wins, policy, environment):
    """Step 1; ``wins[j][i]`` counts the wins of j against i."""
    opponent = int(policy.random() * len(P))
    for j in A:
        if j != opponent:
            wins[j][opponent] += int(first_wins(P, j, opponent, environment))
            yield j, opponent


def low_scores(A, wins, t, delta):
    """The arms that leave in step 2."""
    K = len(wins)
    score = {j: K / ((K - 1) * t) * sum(wins[j]) for j in A}
    return {j for j in A if any(score[i] > score[j] + borda_elimination_radius(K, t, delta) for i in A)}


def secs(P, horizon, policy, environment, delta=0.1, sparsity=5, gate=0, constant=0.5):
    """SECS, successive elimination with comparison sparsity (Jamieson, Katariya, Deshpande, Nowak, AISTATS 2015).

    0. to 2. As ``borda_elimination``.
    3. For t > T₀ = ``gate`` also: p̂[j][i] = K/t times the wins of j against i. For i, j of A, Omega = the k =
       ``sparsity`` arms but i and j with the largest |p̂[i][o] - p̂[j][o]| (ties: the first in the random order), D = 2
       (p̂[i][j] - 1/2) + the sum over Omega of p̂[i][o] - p̂[j][o], C = sqrt(2 ln(4 K² t² / delta) K/t) + 2 ln(4 K² t²
       / delta) K/(3 t). j leaves A if D > constant (k + 1) C.
    4. If a round would drop all arms, the one with the largest ŝ stays. The last arm of A is declared.
    """
    K = len(P)
    # Step 0.
    order = shuffled(range(K), policy)
    A = list(order)
    wins, t = no_counts(K), 0
    while len(A) > 1:
        t += 1
        yield from duels_of_a_round(P, A, wins, policy, environment)
        out = low_scores(A, wins, t, delta)
        # Step 3.
        if t > gate:
            enough = constant * (sparsity + 1) * secs_radius(K, t, delta)
            for j in A:
                if any(difference(wins, order, i, j, t, sparsity) > enough for i in A if i != j):
                    out.add(j)
        # Step 4: max() breaks ties by the random order.
        A = [j for j in A if j not in out] or [max(A, key=lambda j: sum(wins[j]))]
    return A[0]


def secs_radius(K, t, delta):
    log = math.log(4 * K**2 * t**2 / delta)
    return math.sqrt(2 * log * K / t) + 2 * log * K / (3 * t)


def difference(wins, order, i, j, t, sparsity):
    """D for two arms; all p̂ have the factor K/t, so Omega is chosen by wins, free of rounding."""
    K = len(wins)
    others = [o for o in order if o not in (i, j)]
    Omega = sorted(others, key=lambda o: -abs(wins[i][o] - wins[j][o]))[:sparsity]
    return 2 * (K / t * wins[i][j] - 1 / 2) + K / t * sum(wins[i][o] - wins[j][o] for o in Omega)


def active_ranking(P, horizon, policy, environment, delta=0.1, radius="paper", tiers=None):
    """Active ranking (Heckel, Shah, Ramchandran, Wainwright, Annals of Statistics 2019), by default for the top arm.

    0. A = all arms in random order; free = the sizes of the tiers, best first.
    1. At t = 1, 2, ...: every arm of A duels a uniformly random other arm, of all; mean[i] = the share of its duels it
       won.
    2. Sort A by mean. The first free[0] arms belong to the first tier, and so on. An arm is settled if its mean differs
       by more than the threshold from that of the last arm above its tier and that of the first arm below its tier, if
       there are such arms.
    3. All settled arms leave A and take a place of their tier. Repeat from 1 while an arm is left.

    The threshold is 4 sqrt(ln(125 K ln(1.12 t) / delta) / t); a quarter of it with ``radius="program"``. With
    ``radius="experiments"`` it is that of the authors' program for the top arms: 2 sqrt(0.5 (x + 0.75 ln x + 1.5 ln(1 +
    ln(t/2))) / t), x = ln(K/delta); nothing is decided until ln(1 + ln(t/2)) > 0. Without ``tiers``, the best arm is
    declared.
    """
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
