"""The graph of votes: the Smith set, cycles and connected groups, and Bradley–Terry fits by its Laplacian.

An arm beats another if it wins with a probability above 1/2; 1/2 is a tie.

The fits are for votes whose numbers differ by any factor, such as 1e-6 votes on one pair and 1e12 on another. The
Fisher information of log-strengths is the Laplacian of a graph, whose edges weigh as much as their pairs inform. Its
inverse is factored by eliminating one arm after the other, as in a Gaussian Markov random field. This adds and divides
but never subtracts, so that small weights do not drown in the rounding of large ones. General solvers do not know the
sums of rows exactly, and fail from a ratio of about 1e12. The fit has the posterior of ``scores``.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from duelbench.arrays import Floats
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.scores import FITTED


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


_STEPS = 1_000


def root_of(weights: Floats) -> Floats:
    """Return a factor of the inverse of a Laplacian, shape (K, K): its rows times each other are covariances.

    ``weights`` are those of the edges, shape (K, K), symmetric. The last vertex of each connected part has the value 0.
    """
    left, shares, root = weights.copy(), np.zeros_like(weights), np.zeros_like(weights)
    for each in range(len(left) - 1):
        later = left[each, each + 1 :]
        if (total := later.sum()) > 0:
            shares[each, each + 1 :] = later / total
            root[each, each] = 1.0 / math.sqrt(total)
            left[each + 1 :, each + 1 :] += later[:, None] * shares[each, each + 1 :]
    for each in range(len(left) - 2, -1, -1):
        root[each] += shares[each, each + 1 :] @ root[each + 1 :]
    return root


def information(strengths: Floats, met: Floats) -> Floats:
    """Return how much the votes on each pair inform about its log-odds, shape (K, K)."""
    odds = np.exp(-np.abs(strengths[:, None] - strengths[None, :]))
    weights: Floats = met * odds / (1.0 + odds) ** 2
    return weights


def posterior_root(strengths: Floats, met: Floats, ghosts: float) -> Floats:
    """Return a factor of the covariance of log-strengths after ``met`` votes on each pair and those of the ghost."""
    K = len(met)
    votes = np.pad(met, (0, 1))
    votes[K, :K] = votes[:K, K] = 2.0 * ghosts
    return root_of(information(np.append(strengths, 0.0), votes))[:K, :K]


def slope(strengths: Floats, won: Floats, ghosts: float) -> Floats:
    """Return the derivative of the log-posterior, shape (K,)."""
    lost = 1.0 / (1.0 + np.exp(strengths[:, None] - strengths[None, :]))  # the probability that i loses against j
    surprise = won * lost
    result: Floats = (surprise - surprise.T).sum(axis=1) - ghosts * np.tanh(strengths / 2.0)
    return result


def fit(won: Floats, ghosts: float = 1.0, start: Floats | None = None) -> Floats:
    """Return the (K,) log-strengths that maximise the posterior of ``scores.most_likely``.

    Newton's steps are damped by ``ln(1 + d) / d``, where d is the largest change of a difference of log-strengths:
    such a step raises the log-posterior whatever its rounding (Sun & Tran-Dinh, Mathematical Programming 2019).
    """
    strengths, met = np.zeros(len(won)) if start is None else start, won + won.T
    for _ in range(_STEPS):
        root = posterior_root(strengths, met, ghosts)
        step = root @ (root.T @ slope(strengths, won, ghosts))
        change = max(step.max(), 0.0) - min(step.min(), 0.0)
        if change < FITTED:
            return strengths + step
        strengths = strengths + step * (math.log1p(change) / change)
    return strengths
