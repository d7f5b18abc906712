"""Beat the Winner Reset (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

Beat the Winner, with another step 2:

2. r += 1 if the incumbent has won, else r = 1.
"""

from itertools import islice

import numpy as np

from .btw import races


def run(P, horizon, policy, environment):
    duels = races(P, policy, environment, lambda r, stayed: r + 1 if stayed else 1)
    return np.array(list(islice(duels, horizon)), dtype=int)
