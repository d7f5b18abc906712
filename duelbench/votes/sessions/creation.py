"""The creation of a session: the names of its arms, its algorithm, and the first event of its log."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, get_args

import numpy as np

from duelbench import __version__
from duelbench.algorithms.algorithm import Algorithm, as_its_key_says, parameters_of
from duelbench.algorithms.catalogue import find
from duelbench.errors import UserError
from duelbench.experiment.code import ENGINE, code_of
from duelbench.files import regular
from duelbench.parameters import validated
from duelbench.votes.sessions.events import LONGEST_EXPIRY, MOST_ROUNDS, Created, Flip, Orders, now

MOST_ARMS = 5_000
"""The same limit as for preference matrices."""
_LONGEST_NAME = 200
"""Characters of a name."""


def checked_name(name: object, what: str = "the name of an arm") -> str:
    """Return a name. Raises UserError when it is none: text of one line, no blanks around it, none that is hidden."""
    if not isinstance(name, str) or not name:
        raise UserError(f"{what} must be text, not {name!r:.80}")
    if len(name) > _LONGEST_NAME:
        raise UserError(f"{what} has at most {_LONGEST_NAME} characters: {name[:40]!r}… has {len(name)}")
    if name != name.strip() or not name.isprintable():
        raise UserError(f"{what} is one line of visible characters without blanks around it, not {name!r}")
    return str(name)  # also of NumPy's text


def checked_names(names: Iterable[object]) -> list[str]:
    """Return the names of two arms or more. Raises UserError when there are fewer or too many, or two are the same."""
    found = [checked_name(each) for each in names]
    if not 2 <= len(found) <= MOST_ARMS:
        raise UserError(f"a session has from 2 to {MOST_ARMS:,} arms, not {len(found):,}")
    twice = {each for each in found if found.count(each) > 1} if len(set(found)) < len(found) else set()
    if twice:
        raise UserError(f"{min(twice)!r} is the name of two arms: give each arm a different name")
    return found


def read_names(path: Path) -> list[str]:
    """Return the names in a text file, one a line; empty lines do not count. Raises UserError, with the line."""
    try:
        lines = regular(path).read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise UserError(
            f"cannot read {path} ({error.strerror}): give a file with the name of an arm on each line"
        ) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: save it as UTF-8") from None
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if not name:
            continue
        try:
            checked_name(name)
        except UserError as error:
            raise UserError(error.message, source=str(path), line=number) from None
        if name in seen:
            raise UserError(
                f"{name!r} is in line {seen[name]} already: give each arm a different name",
                source=str(path),
                line=number,
            )
        seen[name] = number
    if len(seen) < 2:
        raise UserError(
            f"a session needs at least two arms, and this has {len(seen)}: write a name on each line", source=str(path)
        )
    return list(seen)


def algorithm_of(
    reference: str, base: Path, arms: int, horizon: int | None, parameters: Mapping[str, Any]
) -> Algorithm:
    """Return the algorithm called ``reference``, a file being seen from ``base``.

    Raises UserError for an unknown algorithm, and ValueError if it cannot work with these arguments.
    """
    kind = find(reference, base)
    chosen = validated(kind, parameters)
    if horizon is not None and not 1 <= whole_number("horizon", horizon) <= MOST_ROUNDS:
        raise ValueError(f"horizon must be from 1 to {MOST_ROUNDS:,}, not {horizon}")
    if kind.uses_horizon and horizon is None:
        raise ValueError(f"{kind.name} must know its horizon: give horizon=")
    return chosen


def creation_event(
    directory: Path,
    reference: str,
    arms: Sequence[str],
    seed: int,
    horizon: int | None,
    expires: float | None,
    parameters: Mapping[str, Any],
    orders: Orders | None = None,
    flip: Flip | None = None,
) -> Created:
    """Return the first line of the log in a directory. The path of a file is relative to it."""
    chosen = algorithm_of(reference, Path(), len(arms), horizon, parameters)
    if ":" in reference:
        file, _, class_name = reference.rpartition(":")
        try:
            file = os.path.relpath(Path(file).resolve(), directory.resolve())
        except ValueError:  # on another drive
            file = str(Path(file).resolve())
        reference = f"{Path(file).as_posix()}:{class_name}"
    return Created(
        time=now(),
        duelbench=__version__,
        algorithm=reference,
        parameters=parameters_of(as_its_key_says(chosen)),
        arms=checked_names(arms),
        seed=checked_seed(seed),
        horizon=None if horizon is None else whole_number("horizon", horizon),
        expires=seconds(expires),
        orders=orders,
        flip=flip,
        code=code_digest(type(chosen)),
    )


def code_digest(kind: type[Algorithm]) -> str:
    """Return the digest of what identifies the code that chooses: the algorithm's, and NumPy's random streams."""
    parts = {name: version for name, version in code_of(kind).items() if name != ENGINE.name}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def whole_number(name: str, value: object) -> int:
    """Return a whole number as Python's own; ValueError for anything else, such as 0.5, which kernels would cut off."""
    if isinstance(value, int | np.integer | np.bool_):
        return int(value)
    raise ValueError(f"{name} must be a whole number, not {value!r:.80}")


def arm_names(arms: int | Iterable[str]) -> list[str]:
    """Return the names of arms: those given, or 0, 1, … of a number. Raises ValueError or UserError for wrong ones."""
    if isinstance(arms, Iterable) and not isinstance(arms, str):
        return checked_names(arms)
    number = whole_number("arms", arms)
    if not 2 <= number <= MOST_ARMS:
        raise ValueError(f"a session has from 2 to {MOST_ARMS:,} arms, not {number:,}")
    return [str(arm) for arm in range(number)]


def checked_seed(seed: object) -> int:
    """Return a seed as Python's own whole number. Raises ValueError when it is none, or negative."""
    number = whole_number("seed", seed)
    if number < 0:
        raise ValueError(f"seed must be at least 0, not {number}")
    return number


def one_of(name: str, value: object, choices: Any) -> Any:
    """Return a value that is one of some literals. Raises ValueError for anything else."""
    if value in get_args(choices):
        return value
    raise ValueError(f"{name} is one of {', '.join(get_args(choices))}, not {value!r:.60}")


def seconds(value: float | None) -> float | None:
    """Return the seconds after which a question expires. Raises ValueError unless they are positive."""
    if value is None:
        return None
    if isinstance(value, Real) and not isinstance(value, bool) and 0 < value <= LONGEST_EXPIRY:
        return float(value)
    raise ValueError(f"expires must be a number of seconds above 0, at most a hundred years, not {value!r:.80}")
