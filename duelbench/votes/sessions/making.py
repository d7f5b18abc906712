"""Making a session: its algorithm, the first line of its log, and checked arguments."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from duelbench import __version__
from duelbench.algorithms.algorithm import Algorithm, as_its_key_says, parameters_of
from duelbench.algorithms.catalogue import find
from duelbench.engine.streams import stream
from duelbench.errors import UserError
from duelbench.experiment.series import ENGINE, code_of
from duelbench.preferences.counts import PairCounts
from duelbench.votes.reading.report import Votes
from duelbench.votes.sessions.events import LONGEST, MOST_ROUNDS, MOST_VOTES, Created, Pair, Side, now
from duelbench.votes.sessions.names import MOST_ARMS, checked_names


def algorithm_of(
    reference: str, base: Path, arms: int, horizon: int | None, parameters: Mapping[str, Any]
) -> Algorithm:
    """Return the algorithm called ``reference``, a file being seen from ``base``.

    Raises UserError for an unknown algorithm, and ValueError if it cannot work with these arguments.
    """
    kind = find(reference, base)
    chosen = kind(**parameters)
    if horizon is not None and not 1 <= whole_number("horizon", horizon) <= MOST_ROUNDS:
        raise ValueError(f"horizon must be from 1 to {MOST_ROUNDS:,}, not {horizon}")
    if kind.uses_horizon and horizon is None:
        raise ValueError(f"{kind.name} must know its horizon: give horizon=")
    return chosen


def created(
    directory: Path,
    reference: str,
    arms: Sequence[str],
    seed: int,
    horizon: int | None,
    expires: float | None,
    parameters: Mapping[str, Any],
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
        code=code(type(chosen)),
    )


def code(kind: type[Algorithm]) -> str:
    """Return the digest of what identifies the code that chooses: the algorithm's, and NumPy's random streams."""
    parts = {name: version for name, version in code_of(kind).items() if name != ENGINE.name}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def whole_number(name: str, value: object) -> int:
    """Return a whole number as Python's own; ValueError for anything else, such as 0.5, which kernels would cut off."""
    if isinstance(value, int | np.integer | np.bool_):
        return int(value)
    raise ValueError(f"{name} must be a whole number, not {value!r:.80}")


def arm_names(arms: int | Sequence[str]) -> list[str]:
    """Return the names of arms: those given, or 0, 1, … of a number. Raises ValueError or UserError for wrong ones."""
    if isinstance(arms, Sequence) and not isinstance(arms, str):
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


def seconds(value: float | None) -> float | None:
    """Return the seconds after which a question expires. Raises ValueError unless they are positive."""
    if value is None:
        return None
    if isinstance(value, Real) and not isinstance(value, bool) and 0 < value <= LONGEST:
        return float(value)
    raise ValueError(f"expires must be a number of seconds above 0, at most a hundred years, not {value!r:.80}")


def coin(seed: int, ask: int, answer: str) -> Side | None:
    """Return the outcome that the algorithm receives for a tie; None for another answer."""
    if answer != "tie":
        return None
    return "first" if stream(seed, purpose="coins", ask=ask).random() < 0.5 else "second"


def pairs(votes: PairCounts, names: Sequence[str], seed: int) -> list[Pair]:
    """Return the votes pair by pair, with a coin for each tie.

    Raises UserError when some are on arms that have none of the ``names``, or have weights.
    """
    known, voted = set(names), votes.votes.sum(axis=0)
    if unknown := [name for name, of_it in zip(votes.names, voted, strict=True) if of_it and name not in known]:
        some = ", ".join(map(repr, unknown[:5])) + (" …" if len(unknown) > 5 else "")
        raise UserError(
            f"votes on {some}, which the session does not have: correct names (--alias), add arms, "
            "or leave out these votes"
        )
    if (votes.wins != np.rint(votes.wins)).any() or (votes.ties != np.rint(votes.ties)).any():
        raise UserError("these votes have weights, but algorithms learn from whole duels: import them without weights")
    if (total := votes.votes.sum() / 2) > MOST_VOTES:
        raise UserError(f"a session takes at most {MOST_VOTES:,} votes from elsewhere, not {total:,.0f}: import fewer")
    rng = stream(seed, purpose="coins", votes=votes.digest())
    found = []
    for i in range(votes.arms):
        for j in range(i + 1, votes.arms):
            wins, losses, ties = (int(each) for each in (votes.wins[i, j], votes.wins[j, i], votes.ties[i, j]))
            if wins + losses + ties:
                coins = int(rng.binomial(ties, 0.5))
                found.append(
                    Pair(first=votes.names[i], second=votes.names[j], wins=wins, losses=losses, ties=ties, coins=coins)
                )
    if not found:
        raise UserError("no votes to import")
    return found


def digest_of(votes: PairCounts | Votes, source: str) -> str:
    """Return the digest of the files with votes or, without files, of source and counts, which identifies them."""
    if isinstance(votes, PairCounts):
        text = f"{source} {votes.digest()}"
    else:
        text = " ".join(each.sha256 for each in votes.sources)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def includes(votes: Sequence[Pair], earlier: Sequence[Pair]) -> bool:
    """Return whether there are at least as many votes of each kind on each pair as earlier ones."""
    counts = {(each.first, each.second): (each.wins, each.losses, each.ties) for each in votes}
    counts |= {(each.second, each.first): (each.losses, each.wins, each.ties) for each in votes}
    return all(
        each.wins <= wins and each.losses <= losses and each.ties <= ties
        for each in earlier
        for wins, losses, ties in [counts.get((each.first, each.second), (0, 0, 0))]
    )
