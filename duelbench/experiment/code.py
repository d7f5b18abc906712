"""The code that determines the numbers of a run, for its key: versions, and digests of users' files."""

from __future__ import annotations

from collections.abc import Iterable

from duelbench import engine
from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import catalogue, catalogue_bases
from duelbench.compiling.digest import code_digest
from duelbench.experiment.reference_runs import reference_of
from duelbench.versions.record import Subject, source_digest, stream_digest, version_in_keys

ENGINE = Subject(
    "engine", "engine", engine.VERSION,
    ("duelbench.engine", "duelbench.experiment.run", "duelbench.experiment.detection"),
)  # fmt: skip
"""The modules that play a run."""
PLAYING_REFERENCES = "duelbench.experiment.reference_runs"


def subject_of(kind: type[Algorithm]) -> Subject:
    """Return an algorithm of the catalogue as a subject with a version."""
    return Subject("algorithms", kind.name, kind.version, (kind.__module__,))


def code_of(algorithm: type[Algorithm], drawn_by: Iterable[Subject] = (), reference: bool = False) -> dict[str, str]:
    """Return versions and digests, by name, of the code that determines the numbers of an algorithm.

    These are the versions of the engine, of the generators that draw the matrix of each run (``drawn_by``) and of the
    algorithm, and the digest of a few draws from NumPy's random streams. For a user's algorithm they are instead of
    its version the digests of its file and of the modules that it imports from its folder, and the versions of the
    catalogue's algorithms that its class derives from. A reference implementation (``reference``) adds the digest of
    its source.
    """
    code = {each.name: version_in_keys(each) for each in (ENGINE, *drawn_by)} | {"random streams": stream_digest()}
    if algorithm.source_text:
        code["its file"] = code_digest(algorithm.source_text)
        code["its values"] = algorithm.values
        code |= {f"its module {name}": code_digest(helper.text) for name, helper in algorithm.helpers.items()}
        return code | {name: version_in_keys(subject_of(catalogue()[name])) for name in catalogue_bases(algorithm)}
    if reference:
        modules = (PLAYING_REFERENCES, reference_of(algorithm).__module__)
        return code | {f"reference implementation of {algorithm.name}": source_digest(modules)}
    return code | {algorithm.name: version_in_keys(subject_of(algorithm))}
