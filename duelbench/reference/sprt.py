"""SPRT (Wald; as in Haddenhorst, Bengs, Brandt, Hüllermeier, UAI 2021): which arm of a pair wins, for |P - 1/2| > h.

c = ceil(ln((1 - gamma)/gamma) / ln((1/2 + h)/(1/2 - h))). Duel until |2 w - n| > c; the arm ahead has won.
"""

import math

from .arithmetic import first_wins


def limit(h, gamma):
    return math.ceil(math.log((1 - gamma) / gamma) / math.log((1 / 2 + h) / (1 / 2 - h)))


def sprt(P, i, j, h, gamma, environment):
    """Yield the duels; return the winner and the loser."""
    c = limit(h, gamma)
    w = n = 0
    while not abs(2 * w - n) > c:
        w += int(first_wins(P, i, j, environment))
        n += 1
        yield i, j
    return (i, j) if 2 * w > n else (j, i)


def without_a_winner(arms, pairs_won):
    """The declaration that there is none, and what is played then: who has won most pairs, the first of several."""
    return None, max(arms, key=lambda arm: pairs_won[arm])
