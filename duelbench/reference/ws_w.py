"""Winner Stays, weak regret (Chen, Frazier, ICML 2017, Algorithm 1).

C[i] are the wins of arm i minus its losses. In each round:

1. The first arm has the largest C; among ties it is the first arm of the last duel, else its second, else random.
2. The second arm has the largest C of all others; among ties it is the first arm of the last duel, else its second,
   else random.
3. Duel; C of the winner += 1, C of the loser -= 1.
"""

import numpy as np

from .arithmetic import first_wins, pick


def largest(C, arms, previous, policy):
    tied = [k for k in arms if C[k] == max(C[arm] for arm in arms)]
    for arm in previous:
        if arm in tied:
            return arm
    return pick(tied, policy)


def pair(C, previous, policy):
    """Steps 1 and 2; ``previous`` is the last duel, (first, second), or ()."""
    arms = range(len(C))
    first = largest(C, arms, previous, policy)
    second = largest(C, [k for k in arms if k != first], previous, policy)
    return first, second


def duel_and_count(P, first, second, environment, C):
    """Step 3."""
    winner, loser = (first, second) if first_wins(P, first, second, environment) else (second, first)
    C[winner] += 1
    C[loser] -= 1


def run(P, horizon, policy, environment):
    C, previous = [0] * len(P), ()
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        previous = pair(C, previous, policy)
        path[t - 1] = previous
        duel_and_count(P, *previous, environment, C)
    return path
