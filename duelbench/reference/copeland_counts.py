"""What PBR and RankEl share: Copeland counts of confidence intervals that do not shrink by intersection."""

from .arithmetic import pick


def interval(w, i, j, radius):
    """``p̂[i, j] ± radius(n)``; all of [0, 1] for an unseen pair."""
    n = w[i][j] + w[j][i]
    if n == 0:
        return 0.0, 1.0
    return w[i][j] / n - radius(n), w[i][j] / n + radius(n)


def is_decided(w, i, j, radius):
    low, high = interval(w, i, j, radius)
    return not low <= 0.5 <= high


def counts(w, radius):
    """The lower and upper Copeland counts: opponents that an arm beats, or may beat, with confidence."""
    K = len(w)
    lower = [sum(interval(w, i, j, radius)[0] > 0.5 for j in range(K) if j != i) for i in range(K)]
    upper = [sum(interval(w, i, j, radius)[1] >= 0.5 for j in range(K) if j != i) for i in range(K)]
    return lower, upper


def selected(lower, upper):
    """The arms whose lower count exceeds every other upper count: one at most."""
    K = len(lower)
    return [i for i in range(K) if all(lower[i] > upper[j] for j in range(K) if j != i)]


def unexceeded(lower, upper):
    """The arms whose lower count is no less than every other upper count: Copeland winners for certain."""
    K = len(lower)
    return [i for i in range(K) if all(lower[i] >= upper[j] for j in range(K) if j != i)]


def discarded(lower, upper):
    """The arms whose upper count is below some other lower count."""
    K = len(lower)
    return [i for i in range(K) if any(upper[i] < lower[j] for j in range(K) if j != i)]


def best(lower, policy):
    """The arm with the highest lower count, ties at random."""
    return pick([i for i in range(len(lower)) if lower[i] == max(lower)], policy)
