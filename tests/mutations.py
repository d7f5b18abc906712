"""Plant the mistakes of mutations.txt, one at a time, and print which test catches each: `make mutations [ONLY=word]`.

A mistake is planted in a copy of the repository, whose kernel cache is its own (conftest.py); both are removed at the
end. The report also goes to build/mutations.txt.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_name("mutations.txt")
REPORT = ROOT / "build" / "mutations.txt"
CPU_SECONDS, SECONDS = 300, 1800
"""The tests of a mistake hang if they exceed this CPU time or total time: twenty times the usual."""

HANGS = "(hangs or dies)"
PLAIN_SECONDS = 30
"""Limit of CPU time for tests with interpreted kernels, after which those with compiled ones follow."""

# Fingerprints change with every path, right or wrong.
PYTEST = ["-m", "pytest", "-x", "-q", "-n", "0", "--tb=no", "-p", "no:cacheprovider", "-m", "not slow"]
PYTEST += ["--ignore=tests/test_fingerprints.py"]


class Selection(NamedTuple):
    """Tests to run: arguments of pytest, and whether kernels are interpreted."""

    tests: str
    interpreted: bool


class Mutation(NamedTuple):
    """A mistake: ``wrong`` replaces ``right``, which occurs once in ``file``; the ``selections`` should notice."""

    section: str
    mistake: str
    file: str
    right: str
    wrong: str
    selections: tuple[Selection, ...]
    harmless: str

    @property
    def title(self) -> str:
        return f"{self.section}: {self.mistake}"

    def planted_in(self, text: str) -> str:
        """Return the source text with the mistake. Raises ValueError if its place is not the only one."""
        if (count := text.count(self.right)) != 1:
            raise ValueError(f"{self.title}: {count} places in {self.file} read {self.right!r}")
        return text.replace(self.right, self.wrong)


def mutations(text: str) -> list[Mutation]:
    """Parse the text of a list; its first lines explain the format."""
    listed: list[Mutation] = []
    usual: tuple[Selection, ...] = ()
    section, file, selections = "", "", usual
    for entry in re.split(r"\n\s*\n", text):
        lines = entry.splitlines()
        said = {mark: [line[2:] for line in lines if line[:2].rstrip() == mark] for mark in ("==", *"=@>~#-+?")}
        chosen = (*(Selection(each, True) for each in said["~"]), *(Selection(each, False) for each in said[">"]))
        if said["=="]:
            usual = chosen
        if said["="]:
            section, selections = said["="][0], usual
        file = said["@"][0] if said["@"] else file
        selections = chosen or selections
        if said["-"]:
            tests = tuple(each._replace(tests=each.tests.replace("NAME", section)) for each in selections)
            right, wrong = "\n".join(said["-"]), "\n".join(said["+"])
            listed.append(Mutation(section, said["#"][0], file, right, wrong, tests, " ".join(said["?"])))
    return listed


class Workplace:
    """A copy of the repository in which tests run."""

    def __init__(self, directory: Path) -> None:
        self.root = directory / "repository"
        self.root.mkdir(parents=True)
        (directory / "shared").symlink_to(ROOT.parent / "shared")  # matrices that are not shipped
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0"):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.root / name)
        self.passing: set[tuple[str, bool]] = set()
        self.stamp = int(time.time())

    def write(self, path: Path, text: str) -> None:
        """Write a module with a new time stamp in seconds: Python then recompiles its bytecode."""
        path.write_text(text, encoding="utf-8")
        self.stamp += 1
        os.utime(path, (self.stamp, self.stamp))

    def failure(self, tests: str, interpreted: bool) -> str:
        """Return the first failing test of a selection, or an empty string."""
        limit = PLAIN_SECONDS if interpreted else CPU_SECONDS
        switches = {"PYTHONPATH": str(self.root), "NUMBA_DISABLE_JIT": str(int(interpreted))}
        process = subprocess.Popen(
            [sys.executable, *PYTEST, *shlex.split(tests)],
            cwd=self.root,
            env=os.environ | switches,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
        try:
            said, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
        if process.returncode == 0:
            return ""
        if found := re.search(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", said, re.MULTILINE):
            return found[1]
        if process.returncode < 0:
            return "" if interpreted else f"{tests} {HANGS}"
        raise RuntimeError(f"pytest {tests}: {said[-1000:]}")

    def caught_by(self, mutation: Mutation) -> str:
        """Return the test that fails with a mistake and passes without it, or an empty string."""
        path = self.root / mutation.file
        right = path.read_text(encoding="utf-8")
        for tests, interpreted in mutation.selections:
            self.write(path, mutation.planted_in(right))
            test = self.failure(tests, interpreted)
            self.write(path, right)
            if test and not test.endswith(HANGS) and (test, interpreted) not in self.passing:
                if self.failure(shlex.quote(test), interpreted):
                    raise RuntimeError(f"{test} fails without a mistake, too")
                self.passing.add((test, interpreted))
            if test:
                return test
        return ""


def report_on(mutation: Mutation, workplaces: SimpleQueue[Workplace]) -> str:
    """Return a line of the report: the outcome, seconds, the mistake, and the test that caught it."""
    workplace = workplaces.get()
    began = time.perf_counter()
    try:
        test = workplace.caught_by(mutation)
    finally:
        workplaces.put(workplace)
    what = "caught" if test else "harmless" if mutation.harmless else "SURVIVED"
    return f"{what:8} {time.perf_counter() - began:5.0f} s  {mutation.title}  {test or mutation.harmless}".rstrip()


def main(only: str) -> int:
    """Try the mistakes whose title or file contains ``only``; return 1 if a harmful one survives."""
    chosen = [each for each in mutations(LIST.read_text(encoding="utf-8")) if only in f"{each.title} {each.file}"]
    if not chosen:
        sys.exit(f"no mistake of mutations.txt has {only!r} in its title or file")
    lines = []
    with tempfile.TemporaryDirectory(prefix="mutations-") as directory, ThreadPoolExecutor(2) as pool:
        workplaces: SimpleQueue[Workplace] = SimpleQueue()
        for number in range(2):
            workplaces.put(Workplace(Path(directory, str(number))))
        for line in pool.map(lambda each: report_on(each, workplaces), chosen):
            print(line, flush=True)
            lines.append(line)
    survivors = [line for line in lines if line.startswith("SURVIVED")]
    harmless = sum(line.startswith("harmless") for line in lines)
    caught = len(lines) - len(survivors) - harmless
    lines += ["", f"{len(lines)} mistakes: {caught} caught, {harmless} harmless, {len(survivors)} survived", *survivors]
    print("\n".join(lines[len(chosen) :]))
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
