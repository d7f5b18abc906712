"""DETECT (Kolpaczki, Bengs, Hüllermeier, arXiv 2202.00935, 2022), by their code.

With q = (2 p_min - 1)^2:
   log form:  T~ = floor((ln(T / ((1 - e^-q) ln T)) / q + K - 1)^2), w = even >= ceil((16 ln T + 6) / delta^2),
              b = sqrt(w (ln T + 3/8));
   root form: T~ = floor(sqrt(T)), x = exp(-(T^(1/4) - K + 1) q) / (1 - e^-q), w = even >= ceil(8 ln(2T / x) / delta^2),
              b = sqrt(w/2 ln(2T / x)); where T is so small that the logarithm is less than 1, it is 1 (ours).

1. For T~ rounds the inner algorithm, started afresh, chooses and learns.
2. I = the arm that it suspects to be the Condorcet winner; the windows are empty.
3. Duel I with the other arms in the order of their indices, again and again. Push each outcome to that pair's window.
   If it is full, and the sums of its newer and its older half differ by more than b: go to 1.
"""

import math

import numpy as np

from .arithmetic import first_wins
from .halves import Window, even
from .inner import Btw, Mbtw, WsW

INNER = {"ws-w": WsW, "btw": Btw, "mbtw": Mbtw}


def constants(T, K, p_min, delta, form, explore=None, window=None, threshold=None):
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


def run(
    P, horizon, policy, environment, inner="ws-w", form="root", p_min=0.55, delta=0.3, explore=None, window=None,
    threshold=None,
):  # fmt: skip
    constant = constants(horizon, len(P), p_min, delta, form, explore, window, threshold)
    course = duels(P, policy, environment, inner, *constant)
    return np.array([next(course) for _ in range(horizon)], dtype=int)
