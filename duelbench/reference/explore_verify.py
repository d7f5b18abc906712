"""Explore-Verify (Karnin, NeurIPS 2016) for a Condorcet winner; both questions about a pair are settled by themselves.

0. kappa = min(1/3, 1/ln(1/delta)). All means are those of q = 2P - 1; [l, u] = q̂ -+ sqrt(2 ln(2 n² K² / gamma) / n)
   after n duels of a pair. For r = 1, 2, ...:
1. Explore, gamma = kappa, with fresh counts: all (x, y), x != y, are open. Each round duels every pair {x, y} once of
   which (x, y) or (y, x) is open. Then an open (x, y) is settled
   a. if l[x, y] > 0: x beats y;
   b. if u[x, y] < 0 and 2 u[x, y] < l[x, y]: y beats x, and by how much is known;
   c. if u[x, y'] < min(0, l[x, y]) for some y': another arm beats x more clearly.
2. With nothing open: the candidate is the first arm, in a random order, that beats all others by a.; if there is none
   go to the next r. The witness against any other x is the y with the smallest u[x, y].
3. Verify, gamma = delta/(2 r²), with fresh counts: each round duels every x that has not lost against its witness once;
   if l > 0 for one of them go to the next r; who has u < 0 has lost. When all have, declare the candidate.
"""

import math

from .arithmetic import first_wins, no_counts
from .exploration import course
from .random_order import shuffled


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


def explore(P, horizon, policy, environment, delta=0.05):
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


def run(P, horizon, policy, environment, delta=0.05):
    return course(explore(P, horizon, policy, environment, delta), horizon)[0]
