"""EQS (Ren, Liu, Shroff, ICML 2020): epsilon-quick-select.

S = all arms in random order; declare eqs(S, k, epsilon, delta), and then the others by number. eqs(S, k, ...):

1. n = |S|. If n <= k return S.
2. v = a random arm of S. Every other arm i of S is up, middle or down, as DI(i, v, epsilon/2, 0, 0, delta/(n (n-1)))
   says; v is the first of the middle.
3. If |up| > k return eqs(up, k, epsilon, delta (n-1)/n).
4. If |up| + |middle| >= k return up and the first k - |up| of the middle.
5. Else return up, middle and eqs(down, k - |up| - |middle|, epsilon, delta (n-1)/n).

To find the worst arms, all outcomes are inverted: up is down.
"""

from .exploration import course
from .first_passage import di
from .random_order import shuffled


def eqs(P, S, k, epsilon, delta, policy, environment, worst=False):
    # Step 1.
    n = len(S)
    if n <= k:
        return S
    # Step 2.
    v = S[int(policy.random() * n)]
    sides = {"up": [], "middle": [v], "down": []}
    for i in S:
        if i != v:
            outcome = yield from di(P, i, v, epsilon / 2, 0.0, 0.0, delta / (n * (n - 1)), environment)
            sides[outcome].append(i)
    up, middle, down = sides["up"], sides["middle"], sides["down"]
    if worst:
        up, down = down, up
    # Step 3.
    if len(up) > k:
        return (yield from eqs(P, up, k, epsilon, delta * (n - 1) / n, policy, environment, worst))
    # Step 4.
    if len(up) + len(middle) >= k:
        return (up + middle)[:k]
    # Step 5.
    missing = k - len(up) - len(middle)
    return up + middle + (yield from eqs(P, down, missing, epsilon, delta * (n - 1) / n, policy, environment, worst))


def with_others(best, K):
    """All arms: those in ``best``, and then the others by number."""
    return best + [i for i in range(K) if i not in best]


def explore(P, horizon, policy, environment, top=1, delta=0.1, epsilon=0.05):
    K = len(P)
    order = with_others((yield from eqs(P, shuffled(range(K), policy), top, epsilon, delta, policy, environment)), K)
    return [order[:top], order[top:]]


def run(P, horizon, policy, environment, top=1, delta=0.1, epsilon=0.05):
    return course(explore(P, horizon, policy, environment, top, delta, epsilon), horizon)[0]
