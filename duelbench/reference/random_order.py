"""The arms in random order, by the shuffle of Fisher and Yates: what 1 ... K - 1 draws of the policy are."""


def shuffled(arms, policy):
    order = list(arms)
    for place in range(len(order) - 1, 0, -1):
        other = int(policy.random() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return order
