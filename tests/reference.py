"""Paths of the reference implementations, and copies with a mistake."""

import sys
from functools import cache
from importlib import import_module, util
from pathlib import Path
from shutil import copytree, ignore_patterns

from duelbench import reference
from duelbench.conformance.paths import reference_course
from duelbench.experiment.reference_runs import reference_module
from tests.instances import INSTANCES

FOLDER = Path(reference.__file__).parent


@cache
def path_of(row, instance, rounds, seed):
    """Return the path and the declaration of the reference implementation of a row of the catalogue."""
    return reference_course(row.algorithm(), INSTANCES[instance], rounds, seed)


def mistaken(algorithm, line, directory):
    """Return the reference implementation of an algorithm, in a copy of its package with a ``Line`` replaced."""
    name = f"mistaken_{directory.name}"
    copytree(FOLDER, directory / name, ignore=ignore_patterns("__pycache__"))
    module = directory / name / f"{line.module}.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(line.right) == 1, f"{line.module}.py has {line.right!r} {text.count(line.right)} times"
    module.write_text(text.replace(line.right, line.wrong), encoding="utf-8")
    spec = util.spec_from_file_location(name, directory / name / "__init__.py")
    sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return import_module(f"{name}.{reference_module(type(algorithm)).rpartition('.')[2]}")
