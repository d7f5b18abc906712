"""Beat the Winner and Winner Stays: a champion stays until it is beaten."""

import math
from itertools import count, islice

import numpy as np

from .conventions import first_wins, no_counts, pick, shuffled


def btw(P, horizon, policy, environment):
    """Beat the Winner (Peköz, Ross, Zhang, PEIS 2020), by the code of Kolpaczki, Bengs, Hüllermeier (2022).

    0. The arms are in random order; the first is the incumbent, the second the challenger, the others wait. r = 1.
    1. Duel (incumbent, challenger) until one of them has won r duels of this race.
    2. r += 1.
    3. The winner is the incumbent, the loser goes to the end of those who wait, and the head of these is the
       challenger.
    """
    duels = btw_races(P, policy, environment, lambda r, stayed: r + 1)
    return np.array(list(islice(duels, horizon)), dtype=int)


def btw_races(P, policy, environment, next_length):
    # Step 0.
    incumbent, challenger, *waiting = shuffled(range(len(P)), policy)
    r = 1
    while True:
        # Step 1.
        wins = {incumbent: 0, challenger: 0}
        while max(wins.values()) < r:
            yield incumbent, challenger
            wins[incumbent if first_wins(P, incumbent, challenger, environment) else challenger] += 1
        # Step 2.
        stayed = wins[incumbent] == r
        r = next_length(r, stayed)
        # Step 3.
        winner, loser = (incumbent, challenger) if stayed else (challenger, incumbent)
        waiting.append(loser)
        incumbent, challenger = winner, waiting.pop(0)


def btwr(P, horizon, policy, environment):
    """Beat the Winner Reset (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

    Beat the Winner, with another step 2:

    2. r += 1 if the incumbent has won, else r = 1.
    """
    duels = btw_races(P, policy, environment, lambda r, stayed: r + 1 if stayed else 1)
    return np.array(list(islice(duels, horizon)), dtype=int)


def mbtw(P, horizon, policy, environment):
    """Modified Beat the Winner (Peköz, Ross, Zhang, PEIS 2020), by the code of Kolpaczki, Bengs, Hüllermeier (2022).

    0. r[i] = 1 for all arms. The host is a random arm.
    1. The opponent is another arm than the host, with probability in proportion to r (all the same at first).
    2. Duel (host, opponent) until one of them has won r[host] duels of this race.
    3. The winner's r += 1; the loser's r is r - 1, at least 1. The winner is the next host.
    """
    return np.array(list(islice(mbtw_races(P, policy, environment), horizon)), dtype=int)


def mbtw_races(P, policy, environment):
    # Step 0.
    r = [1] * len(P)
    host = pick(range(len(P)), policy)
    while True:
        # Step 1.
        others = [arm for arm in range(len(P)) if arm != host]
        opponent = pick([arm for arm in others for _ in range(r[arm] if len(others) > 1 else 1)], policy)
        # Step 2.
        wins = {host: 0, opponent: 0}
        while max(wins.values()) < r[host]:
            yield host, opponent
            wins[host if first_wins(P, host, opponent, environment) else opponent] += 1
        # Step 3.
        winner, loser = (host, opponent) if wins[host] > wins[opponent] else (opponent, host)
        r[winner] += 1
        r[loser] = max(r[loser] - 1, 1)
        host = winner


def ws_w(P, horizon, policy, environment):
    """Winner Stays, weak regret (Chen, Frazier, ICML 2017, Algorithm 1).

    C[i] are the wins of arm i minus its losses. In each round:

    1. The first arm has the largest C; among ties it is the first arm of the last duel, else its second, else random.
    2. The second arm has the largest C of all others; among ties it is the first arm of the last duel, else its second,
       else random.
    3. Duel; C of the winner += 1, C of the loser -= 1.
    """
    C, previous = [0] * len(P), ()
    path = np.empty((horizon, 2), dtype=int)
    for t in range(1, horizon + 1):
        previous = pair(C, previous, policy)
        path[t - 1] = previous
        duel_and_count(P, *previous, environment, C)
    return path


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


def duel_and_count(P, first, second, environment, C):
    """Step 3."""
    winner, loser = (first, second) if first_wins(P, first, second, environment) else (second, first)
    C[winner] += 1
    C[loser] -= 1


def ws_s(P, horizon, policy, environment, beta=1.1):
    """Winner Stays, strong regret (Chen, Frazier, ICML 2017, Algorithm 2).

    For l = 1, 2, ...:

    1. Play round l of WS-W: K - 1 iterations, each of which ends when one of the two arms that duel has C = -l. That
       arm has lost the iteration, and Z, the winner of the last one, has won the round.
    2. Duel (Z, Z) for floor(beta^l) rounds, and ignore the outcomes. They are no "last duel" of WS-W.
    """
    return np.array(list(islice(duels(P, policy, environment, beta), horizon)), dtype=int)


def duels(P, policy, environment, beta):
    K = len(P)
    C, previous = [0] * K, ()
    for l in count(1):  # noqa: E741
        # Step 1.
        iterations = 0
        while iterations < K - 1:
            previous = pair(C, previous, policy)
            yield previous
            duel_and_count(P, *previous, environment, C)
            iterations += -l in (C[previous[0]], C[previous[1]])
        Z = max(range(K), key=C.__getitem__)
        # Step 2.
        for _ in range(math.floor(beta**l)):
            yield Z, Z


def wsw_pe(P, horizon, policy, environment, delta=0.05):
    """Winner Stays with pairwise elimination (Ma, Ding, Zhang, Zhou, KDD 2025, Algorithm 3).

    0. X and Q are all arms, l = 1, the incumbent i is random. S[i] are wins minus losses.
    1. While |X| > 1: the challenger j is random in Q without i. Duel (i, j) until (a) one of them has S = -l, or (b)
       |p[i, j] - 1/2| > sqrt(log(8 K n²/delta) / (2n)), n the duels of this pair so far, p[i, j] the share of them that
       i won.
    2. In (b) the arm that has won less leaves X and Q; else, in (a), the arm at -l leaves Q. The other one is the
       incumbent.
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
