"""From what a spec says about a dataset to the matrix of each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from duelbench.errors import UserError, did_you_mean
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.downloads import DOWNLOADS
from duelbench.sources.files import load_matrix
from duelbench.sources.generators import FAMILIES, Family
from duelbench.sources.parameters import validated
from duelbench.sources.submatrix import Submatrix
from duelbench.sources.tables import TABLES


class Drawn(NamedTuple):
    """The ``matrix`` of one run, and how it came about.

    ``arms``: which arms of the whole matrix its are, None where it is the whole. ``luck``: what a random family has
    drawn, by name.
    """

    matrix: PreferenceMatrix
    arms: tuple[int, ...] | None
    luck: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Where the preference matrix of each run comes from: one for all runs, or one drawn for each.

    ``origin`` is a matrix or a random family; ``submatrix`` is None unless each run chooses from the origin. ``chosen``
    are the arms of the whole matrix that a choice for all runs has left, and ``luck`` what a family has drawn for all.
    """

    title: str
    citation: str
    origin: PreferenceMatrix | Family
    submatrix: Submatrix | None = None
    chosen: tuple[int, ...] | None = None
    luck: Mapping[str, Any] = field(default_factory=dict)

    @property
    def varies(self) -> bool:
        """Whether the matrix differs from run to run."""
        return self.submatrix is not None or isinstance(self.origin, Family)

    @property
    def arms(self) -> int:
        """The number of arms, K, of every instance."""
        return self.submatrix.count if self.submatrix else self.origin.arms

    def instance(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the matrix of one run; ``rng`` is used only if the dataset ``varies``.

        Raises:
            UserError: no submatrix found that meets the conditions.
        """
        return self.drawn(rng).matrix

    def drawn(self, rng: np.random.Generator) -> Drawn:
        """Return the matrix of one run, and how it came about; as ``instance``."""
        luck = self.origin.luck(rng) if isinstance(self.origin, Family) else dict(self.luck)
        origin = self.origin.matrix(luck) if isinstance(self.origin, Family) else self.origin
        if self.submatrix is None:
            return Drawn(origin, self.chosen, luck)
        with _below("submatrix"):
            arms = self.submatrix.choose(origin, rng)
        return Drawn(origin.submatrix(arms), arms, luck)

    def identity(self) -> dict[str, Any]:
        """Return, ready for JSON, what determines the numbers: content, not the names or paths it came by."""
        if isinstance(self.origin, Family):
            identity = {"generator": self.origin.name, "parameters": self.origin.model_dump(mode="json")}
        else:
            identity = {"matrix": self.origin.digest()}
        return identity | ({"submatrix": self.submatrix.model_dump(mode="json")} if self.submatrix else {})


def dataset(
    name: str | None = None,
    file: str | Path | None = None,
    parameters: Mapping[str, object] | None = None,
    submatrix: Mapping[str, object] | None = None,
    base: Path = Path(),
) -> Dataset:
    """Resolve a dataset: a table or a generator by ``name``, or a ``file`` (relative to ``base``).

    What can be known to fail fails here: a submatrix chosen anew for every run is tried once on a fixed matrix.

    Raises:
        UserError: with ``key`` ``("name",)``, ``("file",)``, ``(parameter,)`` or ``("submatrix", …)``. An error
            inside the file has the file as ``source``, and its line if it has lines.
    """
    if (name is None) == (file is None):
        raise UserError("a dataset has either a name or a file")
    title, citation, origin = _from_file(base / file) if file is not None else _from_name(str(name), parameters or {})
    if parameters and name not in FAMILIES:
        first, *_ = parameters
        raise UserError(f"{title} is a fixed table and has no parameters: remove {first!r}", key=(first,))
    unused = np.random.Generator(np.random.PCG64(0))
    luck: dict[str, Any] = {}
    if isinstance(origin, Family) and not origin.varies:
        luck = origin.luck(unused)
        origin = origin.matrix(luck)
    if submatrix is None:
        return Dataset(f"{title}, K = {origin.arms}", citation, origin, luck=luck)
    choice = validated(Submatrix, submatrix, prefix=("submatrix",))
    title = f"{title}, K = {choice.count} of {origin.arms}"
    with _below("submatrix"):
        choice.check(origin.arms)
        arms = None if isinstance(origin, Family) else choice.choose(origin, unused)
    if choice.per_run or isinstance(origin, Family) or arms is None:
        return Dataset(title, citation, origin, choice, luck=luck)
    return Dataset(title, citation, origin.submatrix(arms), chosen=arms, luck=luck)


def _from_file(path: Path) -> tuple[str, str, PreferenceMatrix]:
    with _below("file"):
        return path.stem, "", load_matrix(path)


def _from_name(name: str, parameters: Mapping[str, object]) -> tuple[str, str, PreferenceMatrix | Family]:
    if table := TABLES.get(name) or DOWNLOADS.get(name):
        with _below("name"):
            return table.title, table.citation, table.matrix()
    if name in FAMILIES:
        family = FAMILIES[name]
        return family.title, family.citation, validated(family, parameters)
    known = dataset_names()
    raise UserError(
        f"unknown dataset {name!r}{did_you_mean(name, known)}: there is {', '.join(known)}; "
        "a matrix of your own is a file: (.csv, .npy, .npz)",
        key=("name",),
    )


@contextmanager
def _below(key: str) -> Iterator[None]:
    """Complete the key path of errors about what the dataset holds under ``key``."""
    try:
        yield
    except UserError as error:
        error.key = (key, *error.key)
        raise


@dataclass(frozen=True)
class Description:
    """One line of the catalogue. ``arms`` is a generator's default; ``parameters`` are (name, default, meaning)."""

    name: str
    arms: int
    kind: Literal["table", "download", "generator"]
    title: str
    citation: str
    note: str
    parameters: tuple[tuple[str, Any, str], ...]


def dataset_names() -> list[str]:
    """Return the names ``dataset`` knows: shipped tables, downloads, generators."""
    return [*TABLES, *DOWNLOADS, *FAMILIES]


def parameter_models() -> dict[str, type[Family] | None]:
    """Return the model of each dataset's parameters; None for a table, which has none."""
    return dict.fromkeys([*TABLES, *DOWNLOADS]) | FAMILIES


def describe_datasets() -> list[Description]:
    """Return the catalogue, in the order of ``dataset_names``."""
    tables = [
        Description(t.name, t.matrix().arms, "table", t.title, t.citation, t.note, parameters=())
        for t in TABLES.values()
    ]
    downloads = [
        Description(d.name, d.arms, "download", d.title, d.citation, d.note, parameters=()) for d in DOWNLOADS.values()
    ]
    generators = [
        Description(
            family.name,
            family.model_fields["arms"].default,
            "generator",
            family.title,
            family.citation,
            (family.__doc__ or "").partition("\n")[0],
            tuple((name, field.default, field.description or "") for name, field in family.model_fields.items()),
        )
        for family in FAMILIES.values()
    ]
    return tables + downloads + generators
