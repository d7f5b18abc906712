"""Orders of all arms: IIR, Probe-Rank and Probe-Rank-SE."""

import math

from .conventions import first_wins, no_counts, shuffled

Q = 15 / 16


def iir(P, horizon, policy, environment, delta=0.05, as_published=False):
    """Iterative-Insertion-Ranking (Ren, Liu, Shroff, NeurIPS 2019).

    1. S is a random arm; S is kept worst first. Insert the other K - 1 arms i, in random order, as follows.
    2. For t = 1, 2, ... until a place is found: ATI(i, S, 2^-(t+1), 6 delta / (K pi² t²)).
    3. ATI(i, S, epsilon, delta): m = |S|, q = 15/16, T = ⌈max(4 (1 + ⌈log2(1+m)⌉), 512/25 ln(2/delta))⌉. S[0] loses to
       every arm, S[m+1] beats every arm: it needs no duels. A node X is an interval (l, r) of places 0 ... m+1; its
       children are (l, mid) and (mid, r), mid = ⌊(l+r)/2⌋; it is a leaf if r - l = 1. All leaves have counters 0. X is
       the root (0, m+1). For s = 1 ... T:
    4.     at the root: X is the right child if ATC(i, S[mid], epsilon, 1-q) says i, else the left one;
    5.     at a leaf, if i beats S[l] and loses to S[r], by ATC with 1 - q^(1/2): its counter += 1, and the place is
           here if the counter exceeds 1 + s/2 + sqrt(s/2 ln(pi² s² / (3 delta)));
    6.         else its counter -= 1, or, if that is 0, X is its parent;
    7.     at another node, if i loses to S[l] or beats S[r], by ATC with 1 - q^(1/3): X is its parent; else X is a
           child, by ATC with S[mid] and 1 - q^(1/3).
       The second comparison is only made if the first one does not decide.
    8. The place is at the leaf with a counter of at least 1 + 5 T/16; if there is none, no place is found.

    ATC(i, j, epsilon, delta): for t = 1 ... ⌈ln(2/delta) / (2 epsilon²)⌉ duel; b = sqrt(ln(pi² t² / (3 delta)) / (2
    t)); i is better if p > 1/2 + b, worse if p < 1/2 - b, else, in the end, better if p > 1/2; a coin decides at 1/2.

    ``as_published``: the authors' program has sqrt(s/2 ln(pi² s²) / (3 delta)) in step 5. It also plays the duels with
    S[0] and S[m+1], here as self-duels of i, whose outcomes are certain.
    """
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


def atc_radius(t, delta):
    return math.sqrt(math.log(math.pi**2 * t**2 / (3 * delta)) / (2 * t))


def atc(duel, pair, epsilon, delta, policy):
    w, n = 0, math.ceil(math.log(2 / delta) / (2 * epsilon**2))
    for t in range(1, n + 1):
        w += duel()
        yield pair
        if abs(w / t - 0.5) > atc_radius(t, delta):
            return w / t > 0.5
    return policy.random() < 0.5 if w / n == 0.5 else w / n > 0.5


def closed(T):
    """The transitive closure of T."""
    while True:
        more = {(a, d) for a, b in T for c, d in T if b == c} - T
        if not more:
            return T
        T = T | more


def top_down(arms, decide):
    """The order of the arms. ``decide`` duels some of the pairs it is given and returns those decided, better first.

    0. T, the set of pairs (i, j) with i known to be better than j, is empty.
    1. U = the remaining arms that no remaining arm is known to beat.
    2. If U is a single arm, it is next in the order and leaves. Stop if no arm remains.
    3. Else decide unknown pairs with at least one arm in U; ignore results that contradict T.
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


def probe_rank(P, horizon, policy, environment, delta=0.05):
    """Probe-Rank (Lou, Jin, Wu, Xu, Gu, Farnoud, NeurIPS 2022), with delta' = 2 delta / K².

    1. Take the arms in random order and rank them from the top down (``top_down``), deciding pairs as follows.
    2. tau = 1 for each pair at first. Take the pairs with the smallest tau.
    3. Duel each of them ⌈2/epsilon² ln(1/delta_tau)⌉ times, epsilon = 2^-tau, delta_tau = 6 delta' / (pi² tau²). p is
       the share of these duels that the first arm has won: the pair is decided if |p - 1/2| > epsilon/2. Now tau += 1.
    """
    K = len(P)
    taus = {}

    def decide(pairs):
        # Step 2.
        smallest = min(taus.get(pair, 1) for pair in pairs)
        decided = []
        for i, j in [pair for pair in pairs if taus.get(pair, 1) == smallest]:
            # Step 3.
            n, w = batch(smallest, 2 * delta / K**2), 0
            for _ in range(n):
                w += int(first_wins(P, i, j, environment))
                yield i, j
            if abs(w / n - 0.5) > 2**-smallest / 2:
                decided.append((i, j) if w / n > 0.5 else (j, i))
            taus[i, j] = smallest + 1
        return decided

    # Step 1.
    return (yield from top_down(shuffled(range(K), policy), decide))


def batch(tau, delta):
    """The number of duels of a pair in step 3."""
    return math.ceil(2 / (2**-tau) ** 2 * math.log(1 / (6 * delta / (math.pi**2 * tau**2))))


def probe_rank_se(P, horizon, policy, environment, delta=0.05):
    """Probe-Rank-SE (Lou, Jin, Wu, Xu, Gu, Farnoud, NeurIPS 2022), with delta' = 2 delta / K².

    1. Take the arms in random order and rank them from the top down (``top_down``), deciding pairs as follows.
    2. Duel each of the pairs once; n is the number of duels of a pair so far, p the share won by its first arm.
    3. A pair with n = 2^s, s >= 1, is decided if |p - 1/2| > sqrt(ln(pi² s² / (3 delta')) / (2 n)).
    """
    K = len(P)
    w, n = no_counts(K), no_counts(K)

    def decide(pairs):
        decided = []
        for i, j in pairs:
            # Step 2.
            w[i][j] += int(first_wins(P, i, j, environment))
            n[i][j] += 1
            yield i, j
            # Step 3.
            s, p = n[i][j].bit_length() - 1, w[i][j] / n[i][j]
            if s >= 1 and n[i][j] == 2**s and abs(p - 0.5) > probe_rank_se_radius(s, 2 * delta / K**2):
                decided.append((i, j) if p > 0.5 else (j, i))
        return decided

    # Step 1.
    return (yield from top_down(shuffled(range(K), policy), decide))


def probe_rank_se_radius(s, delta):
    return math.sqrt(math.log(math.pi**2 * s**2 / (3 * delta)) / (2 * 2**s))
