"""Compiled and interpreted runs are equal, bit for bit.

The interpreted runs are played in a separate process, where NUMBA_DISABLE_JIT=1 is set before any import. One process
can play the runs of many algorithms.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import find
from duelbench.conformance.case import CheckFailed, NotApplicable
from duelbench.conformance.contract import observed
from duelbench.conformance.instances import USUAL
from duelbench.conformance.rounds import in_numbers, streams

ROUNDS = 2000
SEEDS = (4, 5)
MATRICES = ("six-rankers", "cyclic4", "tennis8")
Bits = list[Any]


class Source(NamedTuple):
    """An algorithm: a name of the catalogue, or ``file.py:Class`` relative to ``base``, and its parameters."""

    name: str
    base: str = ""
    parameters: Mapping[str, Any] = {}


def all_bits(algorithm: Algorithm, rounds: int = ROUNDS, seeds: Sequence[int] = SEEDS) -> dict[str, Bits]:
    """Return, ready for JSON, the regret, the duels, the declaration and the next draws of runs on ``MATRICES``."""
    marks = [t for t in (1, 10, 100, 1000) if t < rounds] + [rounds]
    found = {}
    for name in MATRICES:
        for seed in seeds:
            rngs = streams(seed, 0)
            run = observed(algorithm, USUAL[name], marks, rngs, ("copeland",))
            draws = [rngs.environment.random(), rngs.policy.random()]
            found[f"{name}, seed {seed}"] = [
                run.regret.tolist(), run.duels.tolist(), list(in_numbers(run)), draws,
            ]  # fmt: skip
    return found


def interpreted_bits(
    sources: Sequence[Source], seconds: float, rounds: int = ROUNDS, seeds: Sequence[int] = SEEDS
) -> list[dict[str, Bits]]:
    """Return ``all_bits`` of some algorithms, played as plain Python in a separate process.

    Raises CheckFailed when one of them fails, or the process does not end within ``seconds``.
    """
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    asked = json.dumps([[[each.name, each.base, dict(each.parameters)] for each in sources], rounds, list(seeds)])
    command = [sys.executable, "-m", __name__, asked]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"as plain Python it has not ended in {seconds:g} seconds") from None
    if done.returncode:
        raise CheckFailed(f"as plain Python it fails: {(done.stderr.strip() or 'no message').splitlines()[-1]}")
    return list(json.loads(done.stdout))


def demand_the_same(compiled: Mapping[str, Bits], interpreted: Mapping[str, Bits]) -> str:
    """Return what was compared; raise CheckFailed if a bit differs."""
    for case, machine in compiled.items():
        for what, mine, theirs in zip(
            ("the regret", "the duels", "the declaration", "the next draw"), machine, interpreted[case], strict=True
        ):
            if mine != theirs:
                raise CheckFailed(
                    f"on {case}, {what} is not the same as plain Python: look for a global, a random number that does "
                    "not come from rng, whole numbers beyond 2⁶³ and a division by zero"
                )
    rounds = sum(sum(row) for row in next(iter(compiled.values()))[1])
    return f"{len(compiled)} runs of {rounds:,} rounds have the same regret, duels and draws to the last bit"


def demand_kernels(algorithm: Algorithm) -> None:
    """Raise NotApplicable for an algorithm in plain Python."""
    if not algorithm.compiled():
        raise NotApplicable("it is plain Python, nothing is compiled")


def _print_bits(asked: str) -> None:
    printing = os.dup(1)
    os.dup2(2, 1)  # anything that an algorithm prints goes to stderr
    sources, rounds, seeds = json.loads(asked)
    bits = [all_bits(find(name, Path(base))(**parameters), rounds, seeds) for name, base, parameters in sources]
    with os.fdopen(printing, "w") as out:
        json.dump(bits, out)


if __name__ == "__main__":
    _print_bits(sys.argv[1])
