"""MDB: its path is the literal one, with every inner algorithm and through every reset."""

import pytest

from duelbench.algorithms.monitored.mdb import Mdb
from duelbench.literal import mdb as literal
from tests.monitored import NAMES, plays_as_written

CASES = {
    "ws-s": {"window": 6, "threshold": 1.0, "gamma": 0.3},
    "ws-s, rarely": {"window": 10, "threshold": 3.0, "gamma": 0.1, "beta": 1.3},
    "ws-s, computed": {"M": 3, "delta": 0.9},
    "ws-s, always": {"window": 4, "threshold": 1.0, "gamma": 1.0},
    "rucb": {"inner": "rucb", "window": 6, "threshold": 1.5, "gamma": 0.2},
    "rucb, transfer": {"inner": "rucb", "transfer": True, "window": 6, "threshold": 1.5, "gamma": 0.2, "alpha": 0.3},
}


@pytest.mark.parametrize("case", CASES)
def test_the_path_is_the_literal_one(case):
    for name in NAMES:
        assert plays_as_written(Mdb, literal, CASES[case], name), name
