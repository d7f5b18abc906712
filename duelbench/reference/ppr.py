"""PPR-1v1, a prior-posterior-ratio test of a pair (Bengs, Haddenhorst, Hüllermeier, AISTATS 2024).

Let a >= b be the wins of the two arms. Stop at the first duel with dbeta(1/2; a+1, b+1) <= gamma/(outcomes - 1), that
is ln[(a+b+1) C(a+b, a)] - (a+b) ln 2 <= ln(gamma/(outcomes - 1)); the arm with a wins has won.
"""

import math

from .arithmetic import first_wins


def log_density(a, b):
    choose = math.lgamma(a + b + 1) - math.lgamma(a + 1) - math.lgamma(b + 1)
    return math.log(a + b + 1) + choose - (a + b) * math.log(2)


def ppr(P, i, j, gamma, outcomes, environment):
    """Yield the duels; return the winner and the loser."""
    level = math.log(gamma / (outcomes - 1)) + 1e-9  # so that equality stops it, however it is rounded
    w = n = 0
    while not log_density(max(w, n - w), min(w, n - w)) <= level:
        w += int(first_wins(P, i, j, environment))
        n += 1
        yield i, j
    return (i, j) if 2 * w > n else (j, i)
