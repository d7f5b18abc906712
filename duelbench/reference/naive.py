"""A naive bandit, a competitor of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013, section 5.1), as we read it.

An ordinary bandit of K - 1 arms: a play of its arm i is a duel of i with arm 0, its reward 1 when i wins. The arm that
the bandit finds best (``best_arm``) duels itself for ever.
"""

from .best_arm import search
from .exploration import course


def explore(P, horizon, policy, environment, rule="elimination", delta=None):
    found = yield from search(P, len(P) - 1, lambda k: (k + 1, 0), horizon, policy, environment, rule, delta)
    return found + 1


def run(P, horizon, policy, environment, rule="elimination", delta=None):
    return course(explore(P, horizon, policy, environment, rule, delta), horizon)[0]
