"""Resolve a dataset of a spec that has ``changes``, and make the sequence of matrices of each run.

``changes`` is a list of datasets, each with its first round, or rules that generate the segments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from duelbench.errors import UserError
from duelbench.parameters import WHOLE, Parameters, validated
from duelbench.preferences.changing import Changing, measures
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.datasets import Dataset, Drawn, below, dataset
from duelbench.sources.generators import mirrored
from duelbench.sources.matrix_files import is_sequence, load_sequence
from duelbench.versions.record import Subject

_MAX_PIECES = 1_000_000
_WHEN = ("breakpoints", "rounds", "every", "per_decade")
_WHAT = ("from", "to", "walk")

_Round = Annotated[int, Field(ge=2), WHOLE]


class _ListedChange(Parameters):
    """A dataset from round ``at`` on: ``name``, ``file`` or ``votes``, and its own parameters."""

    model_config = ConfigDict(extra="allow")

    at: _Round = Field(description="The first round of the new matrix.")


class ChangeRules(Parameters):
    """When the matrix changes, and to which matrix.

    One of ``breakpoints``, ``rounds``, ``every`` and ``per_decade`` sets the rounds. One of ``from``, ``to`` and
    ``walk`` sets the new matrix. By default, it is drawn again from the source of the entry; if all runs share that
    matrix, its arms are renumbered.
    """

    breakpoints: Annotated[int, Field(ge=1, lt=_MAX_PIECES), WHOLE] | None = Field(
        None, description="Number of changes up to the horizon, the largest if there are several."
    )
    placed: Literal["evenly", "at random"] = Field(
        "evenly",
        description="Position of breakpoints: change m of B in round ⌊mT/(B + 1)⌋ + 1, or at random in each run.",
    )
    rounds: Annotated[tuple[_Round, ...], Field(strict=False, min_length=1)] | None = Field(
        None, description="The first round of each new matrix."
    )
    every: Annotated[int, Field(ge=1), WHOLE] | None = Field(None, description="Number of rounds between changes.")
    per_decade: Annotated[int, Field(ge=1, le=100_000), WHOLE] | None = Field(
        None, description="Number of changes between t and 10 t, in geometric steps; at first in every round."
    )
    source: dict[str, Any] | str | None = Field(
        None, alias="from", description="Dataset to draw each new matrix from, written like a listed one."
    )
    to: dict[str, Any] | str | None = Field(
        None, description="Dataset to whose matrix this one drifts in equal steps, one at each change."
    )
    walk: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None, description="Each change adds N(0, walk²) to the probability of each pair, clipped to [0, 1]."
    )
    winner: Literal["must change", "may stay", "not the first"] = Field(
        "must change",
        description="Draw until the Copeland winners differ from those of the previous matrix, or of the first.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> ChangeRules:
        given = [key for key in _WHEN if getattr(self, key) is not None]
        if not given:
            raise UserError(f"missing times of the changes: write {', '.join(_WHEN[:-1])} or {_WHEN[-1]}")
        if len(given) > 1:
            raise UserError(f"{given[0]} and {given[1]} both set the times of the changes: keep one", key=(given[1],))
        made = [key for key in _WHAT if getattr(self, "source" if key == "from" else key) is not None]
        if len(made) > 1:
            raise UserError(f"{made[0]} and {made[1]} both set the new matrices: keep one", key=(made[1],))
        if self.breakpoints is None and "placed" in self.model_fields_set:
            raise UserError("placed applies only to breakpoints: remove it", key=("placed",))
        if "winner" in self.model_fields_set and made in (["to"], ["walk"]):
            raise UserError(f"{made[0]} does not redraw matrices until the winner changes: remove it", key=("winner",))
        _check_increasing(self.rounds or (), lambda k: ("rounds", k))
        return self

    def starts(self, horizon: int, rng: np.random.Generator) -> list[int]:
        """Return the first rounds of all segments but the first; ``rng`` is used only if ``random``."""
        match self:
            case ChangeRules(breakpoints=int(count), placed="evenly"):
                rounds = [m * horizon // (count + 1) + 1 for m in range(1, count + 1)]
            case ChangeRules(breakpoints=int(count)):
                found = set[int]()
                while len(found) < count:
                    found.add(int(rng.integers(2, horizon + 1)))
                rounds = sorted(found)
            case ChangeRules(every=int(step)):
                rounds = list(range(1 + step, horizon + 1, step))
            case ChangeRules(per_decade=int(steps)):
                rounds = _geometric(steps, horizon)
            case _:
                rounds = list(self.rounds or ())
        return rounds

    @property
    def random(self) -> bool:
        """Whether the rounds of the changes are drawn for each run."""
        return self.placed == "at random"

    def count(self, horizon: int) -> int:
        """Return the largest number of changes, without computing their rounds."""
        given = self.breakpoints or (horizon - 1) // (self.every or horizon) or len(self.rounds or ())
        return given if self.per_decade is None else len(_geometric(self.per_decade, horizon))

    def check(self, horizon: int) -> None:
        """Raise UserError, with the option as ``key``, if the changes do not fit before the ``horizon``."""
        if self.breakpoints is not None and self.breakpoints > horizon - 1:
            raise UserError(f"there are only {horizon} rounds: write fewer breakpoints", key=("breakpoints",))
        for k, begin in enumerate(self.rounds or ()):
            _check_within(begin, horizon, ("rounds", k))
        if self.every is not None and self.every >= horizon:
            raise UserError(f"nothing changes in {horizon} rounds: write a smaller number", key=("every",))
        if (count := self.count(horizon)) >= _MAX_PIECES:
            raise UserError(f"this makes {count:,} changes: keep them below {_MAX_PIECES:,}", key=(self._when,))

    @property
    def _when(self) -> str:
        return next(key for key in _WHEN if getattr(self, key) is not None)

    def identity(self, horizon: int) -> dict[str, Any]:
        """Return what determines the segments besides the source, as JSON data."""
        found: dict[str, Any] = {"winner": self.winner}
        if self.walk is not None:
            found = {"walk": self.walk}
        elif self.to is not None:
            found = {"drift": True}
        if self.random:
            return {"random": self.breakpoints, "horizon": horizon, **found}
        starts = self.starts(horizon, np.random.default_rng(0))
        return {"begins": hashlib.sha256(repr(starts).encode()).hexdigest(), **found}


def _check_increasing(rounds: Any, key: Any) -> None:
    """Raise UserError unless the rounds increase; ``key`` gives the key of a position."""
    for k in range(1, len(rounds)):
        if rounds[k] <= rounds[k - 1]:
            raise UserError(
                f"round {rounds[k]} does not come after {rounds[k - 1]}: write increasing rounds", key=key(k)
            )


def _check_within(begin: int, horizon: int, key: tuple[Any, ...]) -> None:
    """Raise UserError if a change is beyond the horizon."""
    if begin > horizon:
        raise UserError(f"round {begin} is beyond the horizon, {horizon}: remove this change", key=key)


def _as_source(value: Mapping[str, Any] | str) -> Mapping[str, Any]:
    """Return the mapping that a dataset's name stands for."""
    return {"name": value} if isinstance(value, str) else value


def _geometric(steps: int, horizon: int) -> list[int]:
    rounds, begin = list[int](), 1
    while True:
        begin = max(begin + 1, int(np.floor(begin * 10 ** (1 / steps))))
        if begin > horizon:
            return rounds
        rounds.append(begin)


CHANGES = Subject("generators", "changes", 1, (__name__,))
"""Increase its version when an edit is meant to change the sequences of matrices."""

_TRIES = 10_000
"""The largest number of draws to find a matrix with another winner."""
_MOST_NUMBERS = 1 << 25
"""The largest number of entries of all matrices of a run: 256 MB, and as many again for each kind of regret."""
_TIES_AND_CHANGES = "ties need constant preferences: remove 'ties'"
_MOST_DESCRIBED = 100
"""The random parameters of at most this many segments are recorded."""


@dataclass(frozen=True, eq=False)
class ChangingDataset:
    """The source of changing preferences for each run, with the interface of ``Dataset``.

    ``first`` is the dataset of round 1. The ``listed`` datasets follow, each with its first round, or the ``rules``
    generate matrices from ``source`` up to the ``horizon``. ``given`` is the sequence of a file and excludes these.
    """

    first: Dataset
    horizon: int
    listed: tuple[tuple[int, Dataset], ...] = ()
    rules: ChangeRules | None = None
    source: Dataset | None = None
    given: Changing | None = None

    @property
    def title(self) -> str:
        """The title of the first dataset, and the number of changes."""
        count = self.segments - 1
        return f"{self.first.title}, {count:,} {'change' if count == 1 else 'changes'}"

    @property
    def segments(self) -> int:
        """The number of matrices in the sequence."""
        if self.given is not None:
            return len(self.given.starts)
        return 1 + (self.rules.count(self.horizon) if self.rules else len(self.listed))

    @property
    def citation(self) -> str:
        """The citation of the first matrix."""
        return self.first.citation

    @property
    def varies(self) -> bool:
        """Whether the matrices differ from run to run."""
        if self.given is not None:
            return False
        if self.rules is None:
            return self.first.varies or any(each.varies for _, each in self.listed)
        drawn = self.rules.random or self.rules.to is None
        return drawn or self.first.varies or (self.source is not None and self.source.varies)

    @property
    def recorded(self) -> bool:
        """True: the rounds of the changes are always recorded."""
        return True

    @property
    def has_ties(self) -> bool:
        """False: ties need constant preferences."""
        return False

    @property
    def shared_changes(self) -> tuple[int, ...] | None:
        """The rounds of the changes, if they are the same in all runs; None if they are random or too many."""
        if self.segments > _MOST_DESCRIBED or (self.rules and self.rules.random):
            return None
        if self.given is not None:
            return self.given.starts[1:]
        unused = np.random.default_rng(0)
        return tuple(self.rules.starts(self.horizon, unused) if self.rules else (at for at, _ in self.listed))

    @property
    def drawn_by(self) -> tuple[Subject, ...]:
        """The versioned generators that draw the matrices of each run; empty if all runs share them."""
        if not self.varies:
            return ()
        behind = [each.drawn_by for each in (self.first, self.source, *(each for _, each in self.listed)) if each]
        return tuple(dict.fromkeys([CHANGES, *(each for subjects in behind for each in subjects)]))

    @property
    def earlier_votes(self) -> PairCounts | None:
        """None: votes give no information on changing preferences."""
        return None

    @property
    def arms(self) -> int:
        """The number of arms, K, of every segment."""
        return self.first.arms

    @property
    def arm_names(self) -> tuple[str, ...] | None:
        """The names of the arms, from the first dataset."""
        return self.first.arm_names

    def with_names(self, names: Sequence[str]) -> ChangingDataset:
        """Return the dataset with other names of the arms. Raises UserError as ``Dataset.with_names``."""
        return replace(self, first=self.first.with_names(names))

    def instance(self, rng: np.random.Generator) -> Changing:
        """Return the preferences of one run; ``rng`` is used only if the dataset ``varies``. Raises as ``drawn``."""
        return self.drawn(rng).matrix

    def drawn(self, rng: np.random.Generator) -> Drawn[Changing]:
        """Return the preferences of one run and how they were made.

        Raises UserError if no submatrix that meets its conditions, or no matrix with another winner, was found.
        """
        if self.given is not None:
            return _described(self.given, [])
        segments = [(1, self.first.drawn(rng))]
        segments += (
            list(self._ruled(segments[0][1], rng)) if self.rules else [(at, d.drawn(rng)) for at, d in self.listed]
        )
        return _described(
            Changing([(begin, drawn.matrix) for begin, drawn in segments]), [each for _, each in segments]
        )

    def _ruled(
        self, first: Drawn[PreferenceMatrix], rng: np.random.Generator
    ) -> Iterator[tuple[int, Drawn[PreferenceMatrix]]]:
        rules, before = self.rules, first.matrix
        assert rules is not None
        starts = rules.starts(self.horizon, rng)
        end = self.source.drawn(rng).matrix if rules.to is not None and self.source is not None else None
        for number, begin in enumerate(starts, 1):
            length = (starts[number] if number < len(starts) else self.horizon + 1) - begin
            if end is not None:
                P = first.matrix.P + number / len(starts) * (end.P - first.matrix.P)
                drawn = Drawn(PreferenceMatrix(mirrored(P), before.source), None, {})
            elif rules.walk is not None:
                step = rng.normal(0.0, rules.walk, before.P.shape)
                P = mirrored(np.clip(before.P + step, 0, 1))
                drawn = Drawn(PreferenceMatrix(P, before.source), None, {})
            else:
                drawn = self._next(first.matrix, before, begin + (length - 1) // 2, rng)
            yield begin, drawn
            before = drawn.matrix

    def _next(
        self, first: PreferenceMatrix, before: PreferenceMatrix, t: int, rng: np.random.Generator
    ) -> Drawn[PreferenceMatrix]:
        """Draw the matrix of the next segment, whose middle round is ``t``."""
        source = self.source or self.first
        assert self.rules is not None
        if source.generator is not None and source.generator.follows:
            parameters = source.generator.following(before, t, rng)
            return Drawn(source.generator.matrix(parameters), None, parameters)
        other = first if self.rules.winner == "not the first" else before
        best = set(other.copeland_winners().tolist())
        for _ in range(_TRIES):
            if source.varies:
                drawn = source.drawn(rng)
            else:
                order = rng.permutation(source.arms)
                drawn = Drawn(source.drawn(rng).matrix.relabelled(order), None, {"order": order})
            winners = set(drawn.matrix.copeland_winners().tolist())
            if self.rules.winner == "may stay":
                return drawn
            if self.rules.winner == "must change" and winners != best:
                return drawn
            if self.rules.winner == "not the first" and not winners & best:
                return drawn
        raise UserError(
            f"none of {_TRIES:,} drawn matrices has another winner: write 'winner: may stay'",
            key=("changes", "winner"),
        )

    def identity(self) -> dict[str, Any]:
        """Return everything that determines the numbers, as JSON data: content, not names or paths."""
        if not self.varies:
            return self.instance(np.random.default_rng(0)).identity()
        if self.rules is None:
            listed = [[at, each.identity()] for at, each in self.listed]
            return {"first": self.first.identity(), "then": listed}
        then: dict[str, Any] = self.rules.identity(self.horizon)
        if self.source is not None:
            then["source"] = self.source.identity()
        generator = (self.source or self.first).generator
        if generator is not None and generator.follows:
            then["follows"] = generator.identity()
        return {"first": self.first.identity(), "then": then}


AnyDataset = Dataset | ChangingDataset


def changing_dataset(
    name: str | None,
    file: str | Path | None,
    parameters: Mapping[str, object] | None,
    submatrix: Mapping[str, object] | None,
    base: Path,
    votes: str | Path | None,
    changes: Any,
    horizon: int,
    called: str | None = None,
) -> AnyDataset:
    """Resolve a dataset as ``dataset`` does, with the ``changes`` of its entry in a spec, up to a ``horizon``.

    If the file contains a sequence of matrices, further ``changes`` are an error.

    Raises UserError as ``dataset``; for errors in the changes, ``key`` begins with ``changes``.
    """
    if file is not None and is_sequence(base / file):
        if parameters and "ties" in parameters:
            raise UserError(_TIES_AND_CHANGES, key=("ties",))
        return _of_file(base / file, submatrix, changes, horizon, called or (base / file).stem)
    first = dataset(name, file, parameters, submatrix, base, votes, called)
    if changes is None:
        return first
    if first.earlier_votes is not None:
        raise UserError("'continue' needs constant preferences: remove 'continue'", key=("changes",))
    if first.has_ties:
        raise UserError(_TIES_AND_CHANGES, key=("ties",))
    with below("changes"):
        found = _listed(first, changes, base, horizon) if isinstance(changes, list) else None
        if found is None:
            found = _generated(first, changes, base, horizon)
        _check_size(found)
    return found


def _of_file(path: Path, submatrix: object, changes: object, horizon: int, called: str) -> ChangingDataset:
    with below("file"):
        given = load_sequence(path)
    if changes is not None:
        raise UserError("the file defines the changes: remove this", key=("changes",))
    if submatrix is not None:
        raise UserError("submatrix needs one matrix, and this is a sequence: remove it", key=("submatrix",))
    within = [each for each in zip(given.starts, given.matrices, strict=True) if each[0] <= horizon]
    first = Dataset(f"{called}, K = {given.arms}", "", given.matrices[0])
    return ChangingDataset(first, horizon, given=Changing(within))


def _listed(first: Dataset, changes: list[Any], base: Path, horizon: int) -> ChangingDataset:
    if not changes:
        raise UserError("list the datasets that follow: [{at: 5e4, name: cyclic4}]")
    found = []
    for number, written in enumerate(changes):
        with below(number):
            if not isinstance(written, Mapping):
                raise UserError("a change must be a mapping with 'at' and a dataset: {at: 5e4, name: cyclic4}")
            at = validated(_ListedChange, {"at": written["at"]} if "at" in written else {}).at
            _check_within(at, horizon, ("at",))
            each = _source({key: value for key, value in written.items() if key != "at"}, base)
            _check_arms(first, each)
            found.append((at, each))
    _check_increasing([at for at, _ in found], lambda k: (k, "at"))
    return ChangingDataset(first, horizon, tuple(found))


def _generated(first: Dataset, changes: object, base: Path, horizon: int) -> ChangingDataset:
    if not isinstance(changes, Mapping):
        raise UserError("changes must be a list of datasets, or rules such as {breakpoints: 9}")
    rules = validated(ChangeRules, changes)
    rules.check(horizon)
    source = None
    for key, written in (("from", rules.source), ("to", rules.to)):
        if written is not None:
            with below(key):
                source = _source(_as_source(written), base)
                _check_arms(first, source)
    return ChangingDataset(first, horizon, rules=rules, source=source)


def _source(written: Mapping[str, Any], base: Path) -> Dataset:
    for key in ("changes", "label", "title", "delay"):
        if key in written:
            raise UserError(f"{key!r} belongs to the whole entry, not to one change: remove it", key=(key,))
    known = {key: written.get(key) for key in ("name", "file", "votes", "submatrix")}
    if isinstance(written.get("arms"), list):
        raise UserError("the names of arms come from the first dataset: remove this", key=("arms",))
    parameters = {key: value for key, value in written.items() if key not in known}
    for key, value in known.items():
        if value is not None and not isinstance(value, Mapping if key == "submatrix" else str):
            what = "a mapping such as {size: 5}" if key == "submatrix" else "text"
            raise UserError(f"{key} is {value!r}: it must be {what}", key=(key,))
    found = dataset(known["name"], known["file"], parameters, known["submatrix"], base, known["votes"])
    if found.earlier_votes is not None:
        raise UserError("'continue' needs constant preferences: remove 'continue'", key=("continue",))
    if found.has_ties:
        raise UserError(_TIES_AND_CHANGES, key=("ties",))
    return found


def _check_arms(first: Dataset, other: Dataset) -> None:
    if first.arms != other.arms:
        raise UserError(f"this matrix has {other.arms} arms, but the first has {first.arms}: use matrices of one size")


def _check_size(found: ChangingDataset) -> None:
    if found.segments * found.arms**2 > _MOST_NUMBERS:
        raise UserError(f"{found.segments:,} matrices of {found.arms} arms do not fit into memory: use fewer changes")


def _described(changing: Changing, segments: Sequence[Drawn[PreferenceMatrix]]) -> Drawn[Changing]:
    parameters: dict[str, Any] = {"rounds": changing.starts, **measures(changing)}
    parameters["winners"] = [int(matrix.copeland_winners()[0]) for matrix in changing.matrices]
    for number, drawn in enumerate(segments[:_MOST_DESCRIBED], 1):
        named = dict(drawn.parameters) if drawn.arms is None else {**drawn.parameters, "chosen arms": drawn.arms}
        parameters |= {f"segment {number}, {name}": value for name, value in named.items()}
    return Drawn(changing, None, parameters)
