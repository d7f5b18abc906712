"""Finding algorithms: those of this package by name, a user's own by file and class."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from duelbench import algorithms
from duelbench.algorithms.algorithm import Algorithm
from duelbench.compiling.cache import cache_directory, keeping_in
from duelbench.compiling.digest import code_digest
from duelbench.compiling.hidden_inputs import refuse_foreign_randomness
from duelbench.compiling.imports import OWN_FILE, Helper, helpers_of, imported_beside, importing, together
from duelbench.compiling.values import code_and_values, values_of
from duelbench.errors import UserError, did_you_mean, place_in
from duelbench.writing import write_whole


@cache
def catalogue() -> dict[str, type[Algorithm]]:
    """Return the algorithms of this package by name: every one in ``duelbench.algorithms`` and its folders."""
    found: dict[str, type[Algorithm]] = {}
    for module in pkgutil.walk_packages(algorithms.__path__, algorithms.__name__ + "."):
        if module.name == __name__:
            continue
        found |= {each.name: each for each in _defined_in(importlib.import_module(module.name))}
    return dict(sorted(found.items()))


def find(name: str, base: Path) -> type[Algorithm]:
    """Return the algorithm called ``name``, or the class of ``path.py:ClassName``, the path seen from ``base``.

    Loading a file runs it. Raises UserError when there is no such thing, and when it draws from another generator than
    ``rng``.
    """
    if ":" in name:
        return load_with_helpers(*users_file(name, base))
    known = catalogue()
    if name not in known:
        raise UserError(
            f"unknown algorithm {name!r}{did_you_mean(name, known)}: there is {', '.join(known)}; "
            "your own is written path.py:ClassName",
            key=("name",),
        )
    return known[name]


def catalogue_bases(kind: type[Algorithm]) -> tuple[str, ...]:
    """Return the names of the algorithms of this package that a class derives from."""
    return tuple(each.name for each in kind.__mro__ if each in catalogue().values())  # type: ignore[attr-defined]


class UsersFile(NamedTuple):
    """A class in a file of the user's, of which nothing has run yet, and the ``text`` of it."""

    path: Path
    text: str
    class_name: str


def users_file(name: str, base: Path) -> UsersFile:
    """Read the file of ``path.py:ClassName``, the path seen from ``base``. Raises UserError when it cannot be read."""
    file, _, class_name = name.rpartition(":")
    path = (base / file).resolve()
    if path.suffix != ".py":
        raise UserError(f"{path.name} is no Python file: write path.py:ClassName", key=("name",))
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; check the path", key=("name",)) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8", key=("name",)) from None
    return UsersFile(path, text, class_name)


def find_text(name: str, base: Path, text: str, helpers: Mapping[str, Helper]) -> type[Algorithm]:
    """Return the class of ``path.py:ClassName`` as it is in ``text``, wherever that file is not (any more) so.

    ``helpers`` are the modules that it imports from beside it.
    """
    file, _, class_name = name.rpartition(":")
    path = (base / file).resolve()
    try:
        same = path.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        same = False
    if not same:
        path = cache_directory(together(text, helpers)) / path.name
        try:
            there = path.read_bytes() == text.encode()
        except OSError:
            there = False
        if not there:  # nor torn
            write_whole(path, text)
    return _class_of(path, text, helpers, class_name)


def _defined_in(module: object) -> list[type[Algorithm]]:
    return [
        each
        for each in vars(module).values()
        if inspect.isclass(each)
        and issubclass(each, Algorithm)
        and "name" in vars(each)
        and each.__module__ == module.__name__  # type: ignore[attr-defined]
    ]


def load_with_helpers(path: Path, text: str, class_name: str) -> type[Algorithm]:
    """Return the class of a file with all the modules that it imports from beside it.

    Which they are is known when it has been loaded: it may put directories on the path, or compute names. Then it is
    loaded again, with their texts.
    """
    also = _computed.setdefault(path, set())
    helpers = helpers_of(text, also)
    for _ in range(3):
        before = set(sys.modules)
        kind = _class_of(path, text, helpers, class_name)
        also |= imported_beside(before)
        found = helpers_of(text, also)
        if found == helpers:
            return kind
        helpers = found
    raise UserError(f"{path.name} imports other modules each time: name them in it", key=("name",))


_computed: dict[Path, set[str]] = {}
"""By file, the modules that it was seen to import from beside it."""


def _class_of(path: Path, text: str, helpers: Mapping[str, Helper], class_name: str) -> type[Algorithm]:
    module_name = f"{OWN_FILE}{code_digest(together(text, helpers))}"  # like the cache of its kernels
    if getattr(sys.modules.get(module_name), "__file__", str(path)) != str(path):  # it may read what lies beside it
        module_name += f"_{code_digest(str(path))}"
    if (module_name, class_name) not in _draw_from_rng:
        refuse_foreign_randomness(str(path), text, class_name, helpers)
        _draw_from_rng.add((module_name, class_name))
    with importing(helpers):
        if module_name not in sys.modules:
            _load(module_name, path, text, helpers)
    module = sys.modules[module_name]
    there = {each.__name__: each for each in _defined_in(module)}
    if class_name not in there:
        raise _not_there(module, path, text, class_name, there)
    return there[class_name]


_draw_from_rng: set[tuple[str, str]] = set()
"""By module and class, the algorithms whose code has been read and draws from ``rng`` alone."""


def _not_there(
    module: object, path: Path, text: str, class_name: str, there: Mapping[str, type[Algorithm]]
) -> UserError:
    """Return what is wrong with a class that is none of the algorithms that are there."""
    line = class_line(text, class_name)
    found = vars(module).get(class_name)
    said = ""
    if line is not None and inspect.isclass(found):
        if not issubclass(found, Algorithm):
            said = f"{class_name} is no Algorithm: write class {class_name}(Algorithm)"
        elif "name" not in vars(found):
            said = f"{class_name} has no name: add a line such as name = {class_name.lower()!r} to the class"
    if said:
        return UserError(said, source=str(path), line=line, key=("name",))
    return UserError(
        f"{path.name} has no Algorithm with a name called {class_name!r}{did_you_mean(class_name, there)}: "
        f"it has {', '.join(there) or 'none'}",
        key=("name",),
    )


def class_line(text: str, class_name: str, attribute: str = "") -> int | None:
    """Return the line at which a source text defines a class, or an attribute of it if it is there."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for each in node.body:
                targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", each)]
                names = [getattr(name, "id", getattr(name, "name", None)) for target in targets
                         for name in getattr(target, "elts", [target])]  # fmt: skip
                if attribute in names:
                    return each.lineno
            return node.lineno
    return None


def _load(module_name: str, path: Path, text: str, helpers: Mapping[str, Helper]) -> None:
    """Run the text of the user's file as a module; its kernels are cached under it and its helpers."""
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None  # the path ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # numba's cache refers to the module of a state by name
    try:
        with keeping_in(lambda: cache_directory(code_and_values(module_name, text, helpers))):
            exec(compile(text, str(path), "exec", dont_inherit=True), vars(module))  # the file may have been edited
    except (Exception, SystemExit) as error:
        del sys.modules[module_name]
        place = place_in(error, {str(path), *(each.file for each in helpers.values())})
        file, line, _ = place or (str(path), None, "")
        why = f"loading it fails with {type(error).__name__}: {error}"
        if field := re.search(r"non-annotated attribute was detected: `(\w+) ?=", str(error)):  # says pydantic
            near = did_you_mean(field[1], Algorithm.__class_vars__)
            why = f"{field[1]} has no type: write {field[1]}: int = … if it is a parameter{near}"
            line = next(
                (at for at, each in enumerate(text.splitlines(), 1) if re.match(rf"\s+{field[1]}\s*=", each)), line
            )
        raise UserError(why, source=file, line=line, key=("name",)) from error
    defined = _defined_in(module)
    values = values_of(module_name, text, helpers)
    for each in defined:
        each.source_text, each.helpers, each.values = text, helpers, values
