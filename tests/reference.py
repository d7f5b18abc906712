"""Paths of the reference implementations, and copies of these with a mistake."""

import sys
from functools import cache
from importlib import import_module, util
from pathlib import Path
from shutil import copytree, ignore_patterns

from duelbench import literal
from duelbench.conformance.rounds import streams
from duelbench.runs.transcription import transcription
from tests.instances import INSTANCES

NAME = literal.__name__
FOLDER = Path(literal.__file__).parent


def reference_path(algorithm, matrix, horizon, seed, package=NAME):
    """Return the (horizon, 2) arms of run 0 of a reference implementation, and what it declares."""
    module = import_module(f"{package}.{transcription(type(algorithm)).rpartition('.')[2]}")
    environment, policy = streams(seed, 0)
    arguments, parameters = (matrix.P, horizon, policy, environment), algorithm.model_dump()
    if not algorithm.declares():
        return module.run(*arguments, **parameters), None
    course = import_module(f"{package}.exploration").course
    return course(module.explore(*arguments, **parameters), horizon, asked_once_more=not algorithm.uses_horizon)


@cache
def path_of(row, instance, rounds, seed):
    """Return the same for a row of the catalogue."""
    return reference_path(row.algorithm(), INSTANCES[instance], rounds, seed)


def mistaken(line, directory):
    """Return the name of a copy of the package of reference implementations with a ``Line`` replaced."""
    name = f"mistaken_{directory.name}"
    copytree(FOLDER, directory / name, ignore=ignore_patterns("__pycache__"))
    module = directory / name / f"{line.module}.py"
    text = module.read_text(encoding="utf-8")
    assert text.count(line.right) == 1, f"{line.module}.py has {line.right!r} {text.count(line.right)} times"
    module.write_text(text.replace(line.right, line.wrong), encoding="utf-8")
    spec = util.spec_from_file_location(name, directory / name / "__init__.py")
    sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return name
