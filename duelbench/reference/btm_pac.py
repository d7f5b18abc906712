"""Beat the Mean, PAC (Yue & Joachims, ICML 2011, Algorithm 3): an epsilon-best arm with probability 1 - delta.

0. The active set W is all arms, no arm has a duel. N = the smallest integer with
   N = ceil(36 gamma⁶ / epsilon² ln(K³ N / delta)), by iteration from 1; c(n) = 3 gamma² sqrt(ln(K³ N / delta) / n),
   c(0) = 1.
1. While more than one arm is left and n* = the fewest duels of an arm of W is below N:
2. b = the arm of W with the fewest duels, ties at random; b' = a random arm of W, b itself allowed unless
   ``self_duels`` is False.
3. Duel (b, b') (a fair coin if b' = b). Only b counts it: n_b and, if it won, w_b. p̂_b = w_b / n_b, 1/2 at n_b = 0.
4. If min p̂ + c(n*) <= max p̂ - c(n*): the arm with the smallest p̂ (ties at random) leaves W, and all duels against it
   are deleted from the other arms' w_b and n_b.
5. Declare the arm of W with the largest p̂, the lowest index of several.

``variant="heckel"``: c(n) = sqrt(ln(2 K ln n / delta) / n), c(0) = c(1) = 1, and N is infinite, as in the program of
Heckel, Shah, Ramchandran, Wainwright (Annals of Statistics 2019).
"""

import math

from .arithmetic import first_wins, no_counts, pick
from .exploration import course


def radius(n, K, N, delta, gamma, variant):
    if variant == "heckel":
        return math.sqrt(math.log(2 * K / delta * math.log(n)) / n) if n > 1 else 1.0
    return 3 * gamma**2 * math.sqrt(math.log(K**3 * N / delta) / n) if n > 0 else 1.0


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1, gamma=1.0, self_duels=True, variant="paper"):
    K = len(P)
    # Step 0. Per opponent, so that duels can be deleted: b counts duels[b][a] against a and won wins[b][a] of them.
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
        c = radius(min(sum(duels[b]) for b in W), K, N, delta, gamma, variant)
        # Step 4.
        if min(means.values()) + c <= max(means.values()) - c:
            worst = pick([b for b in W if means[b] == min(means.values())], policy)
            W.remove(worst)
            for b in W:
                duels[b][worst] = wins[b][worst] = 0
        yield first, second
    # Step 5: max() takes the first of several.
    return max(W, key=mean)


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1, gamma=1.0, self_duels=True, variant="paper"):
    return course(explore(P, horizon, policy, environment, epsilon, delta, gamma, self_duels, variant), horizon)[0]
