"""UCB for K arms with rewards in {0, 1}: the bandit inside the reductions of Ailon, Karnin, Joachims (ICML 2014)."""

import math

from .arithmetic import pick


class Ucb:
    """Rewards are kept one by one; everything is recomputed from them at every choice."""

    def __init__(self, K, alpha):
        self.alpha = alpha
        self.rewards = [[] for _ in range(K)]

    def index(self, k):
        """``mean + sqrt(alpha log n / n_k)``, n the number of this bandit's plays; infinite before the first play."""
        n = sum(len(rewards) for rewards in self.rewards)
        n_k = len(self.rewards[k])
        return sum(self.rewards[k]) / n_k + math.sqrt(self.alpha * math.log(n) / n_k) if n_k > 0 else math.inf

    def advance(self, policy):
        """The arm with the largest index, ties at random."""
        indices = [self.index(k) for k in range(len(self.rewards))]
        return pick([k for k, index in enumerate(indices) if index == max(indices)], policy)

    def feedback(self, k, reward):
        self.rewards[k].append(int(reward))
