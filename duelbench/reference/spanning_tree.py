"""The pair with the largest gain and the spanning tree with large gains (Prim), for asap and hybrid_mst.

``gain`` is a symmetric table. Gains that differ by a millionth are equal.
"""

from itertools import combinations

from .arithmetic import pick


def best_pair(gain, policy):
    """A pair with the largest gain, one of several at random."""
    pairs = list(combinations(range(len(gain)), 2))
    most = max(gain[pair] for pair in pairs)
    return pick([pair for pair in pairs if gain[pair] >= most * (1 - 1e-6)], policy)


def first_largest(candidates, key):
    """The candidate with the largest key, the first of several."""
    best = None
    for each in candidates:
        if best is None or key(each) > key(best) * (1 + 1e-6):
            best = each
    return best


def tree(gain, order):
    """The K - 1 pairs (arm in the tree, new arm) from the first arm of the order on; it decides between equal gains."""
    inside, pairs = [order[0]], []
    while len(inside) < len(order):
        outside = [arm for arm in order if arm not in inside]
        nearest = {arm: first_largest(inside, lambda other, arm=arm: gain[other, arm]) for arm in outside}
        new = first_largest(outside, {arm: gain[nearest[arm], arm] for arm in outside}.get)
        pairs.append((nearest[new], new))
        inside.append(new)
    return pairs


def random_tree(order, policy):
    """Each arm of the order is connected to a random earlier one."""
    return [(order[int(policy.random() * k)], order[k]) for k in range(1, len(order))]
