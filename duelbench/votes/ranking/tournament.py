"""The directed graph of which arms beat which: the Smith set, cycles, and connected groups.

An arm beats another if it wins with a probability above 1/2; 1/2 is a tie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from duelbench.preferences.matrix import PreferenceMatrix


def smith_set(matrix: PreferenceMatrix) -> NDArray[np.intp]:
    """Return the smallest set of arms that beat all arms outside it, in increasing order (Smith, Econometrica 1973).

    It is the first strongly connected component of "beats or ties"; if there is a Condorcet winner, it is this arm.
    """
    at_least_ties = matrix.P >= 0.5
    count, part = connected_components(csr_array(at_least_ties), connection="strong")
    # Between two components all edges have the same direction, so the arms of the first have the most edges.
    reach = [np.count_nonzero(at_least_ties[part == each]) / np.count_nonzero(part == each) for each in range(count)]
    return np.flatnonzero(part == int(np.argmax(reach)))


def cycles(matrix: PreferenceMatrix, most: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return the number of cycles of three arms, each beating the next, and up to ``most`` of them.

    If there are only longer cycles (then some pairs tie), return 0 and a shortest cycle. A cycle begins with its lowest
    arm.
    """
    beats = matrix.P > 0.5
    number = beats.astype(np.float32)
    total = round(float(((number @ number) * number.T).sum(dtype=np.float64)) / 3)
    found: list[tuple[int, ...]] = []
    for arm in range(matrix.arms):
        if len(found) >= most or not total:
            break
        later = np.arange(matrix.arms) > arm
        seconds, thirds = np.flatnonzero(beats[arm] & later), np.flatnonzero(beats[:, arm] & later)
        found += [(arm, int(seconds[j]), int(thirds[k])) for j, k in np.argwhere(beats[np.ix_(seconds, thirds)])]
    if total:
        return total, found[:most]
    longer = _shortest_cycle(beats)
    return 0, [longer] if longer else []


def _shortest_cycle(beats: NDArray[np.bool_]) -> tuple[int, ...] | None:
    distance, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    back = np.where(beats, distance.T, np.inf)  # the distance from the loser of a pair back to its winner
    first, last = np.unravel_index(int(np.argmin(back)), back.shape)
    if not np.isfinite(back[first, last]):
        return None
    path = [int(first)]
    while path[-1] != last:
        path.append(int(before[last, path[-1]]))
    lowest = path.index(min(path))
    around = [path[lowest], *reversed(path[lowest + 1 :] + path[:lowest])]
    return tuple(around)


def groups(votes: NDArray[np.float64]) -> list[list[int]]:
    """Return the groups of arms that are connected by votes, the largest first, each in increasing order.

    ``votes[i, j]`` is the number of votes on i and j, shape (K, K), symmetric. Two arms in different groups cannot be
    compared, neither directly nor through other arms.
    """
    return _parts(votes > 0, "weak")


def unbeaten_groups(wins: NDArray[np.float64]) -> list[list[int]]:
    """Return the groups of arms in which each has beaten each other one, perhaps through others, the largest first.

    ``wins[i, j]`` is the number of wins of i against j, shape (K, K). If there are several groups, some arms have lost
    no vote against all others, or won none. The likelihood of a Bradley–Terry model then has no maximum (Ford, American
    Mathematical Monthly 1957): the votes do not determine the distance between the groups.
    """
    return _parts(wins > 0, "strong")


def _parts(edges: NDArray[np.bool_], connection: str) -> list[list[int]]:
    count, part = connected_components(csr_array(edges), connection=connection)
    parts = [np.flatnonzero(part == each).tolist() for each in range(count)]
    return sorted(parts, key=lambda arms: (-len(arms), arms))
