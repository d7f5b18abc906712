"""RMED1, RMED2 and RMED2FH (Komiyama, Honda, Kashima, Nakagawa, COLT 2015)."""

import math
from itertools import combinations

from .conventions import duel, kl, no_counts


def rmed1(P, horizon, policy, environment, f_scale=0.3, f_power=1.01):
    """RMED1 (Komiyama, Honda, Kashima, Nakagawa, COLT 2015). It draws nothing from the policy's stream.

    0. f(K) = f_scale * K**f_power. Duel every pair once.
    1. The current list LC and the set LR of remaining arms are all arms; the next list LN is empty.
    2. For each arm l of LC, in order:
       a. m = i* if i* is in O_l or O_l is empty, else argmin_{j != l} p̂[l, j];
       b. duel (l, m);
       c. remove l from LR;
       d. append to LN every arm j that is neither in LR nor in LN and has I_j - I* <= log t + f(K), t being this round.
    3. LC = LR = LN, LN is empty; go on with 2.

    O_i = {j != i : p̂[i, j] <= 1/2}, I_i = sum over O_i of n[i, j] kl(p̂[i, j]), I* = min I_i, i* its arm. All argmins
    take the lowest index.
    """
    return rounds(P, environment, f_scale, f_power, lambda w: lambda arm, t: rmed1_rule(w, arm))


def count(w, i, j):
    return w[i][j] + w[j][i]


def mean(w, i, j):
    """``p̂[i, j]``, 1/2 for an unseen pair."""
    return w[i][j] / count(w, i, j) if count(w, i, j) > 0 else 0.5


def O(w, i):  # noqa: E743
    return [j for j in range(len(w)) if j != i and mean(w, i, j) <= 0.5]


def I(w, i):  # noqa: E743
    # Not sum(), which compensates for rounding from Python 3.12 on.
    total = 0.0
    for j in O(w, i):
        total += count(w, i, j) * kl(mean(w, i, j))
    return total


def rounds(P, environment, f_scale, f_power, rule, passes=1, alpha=None):
    """After step 0, ``rule(w)`` returns the function that chooses m in step 2a; ``alpha`` is for RMED2 only."""
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w = no_counts(K)
    # Step 0.
    f = f_scale * K**f_power
    t = 0
    for i, j in pairs * passes:
        t += 1
        duel(P, i, j, environment, w)
        yield i, j
    opponent_of = rule(w)
    # Step 1.
    LC, LR, LN = list(range(K)), set(range(K)), []
    while True:
        # Step 2.
        for l in LC:  # noqa: E741
            t += 1
            while alpha is not None:
                lagging = [(i, j) for i, j in pairs if count(w, i, j) < alpha * math.log(math.log(t))]
                if not lagging:
                    break
                duel(P, *lagging[0], environment, w)
                yield lagging[0]
                t += 1
            # a.
            m = opponent_of(l, t)
            # b.
            duel(P, l, m, environment, w)
            yield l, m
            # c.
            LR.remove(l)
            # d., with the outcome of this round in the counts.
            I_star = min(I(w, i) for i in range(K))
            for j in range(K):
                if j not in LR and j not in LN and I(w, j) - I_star <= math.log(t) + f:
                    LN.append(j)
        # Step 3.
        LC, LR, LN = LN, set(LN), []


def rmed2(P, horizon, policy, environment, alpha=3.0, f_scale=0.3, f_power=1.01):
    """RMED2 (Komiyama, Honda, Kashima, Nakagawa, COLT 2015). It draws nothing from the policy's stream.

    The steps are those of RMED1, except:
    0.  RMED2FH, which knows the horizon T, duels the pairs in turn until every n[i, j] >= alpha log log T, at least
        once each, and then fixes b*(i) for every arm i.
    2.  RMED2: while some pair has n[i, j] < alpha log log t, the next round duels the first such pair instead; such a
        round belongs to no list.
    2a. b = b*(l), which RMED2 recomputes. If there is none: as RMED1. If i* is in O_l and n[l, i*] <= n[l, b] / log log
        t: m = i*; else, if b is in O_l: m = b; else as RMED1.

    b*(i) = argmin over {j : p̂[i, j] < 1/2} of (Δ̂[i*, i] + Δ̂[i*, j]) / kl(p̂[i, j]), Δ̂[i, j] = p̂[i, j] - 1/2.
    """
    rule = lambda w: lambda arm, t: opponent(w, arm, b_star(w, arm), t)  # noqa: E731
    return rounds(P, environment, f_scale, f_power, rule, alpha=alpha)


def best(w):
    return min(range(len(w)), key=lambda i: I(w, i))


def b_star(w, i):
    i_star = best(w)
    beaten_by = [j for j in range(len(w)) if mean(w, i, j) < 0.5]

    def ratio(j):
        return ((mean(w, i_star, i) - 0.5) + (mean(w, i_star, j) - 0.5)) / kl(mean(w, i, j))

    return min(beaten_by, key=ratio) if beaten_by else None


def rmed1_rule(w, l):  # noqa: E741
    if best(w) in O(w, l) or not O(w, l):
        return best(w)
    return min((j for j in range(len(w)) if j != l), key=lambda j: mean(w, l, j))


def opponent(w, l, b, t):  # noqa: E741
    if b is None:
        return rmed1_rule(w, l)
    if best(w) in O(w, l) and count(w, l, best(w)) <= count(w, l, b) / math.log(math.log(t)):
        return best(w)
    if b in O(w, l):
        return b
    return rmed1_rule(w, l)


def rmed2fh(P, horizon, policy, environment, alpha=3.0, f_scale=0.3, f_power=1.01):
    """RMED2FH (Komiyama, Honda, Kashima, Nakagawa, COLT 2015), RMED2 for a known horizon T.

    As RMED2, but all pairs are first duelled alpha log log T times, and b* is fixed from then on.
    """
    passes = 1
    while horizon > 2 and passes < alpha * math.log(math.log(horizon)):
        passes += 1

    def rule(w):
        b = [b_star(w, i) for i in range(len(w))]
        return lambda arm, t: opponent(w, arm, b[arm], t)

    return rounds(P, environment, f_scale, f_power, rule, passes)
