"""The algorithms whose winner stays: their literal paths, and their regret beside what others have counted."""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms.catalogue import catalogue
from duelbench.conformance.instances import order
from duelbench.conformance.rounds import simulate, streams
from duelbench.engine.rollout import Streams
from duelbench.preferences.regret import regret_table
from duelbench.runs.transcription import literal_course
from duelbench.sources.tables import TABLES

NAMES = ("ws-w", "ws-s", "btw", "btwr", "mbtw", "wsw-pe")
INSTANCES = {name: TABLES[name].matrix() for name in ("mslr5-condorcet", "cyclic4", "six-rankers")} | {
    "order of 50": order(50, 0.8)
}


def make(name, **parameters):
    return catalogue()[name](**parameters)


def literal_path(algorithm, matrix, horizon, seed):
    """Return the arms of each round and the declaration of the transcription."""
    return literal_course(algorithm, matrix.P, horizon, Streams(*streams(seed, 0)))


class Stated(NamedTuple):
    """A mean cumulative regret at round t, with its standard error; of so many ``runs`` it is measured here."""

    instance: str
    t: int
    mean: float
    error: float
    runs: int
    kind: str = "binary-weak"


def deviation(algorithm, stated):
    """Return by how many standard errors the mean regret differs from a stated one."""
    matrix, marks = INSTANCES[stated.instance], np.array([stated.t])
    table = regret_table(matrix, stated.kind)[None]
    regret = np.array(
        [simulate(algorithm, matrix.P, table, marks, *streams(1, run)).regret[0, 0] for run in range(stated.runs)]
    )
    return (regret.mean() - stated.mean) / np.hypot(regret.std(ddof=1) / np.sqrt(stated.runs), stated.error)
