"""Dueling-EXP3 with high probability (Saha, Koren, Mansour, ICML 2021, Algorithm 2): that of ``dexp3``, but for

2b. s_i += beta / q_i for every arm i, beta = sqrt(ln(K / delta) / (K T)).
"""

import math

from .dexp3 import play, rates


def run(P, horizon, policy, environment, eta=None, gamma=None, delta=0.1, beta=None):
    K = len(P)
    if beta is None:
        beta = math.sqrt(math.log(K / delta) / (K * horizon))
    return play(P, horizon, policy, environment, *rates(K, horizon, eta, gamma), beta)
