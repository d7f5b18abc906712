"""MergeRUCB and MergeDTS: matrices with enough arms for several merges, and regret beside stated numbers."""

import numpy as np

from duelbench.conformance.instances import order
from duelbench.conformance.rounds import simulate, streams
from duelbench.preferences.regret import regret_table
from tests.paths import INSTANCES

ORDERS = {f"order of {K}": order(K, p) for K, p in ((5, 0.9), (20, 0.9), (33, 0.95), (70, 0.97))}
SMALL = {name: INSTANCES[name] for name in ("cyclic4", "sushi16", "two arms", "no difference", "certain")}
ALL = ORDERS | SMALL
PUBLISHED_ALPHA = 0.8**6


def regrets(algorithm, matrix, marks, runs):
    """Return the (runs, checkpoints) cumulative Condorcet regret."""
    table = regret_table(matrix, "condorcet")[None]
    return np.array(
        [simulate(algorithm, matrix.P, table, np.array(marks), *streams(7, run)).regret[0] for run in range(runs)]
    )


def errors_from(regret, stated):
    """Return by how many standard errors mean regrets differ from stated ones with errors, at each checkpoint."""
    means, errors = np.array(stated).T
    own = regret.std(axis=0, ddof=1) / np.sqrt(len(regret))
    return np.abs(regret.mean(axis=0) - means) / np.hypot(own, errors)
