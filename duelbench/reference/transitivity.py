"""The order from the top down, with what follows by transitivity: what the references of Probe-Rank share.

T is the set of the pairs (i, j) of which i is known to be better than j.
"""


def closed(T):
    """T with all that follows by transitivity."""
    while True:
        more = {(a, d) for a, b in T for c, d in T if b == c} - T
        if not more:
            return T
        T = T | more


def top_down(arms, decide):
    """The order of the arms. ``decide`` duels some of the pairs it is given and returns those decided, better first.

    1. U = the arms that are left which no other one is known to beat.
    2. A single one is next in the order and leaves; until none is left.
    3. Else decide unknown pairs of which at least one arm is in U; one that contradicts T is ignored.
    """
    left, T, order = list(arms), set(), []
    while left:
        # Step 1.
        U = [i for i in left if not any((j, i) in T for j in left)]
        # Step 2.
        if len(U) == 1:
            order.append([U[0]])
            left.remove(U[0])
            continue
        # Step 3.
        pairs = [(i, j) for place, i in enumerate(left) for j in left[place + 1 :]]
        pairs = [(i, j) for i, j in pairs if (i in U or j in U) and (i, j) not in T and (j, i) not in T]
        decided = yield from decide(pairs)
        for i, j in decided:
            if (j, i) not in T:
                T = closed(T | {(i, j)})
    return order
