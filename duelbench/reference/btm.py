"""Beat the Mean (Yue & Joachims, ICML 2011), explore then exploit; it knows the horizon T.

0. The active set W is all arms, no arm has a duel; delta = 1/(2 T K).
1. b = the arm of W with the fewest duels, ties at random; b' = a random arm of W, b itself allowed.
2. Duel (b, b') (a fair coin if b' = b). Only b counts it: n_b and, if it won, w_b.
3. p̂_b = w_b / n_b, 1/2 at n_b = 0; n_min = min n_b over W;
   c = confidence_scale * gamma² * sqrt(log(1/delta) / n_min), 1 at n_min = 0.
4. If min p̂ + c <= max p̂ - c: the arm with the smallest p̂ (ties at random) leaves W, and all duels against it are
   deleted from the other arms' w_b and n_b.
5. With one arm left in W, it duels itself for ever.

``variant="komiyama"`` is policy_btm.hpp of the C++ library of Komiyama, Honda, Kashima, Nakagawa (COLT 2015), which has
confidence_scale = 1: in step 1 ties go to the lowest index, and b' is another arm than b; in step 4 an arm leaves only
if min p̂ + c < max p̂ - c, ties go to the lowest index.
"""

import math

from .arithmetic import first_wins, no_counts, pick
from .exploration import course


def explore(P, horizon, policy, environment, gamma=1.3, confidence_scale=3.0, variant="paper"):
    K = len(P)
    # Step 0. Per opponent, so that duels can be deleted: b counts duels[b][a] against a and won wins[b][a] of them.
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


def run(P, horizon, policy, environment, gamma=1.3, confidence_scale=3.0, variant="paper"):
    return course(explore(P, horizon, policy, environment, gamma, confidence_scale, variant), horizon)[0]
