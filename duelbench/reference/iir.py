"""Iterative-Insertion-Ranking (Ren, Liu, Shroff, NeurIPS 2019).

1. S is a random arm; S is kept worst first. Insert the other K - 1 arms i, in random order, as follows.
2. For t = 1, 2, ...: ATI(i, S, 2^-(t+1), 6 delta / (K pi² t²)), until it finds a place.
3. ATI(i, S, epsilon, delta): m = |S|, q = 15/16, T = ⌈max(4 (1 + ⌈log2(1+m)⌉), 512/25 ln(2/delta))⌉. S[0] loses to
   every arm, S[m+1] beats every arm: it needs no duels. A node X is an interval (l, r) of places 0 ... m+1; its
   children are (l, mid) and (mid, r), mid = ⌊(l+r)/2⌋; it is a leaf if r - l = 1. All leaves have counters 0. X is the
   root (0, m+1). For s = 1 ... T:
4.     at the root: X is the right child if ATC(i, S[mid], epsilon, 1-q) says i, else the left one;
5.     at a leaf, if i beats S[l] and loses to S[r], by ATC with 1 - q^(1/2): its counter += 1, and the place is here
       if the counter exceeds 1 + s/2 + sqrt(s/2 ln(pi² s² / (3 delta)));
6.         else its counter -= 1, or, if that is 0, X is its parent;
7.     at another node, if i loses to S[l] or beats S[r], by ATC with 1 - q^(1/3): X is its parent; else X is a child,
       by ATC with S[mid] and 1 - q^(1/3).
   The second question is only asked if the first one does not settle the matter.
8. The place is at the leaf whose counter is 1 + 5 T/16 at least; if there is none, none is found.

ATC(i, j, epsilon, delta): for t = 1 ... ⌈ln(2/delta) / (2 epsilon²)⌉ duel; b = sqrt(ln(pi² t² / (3 delta)) / (2 t));
i is better if p > 1/2 + b, worse if p < 1/2 - b, else, in the end, better if p > 1/2; a coin decides at 1/2.

``as_published``: the program of the authors has sqrt(s/2 ln(pi² s²) / (3 delta)) in step 5, and plays the duels with
S[0] and S[m+1]: here as self-duels of i, whose outcomes are certain.
"""

import math

from .arithmetic import first_wins
from .exploration import course
from .random_order import shuffled

Q = 15 / 16


def radius(t, delta):
    return math.sqrt(math.log(math.pi**2 * t**2 / (3 * delta)) / (2 * t))


def atc(duel, pair, epsilon, delta, policy):
    w, n = 0, math.ceil(math.log(2 / delta) / (2 * epsilon**2))
    for t in range(1, n + 1):
        w += duel()
        yield pair
        if abs(w / t - 0.5) > radius(t, delta):
            return w / t > 0.5
    return policy.random() < 0.5 if w / n == 0.5 else w / n > 0.5


def explore(P, horizon, policy, environment, delta=0.05, as_published=False):
    K = len(P)

    def ati(i, S, epsilon, delta):
        # Step 3.
        m = len(S)
        T = math.ceil(max(4 * (1 + math.ceil(math.log2(1 + m))), 512 / 25 * math.log(2 / delta)))
        counters = dict.fromkeys(range(m + 1), 0)
        way = [(0, m + 1)]

        def beats(place, level):
            if 0 < place <= m:
                j = S[place - 1]
                return (yield from atc(lambda: int(first_wins(P, i, j, environment)), (i, j), epsilon, level, policy))
            if as_published:
                yield from atc(lambda: int(place == 0), (i, i), epsilon, level, policy)
            return place == 0

        def inside(low, high, level):
            return (yield from beats(low, level)) and not (yield from beats(high, level))

        def child(low, high, level):
            mid = (low + high) // 2
            return (mid, high) if (yield from beats(mid, level)) else (low, mid)

        for s in range(1, T + 1):
            low, high = way[-1]
            # Step 4.
            if len(way) == 1:
                way.append((yield from child(low, high, 1 - Q)))
            # Step 5.
            elif high - low == 1:
                if (yield from inside(low, high, 1 - Q ** (1 / 2))):
                    counters[low] += 1
                    spread = math.log(math.pi**2 * s**2 / (3 * delta))
                    if as_published:
                        spread = math.log(math.pi**2 * s**2) / (3 * delta)
                    if counters[low] > 1 + s / 2 + math.sqrt(s / 2 * spread):
                        return low
                # Step 6.
                elif counters[low] > 0:
                    counters[low] -= 1
                else:
                    way.pop()
            # Step 7.
            elif (yield from inside(low, high, 1 - Q ** (1 / 3))):
                way.append((yield from child(low, high, 1 - Q ** (1 / 3))))
            else:
                way.pop()
        # Step 8.
        return next((low for low in counters if counters[low] >= 1 + 5 * T / 16), None)

    # Step 1.
    first, *others = shuffled(range(K), policy)
    S = [first]
    for i in others:
        # Step 2.
        t, place = 0, None
        while place is None:
            t += 1
            place = yield from ati(i, S, 2 ** -(t + 1), 6 * delta / (K * math.pi**2 * t**2))
        S.insert(place, i)
    return [[i] for i in reversed(S)]


def run(P, horizon, policy, environment, delta=0.05, as_published=False):
    return course(explore(P, horizon, policy, environment, delta, as_published), horizon)[0]
