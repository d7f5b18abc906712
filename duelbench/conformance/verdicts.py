"""The verdicts of ``duelbench test``: each check runs in a separate process, which may hang or crash."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import UsersFile, texts_of
from duelbench.arrays import Floats
from duelbench.conformance.case import FULL, Case, CheckFailed, NotApplicable, Size, Untested
from duelbench.conformance.checks import CHECKS, run_check
from duelbench.conformance.compiled import (
    Bits,
    Source,
    all_bits,
    demand_kernels,
    demand_the_same,
    interpreted_bits,
)
from duelbench.conformance.reference import loaded
from duelbench.engine.warm import warm
from duelbench.errors import UserError, place_in
from duelbench.experiment.trial import Worker
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.processes import Heartbeat

HANGING = 300.0
"""The time limit of a run in seconds: a run takes seconds. A check of many runs may take longer."""
COMPILING = 300.0
"""The time limit for compilation in seconds."""
INTERPRETING = 1800.0
"""The time limit for all interpreted runs in seconds: they take about ten."""
COMPILED = "compiled = interpreted"
NAMES = (*list(CHECKS)[:-2], COMPILED, *list(CHECKS)[-2:])
"""The checks in their order."""


@dataclass(frozen=True)
class Subject:
    """What is checked: a class of algorithms with parameters, on (K, K) matrices by name.

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
        return Source(name, parameters=self.parameters)

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the user's files by name."""
        own = texts_of(self.algorithm) if self.algorithm.source_text else {}
        if self.against is None:
            return own
        return {**own, str(self.against.path): self.against.text}

    def case(self, beat: Callable[[], None] = lambda: None) -> Case:
        """Return the input of the checks. This runs the file of ``against``."""
        algorithm = self.algorithm(**self.parameters)
        reference = None if self.against is None else loaded(self.against, algorithm)
        matrices = {name: PreferenceMatrix(P) for name, P in self.instances.items()}
        return Case(algorithm, matrices, reference, self.size, beat)


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check, and the reason: what was compared, what was observed, or what is missing.

    ``mark`` is "ok", "FAIL", "-" for a check that does not apply, or "?" for one with nothing to check.
    """

    name: str
    mark: Literal["ok", "FAIL", "-", "?"]
    why: str


def verdicts(subject: Subject) -> Iterator[Verdict]:
    """Run every check of ``NAMES`` and yield its verdict.

    Raises UserError when the algorithm does not compile, or the reference function ``against`` cannot be called.
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
        demand_kernels(case.algorithm)
        return all_bits(case.algorithm)
    except (CheckFailed, NotApplicable, Untested, UserError):
        raise
    except Exception as error:
        file, line, function = place_in(error, subject.texts) or ("duelbench", None, "it")
        place = file if line is None else f"{file}:{line}"
        raise CheckFailed(f"{place}: {function} fails with {type(error).__name__}: {error}") from None
    finally:
        heartbeat.end()
