"""The reductions of Ailon, Karnin, Joachims (ICML 2014) to UCB bandits for K arms with rewards in {0, 1}."""

import math
from itertools import count

from .conventions import first_wins, pick


class Ucb:
    """A UCB bandit that keeps every reward and recomputes the indices at every choice."""

    def __init__(self, K, alpha):
        self.alpha = alpha
        self.rewards = [[] for _ in range(K)]

    def index(self, k):
        """``mean + sqrt(alpha log n / n_k)``, n plays of this bandit in all; infinite before the first play of k."""
        n = sum(len(rewards) for rewards in self.rewards)
        n_k = len(self.rewards[k])
        return sum(self.rewards[k]) / n_k + math.sqrt(self.alpha * math.log(n) / n_k) if n_k > 0 else math.inf

    def advance(self, policy):
        """The arm with the largest index, ties at random."""
        indices = [self.index(k) for k in range(len(self.rewards))]
        return pick([k for k, index in enumerate(indices) if index == max(indices)], policy)

    def feedback(self, k, reward):
        self.rewards[k].append(int(reward))


def sparring(P, horizon, policy, environment, alpha=3.0):
    """Sparring (Ailon, Karnin, Joachims, ICML 2014, Algorithm 3) over UCB.

    1. x_t is the choice of the left bandit, y_t that of the right one.
    2. Duel (x_t, y_t), a fair coin if they are the same arm. The side that won gets 1 for its arm, the other 0.
    """
    return spar(P, policy, environment, Ucb(len(P), alpha), Ucb(len(P), alpha))


def spar(P, policy, environment, left, right):
    while True:
        # Step 1.
        x, y = left.advance(policy), right.advance(policy)
        yield x, y
        # Step 2.
        first_won = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
        left.feedback(x, first_won)
        right.feedback(y, not first_won)


def doubler(P, horizon, policy, environment, alpha=3.0):
    """Doubler (Ailon, Karnin, Joachims, ICML 2014, Algorithm 1) over UCB.

    0. L = [one random arm]; the epoch is i = 1.
    1. Reset the bandit S.
    2. For 2^i rounds: the first arm is a random entry of the multiset L, the second arm is the choice of S. S gets 1 if
       the second arm won (a fair coin if both are the same arm).
    3. L = the multiset of the second arms of these 2^i rounds; i = i + 1; go on with 1.

    The entries of L are listed in increasing order of the arms; a single entry needs no draw.
    """
    K = len(P)
    # Step 0.
    L = [int(policy.random() * K)]
    for i in count(1):
        # Step 1.
        S = Ucb(K, alpha)
        # Step 2.
        seconds = []
        for _ in range(2**i):
            x = pick(sorted(L), policy)
            y = S.advance(policy)
            first_won = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
            S.feedback(y, not first_won)
            seconds.append(y)
            yield x, y
        # Step 3.
        L = seconds


def multisbm(P, horizon, policy, environment, alpha=3.0):
    """MultiSBM (Ailon, Karnin, Joachims, ICML 2014, Algorithm 2) over UCB.

    0. One bandit S_x per arm x; y_0 is a random arm.
    1. x_t = y_{t-1}; y_t is the choice of S_{x_t}.
    2. Duel (x_t, y_t), a fair coin if they are the same arm; S_{x_t} gets 1 for y_t if y_t won.
    """
    K = len(P)
    # Step 0.
    S = [Ucb(K, alpha) for _ in range(K)]
    y = int(policy.random() * K)
    while True:
        # Step 1.
        x = y
        y = S[x].advance(policy)
        yield x, y
        # Step 2.
        first_won = policy.random() < 0.5 if x == y else first_wins(P, x, y, environment)
        S[x].feedback(y, not first_won)
