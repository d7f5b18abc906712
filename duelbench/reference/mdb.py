"""Monitored Dueling Bandits (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

With G = ln((4T + 2) sqrt(T) / (sqrt(M) K)): w is the least even integer >= ceil(8 G / delta^2), b = sqrt(w G / 2),
gamma = sqrt(M w / T) (K - 1) / 2 (at most 1, as we read it).

0. The pairs are in a random order, once for the run. t' = 1, all windows are empty, the inner algorithm begins.
   period = floor(K (K - 1) / (2 gamma)).
1. r = (t' - 1) mod period. If r < K (K - 1) / 2: duel pair r of the order, the smaller index first, and push the
   outcome of the smaller index to the pair's window. If the window is full, and the sums of its newer and its older
   half differ by more than b: begin again with t' = 1, empty windows and a new inner algorithm, but the same order.
2. Otherwise the inner algorithm chooses and learns. Its rounds are those that it plays; with "transfer" it learns from
   the others, too, and they count.
3. t' += 1.
"""

import math
from itertools import combinations

import numpy as np

from .arithmetic import first_wins
from .halves import Window, even
from .inner import Rucb, WsS
from .random_order import shuffled


def constants(T, K, M, delta, window=None, threshold=None, gamma=None):
    G = math.log(max(math.e, (4 * T + 2) * math.sqrt(T) / (math.sqrt(M) * K)))
    w = window or even(8 * G / delta**2)
    b = math.sqrt(w * G / 2) if threshold is None else threshold
    return w, b, gamma or min(1, math.sqrt(M * w / T) * (K - 1) / 2)


def begin(inner, K, policy, beta, alpha):
    return WsS(K, policy, beta) if inner == "ws-s" else Rucb(K, policy, alpha)


def sweep_place(t_prime, period):
    return (t_prime - 1) % period


def run(
    P, horizon, policy, environment, inner="ws-s", beta=1.05, alpha=1.0, transfer=False, M=1, delta=0.3, window=None,
    threshold=None, gamma=None,
):  # fmt: skip
    K = len(P)
    w, b, gamma = constants(horizon, K, M, delta, window, threshold, gamma)
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
