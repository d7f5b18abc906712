"""Helpers for the fuzzing suites: the number of examples, and a directory that notices what commands touch.

``DUELBENCH_FUZZ=20 pytest tests/test_fuzz_*.py`` tries twenty times as many examples, new ones each time. Without it,
the examples are always the same: a few, and many if slow tests are run.
"""

import os
import re
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from duelbench.cli import main

TIMES = int(os.environ.get("DUELBENCH_FUZZ", "0"))


def fuzzed(few, many, **strategies):
    """Turn ``test(yard, **drawn)`` into a test of ``few`` examples, and a slow one of ``many``."""

    def decorate(test):
        @pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.slow)])
        def tried(yard, examples):
            def once(**drawn):
                test(yard, **drawn)

            once.__name__ = test.__name__  # which determines the examples
            trying = settings(
                derandomize=not TIMES,
                database=None,
                deadline=None,
                phases=[Phase.generate],  # commands are too slow to shrink examples
                max_examples=examples * max(1, TIMES),
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            )
            trying(given(**strategies)(once))()

        tried.__name__, tried.__doc__ = test.__name__, test.__doc__
        return tried

    return decorate


@st.composite
def damaged(draw, raw, junk, times=4, longest=6):
    """Draw a text or bytes with up to so many pieces replaced by junk."""
    for _ in range(draw(st.integers(1, times))):
        start = draw(st.integers(0, len(raw)))
        end = start + draw(st.integers(0, longest) if longest < 10 else st.sampled_from([0, 1, 5, 100, longest]))
        raw = raw[:start] + draw(junk) + raw[end:]
    return raw


SENTINEL = "nobody touches this"
SPARSE = 1 << 30
"""A file with this many bytes must be sparse."""
NO_FILES = ("a file outside", "a directory outside", "nowhere", "itself", "/dev/zero", "a pipe", "a directory", "holes")
"""What may replace a file of results."""


class Yard:
    """A directory in which commands run, and its surroundings, which they must not change."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / "a" / "work"
        self.work.mkdir(parents=True)
        for place in (root, root / "a", self.work):
            (place / "sentinel").write_text(SENTINEL)
            (place / "evil.csv").write_text(SENTINEL)
        (self.work / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")

    def files(self) -> dict[Path, tuple[int, bytes]]:
        """Return all files with times and contents."""
        found = {}
        for path in self.root.rglob("*"):
            if path.is_file() and not path.is_symlink():
                found[path] = (
                    path.stat().st_mtime_ns,
                    path.read_bytes() if path.stat().st_size < SPARSE else b"too large",
                )
            else:
                found[path] = 0, b""
        return found

    def call(self, *arguments: object, may_write: Path | None = None) -> str:
        """Run a command, which must end properly and change nothing outside ``may_write``; return its error."""
        before = self.files()
        there = Path.cwd()
        os.chdir(self.work)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
                done = CliRunner().invoke(main, [str(each) for each in arguments])
        finally:
            os.chdir(there)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise AssertionError(f"{arguments}: {done.exception!r}") from done.exception
        assert done.exit_code in (0, 1, 2, 130), done.output
        if done.exit_code == 2 and not done.stderr.startswith("Usage: "):
            assert re.fullmatch(r"(.*\n)*error: [^\n]{5,}\n", done.stderr), done.stderr
            said = done.stderr.splitlines()[-1]
            assert said.isprintable(), said
            assert len(said) < 5000
        assert "Traceback" not in done.output
        steering = [line for line in done.output.split("\n") if not line.isprintable()]
        assert not steering, steering
        after = self.files()
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        outside = [
            path for path in changed if may_write is None or not (path == may_write or may_write in path.parents)
        ]
        assert not outside, outside
        return done.stderr

    @contextmanager
    def with_something_else(self, path: Path, what: str) -> Iterator[None]:
        """Replace a file or a directory by one of ``NO_FILES``; sparse files are removed afterwards."""
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        outside = self.root / "outside"
        outside.mkdir(exist_ok=True)
        (outside / "precious").write_text(SENTINEL)
        match what:
            case "a pipe":
                os.mkfifo(path)
            case "a directory":
                path.mkdir()
                (path / "precious").write_text(SENTINEL)
            case "holes":  # a file larger than any memory
                path.touch()
                os.truncate(path, 1 << 40)
            case _:
                targets = {"a file outside": outside / "precious", "a directory outside": outside}
                path.symlink_to((targets | {"nowhere": outside / "new", "itself": path}).get(what, what))
        try:
            yield
        finally:
            if what == "holes" and path.is_file():
                path.unlink()


def renewed(yard: Yard) -> Path:
    """Restore the results that a test damages, and return their directory."""
    place = yard.work / "bad"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(yard.work / "good", place)
    return place
