"""ANACONDA (Kleine Buening, Saha, AISTATS 2023)."""

import math

import numpy as np

from .conventions import first_wins, pick


def anaconda(P, horizon, policy, environment, C=0.5):
    """ANACONDA (Kleine Buening, Saha, AISTATS 2023, Algorithms 1 and 2).

    Algorithm 1. While t <= T, an episode: t_l = t, A_good = all arms;
    1. B[s, m] ~ Bernoulli(1 / sqrt(m (s - t_l))) for s = t_l + 1 ... T and m = 2, 4, 8 ... 2^ceil(log T) (we take the
       logarithm to base 2).
    2. Run Conda(t_l, T + 1 - t_l).

    Algorithm 2, Conda(t0, m0). A = all arms. While t <= T, t <= t0 + m0 and A_good is not empty:
    3. a, b are drawn from A, uniformly and independently. Duel (a, b), a fair coin if they are the same arm.
    4. t += 1. Remove from A_good the arms that are bad on [t_l, t).
    5. If B[t, m] = 1 for some m: run Conda(t, m) for the largest.
    6. A = A without the arms that are bad on [t0, t).

    Arm a is bad on [lo, hi) if for some a', which may be a, and some lo <= s1 < s2 < hi

        sum of delta_s(a', a) over s = s1 ... s2 > C log(T) K sqrt(max(s2 - s1, K^2)),

        delta_s(a', a) = |A_s|^2 if a' was first, a was second and a' won in round s, else 0; minus 1/2.

    If A is a single arm, its self-duels score nothing (our reading; in the paper each would score one point).

    Step 4 follows t += 1. The paper has it before, and there A may become empty while A_good is not. Only the needed
    part of the schedule is drawn, round by round and from the largest m down.
    """
    return Course(P, horizon, policy, environment, C).rounds()


def weight(A):
    return len(A) ** 2


def threshold(C, T, K, length):
    return C * math.log(T) * K * np.sqrt(np.maximum(length, K**2))


def replay_chance(m, rounds):
    return 1 / math.sqrt(m * rounds)


def replay(s, t_l, T, policy):
    """The largest m with B[s, m] = 1, or 0."""
    for k in range(math.ceil(math.log2(T)), 0, -1):
        if policy.random() < replay_chance(2**k, s - t_l):
            return 2**k
    return 0


class Course:
    """The state: t, t_l, A_good, and for each arm the latest s1 such that some s1 < s2 < t make it bad."""

    def __init__(self, P, T, policy, environment, C):
        self.P, self.T, self.policy, self.environment, self.C = P, T, policy, environment, C
        self.K = len(P)
        self.t = 1
        self.sums = np.zeros((T + 1, self.K, self.K))  # of delta, up to each round
        self.latest = [0] * self.K

    def is_bad(self, a, lo):
        return self.latest[a] >= lo

    def learn(self, a, b, A, won):
        K, s2 = self.K, self.t
        delta = np.full((K, K), -0.5)
        delta[a, b] += weight(A) * won
        self.sums[s2] = self.sums[s2 - 1] + delta
        s1 = np.arange(1, s2)
        sums = self.sums[s2] - self.sums[s1 - 1]
        exceeds = (sums > threshold(self.C, self.T, K, s2 - s1)[:, None, None]).any(axis=1)
        for arm in range(K):
            self.latest[arm] = max([self.latest[arm], *s1[exceeds[:, arm]]])

    def rounds(self):
        while self.t <= self.T:
            self.t_l, self.A_good = self.t, list(range(self.K))
            yield from self.conda(self.t_l, self.T + 1 - self.t_l)

    def conda(self, t0, m0):
        A = list(range(self.K))
        while self.t <= self.T and self.t <= t0 + m0 and self.A_good:
            assert set(self.A_good) <= set(A)
            # Step 3.
            a, b = pick(A, self.policy), pick(A, self.policy)
            coin = a == b and len(A) > 1 and self.policy.random() >= 0.5
            yield a, b
            won = coin if a == b else first_wins(self.P, a, b, self.environment)
            # Step 4.
            self.learn(a, b, A, won)
            self.t += 1
            self.A_good = [arm for arm in self.A_good if not self.is_bad(arm, self.t_l)]
            # Step 5.
            if self.t <= self.T and self.A_good and (m := replay(self.t, self.t_l, self.T, self.policy)):
                yield from self.conda(self.t, m)
            # Step 6.
            A = [arm for arm in A if not self.is_bad(arm, t0)]
