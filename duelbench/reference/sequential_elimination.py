"""Sequential-Elimination (Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar, NeurIPS 2017, Algorithm 5), on a set S.

1. r is a random arm of S.
2. For every other arm c of S, in random order: if Compare-2(c, r, 0, epsilon, delta/|S|) = 2 then r = c.
3. Declare r.
"""

from .exploration import course
from .first_passage import compare_2
from .random_order import shuffled


def sequential_elimination(P, S, epsilon, delta, policy, environment):
    # Step 1.
    r, *others = shuffled(S, policy)
    # Step 2.
    for c in others:
        if (yield from compare_2(P, c, r, 0.0, epsilon, delta / len(S), environment)) == 2:
            r = c
    # Step 3.
    return r


def explore(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    return (yield from sequential_elimination(P, list(range(len(P))), epsilon, delta, policy, environment))


def run(P, horizon, policy, environment, epsilon=0.05, delta=0.1):
    return course(explore(P, horizon, policy, environment, epsilon, delta), horizon)[0]
