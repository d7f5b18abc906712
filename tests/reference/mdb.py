"""MDB and DETECT (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), following the authors' code.

They wrap algorithms that play one step at a time, see ``winner_stays``.
"""

import math
from itertools import combinations

from .conventions import challenger, first_wins, no_counts, shuffled
from .rucb import champion
from .winner_stays import Btw, Mbtw, WsS, WsW


class Window:
    def __init__(self, w):
        self.w, self.outcomes = w, []

    def has_changed(self, outcome, b):
        """Push an outcome; return whether the window is full and the sums of its halves differ by more than b."""
        self.outcomes = [*self.outcomes, outcome][-self.w :]
        half = self.w // 2
        older, newer = self.outcomes[:half], self.outcomes[half:]
        return len(self.outcomes) == self.w and abs(sum(newer) - sum(older)) > b


def even(x):
    """The least even integer >= ceil(x), at least 2."""
    n = max(2, -int(-x // 1))
    return n + n % 2


class Rucb:
    def __init__(self, K, policy, alpha):
        self.policy, self.alpha = policy, alpha
        self.w, self.B = no_counts(K), []

    def choose(self, t):
        c, self.B = champion(self.w, self.B, t, self.alpha, self.policy)
        return c, challenger(self.w, c, t, self.alpha, self.policy)

    def learn(self, first, second, first_won):
        if first != second:
            winner, loser = (first, second) if first_won else (second, first)
            self.w[winner][loser] += 1


def mdb(
    P, horizon, policy, environment, inner="ws-s", beta=1.05, alpha=1.0, transfer=False, M=1, delta=0.3, window=None,
    threshold=None, gamma=None,
):  # fmt: skip
    """Monitored Dueling Bandits (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), following their code.

    With G = max(1, ln((4T + 2) sqrt(T) / (sqrt(M) K))): w is the least even integer >= ceil(8 G / delta^2),
    b = sqrt(w G / 2), gamma = sqrt(M w / T) (K - 1) / 2 (at most 1, in our reading).

    0. Draw an order of the pairs, once for the run. t' = 1, all windows are empty, the inner algorithm begins.
       period = floor(K (K - 1) / (2 gamma)).
    1. r = (t' - 1) mod period. If r < K (K - 1) / 2: duel pair r of the order, the smaller index first, and push the
       outcome of the smaller index to the pair's window. If the window is full, and the sums of its newer and its older
       half differ by more than b: begin again with t' = 1, empty windows and a new inner algorithm, but the same order.
    2. Otherwise the inner algorithm chooses and learns. It counts only the rounds that it plays; with "transfer" it
       also learns from the duels of step 1, and counts them.
    3. t' += 1.
    """
    K = len(P)
    w, b, gamma = mdb_constants(horizon, K, M, delta, window, threshold, gamma)
    # Step 0.
    order = shuffled(combinations(range(K), 2), policy)
    period = math.floor(K * (K - 1) / 2 / gamma)
    t_prime = played = 0
    while True:
        if t_prime == 0:
            windows, algorithm, played, t_prime = {pair: Window(w) for pair in order}, None, 0, 1
            algorithm = begin(inner, K, policy, beta, alpha)
        # Step 1.
        r = sweep_place(t_prime, period)
        if r < len(order):
            i, j = order[r]
            yield i, j
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
            yield first, second
            algorithm.learn(first, second, first != second and first_wins(P, first, second, environment))
        # Step 3.
        t_prime += 1


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
    """DETECT (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), following their code.

    With q = (2 p_min - 1)^2:
       log form:  T~ = floor((ln(T / ((1 - e^-q) ln T)) / q + K - 1)^2), w = even >= ceil((16 ln T + 6) / delta^2),
                  b = sqrt(w (ln T + 3/8));
       root form: T~ = floor(sqrt(T)), x = exp(-(T^(1/4) - K + 1) q) / (1 - e^-q), w = even >= ceil(8 ln(2T / x) /
       delta^2),
                  b = sqrt(w/2 ln(2T / x)); a logarithm below 1 (for small T) is replaced by 1 (our choice).

    1. For T~ rounds the inner algorithm, started afresh, chooses and learns.
    2. I = the arm that it suspects to be the Condorcet winner; the windows are empty.
    3. Duel I against the other arms in the order of their indices, in turn. Push each outcome to that pair's
       window. If it is full, and the sums of its newer and its older half differ by more than b: go to 1.
    """
    K = len(P)
    T_tilde, w, b = detect_constants(horizon, K, p_min, delta, form, explore, window, threshold)
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
