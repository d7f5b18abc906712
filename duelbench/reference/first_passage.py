"""Tests of one pair that duel until they can tell, as generators: they yield the pair after each duel.

Compare-1 (Falahatgar, Orlitsky, Pichapati, Suresh, ICML 2017), with confidence delta and slack epsilon:

1. m = ln(2/delta) / (2 epsilon²); r = w = 0, p = c = 1/2.
2. While |p - 1/2| <= c - epsilon and r <= m: duel; p = w/r, c = sqrt(ln(4 r²/delta) / (2 r)).
3. Return i if p > 1/2, else j.

Compare-2 (Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017, Algorithm 4):

1. m = (lower + upper)/2; t = w = 0, p = 0, c = 1/2.
2. While |p - m| <= c and t <= 2/(upper - lower)² ln(2/delta): duel; p = w/t - 1/2, c = sqrt(ln(4 t²/delta) / (2 t)).
3. Return 1 ("i is not better") if p <= m, else 2.

DI (Ren, Liu, Shroff, ICML 2020), i against v with margins up and down:

1. For t = 1 ... ceil(2/epsilon² ln(4/delta)): duel; b = sqrt(ln(pi² t²/(3 delta)) / (2 t));
2.     if p - b > 1/2 + up return "up"; if p + b < 1/2 - down return "down".
3. Return "up" if p > 1/2 + epsilon/2 + up, "down" if p < 1/2 - epsilon/2 - down, else "middle".

Counts are fresh in every call.
"""

import math

from .arithmetic import first_wins


def radius(n, delta):
    """c of Compare-1 and Compare-2 after n duels."""
    return math.sqrt(math.log(4 * n**2 / delta) / (2 * n))


def radius_of_di(t, delta):
    """b of DI after t duels."""
    return math.sqrt(math.log(math.pi**2 * t**2 / (3 * delta)) / (2 * t))


def compare_1(P, i, j, epsilon, delta, environment):
    m = math.log(2 / delta) / (2 * epsilon**2)
    r, w, p, c = 0, 0, 0.5, 0.5
    while abs(p - 0.5) <= c - epsilon and r <= m:
        w += int(first_wins(P, i, j, environment))
        r += 1
        p, c = w / r, radius(r, delta)
        yield i, j
    return i if p > 0.5 else j


def compare_2(P, i, j, lower, upper, delta, environment):
    m = (lower + upper) / 2
    t, w, p, c = 0, 0, 0.0, 0.5
    while abs(p - m) <= c and t <= 2 / (upper - lower) ** 2 * math.log(2 / delta):
        w += int(first_wins(P, i, j, environment))
        t += 1
        p, c = w / t - 0.5, radius(t, delta)
        yield i, j
    return 1 if p <= m else 2


def di(P, i, v, epsilon, up, down, delta, environment):
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
