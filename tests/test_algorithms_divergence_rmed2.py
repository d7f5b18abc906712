"""RMED2 and RMED2FH: the path of their literal transcription, and the same path with holds."""

from itertools import islice

import numpy as np
import pytest

from duelbench.algorithms.divergence.rmed2 import Rmed2
from duelbench.algorithms.divergence.rmed2fh import Rmed2Fh
from duelbench.conformance.paths import engine_path, plays
from duelbench.conformance.rounds import pair_tables, simulate, streams
from duelbench.literal import rmed2
from tests.paths import INSTANCES

KINDS = {"rmed2": (Rmed2, False), "rmed2fh": (Rmed2Fh, True)}
NAMES = (
    *("six-rankers", "mslr5-condorcet", "mslr5-non-condorcet", "cyclic4", "random10"),
    *("two arms, close", "sushi16", "tennis8"),
)
ODD = {"alpha": 1.3, "f_scale": 0.7, "f_power": 0.9}


def literal_path(matrix, horizon, seed, fixed, alpha=3.0, f_scale=0.3, f_power=1.01):
    environment, _ = streams(seed, 0)
    rounds = rmed2.rounds(matrix.P, horizon, environment, alpha, f_scale, f_power, fixed)
    return np.array(list(islice(rounds, horizon)))


@pytest.mark.parametrize("instance", NAMES)
@pytest.mark.parametrize("name", KINDS)
def test_the_path_is_the_literal_one(name, instance):
    kind, fixed = KINDS[name]
    matrix = INSTANCES[instance]
    horizon = 600 if matrix.arms > 10 else 800 if matrix.arms > 6 else 1500
    for seed, parameters in ((1, {}), (3, ODD)):
        path = literal_path(matrix, horizon, seed, fixed, **parameters)
        assert plays(kind(**parameters), matrix, path, seed)


@pytest.mark.parametrize("name", KINDS)
def test_a_small_mistake_leaves_the_path(name, monkeypatch):
    kind, fixed = KINDS[name]
    matrix = INSTANCES["random10"]
    path = engine_path(kind(), matrix, 800, 1)
    assert not np.array_equal(literal_path(matrix, 800, 1, fixed, f_scale=0.36), path)
    assert not np.array_equal(literal_path(matrix, 800, 1, fixed, alpha=3.6), path)
    b_star = rmed2.b_star
    monkeypatch.setattr(rmed2, "b_star", lambda w, i: b_star([list(row) for row in zip(*w, strict=True)], i))
    assert not np.array_equal(literal_path(matrix, 800, 1, fixed), path)


def test_every_pair_keeps_its_share():
    matrix = INSTANCES["six-rankers"]
    duels = simulate(Rmed2(), matrix.P, pair_tables(6), np.array([10**8]), *streams(5, 0)).duels
    assert ((duels + duels.T)[~np.eye(6, dtype=bool)] >= 3 * np.log(np.log(1e8))).all()
    duels = simulate(Rmed2Fh(), matrix.P, pair_tables(6), np.array([9 * 15]), *streams(5, 0)).duels
    passes = np.ceil(3 * np.log(np.log(9 * 15)))
    assert (np.triu(duels, 1)[np.triu_indices(6, 1)] >= passes).all()
