"""Runs with changing preferences, for algorithms that detect changes."""

import numpy as np

from duelbench.conformance.case import order
from duelbench.conformance.rounds import streams
from duelbench.engine.play import Problem, Rules
from duelbench.engine.rollout import rollout

ORDERS = [order(4, 0.9).relabelled(labels) for labels in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2])]
"""Three winners, one after the other."""


def changing(rounds):
    """Return a problem with the three orders, each for ``rounds`` rounds; the "regret" of a pair is its index."""
    numbers = np.arange(16.0).reshape(1, 4, 4)
    return Problem.changing([1 + k * rounds for k in range(3)], [each.P for each in ORDERS], [numbers] * 3)


def path_of(run):
    return np.stack(np.divmod(np.diff(run.regret[0], prepend=0.0).astype(int), 4), axis=1)


def on_changes(algorithm, rounds, seed, rules=Rules()):
    """Return a run of the engine on the three orders, round by round, with a checkpoint after each."""
    marks = np.arange(1, 3 * rounds + 1)
    return rollout(algorithm, changing(rounds), marks, streams(seed, 0), rules._replace(stepping=True))
