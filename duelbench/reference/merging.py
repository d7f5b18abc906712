"""What MergeRUCB and MergeDTS share: the constant C, the batches, and their merging."""

import math

from .random_order import shuffled


def constant(K, alpha, delta):
    return ((4 * alpha - 1) * K**2 / ((2 * alpha - 1) * delta)) ** (1 / (2 * alpha - 1))


def upper(w, i, j, alpha, log_t):
    """``u[i, j]``; a pair that has not met excludes nobody."""
    n = w[i][j] + w[j][i]
    return w[i][j] / n + math.sqrt(alpha * log_t / n) if n > 0 else math.inf


def losers(B, w, alpha, log_t):
    """Every i in B with u[i, j] < 1/2 for some j in B."""
    return [i for i in B if any(upper(w, i, j, alpha, log_t) < 0.5 for j in B if j != i)]


def cut(order, batch):
    """Consecutive batches of the arms; the last may be shorter."""
    return [order[start : start + batch] for start in range(0, len(order), batch)]


def few_enough(batches, K, s):
    """Whether the batches are to be merged."""
    return sum(len(B) for B in batches) <= K / 2**s + 1 and len(batches) > 1


def merge_once(batches, batch, policy):
    """The smallest goes to the largest while both have at most 1.5 batch arms."""
    old = sorted(shuffled(batches, policy), key=len)
    new, i, j = [], 0, len(old) - 1
    while i < j:
        if len(old[i]) + len(old[j]) > 1.5 * batch:
            new.append(old[j])
            j -= 1
        else:
            new.append(old[i] + old[j])
            i, j = i + 1, j - 1
    return [*new, old[i]] if i == j else new


def merge(batches, batch, policy):
    batches = merge_once(batches, batch, policy)
    if min(len(B) for B in batches) <= 0.5 * batch:
        batches = merge_once(batches, batch, policy)
    return batches
