"""The verdicts of ``duelbench test``. Each check runs in a separate process, since it may hang or crash.

Interpreted runs, which are compared with compiled ones, need NUMBA_DISABLE_JIT=1 before any import. So ``python -m`` of
this module plays them in another process, for one or many algorithms.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import UsersFile, find, texts_of
from duelbench.arrays import Floats
from duelbench.conformance.case import FULL, USUAL, Case, CheckFailed, NotApplicable, Size, Untested
from duelbench.conformance.checks import CHECKS, COMPILED, inapplicable, run_check
from duelbench.conformance.contract import observed
from duelbench.conformance.reference import loaded
from duelbench.conformance.rounds import in_numbers, streams
from duelbench.engine.warm import warm
from duelbench.errors import UserError, place_in
from duelbench.experiment.trial import Worker
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.processes import Heartbeat

HANGING = 300.0
"""The time limit of a run, in seconds; runs take a few seconds. A check of many runs may take longer."""
COMPILING = 300.0
"""The time limit for compilation in seconds."""
INTERPRETING = 1800.0
"""The time limit for all interpreted runs in seconds: they take about ten."""
NAMES = (*list(CHECKS)[:-2], COMPILED, *list(CHECKS)[-2:])
"""The checks in order."""


# Compiled and interpreted runs

ROUNDS = 2000
SEEDS = (4, 5)
MATRICES = ("six-rankers", "cyclic4", "tennis8")
Bits = list[Any]


class Source(NamedTuple):
    """An algorithm: a name of the catalogue, or ``file.py:Class``, and its parameters."""

    name: str
    parameters: Mapping[str, Any] = {}


def all_bits(algorithm: Algorithm, rounds: int = ROUNDS, seeds: Sequence[int] = SEEDS) -> dict[str, Bits]:
    """Return the regret, duels, declaration and next draws of runs on ``MATRICES``, as JSON data."""
    marks = [t for t in (1, 10, 100, 1000) if t < rounds] + [rounds]
    found = {}
    for name in MATRICES:
        for seed in seeds:
            rngs = streams(seed, 0)
            run = observed(algorithm, USUAL[name], marks, rngs, ("copeland",))
            draws = [rngs.environment.random(), rngs.policy.random()]
            found[f"{name}, seed {seed}"] = [run.regret.tolist(), run.duels.tolist(), list(in_numbers(run)), draws]
    return found


def interpreted_bits(
    sources: Sequence[Source], seconds: float, rounds: int = ROUNDS, seeds: Sequence[int] = SEEDS
) -> list[dict[str, Bits]]:
    """Return ``all_bits`` of some algorithms, played as plain Python in a separate process.

    Raises CheckFailed if a run fails, or the process does not end within ``seconds``.
    """
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    asked = json.dumps([[[each.name, dict(each.parameters)] for each in sources], rounds, list(seeds)])
    command = [sys.executable, "-m", "duelbench.conformance.verdicts", asked]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise CheckFailed(f"as plain Python it has not ended in {seconds:g} seconds") from None
    if done.returncode:
        raise CheckFailed(f"as plain Python it fails: {(done.stderr.strip() or 'no message').splitlines()[-1]}")
    return list(json.loads(done.stdout))


def demand_the_same(compiled: Mapping[str, Bits], interpreted: Mapping[str, Bits]) -> str:
    """Return a text on what was compared. Raises CheckFailed if a bit differs."""
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


def _print_bits(asked: str) -> None:
    printing = os.dup(1)
    os.dup2(2, 1)  # anything that an algorithm prints goes to stderr
    sources, rounds, seeds = json.loads(asked)
    bits = [all_bits(find(name, Path())(**parameters), rounds, seeds) for name, parameters in sources]
    with os.fdopen(printing, "w") as out:
        json.dump(bits, out)


# All checks


@dataclass(frozen=True)
class Subject:
    """The subject of the checks: a class of algorithms with ``parameters``, on named (K, K) matrices.

    ``against`` is the reference implementation, if any.
    """

    algorithm: type[Algorithm]
    instances: Mapping[str, Floats]
    against: UsersFile | None = None
    size: Size = FULL
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        """The source of the algorithm for the interpreted runs."""
        kind = self.algorithm
        name = f"{inspect.getfile(kind)}:{kind.__name__}" if kind.source_text else kind.name
        return Source(name, self.parameters)

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the user's files by name."""
        own = texts_of(self.algorithm) if self.algorithm.source_text else {}
        return own if self.against is None else {**own, str(self.against.path): self.against.text}

    def case(self, beat: Callable[[], None] = lambda: None) -> Case:
        """Return the input of the checks. This runs the file of ``against``."""
        algorithm = self.algorithm(**self.parameters)
        reference = None if self.against is None else loaded(self.against, algorithm)
        matrices = {name: PreferenceMatrix(P) for name, P in self.instances.items()}
        return Case(algorithm, matrices, reference, self.size, beat)


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check, with the reason: the comparison made, the failure, or why it could not be checked.

    ``mark`` is "ok", "FAIL", "-" for a check that does not apply, or "?" for one with nothing to check.
    """

    name: str
    mark: Literal["ok", "FAIL", "-", "?"]
    why: str


def verdicts(subject: Subject) -> Iterator[Verdict]:
    """Run every check of ``NAMES`` and yield its verdict.

    Raises UserError if the algorithm does not compile, or the reference function ``against`` cannot be called.
    """
    with Worker(subject.texts) as worker:
        worker.call(_compile, subject)
        for name in NAMES:
            try:
                said = worker.call(_checked, subject, name, HANGING)
                if name == COMPILED:
                    (interpreted,) = interpreted_bits([subject.source], INTERPRETING)
                    said = demand_the_same(said, interpreted)
                yield Verdict(name, "ok", said)
            except NotApplicable as error:
                yield Verdict(name, "-", str(error))
            except Untested as error:
                yield Verdict(name, "?", str(error))
            except (CheckFailed, UserError) as error:  # for example if the process hangs or ends
                yield Verdict(name, "FAIL", str(error))


def _compile(subject: Subject, heartbeat: Heartbeat) -> None:
    heartbeat.begin("compiling", COMPILING)
    case = subject.case()
    warm([(case.algorithm, 2)])
    heartbeat.end()


def _checked(subject: Subject, name: str, seconds: float, heartbeat: Heartbeat) -> str | dict[str, Bits]:
    """Return the result of a check, or the compiled runs to compare with the interpreted ones."""
    beat = partial(heartbeat.begin, name, seconds)
    beat()
    try:
        case = subject.case(beat)
        if name != COMPILED:
            return run_check(name, case)
        if reason := inapplicable(name, case.algorithm):
            raise NotApplicable(reason)
        return all_bits(case.algorithm)
    except (CheckFailed, NotApplicable, Untested, UserError):
        raise
    except Exception as error:
        file, line, function = place_in(error, subject.texts) or ("duelbench", None, "it")
        place = file if line is None else f"{file}:{line}"
        raise CheckFailed(f"{place}: {function} fails with {type(error).__name__}: {error}") from None
    finally:
        heartbeat.end()


if __name__ == "__main__":
    _print_bits(sys.argv[1])
