"""MDB and DETECT (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

Algorithms that MDB and DETECT wrap: one step at a time, ``choose`` and then ``learn``. The steps are those of
``ws_s``, ``rucb``, ``ws_w``, ``btw`` and ``mbtw``. ``suspect``: who the Condorcet winner is suspected to be.
"""

import math
from itertools import combinations

import numpy as np

from .conventions import first_wins, may_beat, no_counts, pick, shuffled, upper
from .winner_stays import pair


class Window:
    def __init__(self, w):
        self.w, self.outcomes = w, []

    def has_changed(self, outcome, b):
        """Push an outcome; whether the window is full and the sums of its halves differ by more than b."""
        self.outcomes = [*self.outcomes, outcome][-self.w :]
        half = self.w // 2
        older, newer = self.outcomes[:half], self.outcomes[half:]
        return len(self.outcomes) == self.w and abs(sum(newer) - sum(older)) > b


def even(x):
    """The least even integer >= ceil(x), at least 2."""
    n = max(2, -int(-x // 1))
    return n + n % 2


class WsW:
    """``l``: the round; in it K - 1 iterations, each of which ends when an arm has C = -l."""

    def __init__(self, K, policy):
        self.K, self.policy = K, policy
        self.C, self.previous = [0] * K, ()
        self.l, self.iterations, self.incumbent, self.suspect = 1, 0, None, None

    def choose(self, t):
        self.previous = pair(self.C, self.previous, self.policy)
        if self.incumbent is None:
            self.incumbent = self.suspect = self.previous[0]
        return self.previous

    def learn(self, first, second, first_won):
        winner, loser = (first, second) if first_won else (second, first)
        self.C[winner] += 1
        self.C[loser] -= 1
        if self.C[loser] == -self.l:  # the loser has lost the iteration
            self.incumbent = winner
            self.iterations += 1
            if self.l == 1:
                self.suspect = winner
        if self.iterations == self.K - 1:  # the incumbent has won the round
            self.suspect = self.incumbent
            self.l, self.iterations = self.l + 1, 0


class WsS(WsW):
    def __init__(self, K, policy, beta):
        super().__init__(K, policy)
        self.beta, self.exploit = beta, 0

    def choose(self, t):
        if self.exploit:
            self.exploit -= 1
            return self.suspect, self.suspect
        return super().choose(t)

    def learn(self, first, second, first_won):
        if first != second:
            l = self.l  # noqa: E741
            super().learn(first, second, first_won)
            if self.l > l:
                self.exploit = math.floor(self.beta**l)


class Rucb:
    def __init__(self, K, policy, alpha):
        self.K, self.policy, self.alpha = K, policy, alpha
        self.w, self.B = no_counts(K), []

    def choose(self, t):
        K, w, alpha, policy = self.K, self.w, self.alpha, self.policy
        C = [c for c in range(K) if all(may_beat(w, c, j, t, alpha) for j in range(K) if j != c)]
        self.B = [b for b in self.B if b in C]
        if len(C) == 0:
            c = pick(range(K), policy)
        elif len(C) == 1:
            self.B = C
            c = C[0]
        elif self.B and policy.random() < 0.5:
            c = self.B[0]
        else:
            c = pick([arm for arm in C if arm not in self.B], policy)
        rivals = [j for j in range(K) if j != c and may_beat(w, j, c, t, alpha)]
        if not rivals:
            return c, c
        highest = max(upper(w, j, c, t, alpha) for j in rivals)
        return c, pick([j for j in rivals if upper(w, j, c, t, alpha) == highest], policy)

    def learn(self, first, second, first_won):
        if first != second:
            winner, loser = (first, second) if first_won else (second, first)
            self.w[winner][loser] += 1


class Btw:
    def __init__(self, K, policy):
        self.suspect, self.challenger, *self.waiting = shuffled(range(K), policy)
        self.r, self.wins = 1, [0, 0]

    def choose(self, t):
        return self.suspect, self.challenger

    def learn(self, first, second, first_won):
        self.wins[not first_won] += 1
        if max(self.wins) == self.r:
            winner, loser = (first, second) if first_won else (second, first)
            self.waiting.append(loser)
            self.suspect, self.challenger = winner, self.waiting.pop(0)
            self.r, self.wins = self.r + 1, [0, 0]


class Mbtw:
    def __init__(self, K, policy):
        self.r, self.policy = [1] * K, policy
        self.suspect, self.opponent, self.wins = pick(range(K), policy), None, [0, 0]

    def choose(self, t):
        if self.opponent is None:
            others = [arm for arm in range(len(self.r)) if arm != self.suspect]
            self.opponent = pick(
                [arm for arm in others for _ in range(self.r[arm] if len(others) > 1 else 1)], self.policy
            )
        return self.suspect, self.opponent

    def learn(self, first, second, first_won):
        self.wins[not first_won] += 1
        if max(self.wins) == self.r[first]:
            winner, loser = (first, second) if first_won else (second, first)
            self.r[winner] += 1
            self.r[loser] = max(self.r[loser] - 1, 1)
            self.suspect, self.opponent, self.wins = winner, None, [0, 0]


def mdb(
    P, horizon, policy, environment, inner="ws-s", beta=1.05, alpha=1.0, transfer=False, M=1, delta=0.3, window=None,
    threshold=None, gamma=None,
):  # fmt: skip
    """Monitored Dueling Bandits (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

    With G = ln((4T + 2) sqrt(T) / (sqrt(M) K)): w is the least even integer >= ceil(8 G / delta^2), b = sqrt(w G / 2),
    gamma = sqrt(M w / T) (K - 1) / 2 (at most 1, as we read it).

    0. The pairs are in a random order, once for the run. t' = 1, all windows are empty, the inner algorithm begins.
       period = floor(K (K - 1) / (2 gamma)).
    1. r = (t' - 1) mod period. If r < K (K - 1) / 2: duel pair r of the order, the smaller index first, and push the
       outcome of the smaller index to the pair's window. If the window is full, and the sums of its newer and its older
       half differ by more than b: begin again with t' = 1, empty windows and a new inner algorithm, but the same order.
    2. Otherwise the inner algorithm chooses and learns. Its rounds are those that it plays; with "transfer" it learns
       from the others, too, and they count.
    3. t' += 1.
    """
    K = len(P)
    w, b, gamma = mdb_constants(horizon, K, M, delta, window, threshold, gamma)
    # Step 0.
    order = shuffled(combinations(range(K), 2), policy)
    period = math.floor(K * (K - 1) / 2 / gamma)
    t_prime = played = 0
    path = []
    for _ in range(horizon):
        if t_prime == 0:
            windows, algorithm, played, t_prime = {pair: Window(w) for pair in order}, None, 0, 1
            algorithm = begin(inner, K, policy, beta, alpha)
        # Step 1.
        r = sweep_place(t_prime, period)
        if r < len(order):
            i, j = order[r]
            path.append((i, j))
            i_won = first_wins(P, i, j, environment)
            if transfer:
                algorithm.learn(i, j, i_won)
            if windows[i, j].has_changed(int(i_won), b):
                t_prime = 0
                continue
        else:
            # Step 2.
            played += 1
            first, second = algorithm.choose(t_prime if transfer else played)
            path.append((first, second))
            algorithm.learn(first, second, first != second and first_wins(P, first, second, environment))
        # Step 3.
        t_prime += 1
    return np.array(path, dtype=int)


def mdb_constants(T, K, M, delta, window=None, threshold=None, gamma=None):
    G = math.log(max(math.e, (4 * T + 2) * math.sqrt(T) / (math.sqrt(M) * K)))
    w = window or even(8 * G / delta**2)
    b = math.sqrt(w * G / 2) if threshold is None else threshold
    return w, b, gamma or min(1, math.sqrt(M * w / T) * (K - 1) / 2)


def begin(inner, K, policy, beta, alpha):
    return WsS(K, policy, beta) if inner == "ws-s" else Rucb(K, policy, alpha)


def sweep_place(t_prime, period):
    return (t_prime - 1) % period


INNER = {"ws-w": WsW, "btw": Btw, "mbtw": Mbtw}


def detect(
    P, horizon, policy, environment, inner="ws-w", form="root", p_min=0.55, delta=0.3, explore=None, window=None,
    threshold=None,
):  # fmt: skip
    """DETECT (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

    With q = (2 p_min - 1)^2:
       log form:  T~ = floor((ln(T / ((1 - e^-q) ln T)) / q + K - 1)^2), w = even >= ceil((16 ln T + 6) / delta^2),
                  b = sqrt(w (ln T + 3/8));
       root form: T~ = floor(sqrt(T)), x = exp(-(T^(1/4) - K + 1) q) / (1 - e^-q), w = even >= ceil(8 ln(2T / x) /
       delta^2),
                  b = sqrt(w/2 ln(2T / x)); where T is so small that the logarithm is less than 1, it is 1 (ours).

    1. For T~ rounds the inner algorithm, started afresh, chooses and learns.
    2. I = the arm that it suspects to be the Condorcet winner; the windows are empty.
    3. Duel I with the other arms in the order of their indices, again and again. Push each outcome to that pair's
       window. If it is full, and the sums of its newer and its older half differ by more than b: go to 1.
    """
    constant = detect_constants(horizon, len(P), p_min, delta, form, explore, window, threshold)
    course = duels(P, policy, environment, inner, *constant)
    return np.array([next(course) for _ in range(horizon)], dtype=int)


def detect_constants(T, K, p_min, delta, form, explore=None, window=None, threshold=None):
    q = (2 * p_min - 1) ** 2
    if form == "log":
        L = math.log(T)
        T_tilde = math.floor((math.log(max(T, 2) / ((1 - math.exp(-q)) * math.log(max(T, 2)))) / q + K - 1) ** 2)
        w = window or even((16 * L + 6) / delta**2)
        b = math.sqrt(w * (L + 3 / 8))
    else:
        x = math.exp(-(T**0.25 - K + 1) * q) / (1 - math.exp(-q))
        L = max(1, math.log(2 * T / x))
        T_tilde = math.floor(math.sqrt(T))
        w = window or even(8 * L / delta**2)
        b = math.sqrt(w / 2 * L)
    return explore or T_tilde, w, b if threshold is None else threshold


def duels(P, policy, environment, inner, T_tilde, w, b):
    K = len(P)
    while True:
        # Step 1.
        algorithm = INNER[inner](K, policy)
        for t in range(1, T_tilde + 1):
            first, second = algorithm.choose(t)
            yield first, second
            algorithm.learn(first, second, first_wins(P, first, second, environment))
        # Step 2.
        I = algorithm.suspect  # noqa: E741
        windows = {j: Window(w) for j in range(K) if j != I}
        # Step 3.
        changed = False
        while not changed:
            for j in windows:
                yield I, j
                changed = windows[j].has_changed(int(first_wins(P, I, j, environment)), b)
                if changed:
                    break
