"""SELECT-then-verify (Haddenhorst, Bengs, Brandt, Hüllermeier, UAI 2021): the Condorcet winner, or that there is none.

gamma = min(alpha, beta).
1. SELECT with delta = gamma/2 and gap = h.
2. SPRT(h, gamma/(2(K - 1))) of its winner against each other arm, in the order of SELECT's permutation. First loss:
   there is no winner, which is declared, and the arm that has won most pairs, in both steps, duels itself.
3. All won: declare it.
"""

from .exploration import course
from .random_order import shuffled
from .select import bracket, duels_for
from .sprt import sprt, without_a_winner


def explore(P, horizon, policy, environment, h=0.05, alpha=0.05, beta=0.05):
    K = len(P)
    gamma = min(alpha, beta)
    # Step 1.
    order = shuffled(range(K), policy)
    pairs_won = [0] * K
    i = yield from bracket(P, order, duels_for(K, gamma / 2, h), environment, False, pairs_won)
    # Step 2.
    for j in order:
        if j != i:
            winner, _ = yield from sprt(P, i, j, h, gamma / (2 * (K - 1)), environment)
            pairs_won[winner] += 1
            if winner != i:
                return without_a_winner(order, pairs_won)
    # Step 3.
    return i


def run(P, horizon, policy, environment, h=0.05, alpha=0.05, beta=0.05):
    return course(explore(P, horizon, policy, environment, h, alpha, beta), horizon)[0]
