"""A random order of the arms: for what takes them "in order" or "arbitrarily"."""


def shuffled(items, policy):
    """The items in a uniformly random order, one number drawn for every place but one, from the last on."""
    order = list(items)
    for k in reversed(range(1, len(order))):
        other = int(policy.random() * (k + 1))
        order[k], order[other] = order[other], order[k]
    return order
