"""Tests for a Condorcet winner: NTS, SELECT, SELECT-then-verify, DKWT, Explore-Verify."""

import math

from .conventions import first_wins, no_counts, shuffled


def limit(h, gamma):
    return math.ceil(math.log((1 - gamma) / gamma) / math.log((1 / 2 + h) / (1 / 2 - h)))


def sprt(P, i, j, h, gamma, environment):
    """SPRT (Wald; as in Haddenhorst, Bengs, Brandt, Hüllermeier, UAI 2021): which arm wins, for |P - 1/2| > h.

    c = ceil(ln((1 - gamma)/gamma) / ln((1/2 + h)/(1/2 - h))). Duel until |2 w - n| > c; the arm ahead has won.

    Yield the duels; return the winner and the loser.
    """
    c = limit(h, gamma)
    w = n = 0
    while not abs(2 * w - n) > c:
        w += int(first_wins(P, i, j, environment))
        n += 1
        yield i, j
    return (i, j) if 2 * w > n else (j, i)


def without_a_winner(arms, pairs_won):
    """The declaration of no winner, and the arm to play then: the first arm with the most pairs won."""
    return None, max(arms, key=lambda arm: pairs_won[arm])


def nts(P, horizon, policy, environment, h=0.05, alpha=0.05, beta=0.05):
    """NTS (Haddenhorst, Bengs, Brandt, Hüllermeier, UAI 2021): find the Condorcet winner, or that there is none.

    1. gamma' = min(alpha/K, beta/(K - 1)). One SPRT(h, gamma') decides a pair, which is never asked again.
    2. Bracket: an almost complete binary tree over a random permutation (first round: K - 2^(ceil(log2 K) - 1) pairs,
       of the first arms; then a power of two); winners move up.
    3. The bracket's winner plays every arm it has not met, in the order of the permutation, until it loses or has
       beaten all.
    4. If some arm has beaten all K - 1 others, declare it. If every arm has lost a decided pair, declare that there is
       no winner; the first arm with the most pairs won duels itself.
    """
    K = len(P)
    # Step 1.
    gamma = min(alpha / K, beta / (K - 1))
    beaten = [set() for _ in range(K)]

    def decide(i, j):
        winner, loser = yield from sprt(P, i, j, h, gamma, environment)
        beaten[winner].add(loser)
        return winner

    # Step 2.
    order = shuffled(range(K), policy)
    arms = list(order)
    pairs = K - 2 ** (math.ceil(math.log2(K)) - 1)
    while len(arms) > 1:
        winners = []
        for k in range(pairs):
            winners.append((yield from decide(arms[2 * k], arms[2 * k + 1])))
        arms = winners + arms[2 * pairs :]
        pairs = len(arms) // 2
    i = arms[0]
    # Step 3. All others have lost in the bracket: with a loss of i every arm has.
    for j in order:
        if j != i and j not in beaten[i] and (yield from decide(i, j)) != i:
            return without_a_winner(order, [len(each) for each in beaten])
    # Step 4.
    assert len(beaten[i]) == K - 1
    return i


def select(P, horizon, policy, environment, delta=0.05, gap=0.05, duels_per_pair=None, budget=None, early_stop=False):
    """SELECT (Mohajer, Suh, Elmahdy, ICML 2017): the best arm by single elimination, with m duels per pair.

    1. m = ceil(ln(log2(K)/delta) / (2 gap^2)); or duels_per_pair; or floor(budget/(K - 1)), at least 1.
    2. Put the arms into random order and pair neighbours; the odd last arm passes on. m duels each; the first arm wins
       with at least m/2 wins. early_stop: a pair ends when one arm has more than m/2 wins.
    3. Repeat with the winners and the arm that passed on, in this order; declare the last one.
    """
    K = len(P)
    # Step 1.
    m = duels_for(K, delta, gap)
    if duels_per_pair is not None:
        m = duels_per_pair
    if budget is not None:
        m = max(1, budget // (K - 1))
    # Steps 2 and 3.
    return (yield from bracket(P, shuffled(range(K), policy), m, environment, early_stop, [0] * K))


def duels_for(K, delta, gap):
    return math.ceil(math.log(math.log2(K) / delta) / (2 * gap**2))


def match(P, i, j, m, environment, early_stop=False):
    """Yield the duels of step 2; return the winner and the loser."""
    w = n = 0
    while n < m and not (early_stop and max(w, n - w) > m / 2):
        w += int(first_wins(P, i, j, environment))
        n += 1
        yield i, j
    return (i, j) if w >= n / 2 else (j, i)


def bracket(P, order, m, environment, early_stop, pairs_won):
    """Steps 2 and 3 on arms in this order."""
    while len(order) > 1:
        winners = []
        for k in range(0, len(order) - 1, 2):
            winner, _ = yield from match(P, order[k], order[k + 1], m, environment, early_stop)
            pairs_won[winner] += 1
            winners.append(winner)
        order = winners + ([order[-1]] if len(order) % 2 == 1 else [])
    return order[0]


def select_then_verify(P, horizon, policy, environment, h=0.05, alpha=0.05, beta=0.05):
    """SELECT-then-verify (Haddenhorst, Bengs, Brandt, Hüllermeier, UAI 2021): the Condorcet winner, or none.

    gamma = min(alpha, beta).
    1. SELECT with delta = gamma/2 and gap = h.
    2. SPRT(h, gamma/(2(K - 1))) of its winner against each other arm, in the order of SELECT's permutation. On a loss,
       declare that there is no winner; the arm that has won the most pairs, in both steps, duels itself.
    3. If it wins all tests, declare it.
    """
    K = len(P)
    gamma = min(alpha, beta)
    # Step 1.
    order = shuffled(range(K), policy)
    pairs_won = [0] * K
    i = yield from bracket(P, order, duels_for(K, gamma / 2, h), environment, False, pairs_won)
    # Step 2.
    for j in order:
        if j != i:
            winner, _ = yield from sprt(P, i, j, h, gamma / (2 * (K - 1)), environment)
            pairs_won[winner] += 1
            if winner != i:
                return without_a_winner(order, pairs_won)
    # Step 3.
    return i


def dkwt(P, horizon, policy, environment, delta=0.05, reuse=False):
    """DKWT (Haddenhorst, Bengs, Hüllermeier, NeurIPS 2021), a Dvoretzky-Kiefer-Wolfowitz tournament, here for duels.

    1. delta' = delta/K. Draw two random arms; one is the candidate.
    2. Decide a pair: for s = 1, 2, ...: h = 2^(-s - 1), gamma = 6 delta'/(pi^2 s^2), T = ceil((8/h^2) ln(4/gamma))
       duels; if |2 p̂ - 1| > h the majority wins, else next s. p̂ is over the T duels; with reuse, over all duels of
       this pair.
    3. The loser is out; the winner meets a random arm not yet seen; declare the last winner.
    """
    K = len(P)
    # Step 1.
    order = shuffled(range(K), policy)
    champion = order[0]
    for arm in order[1:]:
        # Steps 2 and 3.
        champion = yield from decide(P, champion, arm, delta / K, reuse, environment)
    return champion


def duels_of_step(s, delta):
    h = 2 ** (-s - 1)
    gamma = 6 * delta / (math.pi**2 * s**2)
    return math.ceil(8 / h**2 * math.log(4 / gamma))


def decide(P, i, j, delta, reuse, environment):
    s = w = n = 0
    while True:
        s += 1
        if not reuse:
            w = n = 0
        for _ in range(duels_of_step(s, delta)):
            w += int(first_wins(P, i, j, environment))
            n += 1
            yield i, j
        if abs(2 * w - n) > 2 ** (-s - 1) * n:
            return i if 2 * w > n else j


def explore_verify(P, horizon, policy, environment, delta=0.05):
    """Explore-Verify (Karnin, NeurIPS 2016) for a Condorcet winner; each ordered pair is settled separately.

    0. kappa = min(1/3, 1/ln(1/delta)). All means are those of q = 2P - 1; [l, u] = q̂ -+ sqrt(2 ln(2 n² K² / gamma) /
       n) after n duels of a pair. For r = 1, 2, ...:
    1. Explore, gamma = kappa, with fresh counts: all (x, y), x != y, are open. Each round duels every pair {x, y} once
       if (x, y) or (y, x) is open. Then an open (x, y) is settled a. if l[x, y] > 0: x beats y; b. if u[x, y] < 0 and
       2 u[x, y] < l[x, y]: y beats x by a margin that is known well enough; c. if u[x, y'] < min(0, l[x, y]) for some
       y': another arm beats x more clearly.
    2. If nothing is open: the candidate is the first arm, in a random order, that beats all others by a.; if there is
       none, go to the next r. The witness against any other x is the y with the smallest u[x, y].
    3. Verify, gamma = delta/(2 r²), with fresh counts: each round duels every x that has not lost against its witness
       once. If l > 0 for one of them, go to the next r. If u < 0, x has lost. If all have lost, declare the candidate.
    """
    kappa = min(1 / 3, -1 / math.log(delta))
    order = shuffled(range(len(P)), policy)
    r = 0
    while True:
        r += 1
        candidate, witness = yield from exploration(P, order, kappa, environment)
        if candidate is None:
            continue
        verified = yield from verification(P, order, candidate, witness, delta / (2.0 * r * r), environment)
        if verified:
            return candidate


def interval(w, n, K, gamma):
    q = 2 * w / n - 1
    radius = math.sqrt(2 * math.log(2.0 * n * n * K * K / gamma) / n)
    return q - radius, q + radius


def exploration(P, order, kappa, environment):
    """Steps 1 and 2: yield the duels; return the candidate, None if there is none, and the witnesses."""
    K = len(P)
    n, w = no_counts(K), no_counts(K)
    opened = {(x, y) for x in order for y in order if x != y}
    beats = set()
    while opened:
        for a, x in enumerate(order):
            for y in order[a + 1 :]:
                if (x, y) in opened or (y, x) in opened:
                    winner, loser = (x, y) if first_wins(P, x, y, environment) else (y, x)
                    w[winner][loser] += 1
                    n[x][y] += 1
                    n[y][x] += 1
                    yield x, y
        bounds = {(x, y): interval(w[x][y], n[x][y], K, kappa) for x in order for y in order if x != y}
        for x, y in list(opened):
            low, high = bounds[x, y]
            others = [bounds[x, z][1] for z in order if z not in (x, y)]
            if low > 0:
                beats.add((x, y))
            if low > 0 or (high < 0 and 2 * high < low) or any(other < min(0, low) for other in others):
                opened.remove((x, y))
    winners = [x for x in order if all((x, y) in beats for y in order if y != x)]
    witness = {x: min((y for y in order if y != x), key=lambda y: bounds[x, y][1]) for x in order}
    return (winners[0] if winners else None), witness


def verification(P, order, candidate, witness, delta, environment):
    """Step 3: yield the duels; return whether all have lost."""
    n, wins = 0, dict.fromkeys(order, 0)
    left = [x for x in order if x != candidate]
    while left:
        n += 1
        for x in left:
            wins[x] += int(first_wins(P, x, witness[x], environment))
            yield x, witness[x]
        bounds = {x: interval(wins[x], n, len(P), delta) for x in left}
        if any(low > 0 for low, _ in bounds.values()):
            return False
        left = [x for x in left if not bounds[x][1] < 0]
    return True
