"""Sparring (Ailon, Karnin, Joachims, ICML 2014) over EXP3.S (Auer, Cesa-Bianchi, Freund, Schapire, 2002).

With S changes expected gamma = min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T))) and alpha = 1 / T; else 0.1 and 0.01.
v[i] = 1 for all arms of each side.
1. Each side draws its arm from p[i] = (1 - gamma) v[i] / sum(v) + gamma / K of its own.
2. Duel the two, a fair coin if they are the same arm.
3. Each side, for all i: x[i] = 1 / p[i] if i is its arm and it has won, else 0;
   v[i] = v[i] exp(gamma x[i] / K) + e alpha / K sum(v), the sum before. (Divided by the new sum, which p does not see.)
"""

import math

import numpy as np

from .exponential_weights import drawn, mixed
from .sparring import spar


class Exp3s:
    def __init__(self, K, gamma, alpha):
        self.v, self.gamma, self.alpha = np.ones(K), gamma, alpha

    def advance(self, policy):
        self.p = mixed(self.v, self.gamma)
        return drawn(self.p, policy)

    def feedback(self, arm, gained):
        K = len(self.v)
        x = np.zeros(K)
        x[arm] = gained / self.p[arm]
        self.v = self.v * np.exp(self.gamma * x / K) + math.e * self.alpha / K * self.v.sum()
        self.v /= self.v.sum()


def run(P, horizon, policy, environment, S=None, gamma=None, alpha=None):
    K = len(P)
    if gamma is None:
        sought = math.sqrt(K * ((S or 0) * math.log(K * horizon) + math.e) / ((math.e - 1) * horizon))
        gamma = 0.1 if S is None else min(1.0, sought)
    if alpha is None:
        alpha = 0.01 if S is None else 1 / horizon
    return spar(P, horizon, policy, environment, Exp3s(K, gamma, alpha), Exp3s(K, gamma, alpha))
