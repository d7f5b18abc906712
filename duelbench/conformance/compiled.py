"""Compiled = interpreted, bit for bit.

The interpreted one plays in a process of its own, for which NUMBA_DISABLE_JIT=1 is set before anything is imported::

    NUMBA_DISABLE_JIT=1 python -m duelbench.conformance.compiled mine.py:Mine
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import find
from duelbench.conformance.claims import CheckFailed, NotApplicable
from duelbench.conformance.contract import Luck, observed
from duelbench.conformance.instances import USUAL
from duelbench.conformance.rounds import streams
from duelbench.preferences.matrix import PreferenceMatrix

MARKS = (1, 10, 100, 1000, 2000)
SEEDS = (4, 5)
MATRICES = ("six-rankers", "cyclic4", "tennis8")
Bits = list[Any]


def bits(algorithm: Algorithm, matrix: PreferenceMatrix, luck: Luck) -> Bits:
    """Return, ready for JSON, what an algorithm does to the last of ``MARKS``, and the next numbers of both streams."""
    drawn = luck()
    course = observed(algorithm, matrix, MARKS, drawn, ("copeland",))
    left = [drawn.environment.random(), drawn.policy.random()]
    return [course.regret.tolist(), course.duels.tolist(), course.declaration and list(course.declaration), left]


def all_bits(algorithm: Algorithm) -> dict[str, Bits]:
    """Return the bits on each of ``MATRICES`` with each of ``SEEDS``."""
    return {
        f"{name}, seed {seed}": bits(algorithm, USUAL[name], partial(streams, seed, 0))
        for name in MATRICES
        for seed in SEEDS
    }


def interpreted_bits(reference: str, base: Path, parameters: Mapping[str, Any], seconds: float) -> dict[str, Bits]:
    """Return ``all_bits`` of an algorithm, or of ``path.py:ClassName``, as plain Python: in a process of its own.

    Raises CheckFailed when that fails, or has not ended in so many seconds.
    """
    arguments = [reference, str(base), json.dumps(dict(parameters))]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", __name__, *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"as plain Python it has not ended in {seconds:g} seconds") from None
    if done.returncode:
        raise CheckFailed(f"as plain Python it fails: {(done.stderr.strip() or 'without a word').splitlines()[-1]}")
    return dict(json.loads(done.stdout))


def demand_the_same(compiled: Mapping[str, Bits], interpreted: Mapping[str, Bits]) -> str:
    """Return what was compared; raise CheckFailed when a bit is not the same."""
    for case, machine in compiled.items():
        for what, mine, theirs in zip(
            ("the regret", "the duels", "the declaration", "what is drawn"), machine, interpreted[case], strict=True
        ):
            if mine != theirs:
                raise CheckFailed(
                    f"on {case}, {what} of {MARKS[-1]:,} rounds is another as plain Python: look for a global, a "
                    "random number that does not come from rng, whole numbers beyond 2⁶³ and a division by zero"
                )
    return f"{len(compiled)} runs of {MARKS[-1]:,} rounds have the same regret, duels and draws to the last bit"


def demand_kernels(algorithm: Algorithm) -> None:
    """Raise NotApplicable for an algorithm in plain Python."""
    if not algorithm.compiled():
        raise NotApplicable("it is plain Python, nothing is compiled")


def _print_bits(reference: str, base: str, parameters: str) -> None:
    printing = os.dup(1)
    os.dup2(2, 1)  # what the algorithm prints is not for who reads this
    algorithm = find(reference, Path(base))(**json.loads(parameters))
    with os.fdopen(printing, "w") as out:
        json.dump(all_bits(algorithm), out)


if __name__ == "__main__":
    _print_bits(*sys.argv[1:])
