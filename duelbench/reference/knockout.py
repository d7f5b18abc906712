"""Knockout (Falahatgar, Orlitsky, Pichapati, Suresh, ICML 2017).

1. S = all arms, i = 1, c = 2^(1/3) - 1.
2. While |S| > 1: pair the arms of S at random, the odd one passes on; of each pair the winner of
   Compare-1(a, b, c epsilon / (gamma 2^(i/3)), delta / 2^i) stays in S; i += 1.
3. Declare the last arm.
"""

from .exploration import course
from .first_passage import compare_1
from .random_order import shuffled


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1, gamma=1.0):
    # Step 1.
    S, i, c = list(range(len(P))), 1, 2 ** (1 / 3) - 1
    # Step 2.
    while len(S) > 1:
        S = shuffled(S, policy)
        winners = []
        for a, b in zip(S[0::2], S[1::2], strict=False):
            slack = c * epsilon / (gamma * 2 ** (i / 3))
            winners.append((yield from compare_1(P, a, b, slack, delta / 2**i, environment)))
        if len(S) % 2 == 1:
            winners.append(S[-1])
        S, i = winners, i + 1
    # Step 3.
    return S[0]


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1, gamma=1.0):
    return course(explore(P, horizon, policy, environment, epsilon, delta, gamma), horizon)[0]
