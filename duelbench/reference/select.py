"""SELECT (Mohajer, Suh, Elmahdy, ICML 2017), the best arm: single elimination, so many duels per pair.

1. m = ceil(ln(log2(K)/delta) / (2 gap^2)); or duels_per_pair; or floor(budget/(K - 1)), 1 at least.
2. Put the arms into random order and pair neighbours; the odd last arm passes on. m duels each; the first arm wins with
   at least m/2 wins. early_stop: a pair ends when one arm has more than m/2 wins.
3. Repeat with the winners and the arm that passed on, in this order; declare the last one.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled


def duels_for(K, delta, gap):
    return math.ceil(math.log(math.log2(K) / delta) / (2 * gap**2))


def match(P, i, j, m, environment, early_stop=False):
    """Yield the duels of step 2; return the winner and the loser."""
    w = n = 0
    while n < m and not (early_stop and max(w, n - w) > m / 2):
        w += int(first_wins(P, i, j, environment))
        n += 1
        yield i, j
    return (i, j) if w >= n / 2 else (j, i)


def bracket(P, order, m, environment, early_stop, pairs_won):
    """Steps 2 and 3 on arms in this order."""
    while len(order) > 1:
        winners = []
        for k in range(0, len(order) - 1, 2):
            winner, _ = yield from match(P, order[k], order[k + 1], m, environment, early_stop)
            pairs_won[winner] += 1
            winners.append(winner)
        order = winners + ([order[-1]] if len(order) % 2 == 1 else [])
    return order[0]


def explore(P, horizon, policy, environment, delta=0.05, gap=0.05, duels_per_pair=None, budget=None, early_stop=False):
    K = len(P)
    # Step 1.
    m = duels_for(K, delta, gap)
    if duels_per_pair is not None:
        m = duels_per_pair
    if budget is not None:
        m = max(1, budget // (K - 1))
    # Steps 2 and 3.
    return (yield from bracket(P, shuffled(range(K), policy), m, environment, early_stop, [0] * K))


def run(P, horizon, policy, environment, delta=0.05, gap=0.05, duels_per_pair=None, budget=None, early_stop=False):
    exploration = explore(P, horizon, policy, environment, delta, gap, duels_per_pair, budget, early_stop)
    return course(exploration, horizon)[0]
