"""SEEKS (Ren, Liu, Shroff, ICML 2020): sequential elimination based exact k-selection.

1. R = all arms in random order, accepted = {}. For t = 1, 2, ...: epsilon = 2^-t, delta_t = 6 delta/(pi² t²),
   k' = k - |accepted|.
2. A = tks(R, k', epsilon/3, delta_t/3), or eqs with ``inner="eqs"``.
3. v = the worst of A, by tks(A, 1, epsilon/3, delta_t/3) with all outcomes inverted.
4. DI(i, v, epsilon/3, epsilon/3, epsilon/3, delta_t/(3 (|R|-1))) of every other arm i of R: if it is up, i is accepted,
   if it is down, i is out. R = v and the others.
5. Stop if |accepted| >= k or |accepted| + |R| <= k: declare the accepted arms, as many of R as are missing, and then
   the others by number.

The program of the authors also stops if |accepted| >= k', and then declares wrong sets.
"""

import math

from .eqs import eqs, with_others
from .exploration import course
from .first_passage import di
from .random_order import shuffled
from .tks import tks


def explore(P, horizon, policy, environment, top=1, delta=0.1, inner="tks"):
    K = len(P)
    choose = tks if inner == "tks" else eqs
    # Step 1.
    R, accepted, t = shuffled(range(K), policy), [], 1
    while len(accepted) < top < len(accepted) + len(R):
        epsilon, delta_t = 2.0**-t, 6 * delta / (math.pi**2 * t**2)
        missing = top - len(accepted)
        # Step 2.
        A = yield from choose(P, R, missing, epsilon / 3, delta_t / 3, policy, environment)
        # Step 3.
        (v,) = yield from tks(P, A, 1, epsilon / 3, delta_t / 3, policy, environment, worst=True)
        # Step 4.
        kept, level = [v], delta_t / 3 / (len(R) - 1)
        for i in R:
            if i != v:
                outcome = yield from di(P, i, v, epsilon / 3, epsilon / 3, epsilon / 3, level, environment)
                if outcome == "up":
                    accepted.append(i)
                elif outcome == "middle":
                    kept.append(i)
        R, t = kept, t + 1
    # Step 5.
    order = with_others(accepted + R if len(accepted) < top else accepted, K)
    return [order[:top], order[top:]]


def run(P, horizon, policy, environment, top=1, delta=0.1, inner="tks"):
    return course(explore(P, horizon, policy, environment, top, delta, inner), horizon)[0]
