"""The one way kernels are compiled, and where the machine code is kept.

numba's own cache notices edits in the file of a function, not in the files of what it calls: old code would run
silently. So the cache directory is named by a digest of every kernel source and of the versions that matter, and a
change anywhere starts an empty one. An algorithm file of the user's adds its own text to the digest.
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.config
import numpy as np
from numba import types
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from duelbench.compiling.tiers import FLAGS, Called, ForPython, Inlined

PACKAGE = Path(__file__).parents[1]
KERNEL_SOURCES = ("compiling/*.py", "kernels/*.py", "algorithms/**/*.py", "engine/play.py", "sources/interleaving.py")

KERNEL_OPTIONS: Any = FLAGS | {"pipeline_class": Inlined}
"""Options of numba's compiler for what is compiled into kernels, see ``kernel``."""

F = TypeVar("F", bound=Callable[..., Any])


@cache
def sources_digest(extra: str = "") -> str:
    """Return the digest of all kernel sources, numba, numpy and Python; ``extra`` is the text of a user's algorithm."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {platform.python_version()} {extra}".encode())
    for pattern in KERNEL_SOURCES:
        for source in sorted(PACKAGE.glob(pattern)):
            digest.update(str(source.relative_to(PACKAGE)).encode() + source.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_directory(extra: str = "") -> Path:
    """Return the directory of compiled kernels, a temporary one when the user's cache is not writable."""
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    directory = base / "duelbench" / "kernels" / sources_digest(extra)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        return Path(tempfile.gettempdir()) / f"duelbench-kernels-{os.getpid()}" / sources_digest(extra)


_directory: Path | None = None


@contextmanager
def keeping_in(directory: Path) -> Iterator[None]:
    """Keep the machine code of kernels that are decorated inside in a directory of their own."""
    global _directory
    before, _directory = _directory, directory
    try:
        yield
    finally:
        _directory = before


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, into its callers, and keep the machine code for later processes.

    Kernels own no memory: every array they touch was made by ``start``, and they create none. So numba's reference
    counts are switched off (``_nrt``); with inlining this makes passing a state of a dozen arrays free (RUCB
    without holds: 490 ns a round with reference counts, 60 ns without). Division by zero is not checked, so kernels
    test their denominators: the interpreted kernel would raise.

    Examples
    --------
    In a file, as numba keeps machine code beside what it was made from::

        from duelbench import kernel


        @kernel
        def win_rate(wins, duels):
            return wins / duels if duels > 0 else 0.5

    ``win_rate(3, 4)`` is then 0.75, here as inside of other kernels.
    """
    return _compile(function, Inlined)


def rare_kernel(function: F) -> F:
    """Compile ``function`` like a kernel, but not into every caller: for what few rounds do, to spare compilation."""
    return _compile(function, Called)


class _Kernel(CPUDispatcher):
    """A kernel as other kernels call it. One that is called from Python is compiled once more, for it alone."""

    _directory: Path

    @cached_property
    def for_python(self) -> Callable[..., Any]:
        """The same kernel for callers in Python; only this is cached, with all that it calls."""
        with _caching_in(self._directory):
            njit: Any = numba.njit  # its stubs leave out most options
            return cast(Callable[..., Any], njit(cache=True, pipeline_class=ForPython, **FLAGS)(self.py_func))

    def __call__(self, *arguments: Any) -> Any:
        return self.for_python(*arguments)

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:
        """Compile once for all integers, not again for every literal that stands in a call."""
        named = {name: types.unliteral(each) for name, each in keywords.items()}
        return super().get_call_template([types.unliteral(each) for each in arguments], named)


def _compile(function: F, pipeline: type[Compiler]) -> F:
    config: Any = numba.core.config
    if config.DISABLE_JIT:
        return function
    compiled: Any = _Kernel(py_func=function, targetoptions={"nopython": True, **FLAGS}, pipeline_class=pipeline)
    compiled._directory = _directory or cache_directory()
    return cast(F, compiled)


@contextmanager
def _caching_in(directory: Path) -> Iterator[None]:
    """Numba reads the directory when a function is decorated, not when it is called."""
    config: Any = numba.core.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(directory)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def is_compiled(function: Callable[..., Any]) -> bool:
    """Tell whether ``function`` is a kernel (and not plain Python, as everything is under NUMBA_DISABLE_JIT)."""
    return hasattr(function, "py_func")
