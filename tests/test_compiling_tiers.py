"""Three tiers, one result."""

import os
import subprocess
import sys

import pytest

from tests.comparison import ROOT

PLAY = """
import hashlib
import sys
from pathlib import Path
import numpy as np
from duelbench.algorithms.catalogue import find
from duelbench.conformance.rounds import simulate
from duelbench.engine.streams import stream
from duelbench.conformance.instances import order

matrix = order(5, 0.65, winners=3)
for name in sys.argv[1:]:
    streams = stream(1, environment=name), stream(1, policy=name)
    course = simulate(find(name, Path())(), matrix.P, matrix.P[None], np.array([10, 100, 3000]), *streams)
    results = [course.regret.tobytes(), course.duels.tobytes(), *(str(each.bit_generator.state) for each in streams)]
    print(name, hashlib.sha256(repr(results).encode()).hexdigest())
"""
ONE_OF_EACH_FAMILY = ("rucb", "rmed1", "if", "doubler")


def played(tier, *algorithms, **switches):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DUELBENCH_TIER": str(tier)} | switches
    command = [sys.executable, "-W", "error", "-c", PLAY, *algorithms]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("tier", [1, 2])
def test_all_tiers_give_the_same_bits(tier):
    """D-TS takes 20 seconds to compile in tier 1: ``make test-all`` has it there too."""
    names = (*ONE_OF_EACH_FAMILY, "d-ts") if tier == 2 else ONE_OF_EACH_FAMILY
    lines = played(3, *names)
    assert len(set(lines)) == len(names)
    assert played(tier, *names) == lines
