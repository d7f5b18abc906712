"""Algorithms that MDB and DETECT wrap: one step at a time, ``choose`` and then ``learn``. The steps are those of
``ws_s``, ``rucb``, ``ws_w``, ``btw`` and ``mbtw``. ``suspect``: who the Condorcet winner is suspected to be.
"""

import math

from . import ws_w
from .arithmetic import may_beat, no_counts, pick, upper
from .random_order import shuffled


class WsW:
    """``l``: the round; in it K - 1 iterations, each of which ends when an arm has C = -l."""

    def __init__(self, K, policy):
        self.K, self.policy = K, policy
        self.C, self.previous = [0] * K, ()
        self.l, self.iterations, self.incumbent, self.suspect = 1, 0, None, None

    def choose(self, t):
        self.previous = ws_w.pair(self.C, self.previous, self.policy)
        if self.incumbent is None:
            self.incumbent = self.suspect = self.previous[0]
        return self.previous

    def learn(self, first, second, first_won):
        winner, loser = (first, second) if first_won else (second, first)
        self.C[winner] += 1
        self.C[loser] -= 1
        if self.C[loser] == -self.l:  # the loser has lost the iteration
            self.incumbent = winner
            self.iterations += 1
            if self.l == 1:
                self.suspect = winner
        if self.iterations == self.K - 1:  # the incumbent has won the round
            self.suspect = self.incumbent
            self.l, self.iterations = self.l + 1, 0


class WsS(WsW):
    def __init__(self, K, policy, beta):
        super().__init__(K, policy)
        self.beta, self.exploit = beta, 0

    def choose(self, t):
        if self.exploit:
            self.exploit -= 1
            return self.suspect, self.suspect
        return super().choose(t)

    def learn(self, first, second, first_won):
        if first != second:
            l = self.l  # noqa: E741
            super().learn(first, second, first_won)
            if self.l > l:
                self.exploit = math.floor(self.beta**l)


class Rucb:
    def __init__(self, K, policy, alpha):
        self.K, self.policy, self.alpha = K, policy, alpha
        self.w, self.B = no_counts(K), []

    def choose(self, t):
        K, w, alpha, policy = self.K, self.w, self.alpha, self.policy
        C = [c for c in range(K) if all(may_beat(w, c, j, t, alpha) for j in range(K) if j != c)]
        self.B = [b for b in self.B if b in C]
        if len(C) == 0:
            c = pick(range(K), policy)
        elif len(C) == 1:
            self.B = C
            c = C[0]
        elif self.B and policy.random() < 0.5:
            c = self.B[0]
        else:
            c = pick([arm for arm in C if arm not in self.B], policy)
        rivals = [j for j in range(K) if j != c and may_beat(w, j, c, t, alpha)]
        if not rivals:
            return c, c
        highest = max(upper(w, j, c, t, alpha) for j in rivals)
        return c, pick([j for j in rivals if upper(w, j, c, t, alpha) == highest], policy)

    def learn(self, first, second, first_won):
        if first != second:
            winner, loser = (first, second) if first_won else (second, first)
            self.w[winner][loser] += 1


class Btw:
    def __init__(self, K, policy):
        self.suspect, self.challenger, *self.waiting = shuffled(range(K), policy)
        self.r, self.wins = 1, [0, 0]

    def choose(self, t):
        return self.suspect, self.challenger

    def learn(self, first, second, first_won):
        self.wins[not first_won] += 1
        if max(self.wins) == self.r:
            winner, loser = (first, second) if first_won else (second, first)
            self.waiting.append(loser)
            self.suspect, self.challenger = winner, self.waiting.pop(0)
            self.r, self.wins = self.r + 1, [0, 0]


class Mbtw:
    def __init__(self, K, policy):
        self.r, self.policy = [1] * K, policy
        self.suspect, self.opponent, self.wins = pick(range(K), policy), None, [0, 0]

    def choose(self, t):
        if self.opponent is None:
            others = [arm for arm in range(len(self.r)) if arm != self.suspect]
            self.opponent = pick(
                [arm for arm in others for _ in range(self.r[arm] if len(others) > 1 else 1)], self.policy
            )
        return self.suspect, self.opponent

    def learn(self, first, second, first_won):
        self.wins[not first_won] += 1
        if max(self.wins) == self.r[first]:
            winner, loser = (first, second) if first_won else (second, first)
            self.r[winner] += 1
            self.r[loser] = max(self.r[loser] - 1, 1)
            self.suspect, self.opponent, self.wins = winner, None, [0, 0]
