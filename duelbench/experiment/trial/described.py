"""Descriptions of classes in users' files, made by another process: the file never runs in this one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from duelbench.algorithms.algorithm import Algorithm, as_its_key_says, parameters_of
from duelbench.algorithms.catalogue import (
    UsersFile,
    catalogue_bases,
    class_line,
    find_text,
    load_class,
    users_file,
)
from duelbench.compiling.imports import LIBRARIES, Helper, files_beside, imports_of, together
from duelbench.errors import UserError, place_in
from duelbench.experiment.processes import Heartbeat
from duelbench.experiment.trial.child import Child, silence
from duelbench.experiment.trial.contract import check_class
from duelbench.spec.entries import AlgorithmEntry
from duelbench.spec.validation import explain

LOADING = 15.0
"""The time limit for loading a file, in seconds: SciPy's distributions take half a second."""
LOADING_LIBRARIES = 60.0
"""The time limit for a file that imports other libraries than duelbench does, or modules from its folder."""


@dataclass(frozen=True)
class Described:
    """A class of a user's file with its parameters, as plain data; attributes have the same names as in the class.

    ``bases`` are the algorithms of the catalogue that it derives from, ``values`` is the digest of the values in its
    modules. ``parameters`` are complete and ready for JSON. ``declaring``, ``detecting`` and ``kernels``: whether it
    declares winners, detects changes, and has kernels, so that the engine may compile its loop.
    """

    path: Path
    class_name: str
    name: str
    title: str
    citation: str
    uses_horizon: bool
    supports_delay: bool
    learns_off_policy: bool
    takes_ties: bool
    declaring: bool
    declares_tiers: bool
    detecting: bool
    kernels: bool
    source_text: str
    helpers: Mapping[str, Helper]
    values: str
    bases: tuple[str, ...]
    parameters: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.class_name, self.source_text))

    def declares(self) -> bool:
        """Return whether the algorithm declares a winner."""
        return self.declaring

    def detects(self) -> bool:
        """Return whether the algorithm detects changes."""
        return self.detecting

    def compiled(self) -> bool:
        """Return whether the engine may compile its loop with this algorithm."""
        return self.kernels

    def all_text(self) -> str:
        """Return a text that identifies its file, the modules that this imports from its folder, and their values."""
        return f"{together(self.source_text, self.helpers)}\n_values = {self.values!r}"

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the user's files by name, the file of the class first; a mistake may be in any of them."""
        return users_texts(self.path, self.source_text, self.helpers)

    def load(self) -> type[Algorithm]:
        """Return the class. This runs the file."""
        return find_text(f"{self.path.name}:{self.class_name}", self.path.parent, self.source_text, self.helpers)


def users_texts(path: Path, text: str, helpers: Mapping[str, Helper]) -> dict[str, str]:
    """Return the texts of a file and of its helper modules, by file name."""
    return {str(path): text, **{each.file: each.text for each in helpers.values()}}


def described(reference: str, base: Path, parameters: Mapping[str, Any], child: Child) -> Described:
    """Return the description of ``path.py:ClassName``, relative to ``base``, with these parameters.

    Raises UserError, with file and line, for a mistake in the file or the class. For a wrong parameter, its ``key`` is
    relative to the entry of the spec.
    """
    there = users_file(reference, base)
    imported = {name.partition(".")[0] for name in imports_of(there.text)}
    seconds = LOADING if imported <= {*LIBRARIES, *sys.stdlib_module_names} else LOADING_LIBRARIES
    return child.call(  # type: ignore[no-any-return]
        _describe, there, dict(parameters), seconds, files=files_beside(there.path)
    )


def _describe(there: UsersFile, parameters: dict[str, Any], seconds: float, heartbeat: Heartbeat) -> Described:
    """Load the class and describe it, in another process than the command's."""
    silence()
    heartbeat.compute("loading it", seconds)
    path, text, class_name = there
    try:
        kind = load_class(*there)
    except Exception:
        raise
    except BaseException as error:  # this process ignores Ctrl-C, so the file itself raised
        file, line, _ = place_in(error, files_beside(path)) or (str(path), None, "")
        raise UserError(f"loading it fails with {type(error).__name__}", source=file, line=line) from None
    heartbeat.end()
    check_class(kind, str(path))
    heartbeat.compute(f"making a {class_name}", seconds)
    try:
        algorithm = kind(**parameters)
        ready = parameters_of(algorithm)
    except ValidationError as error:
        sentence, key = explain(error, kind, also=AlgorithmEntry.model_fields)
        raise _of_parameter(error, sentence, key, path, class_name, text) from None
    except BaseException as error:
        file, line, _ = place_in(error, users_texts(path, text, kind.helpers)) or (
            str(path),
            class_line(text, class_name),
            "",
        )
        raise UserError(
            f"{class_name}({_written(parameters)}) fails with {type(error).__name__}: {error}", source=file, line=line
        ) from None
    try:
        as_its_key_says(algorithm)
    except Exception as error:
        raise UserError(
            f"the keys of runs cannot hold the parameters of {class_name} ({error}): use numbers, texts and lists"
        ) from None
    heartbeat.end()
    return Described(
        path, class_name, kind.name, kind.title, kind.citation, kind.uses_horizon, kind.supports_delay,
        kind.learns_off_policy, kind.takes_ties, kind.declares(), kind.declares_tiers, kind.detects(), kind.compiled(),
        text, kind.helpers, kind.values, catalogue_bases(kind), ready,
    )  # fmt: skip


def _of_parameter(
    error: ValidationError, sentence: str, key: tuple[str | int, ...], path: Path, class_name: str, text: str
) -> UserError:
    """Return the error for a parameter in a spec; for one without a default, also the line where to add one."""
    if key and error.errors()[0]["type"] == "missing":
        sentence += f", or give it a default in line {class_line(text, class_name, str(key[-1]))} of {path.name}"
    return UserError(sentence, key=key)


def _written(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())
