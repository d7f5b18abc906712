"""Sparring (Ailon, Karnin, Joachims, ICML 2014) over EXP3 (Auer, Cesa-Bianchi, Freund, Schapire, 2002).

gamma = min(1, sqrt(K ln K / ((e - 1) g T))), as in the experiments of Gajane, Urvoy and Clérot (ICML 2015).
v[i] = 1 for all arms of each side.
1. Each side draws its arm from p[i] = (1 - gamma) v[i] / sum(v) + gamma / K of its own.
2. Duel the two, a fair coin if they are the same arm.
3. The side that has won: v[arm] *= exp(gamma / (K p[arm])). (Divided by the sum of v, which p does not see.)
"""

import math

import numpy as np

from .exponential_weights import drawn, mixed
from .sparring import spar


class Exp3:
    def __init__(self, K, gamma):
        self.v, self.gamma = np.ones(K), gamma

    def advance(self, policy):
        self.p = mixed(self.v, self.gamma)
        return drawn(self.p, policy)

    def feedback(self, arm, gained):
        K = len(self.v)
        self.v[arm] *= math.exp(self.gamma / K * gained / self.p[arm])
        self.v /= self.v.sum()


def run(P, horizon, policy, environment, gamma=None, g=0.5):
    K = len(P)
    if gamma is None:
        gamma = min(1.0, math.sqrt(K * math.log(K) / ((math.e - 1) * g * horizon)))
    return spar(P, horizon, policy, environment, Exp3(K, gamma), Exp3(K, gamma))
