"""The cache of machine code: found again unless code was edited, compiled again if damaged, pruned if unused."""

import importlib.util
import os
import shutil
import sys
import time

import pytest

from duelbench.compiling import cache
from duelbench.errors import UserError
from duelbench.files import lock
from tests.comparison import python


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """Give each test its own cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    yield
    for each in (cache.cache_directory, cache.prune):
        each.cache_clear()


def directory(text=""):
    return cache.cache_directory.__wrapped__(text)


def digest(edited=False):
    """Return the digest of a new process; if ``edited``, files were edited after its first import."""
    for each in (cache.sources_digest, cache._package_digest):
        each.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if not edited:
            patch.setattr(cache, "_AT_FIRST", cache._texts())
        return cache.sources_digest()


def test_a_directory_for_each_code(monkeypatch, tmp_path):
    plain, user = directory(), directory("text = 'of a user'")
    assert plain.is_relative_to(tmp_path / "cache") and plain.is_dir()
    assert len({plain, user, directory("text = 'of another'")}) == 3
    assert user == directory("text = 'of a user'  # and a comment")
    before = digest()
    package = tmp_path / "duelbench"
    for name, text in cache._texts().items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_bytes(text)
    monkeypatch.setattr(cache, "PACKAGE", package)
    assert digest() == before
    for name in cache.COMPILED:
        place = package.joinpath(*name.split("."))
        source = next(place.rglob("*.py"), place.with_suffix(".py"))
        text = source.read_text()
        source.write_text(text + "EDITED = 1\n")
        assert digest() != before
        with pytest.raises(UserError, match="edited while the command was starting"):
            digest(edited=True)
        source.write_text("# edited\n" + text)
        assert digest() == before
        source.write_text(text)


KERNELS = '''"""Two kernels."""

import math

from duelbench.compiling.jit import kernel


@kernel
def inner(n):
    """Return a number."""
    return n + 1


@kernel
def outer(n):
    return 10 * inner(n)


def make(by):
    @kernel
    def scaled(n):
        return by * n

    return scaled


@kernel
def rounded(x):
    return math.floor(x)


down = rounded


@kernel
def rounded(x):
    return math.ceil(x)


results = [outer(4), make(2)(5), make(3)(5), down(2.5), rounded(2.5)]
hits = sum(outer.for_python.stats.cache_hits.values())
'''
NEW, FOUND = ([50, 10, 15, 2, 3], 0), ([50, 10, 15, 2, 3], 1)
ELSEWHERE = "from duelbench.compiling.cache import keeping_in\nfrom pathlib import Path\n"
ELSEWHERE += "with keeping_in(lambda: Path('kept')): import script\nprint(*script.results, script.hits)"


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def run(kept, tmp_path, monkeypatch):
    """Load a script of kernels anew; return its results and how many kernels were in the cache."""

    def run(text=KERNELS):
        (tmp_path / "script.py").write_text(text)
        spec = importlib.util.spec_from_file_location("script", tmp_path / "script.py")
        script = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "script", script)  # machine code refers to it
        with cache.keeping_in(lambda: kept):
            spec.loader.exec_module(script)
        return script.results, script.hits

    return run


def test_found_after_an_edit_of_words_only(run, tmp_path):
    """Machine code is also found in another process; the script is not part of the digest of sources."""
    assert run() == NEW
    assert python("-c", ELSEWHERE, cwd=tmp_path).stdout == "50 10 15 2 3 1\n"
    words = KERNELS.replace('"""Return a number."""', '"""Return a number.\n\n    Of\n    many lines.\n    """')
    assert run("# moved\n\n" + words.replace("Two kernels", "Some kernels")) == FOUND
    assert run(KERNELS.replace("n + 1", "n + 2")) == ([60, 10, 15, 2, 3], 0)


def test_what_another_process_compiles_is_awaited(run, monkeypatch):
    def let_others_compile(file, wait):
        monkeypatch.setattr(cache, "lock", lock)
        assert run() == NEW  # as in another process
        lock(file, wait=wait)

    monkeypatch.setattr(cache, "lock", let_others_compile)
    assert run() == FOUND


def test_torn_machine_code_is_compiled_again(run, kept):
    """Machine code that is incomplete or zeroed, as after a power failure, is compiled again."""
    assert run() == NEW
    for kind, tear in ((".nbi", lambda data: data[: len(data) // 2]), (".nbc", lambda data: bytes(len(data)))):
        files = [*kept.rglob(f"*{kind}")]
        assert files
        for file in files:
            file.write_bytes(tear(file.read_bytes()))
        assert run() == NEW
    assert run() == FOUND


@pytest.mark.parametrize("kind", ["*.nbc", "*"])
def test_machine_code_that_vanishes_is_compiled_again(run, kept, kind, monkeypatch):
    """Another process may remove files or the whole directory, at any time."""

    def remove():
        for file in [*kept.rglob(kind)]:
            if file.is_file():
                file.unlink()
        if kind == "*":
            shutil.rmtree(kept)

    assert run() == NEW
    remove()
    assert run() == NEW
    assert run() == FOUND

    def lock_and_remove(file, wait):
        lock(file, wait=wait)
        if kept.exists():
            remove()

    monkeypatch.setattr(cache, "lock", lock_and_remove)
    assert run() == NEW


def test_cache_that_cannot_be_written(monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "a file"))
    with pytest.raises(UserError, match=r"cannot keep machine code in .*set NUMBA_CACHE_DIR to a directory"):
        directory()


def test_prune_unused(tmp_path):
    now, day = time.time(), 24 * 3600
    for name, days in (("fresh", 0), ("month", 29.9), ("more", 30.1), ("new.code", 1), ("old.code", 31)):
        if name.endswith(".code"):
            (tmp_path / name).write_text("")
        else:
            (tmp_path / name / "tier-2").mkdir(parents=True)
        os.utime(tmp_path / name, (now - days * day,) * 2)
    cache.prune(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fresh", "month", "new.code"]
