"""PPR-1v1, a prior-posterior-ratio test of a pair (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024).

The outcomes are i wins, j wins, and a tie; let a >= b be their two largest counts. Stop at the first duel with
dbeta(1/2; a+1, b+1) <= gamma/(outcomes - 1), that is ln[(a+b+1) C(a+b, a)] - (a+b) ln 2 <= ln(gamma/(outcomes - 1)).
The outcome with count a is the most probable one.
"""

import math

from .arithmetic import outcome


def log_density(a, b):
    choose = math.lgamma(a + b + 1) - math.lgamma(a + 1) - math.lgamma(b + 1)
    return math.log(a + b + 1) + choose - (a + b) * math.log(2)


def ppr(P, i, j, gamma, outcomes, environment, T=None):
    """Yield the duels; return the share of a win that i gets: 1, 1/2 or 0."""
    level = math.log(gamma / (outcomes - 1)) + 1e-9  # so that equality stops it, however it is rounded
    counts = {0.0: 0, 0.5: 0, 1.0: 0}
    while not log_density(*sorted(counts.values())[:0:-1]) <= level:
        counts[outcome(P, T, i, j, environment)] += 1
        yield i, j
    return max(counts, key=counts.get)
