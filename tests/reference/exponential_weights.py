"""Algorithms with exponential weights, and the rule by which they draw an arm."""

import math
from itertools import count

import numpy as np

from .conventions import first_wins
from .sparring import spar


def drawn(p, policy):
    """Arm i with probability p[i], by one draw; the remainder from rounding goes to the last arm."""
    left = policy.random()
    for arm in range(len(p) - 1):
        if left < p[arm]:
            return arm
        left -= p[arm]
    return len(p) - 1


def mixed(v, gamma):
    """(1 - gamma) v[i] / sum(v) + gamma / K."""
    return (1 - gamma) * v / v.sum() + gamma / len(v)


def dexp3(P, horizon, policy, environment, eta=None, gamma=None):
    """Dueling-EXP3 (Saha, Koren, Mansour, ICML 2021, Algorithm 1), with known horizon T.

    s[i] is the sum over rounds of the estimated shifted Borda scores of arm i (1/K times the sum of P[i, j] over all j,
    including i), at first 0. eta = (ln K / (T sqrt(K)))^(2/3), gamma = min(1, sqrt(eta K)). In each round:

    1. q_i = (1 - gamma) exp(eta s_i) / sum(exp(eta s)) + gamma / K.
    2. x ~ q, y ~ q. Duel (x, y), a fair coin if they are the same arm: o = 1 if x won, else 0.
    3. s_x += o / (K q_x q_y).
    """
    return play(P, policy, environment, *rates(len(P), horizon, eta, gamma), beta=0.0)


def rates(K, horizon, eta, gamma):
    if eta is None:
        eta = (math.log(K) / (horizon * math.sqrt(K))) ** (2 / 3)
    if gamma is None:
        gamma = min(1, math.sqrt(eta * K))
    return eta, gamma


def play(P, policy, environment, eta, gamma, beta):
    """Before step 3 beta / q_i is added to every s_i."""
    K = len(P)
    s = np.zeros(K)
    while True:
        # Step 1.
        q = mixed(np.exp(eta * (s - s.max())), gamma)
        # Step 2.
        x, y = drawn(q, policy), drawn(q, policy)
        yield x, y
        o = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
        s += beta / q
        # Step 3.
        s[x] += o / (K * q[x] * q[y])


def dexp3_hp(P, horizon, policy, environment, eta=None, gamma=None, delta=0.1, beta=None):
    """Dueling-EXP3 with high probability (Saha, Koren, Mansour, ICML 2021, Algorithm 2): ``dexp3`` with one more step.

    2b. s_i += beta / q_i for every arm i, beta = sqrt(ln(K / delta) / (K T)).
    """
    K = len(P)
    if beta is None:
        beta = math.sqrt(math.log(K / delta) / (K * horizon))
    return play(P, policy, environment, *rates(K, horizon, eta, gamma), beta)


def rex3(P, horizon, policy, environment, gamma=None, g=0.5, adaptive=False, step=1.0):
    """REX3 (Gajane, Urvoy, Clérot, ICML 2015), as in the C++ code of its supplement, which made the figures.

    R[i] = 0 for all arms. gamma = min(1/2, sqrt(K ln K / (e g T))); if adaptive, t replaces T in each round.
    1. p[i] = (1 - gamma) v[i] / sum(v) + gamma / K, v[i] = exp(gamma R[i] / K). (The largest R is subtracted first.)
    2. Draw a and b independently from p. Duel (a, b).
    3. If they differ: psi = 1 if a has won, else -1; R[a] += step psi / p[a], R[b] -= step psi / p[b].
    The pseudo-code of the paper has step = 1/2.
    """
    K = len(P)
    R = np.zeros(K)
    for t in count(1):
        T = t if adaptive else horizon
        used = gamma if gamma is not None else min(0.5, math.sqrt(K * math.log(K) / (math.e * g * T)))
        # Step 1.
        p = mixed(np.exp(used / K * (R - R.max())), used)
        # Step 2.
        a, b = drawn(p, policy), drawn(p, policy)
        yield a, b
        # Step 3.
        if a != b:
            psi = 1 if first_wins(P, a, b, environment) else -1
            R[a] += step * psi / p[a]
            R[b] -= step * psi / p[b]


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


def sparring_exp3(P, horizon, policy, environment, gamma=None, g=0.5):
    """Sparring (Ailon, Karnin, Joachims, ICML 2014) over EXP3 (Auer, Cesa-Bianchi, Freund, Schapire, 2002).

    gamma = min(1, sqrt(K ln K / ((e - 1) g T))), as in the experiments of Gajane, Urvoy and Clérot (ICML 2015).
    v[i] = 1 for all arms of each side.
    1. Each side draws its arm from p[i] = (1 - gamma) v[i] / sum(v) + gamma / K of its own.
    2. Duel the two, a fair coin if they are the same arm.
    3. For the side that won: v[arm] *= exp(gamma / (K p[arm])). (v is then divided by its sum, which leaves p as is.)
    """
    K = len(P)
    if gamma is None:
        gamma = min(1.0, math.sqrt(K * math.log(K) / ((math.e - 1) * g * horizon)))
    return spar(P, policy, environment, Exp3(K, gamma), Exp3(K, gamma))


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


def sparring_exp3s(P, horizon, policy, environment, S=None, gamma=None, alpha=None):
    """Sparring (Ailon, Karnin, Joachims, ICML 2014) over EXP3.S (Auer, Cesa-Bianchi, Freund, Schapire, 2002).

    With S changes expected gamma = min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T))) and alpha = 1 / T; else 0.1 and 0.01.
    v[i] = 1 for all arms of each side.
    1. Each side draws its arm from p[i] = (1 - gamma) v[i] / sum(v) + gamma / K of its own.
    2. Duel the two, a fair coin if they are the same arm.
    3. Each side, for all i: x[i] = 1 / p[i] if i is its arm and it has won, else 0; v[i] = v[i] exp(gamma x[i] / K) + e
       alpha / K sum(v), with the old sum. (v is then divided by its new sum, which leaves p unchanged.)
    """
    K = len(P)
    if gamma is None:
        sought = math.sqrt(K * ((S or 0) * math.log(K * horizon) + math.e) / ((math.e - 1) * horizon))
        gamma = 0.1 if S is None else min(1.0, sought)
    if alpha is None:
        alpha = 0.01 if S is None else 1 / horizon
    return spar(P, policy, environment, Exp3s(K, gamma, alpha), Exp3s(K, gamma, alpha))


def versatile_db(P, horizon, policy, environment, estimator="iw", eta_scale=None, shared=False):
    """Versatile-DB (Saha, Gaillard, ICML 2022): two Tsallis-INF players (Zimmert, Seldin, AISTATS 2019).

    L[m][i] is the estimated loss of arm i for player m = 1, 2, at first 0. In each round t, with
    eta = eta_scale / sqrt(t):

    1. Each player has p_i = 4 / (eta (L_i - x))^2, where x < min L is such that sum p = 1.
    2. a ~ p^1, b ~ p^2. Duel (a, b), a fair coin if they are the same arm. The losing player has loss 1, the other
       player 0.
    3. estimator "iw": L_a of player 1 += its loss / p_a, L_b of player 2 likewise. estimator "rv": with B_i = 1/2 where
       p_i >= eta^2, else 0, all L_i += B_i, and L_a += (loss - B_a) / p_a.

    With ``shared``, both arms are drawn from the p of one player; L grows by half of each of the two estimates.
    ``eta_scale`` is 2 with iw and 4 with rv.
    """
    K = len(P)
    if eta_scale is None:
        eta_scale = {"iw": 2, "rv": 4}[estimator]
    players = 1 if shared else 2
    L = [np.zeros(K) for _ in range(players)]
    for t in count(1):
        eta = eta_scale / math.sqrt(t)
        # Step 1.
        p = [distribution(each, eta) for each in L]
        # Step 2.
        a, b = drawn(p[0], policy), drawn(p[-1], policy)
        yield a, b
        o = policy.random() < 0.5 if a == b else first_wins(P, a, b, environment)
        # Step 3.
        L[0] += estimated(p[0], a, 1 - o, eta, estimator) / (2 if shared else 1)
        L[-1] += estimated(p[-1], b, int(o), eta, estimator) / (2 if shared else 1)


def distribution(L, eta):
    """Step 1, by Newton's method: start where the smallest L alone has p = 1, stop when x no longer decreases."""
    x = min(L) - 2 / eta
    while True:
        p = 4 / (eta * (L - x)) ** 2
        below = x - (sum(p) - 1) / (eta * sum(p**1.5))
        if not below < x:
            return p / sum(p)
        x = below


def estimated(p, arm, loss, eta, estimator):
    """Step 3: what is added to a player's L."""
    B = np.where(p >= eta**2, 0.5, 0.0) if estimator == "rv" else np.zeros(len(p))
    added = B.copy()
    added[arm] += (loss - B[arm]) / p[arm]
    return added
