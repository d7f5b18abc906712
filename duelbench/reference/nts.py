"""NTS (Haddenhorst, Bengs, Brandt, Hüllermeier, UAI 2021): the Condorcet winner, or that there is none.

1. gamma' = min(alpha/K, beta/(K - 1)). Every decided pair is one SPRT(h, gamma') and is never asked again.
2. Bracket: an almost complete binary tree over a random permutation (first round: K - 2^(ceil(log2 K) - 1) pairs, of
   the first arms; then a power of two); winners move up.
3. The bracket's winner plays every arm it has not met, in the order of the permutation, until it loses or has beaten
   all.
4. Stop as soon as some arm has beaten all K - 1 others (declare it) or every arm has lost a decided pair: there is no
   winner, which is declared, and the arm that has won most pairs duels itself, the first of several.
"""

import math

from .exploration import course
from .random_order import shuffled
from .sprt import sprt, without_a_winner


def explore(P, horizon, policy, environment, h=0.05, alpha=0.05, beta=0.05):
    K = len(P)
    # Step 1.
    gamma = min(alpha / K, beta / (K - 1))
    beaten = [set() for _ in range(K)]

    def decide(i, j):
        winner, loser = yield from sprt(P, i, j, h, gamma, environment)
        beaten[winner].add(loser)
        return winner

    # Step 2.
    order = shuffled(range(K), policy)
    arms = list(order)
    pairs = K - 2 ** (math.ceil(math.log2(K)) - 1)
    while len(arms) > 1:
        winners = []
        for k in range(pairs):
            winners.append((yield from decide(arms[2 * k], arms[2 * k + 1])))
        arms = winners + arms[2 * pairs :]
        pairs = len(arms) // 2
    i = arms[0]
    # Step 3. All others have lost in the bracket: with a loss of i every arm has.
    for j in order:
        if j != i and j not in beaten[i] and (yield from decide(i, j)) != i:
            return without_a_winner(order, [len(each) for each in beaten])
    # Step 4.
    assert len(beaten[i]) == K - 1
    return i


def run(P, horizon, policy, environment, h=0.05, alpha=0.05, beta=0.05):
    return course(explore(P, horizon, policy, environment, h, alpha, beta), horizon)[0]
