"""Plant the mistakes of mutations.txt, one at a time, and print which test catches each: `make mutations [ONLY=word]`.

Each mistake is planted in a copy of the repository with its own kernel cache (conftest.py); both are removed at the
end. The report is also written to build/mutations.txt. With CHECK=1, no test runs: the script only reports mistakes
that no longer apply and test files that no longer exist.
"""

import argparse
import ast
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
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeAlias

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "duelbench"
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
    """A selection of tests: the arguments of pytest, and whether kernels are interpreted."""

    tests: str
    interpreted: bool

    def missing(self) -> list[str]:
        """Return the test files that do not exist."""
        return [word for word in shlex.split(self.tests) if word.endswith(".py") and not (ROOT / word).is_file()]


@dataclass
class Mutation:
    """A mistake: ``wrong`` replaces ``right`` in the definition ``name``; the tests in ``selections`` should fail."""

    section: str
    name: str
    mistake: str
    selections: list[Selection]
    right: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    harmless: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        return f"{self.section}: {self.mistake}"


def mutations(text: str) -> list[Mutation]:
    """Parse the text of mutations.txt; its first lines explain the format."""
    listed: list[Mutation] = []
    usual: list[Selection] = []
    chosen, section, before = usual, "", ""
    for line in text[text.index("\n== ") :].splitlines():
        mark, rest = line[:2].rstrip(), line[2:]
        match mark:
            case "==":
                usual = chosen = []
            case "=":
                section, chosen = rest, usual
            case "~" | ">":
                if before not in ("==", "~", ">"):
                    chosen = []
                chosen.append(Selection(rest, mark == "~"))
            case "-":
                listed[-1].right.append(rest)
            case "+":
                listed[-1].wrong.append(rest)
            case "?":
                listed[-1].harmless.append(rest)
            case "":
                continue
            case _:
                name, mistake = line.split(": ", 1)
                tests = [each._replace(tests=each.tests.replace("NAME", section)) for each in chosen]
                listed.append(Mutation(section, name, mistake, tests))
        before = mark
    return listed


Names: TypeAlias = tuple[str, ...]


class Definition(NamedTuple):
    """A function, class, constant or field: its place, and the names of its enclosing and top-level definitions."""

    path: str
    start: int
    end: int
    around: set[str]
    beside: set[str]


class Planted(NamedTuple):
    """A file, its text, and the text with a mistake."""

    path: str
    right: str
    wrong: str


class Source:
    """The definitions of a package, by name without leading underscores."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.definitions: defaultdict[str, list[Definition]] = defaultdict(list)
        for path, text in texts.items():
            tree = ast.parse(text)
            lines = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
            beside = {name.lstrip("_") for node in tree.body for name in names_of(node)}
            for node, name, outer in definitions(tree):
                around = {each.lstrip("_") for each in outer}
                found = Definition(path, lines[node.lineno - 1], lines[node.end_lineno], around, beside)
                self.definitions[name.lstrip("_")].append(found)

    def planted(self, mutation: Mutation) -> Planted:
        """Return the file with the mistake. Raises LookupError unless exactly one place fits."""
        *qualifiers, name = [each.lstrip("_") for each in mutation.name.split(".")]
        named = self.definitions.get(name, [])
        if not named:
            raise LookupError(f"there is no {name}")
        inside = [each for each in named if each.around.issuperset(qualifiers)]
        near = [each for each in named if (each.around | each.beside).issuperset(qualifiers)]
        pattern = pattern_of("\n".join(mutation.right))
        for fitting in (near or named, inside):
            places = {
                (each.path, *match.span())
                for each in fitting
                for match in pattern.finditer(self.texts[each.path], each.start, each.end)
            }
            if len(places) < 2:
                break
        if len(places) != 1:
            raise LookupError(f"{len(places)} places in {mutation.name} read {' '.join(mutation.right)}")
        [(path, start, end)] = places
        text = self.texts[path]
        line = text[text.rfind("\n", 0, start) + 1 : start]
        indentation = line[: len(line) - len(line.lstrip())]
        wrong = text[:start] + f"\n{indentation}".join(mutation.wrong) + text[end:]
        try:
            ast.parse(wrong)
        except SyntaxError as error:
            raise LookupError(f"{path}:{error.lineno}: {error.msg}") from None
        return Planted(path, text, wrong)


def definitions(tree: ast.AST, outer: tuple[str, ...] = (), local: bool = False) -> Iterator[tuple[Any, str, Names]]:
    """Yield functions, classes, constants and fields, their names, and the names of the definitions around them."""
    for node in ast.iter_child_nodes(tree):
        defines = isinstance(node, ast.FunctionDef | ast.ClassDef)
        names = names_of(node) if defines or not local else []
        yield from ((node, name, outer) for name in names)
        inner = (*outer, *names) if defines else outer
        yield from definitions(node, inner, isinstance(node, ast.FunctionDef) or (local and not defines))


def names_of(node: ast.AST) -> list[str]:
    """Return the names that a statement defines."""
    match node:
        case ast.FunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def pattern_of(code: str) -> re.Pattern[str]:
    """Return a regular expression for a piece of code that ignores white space and trailing commas."""
    found = ""
    for token in re.findall(r"\w+|[^\w\s]", code):
        word = re.match(r"\w", token)
        after_word = found.endswith(r"\b")
        found += r"\s+" if word and after_word else r"\s*" if found else ""
        found += rf"\b{token}\b" if word else rf"(?:,\s*)?\{token}" if token in ")]}" else re.escape(token)
    return re.compile(found)


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
        if process.returncode < 0 or process.returncode == pytest.ExitCode.INTERRUPTED:
            return "" if interpreted else f"{tests} {HANGS}"
        raise RuntimeError(f"pytest {tests}: {said[-1000:]}")

    def caught_by(self, planted: Planted, selections: list[Selection]) -> str:
        """Return the test that fails with a mistake and passes without it, or an empty string."""
        path = self.root / planted.path
        for tests, interpreted in selections:
            self.write(path, planted.wrong)
            try:
                test = self.failure(tests, interpreted)
            finally:
                self.write(path, planted.right)
            if test and not test.endswith(HANGS) and (test, interpreted) not in self.passing:
                if self.failure(shlex.quote(test), interpreted):
                    raise RuntimeError(f"{test} fails without a mistake, too")
                self.passing.add((test, interpreted))
            if test:
                return test
        return ""


def report_on(mutation: Mutation, planted: Planted, workplaces: SimpleQueue[Workplace]) -> str:
    """Return a line of the report: the outcome, seconds, the mistake, and the test that caught it."""
    workplace = workplaces.get()
    began = time.perf_counter()
    try:
        test = workplace.caught_by(planted, mutation.selections)
        what = "caught" if test else "harmless" if mutation.harmless else "SURVIVED"
        why = test or " ".join(mutation.harmless)
    except RuntimeError as error:
        what, why = "ERROR", str(error)
    finally:
        workplaces.put(workplace)
    return f"{what:8} {time.perf_counter() - began:5.0f} s  {mutation.title}  {why}".rstrip()


def applying(only: str) -> tuple[list[tuple[Mutation, Planted]], list[str]]:
    """Return the mistakes whose title, name or file contains ``only``, and lines about what no longer applies."""
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    source = Source({each.relative_to(ROOT).as_posix(): each.read_text(encoding="utf-8") for each in files})
    chosen, lost = [], {}
    for mutation in mutations(LIST.read_text(encoding="utf-8")):
        about = f"{mutation.title} {mutation.name}"
        try:
            planted = source.planted(mutation)
        except LookupError as error:
            if only in about:
                lost[f"no longer applies: {mutation.title}: {error.args[0]}"] = None
            continue
        if only in f"{about} {planted.path}":
            missing = [name for each in mutation.selections for name in each.missing()]
            lost |= {f"no longer applies: tests of {mutation.section}: there is no {name}": None for name in missing}
            mutation.selections = [each for each in mutation.selections if not each.missing()]
            chosen.append((mutation, planted))
    return chosen, list(lost)


def main(only: str, check: bool) -> int:
    """Try the mistakes that contain ``only``; return 1 if a harmful one survives or something no longer applies."""
    chosen, lost = applying(only)
    if not chosen and not lost:
        sys.exit(f"no mistake of mutations.txt has {only!r} in its title, name or file")
    if check:
        print("\n".join([*lost, f"{len(chosen)} mistakes apply"]))
        return int(bool(lost))
    lines = []
    with tempfile.TemporaryDirectory(prefix="mutations-") as directory, ThreadPoolExecutor(2) as pool:
        workplaces: SimpleQueue[Workplace] = SimpleQueue()
        for number in range(2):
            workplaces.put(Workplace(Path(directory, str(number))))
        for line in pool.map(lambda each: report_on(*each, workplaces), chosen):
            print(line, flush=True)
            lines.append(line)
    caught, harmless = (sum(line.startswith(what) for line in lines) for what in ("caught", "harmless"))
    survivors = [line for line in lines if line.startswith(("SURVIVED", "ERROR"))]
    lines += ["", f"{len(lines)} mistakes: {caught} caught, {harmless} harmless, {len(survivors)} survived"]
    lines += [*survivors, *lost]
    print("\n".join(lines[len(chosen) :]))
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(bool(survivors or lost))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("only", nargs="?", default="")
    parser.add_argument("--check", action="store_true")
    sys.exit(main(**vars(parser.parse_args())))
