"""Datasets and algorithms with the code that determines their numbers: versions, and digests of users' files."""

from collections.abc import Iterable
from typing import Any, Literal

from duelbench import engine
from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue, catalogue_bases
from duelbench.compiling.digest import code_digest
from duelbench.sources.sequences import AnyDataset
from duelbench.spec.resolved import ResolvedAlgorithm, ResolvedDataset
from duelbench.versions.record import Subject, stream_digest, version_in_keys

ENGINE = Subject("engine", "engine", engine.VERSION, ("duelbench.engine", "duelbench.experiment.run"))
"""The modules that play a run."""


def subject_of(kind: type[Algorithm]) -> Subject:
    """Return an algorithm of the catalogue as a subject with a version."""
    return Subject("algorithms", kind.name, kind.version, (kind.__module__,))


def code_of(algorithm: type[Algorithm], drawn_by: Iterable[Subject] = ()) -> dict[str, str]:
    """Return versions and digests, by name, of the code that determines the numbers of an algorithm.

    These are the versions of the engine, of the generators that draw the matrix of each run (``drawn_by``) and of the
    algorithm, and the digest of a few draws from NumPy's random streams. A user's algorithm has, instead of a version,
    the digests of its file and of the modules that it imports from its folder, and the versions of the catalogue
    algorithms that its class inherits from.
    """
    code = {each.name: version_in_keys(each) for each in (ENGINE, *drawn_by)} | {"random streams": stream_digest()}
    if algorithm.source_text:
        code["its file"] = code_digest(algorithm.source_text)
        code |= {f"its module {name}": code_digest(helper.text) for name, helper in algorithm.helpers.items()}
        return code | {name: version_in_keys(subject_of(catalogue()[name])) for name in catalogue_bases(algorithm)}
    return code | {algorithm.name: version_in_keys(subject_of(algorithm))}


def depends_on(kind: type[Algorithm]) -> tuple[Literal["checkpoints", "horizon"], ...]:
    """Return whether rows depend on other checkpoints, and on the horizon; see ``ResolvedAlgorithm.depends_on``.

    The last row has the declaration and the detections of the run. A user's file may use the horizon without saying so.
    """
    ends = kind.uses_horizon or kind.declares() or kind.detects() or bool(kind.source_text)
    found: tuple[Literal["checkpoints", "horizon"], ...] = ("horizon",) if ends else ()
    return ("checkpoints", *found) if kind.ends_blocks_at_checkpoints else found


def labelled_dataset(source: AnyDataset, *, label: str, **entry: Any) -> ResolvedDataset:
    """Return a dataset with its label; ``entry`` has the other settings of its entry in the spec."""
    made = ResolvedDataset(
        label=label,
        title=source.title,
        arms=source.arms,
        citation=source.citation,
        identity=source.identity(),
        code={each.name: version_in_keys(each) for each in source.drawn_by},
        arm_names=source.arm_names,
        changes=source.shared_changes,
        **entry,
    )
    made._source = source
    return made


def labelled_algorithm(kind: type[Algorithm], *, label: str, **entry: Any) -> ResolvedAlgorithm:
    """Return an algorithm with its label; ``entry`` has the other settings of its entry in the spec."""
    made = ResolvedAlgorithm(
        label=label,
        citation=kind.citation,
        code=code_of(kind),
        source=kind.source_text or None,
        in_keys={"algorithm": kind.name} | ({"class": kind.__name__} if kind.source_text else {}),
        depends_on=depends_on(kind),
        **entry,
    )
    made._kind = kind
    return made
