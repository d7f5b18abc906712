"""Beat the Winner (Peköz, Ross, Zhang, PEIS 2020), by the code of Kolpaczki, Bengs, Hüllermeier (2022).

0. The arms are in random order; the first is the incumbent, the second the challenger, the others wait. r = 1.
1. Duel (incumbent, challenger) until one of them has won r duels of this race.
2. r += 1.
3. The winner is the incumbent, the loser goes to the end of those who wait, and the head of these is the challenger.
"""

from itertools import islice

import numpy as np

from .arithmetic import first_wins
from .random_order import shuffled


def races(P, policy, environment, next_length):
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


def run(P, horizon, policy, environment):
    duels = races(P, policy, environment, lambda r, stayed: r + 1)
    return np.array(list(islice(duels, horizon)), dtype=int)
