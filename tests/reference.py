"""Paths of the reference implementations, and copies with a mistake."""

import ast
import sys
from functools import cache
from importlib import import_module, util
from pathlib import Path
from shutil import copytree, ignore_patterns

from duelbench import reference
from duelbench.conformance.paths import reference_course
from duelbench.experiment.reference_runs import reference_of
from tests.instances import INSTANCES

FOLDER = Path(reference.__file__).parent


@cache
def path_of(row, instance, rounds, seed):
    """Return the path and the declaration of the reference implementation of a row of the catalogue."""
    return reference_course(row.algorithm(), INSTANCES[instance], rounds, seed)


def mistaken(algorithm, line, directory):
    """Return the reference implementation of an algorithm, in a copy of its package with a ``Line`` replaced."""
    found = []
    for path in FOLDER.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in definitions(path):
            part = ast.get_source_segment(text, node)
            if node.name == line.name and line.right in part:
                assert part.count(line.right) == 1, f"{line.name} has {line.right!r} {part.count(line.right)} times"
                found.append((path.name, text.replace(part, part.replace(line.right, line.wrong))))
    assert len(found) == 1, f"{line.right!r} is in {len(found)} definitions of {line.name}"
    name = f"mistaken_{directory.name}"
    copytree(FOLDER, directory / name, ignore=ignore_patterns("__pycache__"))
    ((file, text),) = found
    (directory / name / file).write_text(text, encoding="utf-8")
    spec = util.spec_from_file_location(name, directory / name / "__init__.py")
    sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    ours = reference_of(type(algorithm))
    return getattr(import_module(f"{name}.{ours.__module__.rpartition('.')[2]}"), ours.__name__)


@cache
def definitions(path):
    return [each for each in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(each, "name")]
