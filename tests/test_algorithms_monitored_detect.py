"""DETECT: its path is the literal one, with every inner algorithm and through every reset."""

import pytest

from duelbench.algorithms.monitored.detect import Detect
from duelbench.literal import detect as literal
from tests.monitored import NAMES, plays_as_written

CASES = {
    "ws-w": {"explore": 40, "window": 6, "threshold": 1.5},
    "ws-w, short": {"explore": 3, "window": 4, "threshold": 1.0},
    "ws-w, computed": {"delta": 1.0},
    "btw": {"inner": "btw", "explore": 30, "window": 6, "threshold": 1.0},
    "btw, log": {"inner": "btw", "form": "log", "p_min": 0.95, "delta": 1.0},
    "mbtw": {"inner": "mbtw", "explore": 30, "window": 6, "threshold": 1.0},
}


@pytest.mark.parametrize("case", CASES)
def test_the_path_is_the_literal_one(case):
    for name in NAMES:
        assert plays_as_written(Detect, literal, CASES[case], name), name
