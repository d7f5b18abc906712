"""Beat the Mean and Interleaved Filter: eliminate arms by their confidence intervals."""

import math

from .conventions import first_wins, no_counts, pick


def btm(P, horizon, policy, environment, gamma=1.3, confidence_scale=3.0, variant="paper"):
    """Beat the Mean (Yue & Joachims, ICML 2011), explore then exploit, with known horizon T.

    0. The active set W is all arms, no arm has a duel; delta = 1/(2 T K).
    1. b = the arm of W with the fewest duels, ties at random; b' = a random arm of W, b itself allowed.
    2. Duel (b, b') (a fair coin if b' = b). Only b counts it: n_b and, if it won, w_b.
    3. p̂_b = w_b / n_b, 1/2 at n_b = 0; n_min = min n_b over W;
       c = confidence_scale * gamma² * sqrt(log(1/delta) / n_min), 1 at n_min = 0.
    4. If min p̂ + c <= max p̂ - c: the arm with the smallest p̂ (ties at random) leaves W, and all duels against it are
       deleted from the other arms' w_b and n_b.
    5. The last arm of W duels itself for ever.

    ``variant="komiyama"`` follows policy_btm.hpp of the C++ library of Komiyama, Honda, Kashima, Nakagawa (COLT 2015),
    which has confidence_scale = 1. In step 1, ties go to the lowest index, and b' differs from b. In step 4, an arm
    leaves only if min p̂ + c < max p̂ - c; ties go to the lowest index.
    """
    K = len(P)
    # Step 0. Counts are per opponent, so that duels can be deleted: b won wins[b][a] of duels[b][a] against a.
    W = list(range(K))
    duels, wins = no_counts(K), no_counts(K)
    delta = 1 / (2 * horizon * K)
    while len(W) > 1:
        # Step 1.
        fewest = min(sum(duels[b]) for b in W)
        least = [b for b in W if sum(duels[b]) == fewest]
        if variant == "komiyama":
            first = least[0]
            second = pick([b for b in W if b != first], policy)
        else:
            first = pick(least, policy)
            second = pick(W, policy)
        # Step 2.
        won = policy.random() < 0.5 if first == second else first_wins(P, first, second, environment)
        duels[first][second] += 1
        wins[first][second] += int(won)
        # Step 3.
        mean = {b: sum(wins[b]) / sum(duels[b]) if sum(duels[b]) > 0 else 0.5 for b in W}
        n_min = min(sum(duels[b]) for b in W)
        c = confidence_scale * gamma**2 * math.sqrt(math.log(1 / delta) / n_min) if n_min > 0 else 1.0
        # Step 4.
        low, high = min(mean.values()) + c, max(mean.values()) - c
        if low < high or (low == high and variant == "paper"):
            lowest = [b for b in W if mean[b] == min(mean.values())]
            worst = lowest[0] if variant == "komiyama" else pick(lowest, policy)
            W.remove(worst)
            for b in W:
                duels[b][worst] = wins[b][worst] = 0
        yield first, second
    # Step 5.
    return W[0]


def btm_pac(P, horizon, policy, environment, epsilon=0.05, delta=0.1, gamma=1.0, self_duels=True, variant="paper"):
    """Beat the Mean, PAC (Yue & Joachims, ICML 2011, Algorithm 3): an epsilon-best arm with probability 1 - delta.

    0. The active set W is all arms, no arm has a duel. N = the smallest integer with N = ceil(36 gamma⁶ / epsilon²
       ln(K³ N / delta)), by iteration from 1; c(n) = 3 gamma² sqrt(ln(K³ N / delta) / n), c(0) = 1.
    1. Let n* be the smallest number of duels of an arm of W. While W has more than one arm and n* < N:
    2. b = the arm of W with the fewest duels, ties at random; b' = a random arm of W, b itself allowed unless
       ``self_duels`` is False.
    3. Duel (b, b') (a fair coin if b' = b). Only b counts it: n_b and, if it won, w_b. p̂_b = w_b / n_b, 1/2 at n_b =
       0.
    4. If min p̂ + c(n*) <= max p̂ - c(n*): the arm with the smallest p̂ (ties at random) leaves W, and all duels
       against it are deleted from the other arms' w_b and n_b.
    5. Declare the arm of W with the largest p̂; ties go to the lowest index.

    ``variant="heckel"``: c(n) = sqrt(ln(2 K ln n / delta) / n), c(0) = c(1) = 1, and N is infinite, as in the program
    of Heckel, Shah, Ramchandran, Wainwright (Annals of Statistics 2019).
    """
    K = len(P)
    # Step 0. Counts are per opponent, so that duels can be deleted: b won wins[b][a] of duels[b][a] against a.
    W = list(range(K))
    duels, wins = no_counts(K), no_counts(K)
    N = 1
    while math.ceil(36 * gamma**6 / epsilon**2 * math.log(K**3 * N / delta)) != N:
        N = math.ceil(36 * gamma**6 / epsilon**2 * math.log(K**3 * N / delta))

    if variant == "heckel":
        N = math.inf

    def mean(b):
        return sum(wins[b]) / sum(duels[b]) if sum(duels[b]) > 0 else 0.5

    # Step 1.
    while len(W) > 1 and min(sum(duels[b]) for b in W) < N:
        # Step 2.
        fewest = min(sum(duels[b]) for b in W)
        first = pick([b for b in W if sum(duels[b]) == fewest], policy)
        second = pick([b for b in W if self_duels or b != first], policy)
        # Step 3.
        won = policy.random() < 0.5 if first == second else first_wins(P, first, second, environment)
        duels[first][second] += 1
        wins[first][second] += int(won)
        means = {b: mean(b) for b in W}
        c = btm_pac_radius(min(sum(duels[b]) for b in W), K, N, delta, gamma, variant)
        # Step 4.
        if min(means.values()) + c <= max(means.values()) - c:
            worst = pick([b for b in W if means[b] == min(means.values())], policy)
            W.remove(worst)
            for b in W:
                duels[b][worst] = wins[b][worst] = 0
        yield first, second
    # Step 5: max() breaks ties by the lowest index.
    return max(W, key=mean)


def btm_pac_radius(n, K, N, delta, gamma, variant):
    if variant == "heckel":
        return math.sqrt(math.log(2 * K / delta * math.log(n)) / n) if n > 1 else 1.0
    return 3 * gamma**2 * math.sqrt(math.log(K**3 * N / delta) / n) if n > 0 else 1.0


def interleaved_filter(P, horizon, policy, environment):
    """Interleaved Filter (Yue, Broder, Kleinberg, Joachims, JCSS 2012), IF2: with pruning and known horizon T.

    0. delta = 1/(T K²). The incumbent b is a random arm, W is all the others.
    1. Duel b against every arm of W once, in increasing order.
    2. Every arm that b beats with confidence leaves W: p̂ > 1/2 and 1/2 outside p̂ ± sqrt(4 log(1/delta) / n).
    3. If some arm of W beats b with confidence (ties go to the lowest index), it leaves W and becomes the incumbent; b
       is out. Every arm of W that b beats empirically, p̂ > 1/2, leaves W. All counts restart.
    4. If W is empty, the incumbent is the winner and duels itself for ever; else go on with 1.
    """
    K = len(P)
    # Step 0.
    delta = 1 / (horizon * K**2)
    incumbent = pick(range(K), policy)
    W = [b for b in range(K) if b != incumbent]
    wins, n = [0] * K, [0] * K
    while W:
        # Step 1.
        for b in W:
            wins[b] += int(first_wins(P, incumbent, b, environment))
            n[b] += 1
            yield incumbent, b
        mean = {b: wins[b] / n[b] for b in W}
        # Step 2.
        W = [b for b in W if not mean[b] - interleaved_filter_radius(n[b], delta) > 0.5]
        # Step 3.
        better = [b for b in W if mean[b] + interleaved_filter_radius(n[b], delta) < 0.5]
        if better:
            incumbent = better[0]
            W = [b for b in W if b != incumbent and not mean[b] > 0.5]
            wins, n = [0] * K, [0] * K
    # Step 4.
    return incumbent


def interleaved_filter_radius(n, delta):
    return math.sqrt(4 * math.log(1 / delta) / n)
