"""The cache of machine code, and its invalidation.

numba's own cache is invalidated by an edit in the file of a function, but not by an edit in the files of the functions
that it calls: old code would run silently. So the name of the cache directory is a digest of all kernel sources and of
the relevant versions, and any change starts an empty directory (``pruning`` removes old ones). A user's algorithm file
adds its own code to the digest. Within the directory, machine code is found by module and function name and not by line
number: an edit of a docstring moves lines, and must not cause a recompilation of 20 seconds.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import platform
import re
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

from duelbench import private
from duelbench.compiling import pruning
from duelbench.compiling.digest import code_digest
from duelbench.errors import UserError
from duelbench.home import user_cache

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


def _texts() -> dict[str, bytes]:
    sources = [file for pattern in KERNEL_SOURCES for file in sorted(PACKAGE.glob(pattern))]
    return {str(file.relative_to(PACKAGE)): file.read_bytes() for file in sources}


_AT_FIRST = _texts()
"""The kernel sources before the first of them was imported; all of them import this module."""


@cache
def _package_digest() -> str:
    """Return the digest of the code of all kernel sources.

    Parsing takes a quarter of a second in every process, so the result is cached under the digest of their bytes.
    """
    texts = _AT_FIRST
    if _texts() != texts:  # the imported version is unknown
        raise UserError("kernel code was edited while the command was starting: repeat the command")
    exact = hashlib.sha256(b"".join(name.encode() + text for name, text in texts.items())).hexdigest()[:16]
    base = private.of_the_command() or _base()
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
        if not private.why_not(base):
            temporary = known.with_suffix(f".{os.getpid()}")
            temporary.write_text(answer, encoding="ascii")
            temporary.replace(known)
    return answer


def _base() -> Path:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    return (Path(chosen) / "duelbench" if chosen else user_cache()) / "kernels"


@cache
def cache_directory(extra: str = "") -> Path:
    """Return the directory of compiled kernels: in the user's cache or, if that is not writable, a temporary one.

    Raises UserError when neither is possible.
    """
    base = private.of_the_command() or _base()
    if why := private.why_not(base) or pruning.use(base / sources_digest(extra)):
        base = private.made(base, why)
        pruning.use(base / sources_digest(extra))
    return base / sources_digest(extra)


_directory: Callable[[], Path] | None = None


@contextmanager
def keeping_in(directory: Callable[[], Path]) -> Iterator[None]:
    """Keep the machine code of kernels that are decorated in this block in ``directory()``, called when needed."""
    global _directory
    before, _directory = _directory, directory
    try:
        yield
    finally:
        _directory = before


def chosen_directory() -> Callable[[], Path] | None:
    """Return the function that ``keeping_in`` was called with, None outside its block."""
    return _directory


def keep(dispatcher: Any, directory: Path) -> None:
    """Make numba cache the machine code of ``dispatcher`` in the directory.

    Code without a file, as in an interactive session, is not cached.
    """
    if not Path(inspect.getfile(dispatcher.py_func)).is_file():
        return
    compile_or_load = dispatcher.compile

    def in_turn(signature: Any) -> Any:
        with _turn(directory):
            return compile_or_load(signature)

    dispatcher.compile = in_turn
    config: Any = numba.core.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(directory)
    try:
        try:
            dispatcher._cache = _kernel_cache(directory)(dispatcher.py_func)
        except (ImportError, AttributeError, TypeError, NotImplementedError):  # another version of numba
            dispatcher.enable_caching()  # same directory, but it recompiles after an edit of a docstring
    finally:
        config.CACHE_DIR = before


@contextmanager
def _turn(directory: Path) -> Iterator[None]:
    """Hold the lock of the directory while compiling into it: another process may be compiling the same kernel.

    Without locks, or if the wait is too long, the block runs anyway.
    """
    handle = None
    with contextlib.suppress(OSError):  # as on a full disk
        directory.mkdir(parents=True, exist_ok=True)
        handle = pruning.lock(directory, shared=False)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


@cache
def _kernel_cache(directory: Path) -> Callable[[Any], Any]:
    """Return a class like numba's cache of machine code, with our directory and digest."""
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
            """Return a text that distinguishes functions of one name, in other modules or nested in other functions."""
            source = textwrap.dedent(inspect.getsource(self._function))
            name = f"{self._function.__module__} {code_digest(source)}"
            return hashlib.sha256(name.encode()).hexdigest()[:8]

    class Kept(numbas.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class Sealed(numbas.IndexDataCacheFile):  # type: ignore[misc]
        """Files of machine code that begin with a digest: a file damaged by a power failure must not be executed.

        Their names depend on the argument types, so processes that compile one kernel for different types at the same
        time do not write the same file.
        """

        def save(self, key: Any, data: Any) -> None:
            name = self._data_name(int(hashlib.sha256(repr(key).encode()).hexdigest()[:8], 16))
            self._save_data(name, data)
            self._save_index({**self._load_index(), key: name})

        def _save_data(self, name: str, data: Any) -> None:
            written = self._dump(data)
            with self._open_for_write(self._data_path(name)) as file:
                file.write(hashlib.sha256(written).digest() + written)

        def _load_data(self, name: str) -> Any:
            read = Path(self._data_path(name)).read_bytes()
            digest, written = read[:32], read[32:]
            if hashlib.sha256(written).digest() != digest:
                raise ValueError(f"{name} is damaged")
            return pickle.loads(written)

    class KernelCache(numbas.FunctionCache):  # type: ignore[misc]
        _impl_class = Kept

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._cache_file = Sealed(
                cache_path=self._cache_path,
                filename_base=self._impl.filename_base,
                source_stamp=self._impl.locator.get_source_stamp(),
            )

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            """Load machine code, or return None if it cannot be read, for example after a full disk."""
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
