"""Explore then exploit: what the reference implementation of an algorithm that declares a winner consists of.

Its module has a generator ``explore(P, horizon, policy, environment, …)``, with the parameters of ``run``: it yields
the arms of one duel after the other, once that has been fought, and returns the winner; or None, where there is no
winner, and the arm that is held all the same; or a list of tiers, which are lists of arms, best first.
"""

import numpy as np


def course(exploration, horizon, asked_once_more=False):
    """The (horizon, 2) path, on which the first arm duels itself to the end, and (what is declared, rounds before it).

    None instead of a declaration that is known only with the last duel, unless it is ``asked_once_more``.
    """
    path = []
    while len(path) < horizon + asked_once_more:
        try:
            path.append(next(exploration))
        except StopIteration as end:
            if isinstance(end.value, list):
                answer, held = tuple(map(tuple, end.value)), end.value[0][0]
            else:
                answer, held = end.value if isinstance(end.value, tuple) else (end.value, end.value)
            declared = answer, len(path)
            path += [(held, held)] * (horizon - len(path))
            return np.array(path, dtype=int).reshape(horizon, 2), declared
    return np.array(path[:horizon], dtype=int), None
