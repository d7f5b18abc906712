"""Where machine code is kept: found again after an edit of words, and not after an edit of code."""

import importlib.util
import os
import random
import subprocess
import sys

import pytest

from duelbench.compiling import cache
from duelbench.errors import UserError
from tests.comparison import ROOT


def test_machine_code_is_kept_by_sources_and_users_text(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    plain = cache.cache_directory.__wrapped__()
    assert plain.is_relative_to(tmp_path / "cache")
    assert plain.is_dir()
    user = cache.cache_directory.__wrapped__("text = 'of a user'")
    assert plain != user != cache.cache_directory.__wrapped__("text = 'of another'")
    assert user == cache.cache_directory.__wrapped__("text = 'of a user'  # and a comment")
    before = digest()
    package = tmp_path / "duelbench"
    for pattern in cache.KERNEL_SOURCES:
        for source in cache.PACKAGE.glob(pattern):
            copy = package / source.relative_to(cache.PACKAGE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    monkeypatch.setattr(cache, "PACKAGE", package)
    assert digest() == before
    for pattern in cache.KERNEL_SOURCES:
        source = next(package.glob(pattern))
        text = source.read_text()
        source.write_text(text + "EDITED = 1\n")
        assert digest() != before
        with pytest.raises(UserError, match="edited while the command began"):
            digest(edited=True)
        source.write_text("# edited\n" + text)
        assert digest() == before
        source.write_text(text)


def digest(edited=False):
    """The digest as a new process finds it; ``edited``: after its first import."""
    for each in (cache.sources_digest, cache._package_digest):
        each.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        if not edited:
            patch.setattr(cache, "_AT_FIRST", cache._texts())
        return cache.sources_digest()


@pytest.mark.parametrize("torn", [b"", b"0123", b"\0" * 16, bytes(range(240, 256))])
def test_a_torn_note_of_the_digest_of_the_sources_is_written_again(monkeypatch, tmp_path, torn):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    before = digest()
    (note,) = (tmp_path / "cache").rglob("*.code")
    whole = note.read_bytes()
    note.write_bytes(torn)
    assert digest() == before
    assert note.read_bytes() == whole


def test_the_users_cache_is_where_the_system_has_it(monkeypatch, tmp_path):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name, author: tmp_path / name)
    assert cache.cache_directory.__wrapped__().parent == tmp_path / "duelbench" / "kernels"


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


@pytest.fixture
def run(tmp_path):
    """Run a script of kernels with a cache of its own; return its results and how many kernels were in the cache."""

    def run(text=KERNELS):
        (tmp_path / "script.py").write_text(f"{text}print(*results, hits)\n")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        *results, hits = map(int, done.stdout.split())
        return results, hits

    return run


@pytest.fixture
def run_here(tmp_path):
    """The same in this process, where the script is loaded anew each time."""
    (tmp_path / "script.py").write_text(KERNELS)

    def run_here():
        spec = importlib.util.spec_from_file_location("script", tmp_path / "script.py")
        script = importlib.util.module_from_spec(spec)
        with cache.keeping_in(lambda: tmp_path / "cache"):
            spec.loader.exec_module(script)
        return script.results, script.hits

    run_here.cache = tmp_path / "cache"
    return run_here


def test_words_leave_machine_code_in_the_cache_and_edits_do_not(run):
    """Here of a script that is no part of the digest of sources."""
    assert run() == ([50, 10, 15, 2, 3], 0)
    assert run() == ([50, 10, 15, 2, 3], 1)
    words = KERNELS.replace('"""Return a number."""', '"""Return a number.\n\n    Of\n    many lines.\n    """')
    assert run("# moved\n\n" + words.replace("Two kernels", "Some kernels")) == ([50, 10, 15, 2, 3], 1)
    assert run(KERNELS.replace("n + 1", "n + 2")) == ([60, 10, 15, 2, 3], 0)


def zeroed_within(data):
    """A page that never reached the disk."""
    return data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * (len(data) // 3) :]


def any_bytes(data):
    return random.Random(1).randbytes(len(data))


TORN = {
    "empty": lambda data: b"",
    "halved": lambda data: data[: len(data) // 2],
    "nearly whole": lambda data: data[:-1],
    "zeroed": lambda data: bytes(len(data)),
    "zeroed within": zeroed_within,
    "random": any_bytes,
    "one byte": lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :],
}


QUICK = ("empty", "zeroed within", "one byte")


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "names", [QUICK, pytest.param(TORN.keys() - QUICK, marks=pytest.mark.slow)], ids=["some", "others"]
)
def test_what_a_power_failure_or_a_full_disk_has_left_is_compiled_again(run_here, kind, names):
    assert run_here() == ([50, 10, 15, 2, 3], 0)
    for tear in map(TORN.get, sorted(names)):
        files = [*run_here.cache.rglob(f"*{kind}")]
        assert files
        for file in files:
            file.write_bytes(tear(file.read_bytes()))
        assert run_here() == ([50, 10, 15, 2, 3], 0)
    assert run_here() == ([50, 10, 15, 2, 3], 1)


def test_machine_code_that_cannot_be_kept_is_used_all_the_same(run_here):
    """A directory in the place of a file stands for a full disk."""
    run_here()
    for file in [*run_here.cache.rglob("*.nbi")]:
        file.unlink()
        file.mkdir()
    assert run_here() == ([50, 10, 15, 2, 3], 0)
