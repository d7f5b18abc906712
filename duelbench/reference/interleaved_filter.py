"""Interleaved Filter (Yue, Broder, Kleinberg, Joachims, JCSS 2012), IF2: with its pruning. It knows the horizon T.

0. delta = 1/(T K²). The incumbent b is a random arm, W is all the others.
1. Duel b against every arm of W once, in increasing order.
2. Every arm that b beats with confidence leaves W: p̂ > 1/2 and 1/2 outside p̂ ± sqrt(4 log(1/delta) / n).
3. If some arm of W beats b with confidence (the lowest index of several): every arm of W that b beats empirically,
   p̂ > 1/2, leaves W; that arm leaves W and is the new incumbent, the old one is out; all counts restart.
4. With W empty the incumbent is the winner and duels itself for ever; else go on with 1.
"""

import math

from .arithmetic import first_wins, pick
from .exploration import course


def radius(n, delta):
    return math.sqrt(4 * math.log(1 / delta) / n)


def explore(P, horizon, policy, environment):
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
        W = [b for b in W if not mean[b] - radius(n[b], delta) > 0.5]
        # Step 3.
        better = [b for b in W if mean[b] + radius(n[b], delta) < 0.5]
        if better:
            incumbent = better[0]
            W = [b for b in W if b != incumbent and not mean[b] > 0.5]
            wins, n = [0] * K, [0] * K
    # Step 4.
    return incumbent


def run(P, horizon, policy, environment):
    return course(explore(P, horizon, policy, environment), horizon)[0]
