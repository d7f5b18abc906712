"""Opt-Maximize (Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017).

1. If delta <= 1/K: return Sequential-Elimination(all arms, epsilon, delta).
2. n' = sqrt(6 K ln K). Pick-Anchor, with delta_1 = delta/4: Q = min(ceil((K/n') ln(2/delta_1)), K) random arms,
   a = Sequential-Elimination(Q, epsilon/3, delta_1/2).
3. Prune: S = all arms, t = 1. While |S| > 2n' and t < (ln K)²: every e with
   Compare-2(e, a, epsilon/3, 2 epsilon/3, (delta/4)/2^(t+1)) = 1 leaves S; t += 1.
4. For every e of S, in random order: if Compare-2(e, a, 2 epsilon/3, epsilon, delta/(4K)) = 2, stop and return
   Sequential-Elimination(S, epsilon, delta/4).
5. Return a.

The logarithms are natural. The anchor is not compared with itself and stays in S.
"""

import math

from .exploration import course
from .first_passage import compare_2
from .random_order import shuffled
from .sequential_elimination import sequential_elimination


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    K = len(P)
    S = list(range(K))
    # Step 1.
    if delta <= 1 / K:
        return (yield from sequential_elimination(P, S, epsilon, delta, policy, environment))
    # Step 2.
    n = math.sqrt(6 * K * math.log(K))
    delta_1 = delta / 4
    S = shuffled(S, policy)
    Q = S[: min(math.ceil(K / n * math.log(2 / delta_1)), K)]
    a = yield from sequential_elimination(P, Q, epsilon / 3, delta_1 / 2, policy, environment)
    # Step 3.
    t = 1
    while len(S) > 2 * n and t < math.log(K) ** 2:
        kept = []
        for e in S:
            verdict = 2
            if e != a:
                call = (delta / 4) / 2 ** (t + 1)
                verdict = yield from compare_2(P, e, a, epsilon / 3, 2 * epsilon / 3, call, environment)
            if verdict != 1:
                kept.append(e)
        S, t = kept, t + 1
    # Step 4.
    S = shuffled(S, policy)
    for e in S:
        if e == a:
            continue
        if (yield from compare_2(P, e, a, 2 * epsilon / 3, epsilon, delta / (4 * K), environment)) == 2:
            return (yield from sequential_elimination(P, S, epsilon, delta / 4, policy, environment))
    # Step 5.
    return a


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    return course(explore(P, horizon, policy, environment, epsilon, delta), horizon)[0]
