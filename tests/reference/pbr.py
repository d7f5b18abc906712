"""PBR and RankEl: Copeland counts from confidence intervals, which are not intersected over time."""

import math
from itertools import combinations, permutations

from .conventions import duel, no_counts, outcome, pick, shuffled


def interval(w, i, j, radius):
    """``p̂[i, j] ± radius(n)``; all of [0, 1] for an unseen pair."""
    n = w[i][j] + w[j][i]
    if n == 0:
        return 0.0, 1.0
    return w[i][j] / n - radius(n), w[i][j] / n + radius(n)


def is_decided(w, i, j, radius):
    low, high = interval(w, i, j, radius)
    return not low <= 0.5 <= high


def counts(w, radius):
    """The lower and upper Copeland counts: the opponents that an arm beats with confidence, or may beat."""
    K = len(w)
    lower = [sum(interval(w, i, j, radius)[0] > 0.5 for j in range(K) if j != i) for i in range(K)]
    upper = [sum(interval(w, i, j, radius)[1] >= 0.5 for j in range(K) if j != i) for i in range(K)]
    return lower, upper


def selected(lower, upper):
    """The arms whose lower count exceeds every other upper count: at most one."""
    K = len(lower)
    return [i for i in range(K) if all(lower[i] > upper[j] for j in range(K) if j != i)]


def unexceeded(lower, upper):
    """The arms whose lower count is at least every other upper count: certainly Copeland winners."""
    K = len(lower)
    return [i for i in range(K) if all(lower[i] >= upper[j] for j in range(K) if j != i)]


def discarded(lower, upper):
    """The arms whose upper count is below some other lower count."""
    K = len(lower)
    return [i for i in range(K) if any(upper[i] < lower[j] for j in range(K) if j != i)]


def best(lower, policy):
    """The arm with the highest lower count, ties at random."""
    return pick([i for i in range(len(lower)) if lower[i] == max(lower)], policy)


def pbr(P, horizon, policy, environment, T=None):
    """Preference-based racing (Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier, ICML 2013), Copeland ranking, top 1.

    The horizon T is known; delta = 1/T, n_max = T.

    0. The active pairs are all ordered pairs.
    1. Duel every active pair (i, j) once, lexicographically. The orders (i, j) and (j, i) share their data; a tie is
       half a win for both.
    2. Intervals are p̂ ± sqrt(log(2 K² n_max / delta) / (2 n)). An arm is selected when its lower Copeland count
       exceeds every other upper count, discarded when its upper count is below some other lower count.
    3. A pair stops being active if its interval excludes 1/2, or if each of its arms is selected or discarded.
    4. If no active pair is left, the arm with the highest lower count (the selected arm if there is one), ties at
       random, duels itself for ever. Else go on with 1.
    """
    K = len(P)
    w = no_counts(K)
    lower = [0] * K

    def radius(n):
        return pbr_radius(n, K, horizon)

    # Step 0.
    active = list(permutations(range(K), 2))
    while active:
        # Step 1.
        for i, j in active:
            share = outcome(P, T, i, j, environment)
            w[i][j] += share
            w[j][i] += 1 - share
            yield i, j
        # Step 2.
        lower, upper = counts(w, radius)
        settled = selected(lower, upper) + discarded(lower, upper)
        # Step 3.
        active = [(i, j) for i, j in active if not is_decided(w, i, j, radius) and not (i in settled and j in settled)]
    # Step 4.
    return best(lower, policy)


def pbr_radius(n, K, T):
    n_max, delta = T, 1 / T
    return math.sqrt(math.log(2 * K**2 * n_max / delta) / (2 * n))


def pbr_copeland(P, horizon, policy, environment, top=1, delta=0.1, T=None):
    """PBR for the top k (Busa-Fekete, Szörényi, Weng, Cheng, Hüllermeier, ICML 2013), Copeland ranking, any horizon.

    0. The active pairs are all pairs of the arms, in random order; w = z = 0.
    1. Duel every active pair once; p̂ = wins / n, and a tie is half a win for both.
    2. A pair is decided if |p̂ - 1/2| > sqrt(ln(pi² K² n² / delta) / (2 n)): w += 1 for the winner, z += 1 for the
       loser.
    3. Arm i is selected if K-1-z_j < w_i for K-k other arms j, and discarded if K-1-z_i < w_j for k others.
    4. Stop if k arms are selected, or K-k are discarded.
    5. Decided pairs, and pairs of two selected or discarded arms, stop being active. If an active pair is left, go on
       with 1.
    6. Declare the selected arms first and the discarded ones last, each by decreasing w; ties in the random order.

    In the paper, the first condition of step 3 is that K-z_j < w_i for more than K-k arms j, including i itself; the
    second condition likewise.
    """
    K = len(P)
    wins, w, z = no_counts(K), [0] * K, [0] * K
    selected, discarded = [], []
    # Step 0.
    arms = shuffled(range(K), policy)
    active = list(combinations(arms, 2))
    while active:
        # Step 1.
        for i, j in active:
            share = outcome(P, T, i, j, environment)
            wins[i][j] += share
            wins[j][i] += 1 - share
            yield i, j
        # Step 2.
        undecided = []
        for i, j in active:
            n = wins[i][j] + wins[j][i]
            if abs(wins[i][j] / n - 0.5) > pbr_copeland_radius(n, K, delta):
                winner, loser = (i, j) if wins[i][j] > wins[j][i] else (j, i)
                w[winner] += 1
                z[loser] += 1
            else:
                undecided.append((i, j))
        # Step 3.
        selected = [i for i in arms if sum(K - 1 - z[j] < w[i] for j in arms if j != i) >= K - top]
        discarded = [i for i in arms if sum(K - 1 - z[i] < w[j] for j in arms if j != i) >= top]
        # Step 4.
        if len(selected) == top or len(discarded) == K - top:
            break
        # Step 5.
        settled = selected + discarded
        active = [(i, j) for i, j in undecided if not (i in settled and j in settled)]
    # Step 6.
    order = sorted(arms, key=lambda i: (i not in selected, i in discarded, -w[i]))
    return [order[:top], order[top:]]


def pbr_copeland_radius(n, K, delta):
    return math.sqrt(math.log(math.pi**2 * K**2 * n**2 / delta) / (2 * n))


def rankel(P, horizon, policy, environment, until="winner"):
    """RankEl (Busa-Fekete, Szörényi, Hüllermeier, AAAI 2014), Copeland ranking, with known horizon T; delta = 1/T.

    The paper elicits a whole ranking and stops when it is good enough. Here the goal is one winner, so step 3 is ours.

    1. Duel every pair i < j whose interval contains 1/2 once, lexicographically; at first, all pairs.
    2. Intervals are p̂ ± sqrt(log(5 K² n⁴ / (4 delta)) / (2 n)).
    3. If some arm's lower Copeland count is at least every other upper count, that arm, ties at random, duels itself
       for ever. Else go on with 1. With another ``until`` (the sole winner): if some arm's lower count exceeds every
       other upper count, or no pair is left, the arm with the highest lower count, ties at random, duels itself.
    """
    K = len(P)
    w = no_counts(K)

    def radius(n):
        return rankel_radius(n, K, horizon)

    while True:
        lower, upper = counts(w, radius)
        pairs = [(i, j) for i, j in combinations(range(K), 2) if not is_decided(w, i, j, radius)]
        # Step 3.
        if until == "winner":
            if unexceeded(lower, upper):
                return pick(unexceeded(lower, upper), policy)
        elif selected(lower, upper) or not pairs:
            return best(lower, policy)
        # Steps 1 and 2.
        for i, j in pairs:
            duel(P, i, j, environment, w)
            yield i, j


def rankel_radius(n, K, T):
    delta = 1 / T
    return math.sqrt(math.log(5 * K**2 * n**4 / (4 * delta)) / (2 * n))
