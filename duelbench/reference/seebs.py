"""SEEBS (Ren, Liu, Shroff, ICML 2020): sequential elimination based exact best item selection.

1. R = all arms. For t = 1, 2, ... while |R| > 1: alpha = 2^-t, delta_t = 6 delta/(pi² t²).
2. The pivot v is the winner of a tournament of R with epsilon = alpha/3, d = 2 delta_t/3. In its rounds u = 1, 2, ...
   with epsilon_u = (epsilon/4) 0.8^u and d_u = 6 d/(pi² u²) the arms are paired at random, the odd one passes on; a
   random one of the pair is the reference, and the other stays if DI(other, reference, epsilon_u/2, 0, 0, d_u/2) is
   "up", else the reference does.
3. Every other arm i of R leaves R if DI(i, v, alpha/3, 0, alpha/3, delta_t/3) is "down".
4. Declare the last arm.

In a random order, cut into pairs, the second of a pair is a random one of the two.
"""

import math

from .exploration import course
from .first_passage import di
from .random_order import shuffled


def tournament(P, R, epsilon, d, policy, environment):
    u = 1
    while len(R) > 1:
        epsilon_u, d_u = epsilon / 4 * 0.8**u, 6 * d / (math.pi**2 * u**2)
        R = shuffled(R, policy)
        winners = []
        for other, reference in zip(R[0::2], R[1::2], strict=False):
            outcome = yield from di(P, other, reference, epsilon_u / 2, 0.0, 0.0, d_u / 2, environment)
            winners.append(other if outcome == "up" else reference)
        if len(R) % 2 == 1:
            winners.append(R[-1])
        R, u = winners, u + 1
    return R[0]


def explore(P, horizon, policy, environment, delta=0.05):
    R, t = list(range(len(P))), 1
    while len(R) > 1:
        # Step 1.
        alpha, delta_t = 2.0**-t, 6 * delta / (math.pi**2 * t**2)
        # Step 2.
        v = yield from tournament(P, R, alpha / 3, 2 * delta_t / 3, policy, environment)
        # Step 3.
        kept = []
        for i in R:
            outcome = "middle"
            if i != v:
                outcome = yield from di(P, i, v, alpha / 3, 0.0, alpha / 3, delta_t / 3, environment)
            if outcome != "down":
                kept.append(i)
        R, t = kept, t + 1
    # Step 4.
    return R[0]


def run(P, horizon, policy, environment, delta=0.05):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
