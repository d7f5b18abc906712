"""EQS, TKS, SEEKS and SEEBS (Ren, Liu, Shroff, ICML 2020): the best k arms."""

import math

from .conventions import shuffled
from .maxing import di


def eqs(P, horizon, policy, environment, top=1, delta=0.1, epsilon=0.05):
    """EQS (Ren, Liu, Shroff, ICML 2020): epsilon-quick-select.

    S = all arms in random order; declare eqs(S, k, epsilon, delta), and then the others by number. eqs(S, k, ...):

    1. n = |S|. If n <= k return S.
    2. v = a random arm of S. DI(i, v, epsilon/2, 0, 0, delta/(n (n-1))) puts every other arm i of S into up, middle or
       down; v is the first of the middle.
    3. If |up| > k return eqs(up, k, epsilon, delta (n-1)/n).
    4. If |up| + |middle| >= k return up and the first k - |up| of the middle.
    5. Else return up, middle and eqs(down, k - |up| - |middle|, epsilon, delta (n-1)/n).

    To find the worst arms, all outcomes are inverted (up and down are swapped).
    """
    K = len(P)
    order = with_others((yield from eqs_on(P, shuffled(range(K), policy), top, epsilon, delta, policy, environment)), K)
    return [order[:top], order[top:]]


def eqs_on(P, S, k, epsilon, delta, policy, environment, worst=False):
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
        return (yield from eqs_on(P, up, k, epsilon, delta * (n - 1) / n, policy, environment, worst))
    # Step 4.
    if len(up) + len(middle) >= k:
        return (up + middle)[:k]
    # Step 5.
    missing = k - len(up) - len(middle)
    return up + middle + (yield from eqs_on(P, down, missing, epsilon, delta * (n - 1) / n, policy, environment, worst))


def with_others(best, K):
    """All arms: those in ``best``, and then the others by number."""
    return best + [i for i in range(K) if i not in best]


def tks(P, horizon, policy, environment, top=1, delta=0.1, epsilon=0.05):
    """TKS (Ren, Liu, Shroff, ICML 2020): tournament k-selection.

    Declare tks(S, k, epsilon, delta) of all arms S, and then the others by number. tks(S, k, epsilon, delta):

    1. R = S. For t = 1, 2, ... while |R| > k: epsilon_t = (epsilon/4) 0.8^t, delta_t = 6 delta/(pi² t²).
    2. Cut R, in random order, into groups of 2k arms; fewer may be in the last one.
    3. R = the union of eqs(group, k, epsilon_t, delta_t/k) over all groups; a group of at most k arms is kept whole.
    """
    K = len(P)
    order = with_others((yield from tks_on(P, list(range(K)), top, epsilon, delta, policy, environment)), K)
    return [order[:top], order[top:]]


def tks_on(P, S, k, epsilon, delta, policy, environment, worst=False):
    R, t = S, 1
    while len(R) > k:
        # Step 1.
        epsilon_t, delta_t = epsilon / 4 * 0.8**t, 6 * delta / (math.pi**2 * t**2)
        # Step 2.
        R, passed = shuffled(R, policy), []
        for start in range(0, len(R), 2 * k):
            # Step 3.
            group = R[start : start + 2 * k]
            passed += yield from eqs_on(P, group, k, epsilon_t, delta_t / k, policy, environment, worst)
        R, t = passed, t + 1
    return R


def seeks(P, horizon, policy, environment, top=1, delta=0.1, inner="tks"):
    """SEEKS (Ren, Liu, Shroff, ICML 2020): sequential elimination based exact k-selection.

    1. R = all arms in random order, accepted = {}. For t = 1, 2, ...: epsilon = 2^-t, delta_t = 6 delta/(pi² t²), k' =
       k - |accepted|.
    2. A = tks(R, k', epsilon/3, delta_t/3), or eqs with ``inner="eqs"``.
    3. v = the worst of A, by tks(A, 1, epsilon/3, delta_t/3) with all outcomes inverted.
    4. DI(i, v, epsilon/3, epsilon/3, epsilon/3, delta_t/(3 (|R|-1))) of every other arm i of R: if it is up, i is
       accepted, if it is down, i is out. R = v and the others.
    5. Stop if |accepted| >= k or |accepted| + |R| <= k: declare the accepted arms, arms of R to make up k, and then the
       others by number.

    The authors' program also stops if |accepted| >= k', and then declares wrong sets.
    """
    K = len(P)
    choose = tks_on if inner == "tks" else eqs_on
    # Step 1.
    R, accepted, t = shuffled(range(K), policy), [], 1
    while len(accepted) < top < len(accepted) + len(R):
        epsilon, delta_t = 2.0**-t, 6 * delta / (math.pi**2 * t**2)
        missing = top - len(accepted)
        # Step 2.
        A = yield from choose(P, R, missing, epsilon / 3, delta_t / 3, policy, environment)
        # Step 3.
        (v,) = yield from tks_on(P, A, 1, epsilon / 3, delta_t / 3, policy, environment, worst=True)
        # Step 4.
        kept, level = [v], delta_t / 3 / (len(R) - 1)
        for i in R:
            if i != v:
                outcome = yield from di(P, i, v, epsilon / 3, epsilon / 3, epsilon / 3, level, environment)
                if outcome == "up":
                    accepted.append(i)
                elif outcome == "middle":
                    kept.append(i)
        R, t = kept, t + 1
    # Step 5.
    order = with_others(accepted + R if len(accepted) < top else accepted, K)
    return [order[:top], order[top:]]


def seebs(P, horizon, policy, environment, delta=0.05):
    """SEEBS (Ren, Liu, Shroff, ICML 2020): sequential elimination based exact best item selection.

    1. R = all arms. For t = 1, 2, ... while |R| > 1: alpha = 2^-t, delta_t = 6 delta/(pi² t²).
    2. The pivot v is the winner of a tournament of R with epsilon = alpha/3, d = 2 delta_t/3. Rounds u = 1, 2, ... have
       epsilon_u = (epsilon/4) 0.8^u and d_u = 6 d/(pi² u²). Arms are paired at random; an odd arm passes on. A random
       arm of the pair is the reference; the other arm stays if DI(other, reference, epsilon_u/2, 0, 0, d_u/2) is "up",
       else the reference stays.
    3. Every other arm i of R leaves R if DI(i, v, alpha/3, 0, alpha/3, delta_t/3) is "down".
    4. Declare the last arm.

    The order is random, so the second arm of each pair serves as the random reference.
    """
    R, t = list(range(len(P))), 1
    while len(R) > 1:
        # Step 1.
        alpha, delta_t = 2.0**-t, 6 * delta / (math.pi**2 * t**2)
        # Step 2.
        v = yield from tournament(P, R, alpha / 3, 2 * delta_t / 3, policy, environment)
        # Step 3.
        kept = []
        for i in R:
            outcome = "middle"
            if i != v:
                outcome = yield from di(P, i, v, alpha / 3, 0.0, alpha / 3, delta_t / 3, environment)
            if outcome != "down":
                kept.append(i)
        R, t = kept, t + 1
    # Step 4.
    return R[0]


def tournament(P, R, epsilon, d, policy, environment):
    u = 1
    while len(R) > 1:
        epsilon_u, d_u = epsilon / 4 * 0.8**u, 6 * d / (math.pi**2 * u**2)
        R = shuffled(R, policy)
        winners = []
        for other, reference in zip(R[0::2], R[1::2], strict=False):
            outcome = yield from di(P, other, reference, epsilon_u / 2, 0.0, 0.0, d_u / 2, environment)
            winners.append(other if outcome == "up" else reference)
        if len(R) % 2 == 1:
            winners.append(R[-1])
        R, u = winners, u + 1
    return R[0]
