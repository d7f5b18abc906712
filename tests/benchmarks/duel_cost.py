"""What an informative duel costs as K grows: python -m tests.benchmarks.duel_cost [ALGORITHM ...]

A duel changes one pair, so its cost should grow like K or slower (the choice of an arm looks at all K), not like K²
square roots. Prints ns per informative duel, the best of three runs of 20,000 rounds on BTL matrices, compiled.
"""

import sys
import time

import numpy as np

from duelbench.algorithms.catalogue import catalogue
from duelbench.engine.simulate import simulate
from duelbench.preferences.generators import BtlUniform
from duelbench.preferences.regret import regret_table

ARMS = (5, 16, 64, 136)
ROUNDS = 20_000


def cost(algorithm, arms):
    """Return the least ns per informative duel over three runs."""
    matrix = BtlUniform(arms=arms, seed=1).draw(np.random.default_rng(1))
    regrets = regret_table(matrix, "copeland")[None]
    best = np.inf
    for run in range(4):  # the first one warms up
        environment, policy = np.random.default_rng([run, 0]), np.random.default_rng([run, 1])
        began = time.perf_counter()
        course = simulate(algorithm, matrix.P, regrets, np.array([ROUNDS]), environment, policy)
        if run:
            best = min(best, (time.perf_counter() - began) / max(1, course.informative))
    return best * 1e9


def main(names):
    print(f"{'':12}" + "".join(f"{f'K = {arms}':>10}" for arms in ARMS) + "   ns per informative duel")
    for name, kind in catalogue().items():
        if kind.compiled() and (not names or name in names):
            print(f"{name:12}" + "".join(f"{cost(kind(), arms):>10.0f}" for arms in ARMS), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
