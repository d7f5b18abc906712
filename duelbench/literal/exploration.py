"""Explore then exploit: what the transcription of an algorithm that declares a winner consists of.

Its module has a generator ``explore(P, horizon, policy, environment, …)``, with the parameters of ``run``: it yields
the arms of one duel after the other, once that has been fought, and returns the winner.
"""

import numpy as np


def course(exploration, horizon):
    """The (horizon, 2) path, on which the winner duels itself to the end, and (the winner, the rounds before that).

    None instead of a winner that would be known only after the last round.
    """
    path = []
    while len(path) < horizon:
        try:
            path.append(next(exploration))
        except StopIteration as end:
            declared = end.value, len(path)
            path += [(end.value, end.value)] * (horizon - len(path))
            return np.array(path, dtype=int), declared
    return np.array(path, dtype=int), None
