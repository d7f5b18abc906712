"""A process that runs a user's code for the command, and the errors for when it hangs or dies."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from duelbench.compiling.imports import read_python
from duelbench.errors import UserError
from duelbench.experiment.processes import Processes, WorkerDiedError

_FRAME = re.compile(r'  File "(.*)", line (\d+) in (\S+)')


class Child:
    """A context manager with one process, which starts at the first call and ends with the context."""

    def __init__(self) -> None:
        self._pool: Processes | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def call(self, function: Callable[..., Any], *arguments: Any, files: Iterable[str]) -> Any:
        """Call ``function`` in the process, with the further argument ``heartbeat``. ``files`` are the user's files.

        Raises UserError, with the line in these files if known, when the process hangs or ends. If it is killed, it is
        tried once more.
        """
        pool = self._pool = self._pool or Processes(1)
        try:
            try:
                return pool.submit(function, *arguments).result()
            except WorkerDiedError as died:
                if not died.killed:  # by the system, as when memory is short
                    raise
                return pool.submit(function, *arguments).result()
        except WorkerDiedError as died:
            raise _explained(died, list(files)) from None


def silence() -> None:
    """Discard what this process prints, and ignore breakpoints."""
    os.environ["PYTHONBREAKPOINT"] = "0"
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _explained(died: WorkerDiedError, files: Sequence[str]) -> UserError:
    """Return the error for a process that died, with the line that it was executing or that of its endless loop."""
    named = {each.encode("ascii", "backslashreplace").decode(): each for each in files}  # as faulthandler writes a name
    frames = [
        (named[file], int(line)) for file, line, _ in _FRAME.findall(died.traceback) if file in named
    ]  # innermost first
    (file, line) = frames[0] if frames else (files[0], None)
    doing, _, seconds = died.note.partition("\t")
    if not died.timed_out and "SIGPROF" not in str(died):
        return UserError(
            f"{doing}: the process {str(died).removeprefix('the worker process ')}", source=file, line=line
        )
    after = f" after {seconds} seconds"
    loops = [(each, header) for each, at in frames if (header := _loop_at(Path(each), at)) is not None]
    if loops:
        file, line = loops[0]
        return UserError(f"{doing} has not ended{after}: this loop does not end", source=file, line=line)
    where = ": it hangs in this line" if line else ""
    return UserError(f"{doing} has not ended{after}{where}", source=file, line=line)


def _loop_at(file: Path, line: int) -> int | None:
    """Return the line of the innermost ``while`` around a line, or of a ``for``, which is less often endless."""
    try:
        tree = ast.parse(read_python(file))
    except (OSError, ValueError, SyntaxError):
        return None
    around = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.While | ast.For | ast.FunctionDef | ast.Lambda)
        and each.lineno <= line <= (each.end_lineno or 0)
    ]
    around.sort(key=lambda each: each.lineno)
    functions = [k for k, each in enumerate(around) if isinstance(each, ast.FunctionDef | ast.Lambda)]
    loops = around[functions[-1] + 1 if functions else 0 :]
    endless = [each for each in loops if isinstance(each, ast.While)] or loops
    return endless[-1].lineno if endless else None
