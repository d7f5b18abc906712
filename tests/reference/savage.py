"""SAVAGE and its competitors (Urvoy, Clerot, Féraud, Naamane, ICML 2013)."""

import math
from itertools import combinations, product

from .conventions import duel, first_wins, no_counts, pick
from .pbr import best, is_decided, selected
from .sparring import Ucb


def savage(
    P,
    horizon,
    policy,
    environment,
    variant="copeland",
    delta=None,
    epsilon=0.0,
    independence="exact",
    starts=20,
    steps=50,
):
    """SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), Algorithm 1, with the independence tests of its section 4.

    The horizon T is known. N = K (K - 1) / 2 pairs; delta = 1/T unless given.

    0. Every x_ij is known to lie in [a_ij, b_ij] = [0, 1].
    1. Duel the least sampled pair i < j that is still relevant; ties: the first in lexicographic order.
    2. Intersect its interval with p̂ ± c(n), c(n) = sqrt(log(2 N T / delta) / (2 n)). If the intersection is empty, keep
       the end of the old interval that is nearer to the new one.
    3. Stop if no pair is relevant, or the decision is accepted; then play the winner for ever. Else go on with 1.

    The bounds of a score are the numbers of decided and of possible wins (Copeland), or the sums of the a_ij and of the
    b_ij (Borda). A candidate is an arm whose upper score reaches the best lower score.

                     Condorcet                       Copeland                               Borda
    candidates       no b_ij < 1/2                   as above                               as above
    relevant pair    of two candidates               undecided, of at least one candidate   of at least one candidate
    margin of i      min a_ij over candidates j      own lower - best upper of the others   the same
    accepted         one candidate is left (all variants); and with epsilon > 0, when the largest margin is
                     >= 1/2 - epsilon                >= -epsilon (K - 1)                    >= -epsilon (K - 1)
    winner           the candidate with the largest margin, ties at random (all variants)

    Argmax is the ordinary bandit: a duel of arm i > 0 with arm 0 samples the mean x_i0. N = K - 1, the pairs are the
    (0, i), the bounds of a score are a_i0 and b_i0, and a pair (0, i) is relevant while i is a candidate. With epsilon,
    accept if the largest margin is >= -epsilon. Arm 0 is never a candidate.

    Sampled independence (section 3.1, Algorithm 2 with M = starts, m = steps; we did not have the listing):

    1. Test each pair without a witness in the box of all [a_ij, b_ij], in lexicographic order. M times, go to a uniform
       point of the box. Then m times, draw x_ij anew from its interval; if this changes the decision, the point and the
       old value are the pair's witness; else draw a random parameter anew and continue from there.
    2. A pair without a witness is no longer relevant. Step 1 above duels the others; step 3 has no candidates, and the
       winner is the decision at the centre of the box. A decision is the arm with the highest score, ties: the lowest.
    """
    K = len(P)
    pairs = [(i, j) for i, j in combinations(range(K), 2) if i == 0 or variant != "argmax"]
    delta = 1 / horizon if delta is None else delta
    w, n = no_counts(K), no_counts(K)
    # Step 0.
    a, b = [[0.0] * K for _ in range(K)], [[1.0] * K for _ in range(K)]
    witnesses = dict.fromkeys(pairs)
    while True:
        # Step 3.
        if independence == "sampled":
            for pair, witness in list(witnesses.items()):
                if witness is None or not within(a, b, witness, pairs):
                    witnesses[pair] = search_witness(a, b, pair, pairs, variant, starts, steps, policy)
                    if witnesses[pair] is None:
                        del witnesses[pair]
            relevant = list(witnesses)
            if not relevant:
                centre = [[(a[i][j] + b[i][j]) / 2 for j in range(K)] for i in range(K)]
                return decision(centre, variant)
        else:
            candidates = candidate_arms(a, b, variant)
            relevant = [pair for pair in pairs if is_relevant(a, b, *pair, candidates, variant)]
            margin = margins(a, b, candidates, variant)
            scale = 1 if variant == "argmax" else K - 1
            enough = 0.5 - epsilon if variant == "condorcet" else -epsilon * scale
            accepted = len(candidates) == 1 or (epsilon > 0 and max(margin.values()) >= enough)
            if accepted or not relevant:
                return pick([i for i in candidates if margin[i] == max(margin.values())], policy)
        # Step 1: min() breaks ties by the first pair.
        i, j = min(relevant, key=lambda pair: n[pair[0]][pair[1]])
        w[i][j] += int(first_wins(P, i, j, environment))
        n[i][j] += 1
        # Step 2.
        mean, c = w[i][j] / n[i][j], savage_radius(n[i][j], len(pairs), horizon, delta)
        a_new, b_new = max(a[i][j], mean - c), min(b[i][j], mean + c)
        if a_new > b_new:
            a_new = b_new = b[i][j] if mean - c > b[i][j] else a[i][j]
        a[i][j], b[i][j] = a_new, b_new
        a[j][i], b[j][i] = 1 - b_new, 1 - a_new
        yield i, j


def savage_radius(n, N, T, delta):
    return math.sqrt(math.log(2 * N * T / delta) / (2 * n))


def others(K, i):
    return [j for j in range(K) if j != i]


def bounds(a, b, variant):
    """The lower and upper scores of all arms."""
    K = len(a)
    if variant == "argmax":
        return tuple([-math.inf if i == 0 else x[i][0] for i in range(K)] for x in (a, b))
    if variant == "copeland":
        lower = [sum(a[i][j] > 0.5 for j in others(K, i)) for i in range(K)]
        upper = [sum(b[i][j] >= 0.5 for j in others(K, i)) for i in range(K)]
    else:
        lower = [sum(a[i][j] for j in others(K, i)) for i in range(K)]
        upper = [sum(b[i][j] for j in others(K, i)) for i in range(K)]
    return lower, upper


def candidate_arms(a, b, variant):
    K = len(a)
    if variant == "condorcet":
        return [i for i in range(K) if all(b[i][j] >= 0.5 for j in others(K, i))]
    lower, upper = bounds(a, b, variant)
    return [i for i in range(K) if upper[i] >= max(lower)]


def is_relevant(a, b, i, j, candidates, variant):
    if variant == "argmax":
        return j in candidates
    if variant == "condorcet":
        return i in candidates and j in candidates
    if variant == "copeland" and not a[i][j] <= 0.5 <= b[i][j]:
        return False
    return i in candidates or j in candidates


def margins(a, b, candidates, variant):
    """The margin of every candidate; infinite for the last candidate of the Condorcet variant."""
    K = len(a)
    if variant == "condorcet":
        return {i: min((a[i][j] for j in candidates if j != i), default=math.inf) for i in candidates}
    lower, upper = bounds(a, b, variant)
    return {i: lower[i] - max(upper[j] for j in others(K, i)) for i in candidates}


def scores(x, variant):
    """The scores of all arms at a point."""
    K = len(x)
    if variant == "argmax":
        return [-math.inf] + [x[i][0] for i in range(1, K)]
    if variant == "borda":
        return [sum(x[i][j] for j in others(K, i)) for i in range(K)]
    return [sum(x[i][j] > 0.5 for j in others(K, i)) for i in range(K)]


def decision(x, variant):
    s = scores(x, variant)
    return s.index(max(s))


def put(x, i, j, value):
    x[i][j], x[j][i] = value, 1 - value


def uniform_sample(a, b, i, j, policy):
    return a[i][j] + (b[i][j] - a[i][j]) * policy.random()


def search_witness(a, b, pair, pairs, variant, starts, steps, policy):
    """Two points of the box that differ only in the pair but have different decisions; None if none was found."""
    for _ in range(starts):
        x = [[0.5] * len(a) for _ in a]
        for i, j in pairs:
            put(x, i, j, uniform_sample(a, b, i, j, policy))
        for _ in range(steps):
            before, value = decision(x, variant), x[pair[0]][pair[1]]
            put(x, *pair, uniform_sample(a, b, *pair, policy))
            if decision(x, variant) != before:
                y = [list(row) for row in x]
                put(y, *pair, value)
                return x, y
            other = pairs[int(policy.random() * len(pairs))]
            put(x, *other, uniform_sample(a, b, *other, policy))
    return None


def within(a, b, witness, pairs):
    return all(a[i][j] <= x[i][j] <= b[i][j] for x, (i, j) in product(witness, pairs))


def search(P, N, duel_of, T, policy, environment, rule, delta):
    """Best-arm identification in a bandit: the competitors of SAVAGE (Urvoy et al., ICML 2013), as we read them.

    There are N bandit arms. A play is a duel; its reward is 1 if the first arm of the duel wins. The horizon T is
    known; delta is 1/T unless given.

    1. Intervals are p̂ ± sqrt(log(2 N T / delta) / (2 n)).
    2. Elimination (Even-Dar, Mannor, Mansour 2002): play each remaining arm once, then drop arms whose upper end is
       below the largest lower end. Uniform: the same, but drop none. UCB (Auer, Cesa-Bianchi, Fischer 2002): play the
       arm with the largest mean + sqrt(2 log n / n_k).
    3. Stop when one arm is left (with uniform: would be left) or, with UCB, when the lower end of an arm is above all
       other upper ends.

    Yield the duels; return the bandit arm found. ``duel_of(k)``: the arms that duel when bandit arm k is played.
    """
    delta = 1 / T if delta is None else delta
    bandit = Ucb(N, 2.0)

    def ends(k):
        # Step 1.
        rewards = bandit.rewards[k]
        if not rewards:
            return -math.inf, math.inf
        mean, c = sum(rewards) / len(rewards), math.sqrt(math.log(2 * N * T / delta) / (2 * len(rewards)))
        return mean - c, mean + c

    left, queue = list(range(N)), list(range(N))
    while True:
        # Steps 2 and 3.
        if rule in ("elimination", "uniform"):
            if not queue:
                best = max(ends(k)[0] for k in left)
                above = [k for k in left if ends(k)[1] >= best]
                if len(above) == 1 or rule == "elimination":
                    left = above
                queue = list(left)
            if len(left) == 1:
                return left[0]
            play = queue.pop(0)
        else:
            all_ends = [ends(k) for k in range(N)]
            top = max(range(N), key=lambda k: all_ends[k][0])
            if all(all_ends[k][1] < all_ends[top][0] for k in range(N) if k != top):
                return top
            play = bandit.advance(policy)
        i, j = duel_of(play)
        bandit.feedback(play, first_wins(P, i, j, environment))
        yield i, j


def naive(P, horizon, policy, environment, rule="elimination", delta=None):
    """A naive bandit, a competitor of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013, section 5.1), as we read it.

    An ordinary bandit with K - 1 arms: a play of arm i is a duel of i with arm 0, with reward 1 if i wins. The best arm
    found (``search``) duels itself for ever.
    """
    found = yield from search(P, len(P) - 1, lambda k: (k + 1, 0), horizon, policy, environment, rule, delta)
    return found + 1


def wrapped(P, horizon, policy, environment, rule="elimination", delta=None):
    """A wrapped bandit, a competitor of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), as we read it.

    An ordinary bandit with K arms: a play is a duel with a random other arm. The best arm found (``search``) duels
    itself for ever.
    """
    K = len(P)

    def duel_of(i):
        return i, pick([k for k in range(K) if k != i], policy)

    return (yield from search(P, K, duel_of, horizon, policy, environment, rule, delta))


def uniform_exploration(P, horizon, policy, environment):
    """Uniform exploration, the baseline of SAVAGE (Urvoy, Clerot, Féraud, Naamane, ICML 2013), for the Copeland winner.

    The horizon T is known; delta = 1/T. N = K (K - 1) / 2.

    1. Duel every pair i < j once, lexicographically.
    2. Intervals are p̂ ± sqrt(log(2 N T / delta) / (2 n)). A pair whose interval excludes 1/2 stays decided: all
       intervals hold simultaneously with probability 1 - delta.
    3. If some arm's lower Copeland count exceeds every other upper count, or every pair is decided, the arm with the
       highest lower count, ties at random, duels itself for ever. Else go on with 1.
    """
    K = len(P)
    pairs = list(combinations(range(K), 2))
    w = no_counts(K)

    def radius(n):
        return math.sqrt(math.log(2 * len(pairs) * horizon * horizon) / (2 * n))

    beats = set()
    while True:
        # Step 1.
        for i, j in pairs:
            duel(P, i, j, environment, w)
            yield i, j
        # Step 2.
        for i, j in pairs:
            if not {(i, j), (j, i)} & beats and is_decided(w, i, j, radius):
                beats.add((i, j) if w[i][j] > w[j][i] else (j, i))
        # Step 3.
        lower = [sum((i, j) in beats for j in range(K)) for i in range(K)]
        upper = [sum((j, i) not in beats for j in range(K) if j != i) for i in range(K)]
        if selected(lower, upper) or len(beats) == len(pairs):
            break
    return best(lower, policy)
