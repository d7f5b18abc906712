"""The cache of machine code, and its invalidation.

numba's own cache notices an edit in the file of a function, but not in the files of the functions that it calls: old
code would run silently. So the name of the cache directory is a digest of all kernel sources and of the relevant
versions, and any change starts an empty directory. A user's algorithm file adds its code to the digest. Within the
directory, machine code is found by module and function name, not by line number: an edit of a docstring moves lines and
must not cause a recompilation of 20 seconds.

Directories that were not used for a month are removed. A process that finds no machine code, or cannot write it,
compiles for itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import platform
import re
import shutil
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numba.core.config
import numpy as np

from duelbench.compiling.digest import COMPILED, PACKAGE, code_digest
from duelbench.errors import UserError
from duelbench.files import lock, user_cache, why_not_writable

UNUSED = 30 * 24 * 3600.0
"""Seconds after its last use at which a directory is removed."""


@cache
def sources_digest(extra: str = "") -> str:
    """Return the digest of all kernel sources, numba, numpy and Python; ``extra`` is the text of a user's algorithm."""
    versions = f"{numba.__version__} {llvmlite.__version__} {np.__version__} {platform.python_version()}"
    parts = [versions, code_digest(extra), _package_digest()]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]


def _texts() -> dict[str, bytes]:
    places = [PACKAGE / name for name in COMPILED]
    sources = [file for each in places for file in (sorted(each.rglob("*.py")) or [each.with_suffix(".py")])]
    return {str(file.relative_to(PACKAGE)): file.read_bytes() for file in sources}


_AT_FIRST = _texts()
"""The kernel sources before the first import of a kernel: all kernels import this module first."""


@cache
def _package_digest() -> str:
    """Return the digest of the code of all kernel sources.

    Parsing takes a quarter of a second in every process, so the result is cached under the digest of their bytes.
    """
    texts = _AT_FIRST
    if _texts() != texts:  # the imported version is unknown
        raise UserError("kernel code was edited while the command was starting: repeat the command")
    exact = hashlib.sha256(b"".join(name.encode() + text for name, text in texts.items())).hexdigest()[:16]
    base = _base()
    known = base / f"{exact}.code"
    with contextlib.suppress(OSError, ValueError):
        kept = known.read_text(encoding="ascii")
        if re.fullmatch("[0-9a-f]{16}", kept):
            return kept
    digest = hashlib.sha256()
    for name, text in texts.items():
        digest.update(f"{name} {code_digest(text.decode())}\n".encode())
    answer = digest.hexdigest()[:16]
    with contextlib.suppress(OSError):  # if it is not writable, the next process parses again
        if not why_not_writable(base):
            temporary = known.with_suffix(f".{os.getpid()}")
            temporary.write_text(answer, encoding="ascii")
            temporary.replace(known)
    return answer


def _base() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(chosen) / "duelbench" if chosen else user_cache()) / "kernels"


@cache
def cache_directory(extra: str = "") -> Path:
    """Return the directory of compiled kernels in the user's cache. Raises UserError when it is not writable."""
    base = _base()
    if why := why_not_writable(base):
        raise UserError(
            f"cannot keep machine code in {base} ({why}): set NUMBA_CACHE_DIR to a directory that you can write to"
        )
    directory = base / sources_digest(extra)
    with contextlib.suppress(OSError):  # for example a full disk: kernels compile but are not kept
        directory.mkdir(mode=0o700, exist_ok=True)
        os.utime(directory)
        prune(base)
    return directory


@cache
def prune(base: Path) -> None:
    """Remove cache directories that were not used for a month."""
    for each in base.iterdir():
        with contextlib.suppress(OSError):  # another process removes it
            if time.time() - each.stat().st_mtime > UNUSED:
                if each.is_dir():
                    shutil.rmtree(each)
                else:
                    each.unlink()


_directory: Callable[[], Path] | None = None


@contextmanager
def keeping_in(directory: Callable[[], Path]) -> Iterator[None]:
    """Cache kernels that are decorated in this block in ``directory()``, which is called when needed."""
    global _directory
    before, _directory = _directory, directory
    try:
        yield
    finally:
        _directory = before


def chosen_directory() -> Callable[[], Path] | None:
    """Return the argument of the enclosing ``keeping_in``; None outside such a block."""
    return _directory


def keep(dispatcher: Any, directory: Path) -> None:
    """Make numba cache the machine code of ``dispatcher`` in the directory.

    Code without a file, as in an interactive session, is not cached.
    """
    if not Path(inspect.getfile(dispatcher.py_func)).is_file():
        return
    compile_or_load = dispatcher.compile

    def wait_and_compile(signature: Any) -> Any:
        """Load machine code or compile, after waiting for other processes that compile into the directory."""
        with ExitStack() as held:
            with contextlib.suppress(OSError):  # for example a full disk, or no file locks
                directory.mkdir(parents=True, exist_ok=True)
                lock(held.enter_context((directory / ".lock").open("ab")), wait=True)
            return compile_or_load(signature)

    dispatcher.compile = wait_and_compile
    config: Any = numba.core.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(directory)
    try:
        try:
            dispatcher._cache = _kernel_cache(directory)(dispatcher.py_func)
        except (ImportError, AttributeError, TypeError, NotImplementedError):  # another version of numba
            dispatcher.enable_caching()  # same directory, but an edit of a docstring recompiles
    finally:
        config.CACHE_DIR = before


@cache
def _kernel_cache(directory: Path) -> Callable[[Any], Any]:
    """Return a subclass of numba's cache that uses our directory and digest."""
    from numba.core import caching

    numbas: Any = caching

    class Locator(numbas._CacheLocator):  # type: ignore[misc]
        def __init__(self, function: Any, file: str) -> None:
            self._py_file = file
            self._function = function

        @classmethod
        def from_function(cls, function: Any, file: str) -> Locator:
            return cls(function, file)

        def get_cache_path(self) -> str:
            return str(directory)

        def get_source_stamp(self) -> str:
            return code_digest(Path(self._py_file).read_text(encoding="utf-8"))

        def get_disambiguator(self) -> str:
            """Return a text that distinguishes functions of the same name in different modules or functions."""
            source = textwrap.dedent(inspect.getsource(self._function))
            name = f"{self._function.__module__} {code_digest(source)}"
            return hashlib.sha256(name.encode()).hexdigest()[:8]

    class Kept(numbas.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class KernelCache(numbas.FunctionCache):  # type: ignore[misc]
        _impl_class = Kept

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            """Load machine code, or return None if it cannot be read, for example after a power failure."""
            try:
                return super().load_overload(signature, target_context)
            except Exception:
                with contextlib.suppress(OSError):
                    self.flush()
                return None

        def save_overload(self, signature: Any, compiled: Any) -> None:
            """Save machine code; if that fails, for example on a full disk, the next process compiles again."""
            with contextlib.suppress(OSError, EOFError, pickle.PickleError):
                super().save_overload(signature, compiled)

    return KernelCache
