"""Modified Beat the Winner (Peköz, Ross, Zhang, PEIS 2020), by the code of Kolpaczki, Bengs, Hüllermeier (2022).

0. r[i] = 1 for all arms. The host is a random arm.
1. The opponent is another arm than the host, with probability in proportion to r (all the same at first).
2. Duel (host, opponent) until one of them has won r[host] duels of this race.
3. The winner's r += 1; the loser's r is r - 1, at least 1. The winner is the next host.
"""

from itertools import islice

import numpy as np

from .arithmetic import first_wins, pick


def races(P, policy, environment):
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


def run(P, horizon, policy, environment):
    return np.array(list(islice(races(P, policy, environment), horizon)), dtype=int)
