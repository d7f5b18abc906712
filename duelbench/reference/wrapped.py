"""A wrapped bandit, a competitor of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), as we read it.

Bandit arms are the K arms; a play duels a random other arm. The arm that the bandit finds best (``best_arm``) duels
itself for ever.
"""

from .arithmetic import pick
from .best_arm import search
from .exploration import course


def explore(P, horizon, policy, environment, rule="elimination", delta=None):
    K = len(P)

    def duel_of(i):
        return i, pick([k for k in range(K) if k != i], policy)

    return (yield from search(P, K, duel_of, horizon, policy, environment, rule, delta))


def run(P, horizon, policy, environment, rule="elimination", delta=None):
    return course(explore(P, horizon, policy, environment, rule, delta), horizon)[0]
