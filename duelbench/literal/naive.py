"""A naive bandit, a competitor of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), as we read it.

Bandit arms are the K (K - 1) ordered pairs, lexicographically; a play is that duel. The first arm of the pair that the
bandit finds best (``best_arm``) duels itself for ever.
"""

from itertools import permutations

from .best_arm import search
from .exploration import course


def explore(P, horizon, policy, environment, rule="elimination", delta=None):
    pairs = list(permutations(range(len(P)), 2))
    found = yield from search(P, len(pairs), lambda k: pairs[k], horizon, policy, environment, rule, delta)
    return pairs[found][0]


def run(P, horizon, policy, environment, rule="elimination", delta=None):
    return course(explore(P, horizon, policy, environment, rule, delta), horizon)[0]
