"""Who beats whom as a directed graph: the Smith set, cycles, and which arms comparisons connect.

An arm beats another when it wins with a probability above 1/2; 1/2 is a tie.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from duelbench.preferences.matrix import PreferenceMatrix


def smith_set(matrix: PreferenceMatrix) -> NDArray[np.intp]:
    """Return the smallest set of arms that beat all others, in increasing order (Smith, Econometrica 1973).

    It is the first strongly connected component of "beats or ties". The Condorcet winner alone, if there is one.
    """
    at_least_ties = matrix.P >= 0.5
    count, part = connected_components(csr_array(at_least_ties), connection="strong")
    # Between two components all edges have one direction, so the first is the one whose arms have most of them.
    reach = [np.count_nonzero(at_least_ties[part == each]) / np.count_nonzero(part == each) for each in range(count)]
    return np.flatnonzero(part == int(np.argmax(reach)))


def cycles(matrix: PreferenceMatrix, most: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return the number of cycles of three arms, each beating the next, and up to ``most`` of them.

    If only longer cycles exist (then some pairs tie), return 0 and one of the shortest. A cycle begins with
    its lowest arm.
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
    back = np.where(beats, distance.T, np.inf)  # from the loser of a pair back to its winner
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
    """Return the groups of arms that comparisons connect, the largest first, each in increasing order.

    ``votes[i, j]`` is the number of votes on i and j, shape (K, K), symmetric. Nothing is known of two arms in
    different groups, neither directly nor through others.
    """
    return _parts(votes > 0, "weak")


def unbeaten_groups(wins: NDArray[np.float64]) -> list[list[int]]:
    """Return the groups of arms such that each has beaten each other one, perhaps through others, the largest first.

    ``wins[i, j]`` is how often i has won against j, shape (K, K). Where there are several, some arms have lost no vote
    against all the rest, or won none, and a Bradley–Terry model has no largest likelihood (Ford, American Mathematical
    Monthly 1957): how far apart they are is not in the votes.
    """
    return _parts(wins > 0, "strong")


def _parts(edges: NDArray[np.bool_], connection: str) -> list[list[int]]:
    count, part = connected_components(csr_array(edges), connection=connection)
    parts = [np.flatnonzero(part == each).tolist() for each in range(count)]
    return sorted(parts, key=lambda arms: (-len(arms), arms))
