"""Knockout, Sequential-Elimination and Opt-Maximize, and their tests of a pair, which ``quick_select`` uses, too.

These tests are generators that yield the pair after each duel. Every call counts from 0.
"""

import math

from .conventions import first_wins, shuffled


def compare_radius(n, delta):
    """c of Compare-1 and Compare-2 after n duels."""
    return math.sqrt(math.log(4 * n**2 / delta) / (2 * n))


def radius_of_di(t, delta):
    """b of DI after t duels."""
    return math.sqrt(math.log(math.pi**2 * t**2 / (3 * delta)) / (2 * t))


def compare_1(P, i, j, epsilon, delta, environment):
    """Compare-1 (Falahatgar, Orlitsky, Pichapati, Suresh, ICML 2017), with confidence delta and slack epsilon:

    1. m = ln(2/delta) / (2 epsilon²); r = w = 0, p = c = 1/2.
    2. While |p - 1/2| <= c - epsilon and r <= m: duel; p = w/r, c = sqrt(ln(4 r²/delta) / (2 r)).
    3. Return i if p > 1/2, else j.
    """
    m = math.log(2 / delta) / (2 * epsilon**2)
    r, w, p, c = 0, 0, 0.5, 0.5
    while abs(p - 0.5) <= c - epsilon and r <= m:
        w += int(first_wins(P, i, j, environment))
        r += 1
        p, c = w / r, compare_radius(r, delta)
        yield i, j
    return i if p > 0.5 else j


def compare_2(P, i, j, lower, upper, delta, environment):
    """Compare-2 (Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017, Algorithm 4):

    1. m = (lower + upper)/2; t = w = 0, p = 0, c = 1/2.
    2. While |p - m| <= c and t <= 2/(upper - lower)² ln(2/delta): duel; p = w/t - 1/2,
       c = sqrt(ln(4 t²/delta) / (2 t)).
    3. Return 1 ("i is not better") if p <= m, else 2.
    """
    m = (lower + upper) / 2
    t, w, p, c = 0, 0, 0.0, 0.5
    while abs(p - m) <= c and t <= 2 / (upper - lower) ** 2 * math.log(2 / delta):
        w += int(first_wins(P, i, j, environment))
        t += 1
        p, c = w / t - 0.5, compare_radius(t, delta)
        yield i, j
    return 1 if p <= m else 2


def di(P, i, v, epsilon, up, down, delta, environment):
    """DI (Ren, Liu, Shroff, ICML 2020), i against v with margins up and down:

    1. For t = 1 ... ceil(2/epsilon² ln(4/delta)): duel; b = sqrt(ln(pi² t²/(3 delta)) / (2 t));
    2.     if p - b > 1/2 + up return "up"; if p + b < 1/2 - down return "down".
    3. Return "up" if p > 1/2 + epsilon/2 + up, "down" if p < 1/2 - epsilon/2 - down, else "middle".
    """
    w, p = 0, 0.5
    for t in range(1, math.ceil(2 / epsilon**2 * math.log(4 / delta)) + 1):
        w += int(first_wins(P, i, v, environment))
        p, b = w / t, radius_of_di(t, delta)
        yield i, v
        if p - b > 0.5 + up:
            return "up"
        if p + b < 0.5 - down:
            return "down"
    if p > 0.5 + epsilon / 2 + up:
        return "up"
    return "down" if p < 0.5 - epsilon / 2 - down else "middle"


def knockout(P, horizon, policy, environment, epsilon=0.05, delta=0.1, gamma=1.0):
    """Knockout (Falahatgar, Orlitsky, Pichapati, Suresh, ICML 2017).

    1. S = all arms, i = 1, c = 2^(1/3) - 1.
    2. While |S| > 1: pair the arms of S at random, the odd one passes on; of each pair the winner of
       Compare-1(a, b, c epsilon / (gamma 2^(i/3)), delta / 2^i) stays in S; i += 1.
    3. Declare the last arm.
    """
    # Step 1.
    S, i, c = list(range(len(P))), 1, 2 ** (1 / 3) - 1
    # Step 2.
    while len(S) > 1:
        S = shuffled(S, policy)
        winners = []
        for a, b in zip(S[0::2], S[1::2], strict=False):
            slack = c * epsilon / (gamma * 2 ** (i / 3))
            winners.append((yield from compare_1(P, a, b, slack, delta / 2**i, environment)))
        if len(S) % 2 == 1:
            winners.append(S[-1])
        S, i = winners, i + 1
    # Step 3.
    return S[0]


def sequential_elimination(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    """Sequential-Elimination (Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017, Algorithm 5), on S.

    1. r is a random arm of S.
    2. For every other arm c of S, in random order: if Compare-2(c, r, 0, epsilon, delta/|S|) = 2 then r = c.
    3. Declare r.
    """
    return (yield from sequential_elimination_on(P, list(range(len(P))), epsilon, delta, policy, environment))


def sequential_elimination_on(P, S, epsilon, delta, policy, environment):
    # Step 1.
    r, *others = shuffled(S, policy)
    # Step 2.
    for c in others:
        if (yield from compare_2(P, c, r, 0.0, epsilon, delta / len(S), environment)) == 2:
            r = c
    # Step 3.
    return r


def opt_maximize(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    """Opt-Maximize (Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017).

    1. If delta <= 1/K: return Sequential-Elimination(all arms, epsilon, delta).
    2. n' = sqrt(6 K ln K). Pick-Anchor, with delta_1 = delta/4: Q = min(ceil((K/n') ln(2/delta_1)), K) random arms,
       a = Sequential-Elimination(Q, epsilon/3, delta_1/2).
    3. Prune: S = all arms, t = 1. While |S| > 2n' and t < (ln K)²: every e with
       Compare-2(e, a, epsilon/3, 2 epsilon/3, (delta/4)/2^(t+1)) = 1 leaves S; t += 1.
    4. For every e of S, in random order: if Compare-2(e, a, 2 epsilon/3, epsilon, delta/(4K)) = 2, stop and return
       Sequential-Elimination(S, epsilon, delta/4).
    5. Return a.

    The logarithms are natural. The anchor is not compared with itself and stays in S.
    """
    K = len(P)
    S = list(range(K))
    # Step 1.
    if delta <= 1 / K:
        return (yield from sequential_elimination_on(P, S, epsilon, delta, policy, environment))
    # Step 2.
    n = math.sqrt(6 * K * math.log(K))
    delta_1 = delta / 4
    S = shuffled(S, policy)
    Q = S[: min(math.ceil(K / n * math.log(2 / delta_1)), K)]
    a = yield from sequential_elimination_on(P, Q, epsilon / 3, delta_1 / 2, policy, environment)
    # Step 3.
    t = 1
    while len(S) > 2 * n and t < math.log(K) ** 2:
        kept = []
        for e in S:
            verdict = 2
            if e != a:
                call = (delta / 4) / 2 ** (t + 1)
                verdict = yield from compare_2(P, e, a, epsilon / 3, 2 * epsilon / 3, call, environment)
            if verdict != 1:
                kept.append(e)
        S, t = kept, t + 1
    # Step 4.
    S = shuffled(S, policy)
    for e in S:
        if e == a:
            continue
        if (yield from compare_2(P, e, a, 2 * epsilon / 3, epsilon, delta / (4 * K), environment)) == 2:
            return (yield from sequential_elimination_on(P, S, epsilon, delta / 4, policy, environment))
    # Step 5.
    return a
