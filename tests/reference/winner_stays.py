"""Beat the Winner and Winner Stays: a champion stays until it is beaten.

Most are classes that play one step at a time, ``choose`` and then ``learn``, so that MDB and DETECT can wrap them.
``suspect``: the suspected Condorcet winner.
"""

import math
from itertools import count

from .conventions import first_wins, no_counts, pick, shuffled


def played(P, environment, algorithm):
    for t in count(1):
        first, second = algorithm.choose(t)
        yield first, second
        algorithm.learn(first, second, first != second and first_wins(P, first, second, environment))


def btw(P, horizon, policy, environment):
    """Beat the Winner (Peköz, Ross, Zhang, PEIS 2020), following the code of Kolpaczki, Bengs, Hüllermeier (2022).

    0. The arms are in random order; the first is the incumbent, the second the challenger, the others wait. r = 1.
    1. Duel (incumbent, challenger) until one of them has won r duels of this race.
    2. r += 1.
    3. The winner is the incumbent, the loser goes to the end of the queue, and the head of the queue is the challenger.
    """
    return played(P, environment, Btw(len(P), policy))


class Btw:
    def __init__(self, K, policy):
        # Step 0.
        self.suspect, self.challenger, *self.waiting = shuffled(range(K), policy)
        self.r, self.wins = 1, [0, 0]

    def choose(self, t):
        # Step 1.
        return self.suspect, self.challenger

    def learn(self, first, second, first_won):
        self.wins[not first_won] += 1
        if max(self.wins) == self.r:
            # Step 2.
            self.r, self.wins = self.next_length(first_won), [0, 0]
            # Step 3.
            winner, loser = (first, second) if first_won else (second, first)
            self.waiting.append(loser)
            self.suspect, self.challenger = winner, self.waiting.pop(0)

    def next_length(self, stayed):
        return self.r + 1


def btwr(P, horizon, policy, environment):
    """Beat the Winner Reset (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), following their code.

    Beat the Winner, with another step 2:

    2. r += 1 if the incumbent has won, else r = 1.
    """
    return played(P, environment, Btwr(len(P), policy))


class Btwr(Btw):
    def next_length(self, stayed):
        return self.r + 1 if stayed else 1


def mbtw(P, horizon, policy, environment):
    """Modified Beat the Winner (Peköz, Ross, Zhang, PEIS 2020), by the code of Kolpaczki, Bengs, Hüllermeier (2022).

    0. r[i] = 1 for all arms. The host is a random arm.
    1. Draw the opponent from the other arms in proportion to r.
    2. Duel (host, opponent) until one of them has won r[host] duels of this race.
    3. The winner's r += 1; the loser's r is r - 1, at least 1. The winner is the next host.
    """
    return played(P, environment, Mbtw(len(P), policy))


class Mbtw:
    def __init__(self, K, policy):
        # Step 0.
        self.r, self.policy = [1] * K, policy
        self.suspect, self.opponent, self.wins = pick(range(K), policy), None, [0, 0]

    def choose(self, t):
        # Step 1.
        if self.opponent is None:
            others = [arm for arm in range(len(self.r)) if arm != self.suspect]
            weighted = [arm for arm in others for _ in range(self.r[arm] if len(others) > 1 else 1)]
            self.opponent = pick(weighted, self.policy)
        # Step 2.
        return self.suspect, self.opponent

    def learn(self, first, second, first_won):
        self.wins[not first_won] += 1
        if max(self.wins) == self.r[first]:
            # Step 3.
            winner, loser = (first, second) if first_won else (second, first)
            self.r[winner] += 1
            self.r[loser] = max(self.r[loser] - 1, 1)
            self.suspect, self.opponent, self.wins = winner, None, [0, 0]


def ws_w(P, horizon, policy, environment):
    """Winner Stays, weak regret (Chen, Frazier, ICML 2017, Algorithm 1).

    C[i] is the number of wins minus losses of arm i. In each round:

    1. The first arm has the largest C; ties go to the first arm of the last duel, else its second, else a random arm.
    2. The second arm has the largest C of all others; ties are broken likewise.
    3. Duel; C of the winner += 1, C of the loser -= 1.
    """
    return played(P, environment, WsW(len(P), policy))


def largest(C, arms, previous, policy):
    tied = [k for k in arms if C[k] == max(C[arm] for arm in arms)]
    for arm in previous:
        if arm in tied:
            return arm
    return pick(tied, policy)


def pair(C, previous, policy):
    """Steps 1 and 2; ``previous`` is the last duel, (first, second), or ()."""
    arms = range(len(C))
    first = largest(C, arms, previous, policy)
    second = largest(C, [k for k in arms if k != first], previous, policy)
    return first, second


class WsW:
    """WS-W. Round ``l`` has K - 1 iterations; each ends when an arm has C = -l."""

    def __init__(self, K, policy):
        self.K, self.policy = K, policy
        self.C, self.previous = [0] * K, ()
        self.l, self.iterations, self.incumbent, self.suspect = 1, 0, None, None

    def choose(self, t):
        # Steps 1 and 2.
        self.previous = pair(self.C, self.previous, self.policy)
        if self.incumbent is None:
            self.incumbent = self.suspect = self.previous[0]
        return self.previous

    def learn(self, first, second, first_won):
        # Step 3.
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


def ws_s(P, horizon, policy, environment, beta=1.1):
    """Winner Stays, strong regret (Chen, Frazier, ICML 2017, Algorithm 2).

    For l = 1, 2, ...:

    1. Play round l of WS-W: K - 1 iterations; each ends when one of the two arms that duel has C = -l and so loses the
       iteration. The winner Z of the last iteration wins the round.
    2. Duel (Z, Z) for floor(beta^l) rounds, and ignore the outcomes. These do not count as the "last duel" of WS-W.
    """
    return played(P, environment, WsS(len(P), policy, beta))


class WsS(WsW):
    def __init__(self, K, policy, beta):
        super().__init__(K, policy)
        self.beta, self.exploit = beta, 0

    def choose(self, t):
        # Step 2.
        if self.exploit:
            self.exploit -= 1
            return self.suspect, self.suspect
        # Step 1.
        return super().choose(t)

    def learn(self, first, second, first_won):
        if first != second:
            l = self.l  # noqa: E741
            super().learn(first, second, first_won)
            if self.l > l:
                self.exploit = math.floor(self.beta**l)


def wsw_pe(P, horizon, policy, environment, delta=0.05):
    """Winner Stays with pairwise elimination (Ma, Ding, Zhang, Zhou, KDD 2025, Algorithm 3).

    0. X and Q are all arms, l = 1, the incumbent i is random. S[i] is the number of wins minus losses.
    1. While |X| > 1: the challenger j is random in Q without i. Duel (i, j) until (a) one of them has S = -l, or (b)
       |p[i, j] - 1/2| > sqrt(log(8 K n²/delta) / (2n)), n the duels of this pair so far, p[i, j] the share of them that
       i won.
    2. In case (b) the arm with fewer wins leaves X and Q; else, in case (a), the arm at -l leaves Q. The other arm is
       the incumbent.
    3. If |Q| <= 1: Q = X, l += 1.
    4. The last arm of X duels itself for ever.
    """
    K = len(P)
    # Step 0.
    X, Q, l = set(range(K)), set(range(K)), 1  # noqa: E741
    i = pick(range(K), policy)
    S, w = [0] * K, no_counts(K)
    while len(X) > 1:
        # Step 1.
        j = pick(sorted(Q - {i}), policy)
        while True:
            winner, loser = (i, j) if first_wins(P, i, j, environment) else (j, i)
            S[winner] += 1
            S[loser] -= 1
            w[winner][loser] += 1
            yield i, j
            n = w[i][j] + w[j][i]
            sure = abs(w[i][j] / n - 0.5) > math.sqrt(math.log(8 * K * n**2 / delta) / (2 * n))
            if sure or S[i] <= -l or S[j] <= -l:
                break
        # Step 2.
        if sure:
            out = j if w[i][j] > w[j][i] else i
            X.remove(out)
        else:
            out = i if S[i] <= -l else j
        Q.remove(out)
        i = j if out == i else i
        # Step 3.
        if len(Q) <= 1:
            Q, l = set(X), l + 1  # noqa: E741
    # Step 4.
    return i
