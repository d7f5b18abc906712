"""Compiling users' kernels before they are played, in a separate process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from duelbench.compiling.cache import cache_directory
from duelbench.compiling.choice import tier
from duelbench.engine.warm import warm
from duelbench.experiment.processes import Heartbeat
from duelbench.experiment.trial.child import Child, silence
from duelbench.experiment.trial.described import Described

COMPILING = 600.0
"""The time limit for compiling all of them, in seconds."""


def compile_apart(kinds: Sequence[Described], announce: Callable[[str], None]) -> None:
    """Compile the loops of all algorithms with kernels into the cache; ``announce`` a line if that takes time.

    Raises UserError when one does not compile.
    """
    missing = [each for each in kinds if each.kernels and not _mark(each).exists()]
    if not missing:
        return
    announce("compiling your kernels (the first time only)…")
    files = [file for each in missing for file in each.texts]
    with Child() as child:
        child.call(_compile, missing, files=files)
    for each in missing:
        with contextlib.suppress(OSError):  # as on a full disk: the next command compiles again
            _mark(each).parent.mkdir(parents=True, exist_ok=True)
            _mark(each).touch()


def _mark(kind: Described) -> Path:
    """Return the file whose existence says that the kernels have been compiled into the cache, if this is possible."""
    return tier().machine_code(cache_directory(kind.all_text())) / f"{kind.class_name}.compiled"


def _compile(kinds: Sequence[Described], heartbeat: Heartbeat) -> None:
    silence()
    heartbeat.compute("compiling", COMPILING)
    warm([(each.load()(**each.parameters), 2) for each in kinds])
    heartbeat.end()
