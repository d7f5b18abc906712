"""Where the machine code of kernels is kept, and when it is out of date.

numba's own cache notices edits in the file of a function, not in the files of what it calls: old code would run
silently. So the directory is named by a digest of the code of every kernel source and of the versions that matter, and
a change anywhere starts an empty one. An algorithm file of the user's adds its own code to the digest. Within the
directory machine code is found by module and name: an edit of a docstring moves lines, and must not cost 20 seconds.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numba.core.config
import numpy as np
import platformdirs

from duelbench.compiling.digest import code_digest

PACKAGE = Path(__file__).parents[1]
KERNEL_SOURCES = (
    "arrays.py", "compiling/*.py", "kernels/*.py", "algorithms/**/*.py", "engine/*.py", "sources/interleaving.py",
)  # fmt: skip


@cache
def sources_digest(extra: str = "") -> str:
    """Return the digest of all kernel sources, numba, numpy and Python; ``extra`` is the text of a user's algorithm."""
    versions = f"{numba.__version__} {llvmlite.__version__} {np.__version__} {platform.python_version()}"
    parts = [versions, code_digest(extra), _package_digest()]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:16]


def _package_digest() -> str:
    """Return the digest of the code of all kernel sources.

    To parse them takes every process a quarter of a second, so the answer is kept under the digest of their bytes.
    """
    sources = [file for pattern in KERNEL_SOURCES for file in sorted(PACKAGE.glob(pattern))]
    texts = {str(file.relative_to(PACKAGE)): file.read_bytes() for file in sources}
    exact = hashlib.sha256(b"".join(name.encode() + text for name, text in texts.items())).hexdigest()[:16]
    known = _base() / f"{exact}.code"
    try:
        return known.read_text(encoding="ascii")
    except OSError:
        digest = hashlib.sha256()
        for name, text in texts.items():
            digest.update(f"{name} {code_digest(text.decode())}\n".encode())
        answer = digest.hexdigest()[:16]
    try:
        known.parent.mkdir(parents=True, exist_ok=True)
        temporary = known.with_suffix(f".{os.getpid()}")
        temporary.write_text(answer, encoding="ascii")
        temporary.replace(known)
    except OSError:
        pass  # the cache is not writable: the next process parses again
    return answer


def _base() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(chosen) / "duelbench" if chosen else platformdirs.user_cache_path("duelbench", False)) / "kernels"


@cache
def cache_directory(extra: str = "") -> Path:
    """Return the directory of compiled kernels, a temporary one when the user's cache is not writable."""
    directory = _base() / sources_digest(extra)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        return Path(tempfile.gettempdir()) / f"duelbench-kernels-{os.getpid()}" / sources_digest(extra)


def code_is_kept() -> bool:
    """Tell whether other processes find what this one compiles."""
    return cache_directory().parent == _base()


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


def chosen_directory() -> Path | None:
    """Return the directory of ``keeping_in``, None outside of it."""
    return _directory


def keep(dispatcher: Any, directory: Path) -> None:
    """Have numba load what ``dispatcher`` compiles from the directory, and keep it there.

    Code without a file, as of an interactive session, is not kept.
    """
    if not Path(inspect.getfile(dispatcher.py_func)).is_file():
        return
    config: Any = numba.core.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(directory)
    try:
        try:
            dispatcher._cache = _kernel_cache(directory)(dispatcher.py_func)
        except (ImportError, AttributeError, TypeError, NotImplementedError):  # another numba
            dispatcher.enable_caching()  # in the same directory, which it will miss after an edit of a docstring
    finally:
        config.CACHE_DIR = before


@cache
def _kernel_cache(directory: Path) -> Callable[[Any], Any]:
    """Return numba's cache of machine code, told where it is and what it belongs to."""
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
            """Tell apart what has the same name: in another module, or another function's inside."""
            source = textwrap.dedent(inspect.getsource(self._function))
            name = f"{self._function.__module__} {code_digest(source)}"
            return hashlib.sha256(name.encode()).hexdigest()[:8]

    class Kept(numbas.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class KernelCache(numbas.FunctionCache):  # type: ignore[misc]
        _impl_class = Kept

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            """Load machine code; what cannot be read, as after a full disk, is compiled again."""
            try:
                return super().load_overload(signature, target_context)
            except Exception:
                self.flush()
                return None

    return KernelCache
