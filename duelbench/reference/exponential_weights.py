"""What algorithms over exponential weights share: the convention by which an arm is drawn, and EXP3's chances."""


def drawn(p, policy):
    """Arm i with probability p[i], by one draw: what rounding leaves goes to the last arm."""
    left = policy.random()
    for arm in range(len(p) - 1):
        if left < p[arm]:
            return arm
        left -= p[arm]
    return len(p) - 1


def mixed(v, gamma):
    """(1 - gamma) v[i] / sum(v) + gamma / K."""
    return (1 - gamma) * v / v.sum() + gamma / len(v)
