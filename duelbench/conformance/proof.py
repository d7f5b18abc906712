"""A proof: the properties of an algorithm, one after the other, each in a process that may hang or die."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import UsersFile, find
from duelbench.arrays import Floats
from duelbench.conformance.against_literal import ours, users
from duelbench.conformance.claims import Case, CheckFailed, NotApplicable
from duelbench.conformance.compiled import Bits, all_bits, demand_kernels, demand_the_same, interpreted_bits
from duelbench.conformance.properties import PROPERTIES
from duelbench.engine.warm import warm
from duelbench.errors import UserError, place_in
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.runs.trial.child import Child, Lifeline, silence
from duelbench.runs.trial.described import Described

LONGEST = 300.0
"""Seconds of computing that a property may take."""
COMPILING = 300.0
"""Seconds that it may take to compile and to interpret."""
SECONDS = 4.0
"""Those of computing for a sample of runs, see ``Case``."""
COMPILED = "compiled = interpreted"
NAMES = (*list(PROPERTIES)[:-2], COMPILED, *list(PROPERTIES)[-2:])
"""The properties in their order."""
Verdict = Literal["ok", "FAIL", "-"]


@dataclass(frozen=True)
class Subject:
    """What is to be proved, as plain data: a ``name`` of the catalogue, or a class in a file.

    ``instances`` are (K, K) preference matrices by name. ``against`` is the transcription of a user's algorithm.
    ``seconds``: those of ``Case``.
    """

    algorithm: str | Described
    instances: Mapping[str, Floats]
    against: UsersFile | None = None
    seconds: float = SECONDS

    @property
    def reference(self) -> tuple[str, Path, Mapping[str, Any]]:
        """The algorithm as ``find`` knows it, seen from a directory, with its parameters."""
        kind = self.algorithm
        if isinstance(kind, str):
            return kind, Path(), {}
        return f"{kind.path.name}:{kind.class_name}", kind.path.parent, kind.parameters

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts of the user's files by name."""
        own = {} if isinstance(self.algorithm, str) else self.algorithm.texts
        if self.against is None:
            return own
        return {**own, str(self.against.path): self.against.text}

    def build(self) -> Algorithm:
        """Return the algorithm. For a class of a user's this runs its file."""
        if isinstance(self.algorithm, str):
            return find(self.algorithm, Path())()
        return self.algorithm.load()(**self.algorithm.parameters)

    def case(self) -> Case:
        """Return what the properties are asked of: this runs the user's files."""
        algorithm = self.build()
        literal = ours(algorithm) if self.against is None else users(self.against, algorithm)
        matrices = {name: PreferenceMatrix(P) for name, P in self.instances.items()}
        return Case(algorithm, matrices, literal, self.seconds)


@dataclass(frozen=True)
class Finding:
    """What has come out: the ``verdict`` on a property, which is "-" where it was not asked, and the evidence."""

    name: str
    verdict: Verdict
    said: str


def findings(subject: Subject) -> Iterator[Finding]:
    """Ask for every property of ``NAMES`` and yield what has come out.

    Raises UserError when the algorithm does not compile, or the function that it is compared ``against`` cannot be
    called.
    """
    files = list(subject.texts) or [__file__]
    with Child() as child:
        child.call(_compile, subject, COMPILING, files=files)
        for name in NAMES:
            try:
                found = child.call(_asked, subject, name, LONGEST, files=files)
                if name == COMPILED:
                    found = demand_the_same(found, interpreted_bits(*subject.reference, LONGEST))
                yield Finding(name, "ok", found)
            except NotApplicable as error:
                yield Finding(name, "-", str(error))
            except (CheckFailed, UserError) as error:  # such as that of a process that hangs or ends
                yield Finding(name, "FAIL", str(error))


def _compile(subject: Subject, seconds: float, heartbeat: Lifeline) -> None:
    silence()
    heartbeat.compute("compiling", seconds)
    case = subject.case()
    warm([case.algorithm], lambda line: None)
    heartbeat.end()


def _asked(subject: Subject, name: str, seconds: float, heartbeat: Lifeline) -> str | dict[str, Bits]:
    """Return what a property says, or the bits that are compared with the interpreted ones."""
    silence()
    heartbeat.compute(name, seconds)
    try:
        case = subject.case()
        if name != COMPILED:
            return PROPERTIES[name](case)
        demand_kernels(case.algorithm)
        return all_bits(case.algorithm)
    except (CheckFailed, NotApplicable, UserError):
        raise
    except Exception as error:
        file, line, function = place_in(error, subject.texts) or ("duelbench", None, "it")
        place = file if line is None else f"{file}:{line}"
        raise CheckFailed(f"{place}: {function} fails with {type(error).__name__}: {error}") from None
    finally:
        heartbeat.end()
