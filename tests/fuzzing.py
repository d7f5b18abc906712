"""Helpers for the fuzzing suites: the number of examples, and a directory that detects changes by commands.

``DUELBENCH_FUZZ=20 pytest tests/test_fuzz_*.py`` tries twenty times as many examples, different ones in each run.
Without it, the examples are always the same: a few by default, many if slow tests are run.
"""

import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from duelbench.cli import main

TIMES = int(os.environ.get("DUELBENCH_FUZZ", "0"))


def fuzzed(few, many, **strategies):
    """Turn ``test(yard, **drawn)`` into a test of ``few`` examples and a slow test of ``many``."""

    def decorate(test):
        @pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.slow)])
        def tried(yard, examples):
            def once(**drawn):
                test(yard, **drawn)

            once.__name__ = test.__name__  # the name determines the examples
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
    """Draw ``raw``, a text or bytes, with up to ``times`` pieces replaced by junk."""
    for _ in range(draw(st.integers(1, times))):
        start = draw(st.integers(0, len(raw)))
        end = start + draw(st.integers(0, longest) if longest < 10 else st.sampled_from([0, 1, 5, 100, longest]))
        raw = raw[:start] + draw(junk) + raw[end:]
    return raw


SENTINEL = "nobody touches this"


class Yard:
    """A directory in which commands run; they must not change it or its parents."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / "a" / "work"
        self.work.mkdir(parents=True)
        for place in (root, root / "a", self.work):
            (place / "sentinel").write_text(SENTINEL)
            (place / "evil.csv").write_text(SENTINEL)
        (self.work / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")

    def files(self) -> dict[Path, tuple[int, bytes]]:
        """Return the modification times and contents of all files."""
        files = [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    def call(self, *arguments: object) -> str:
        """Run a command, which must end properly and change no file; return its standard error."""
        before = self.files()
        there = Path.cwd()
        os.chdir(self.work)
        try:
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
        assert self.files() == before
        return done.stderr
