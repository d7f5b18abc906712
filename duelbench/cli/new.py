"""``duelbench new``."""

import keyword
import re
from pathlib import Path

import click

from duelbench.cli.inputs import PATH
from duelbench.cli.terminal import example, one_line, say
from duelbench.errors import UserError

TEMPLATE = Path(__file__).parents[1] / "template"
_NAMES = re.compile(r'My(?:Policy|Tournament)|my_(?:policy|tournament)|"my-(?:policy|tournament)"')


@click.command(name="new", epilog=example("new my_tournament.py --program", "new my_policy.py"))
@click.argument("file", metavar="FILE.py", type=PATH)
@click.option("--program", is_flag=True, help="Write a program: one function that explores and returns an arm.")
@click.option("--class", "class_name", metavar="NAME", help="Name of the class.  [from the name of the file]")
def command(file: Path, program: bool, class_name: str | None) -> None:
    """Write the files of a new algorithm, to be edited.

    FILE.py is a working algorithm, explained in comments: a policy, which chooses every duel from what it knows, with
    a hold; with --program, a tournament. Beside it are FILE_reference.py, its reference implementation in plain Python;
    test_FILE.py, its tests for pytest; and FILE.yaml, a spec that plays it beside other algorithms. Existing files are
    not overwritten.
    """
    from duelbench.algorithms.catalogue import catalogue
    from duelbench.compiling.imports import refuse_taken_names

    stem = file.stem
    if file.suffix != ".py":
        raise UserError(f"{file} does not end in .py: write {stem}.py")
    if not _is_name(stem):
        raise UserError(f"a module cannot be called {stem!r}: use letters, digits and _, as in my_policy.py")
    refuse_taken_names(file)
    name = stem.strip("_").replace("_", "-").lower()
    if name in catalogue():
        raise UserError(f"{name!r} is already an algorithm of duelbench: give the file another name")
    kind = class_name or "".join(word[:1].upper() + word[1:] for word in stem.split("_"))
    template = TEMPLATE / ("program" if program else "policy")
    text = (template / "algorithm.txt").read_text(encoding="utf-8")
    if not _is_name(kind) or re.search(rf"\b{kind}\b", _NAMES.sub("", text)):
        raise UserError(f"the class cannot be called {kind!r}: give it another name with --class")
    files = {
        file: text,
        file.with_name(f"{stem}_reference.py"): (template / "reference.txt").read_text(encoding="utf-8"),
        file.with_name(f"test_{stem}.py"): (TEMPLATE / "tests.txt").read_text(encoding="utf-8"),
        file.with_suffix(".yaml"): (template / "spec.txt").read_text(encoding="utf-8"),
    }
    if not file.parent.is_dir():
        raise UserError(f"there is no directory {file.parent}: create it, or choose another")
    for path in files:
        if path.exists() or path.is_symlink():
            raise UserError(f"{path} exists already and is not overwritten: choose another name")
    for path, written in files.items():
        with path.open("x", encoding="utf-8") as opened:
            opened.write(_NAMES.sub(lambda found: {"M": kind, "m": stem, '"': f'"{name}"'}[found[0][0]], written))
    algorithm, reference, tests, spec = map(one_line, files)
    say(f"wrote {algorithm}, {reference}, {tests}, {spec}. Next:\n")
    say(f"  duelbench check {spec}")
    say(f"  duelbench test {algorithm}:{kind} --against {reference}:{stem}")
    say(f"  pytest {tests}")
    say(f"  duelbench run {spec}")


def _is_name(word: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", word, re.ASCII) is not None and not keyword.iskeyword(word)
