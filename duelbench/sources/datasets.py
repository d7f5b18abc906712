"""Resolve the dataset of a spec, and make the preference matrix of each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from duelbench.errors import Key, UserError, did_you_mean
from duelbench.parameters import validated
from duelbench.preferences.changing import Preferences
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.generators import GENERATORS, Distribution, Generator
from duelbench.sources.matrix_files import MATRIX_FILES, load_matrix, load_ties
from duelbench.sources.published_matrices import DOWNLOADS, TABLES
from duelbench.sources.submatrix import SUBMATRICES, Submatrix
from duelbench.versions.record import Subject

Matrix = TypeVar("Matrix", bound=Preferences, covariant=True)


class Drawn(NamedTuple, Generic[Matrix]):
    """The ``matrix`` of one run, or its sequence of matrices, and how it was made.

    ``arms`` are the numbers of its arms in the whole matrix; None means all. ``parameters`` are the drawn random
    parameters, by name.
    """

    matrix: Matrix
    arms: tuple[int, ...] | None
    parameters: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Dataset:
    """The source of the preference matrix of each run: one matrix for all runs, or one drawn for each.

    ``whole`` is a matrix, or the distribution from which it is drawn; with ``submatrix`` each run chooses some of its
    arms. ``chosen`` are the numbers of arms that are chosen once for all runs; ``fixed`` are random parameters that are
    drawn once for all runs. ``generator`` is the generator of the whole matrix, if any. ``tie_share`` is the share of
    ties between equal arms in the matrices of a generator, see ``with_tie_share``.
    """

    title: str
    citation: str
    whole: PreferenceMatrix | Distribution
    submatrix: Submatrix | None = None
    chosen: tuple[int, ...] | None = None
    fixed: Mapping[str, Any] = field(default_factory=dict)
    generator: Generator | None = None
    tie_share: float = 0.0

    @property
    def has_ties(self) -> bool:
        """Whether a duel may have a third outcome."""
        ties = self.whole.ties is not None if isinstance(self.whole, PreferenceMatrix) else self.whole.has_ties
        return ties or self.tie_share > 0

    @property
    def varies(self) -> bool:
        """Whether the matrix differs from run to run."""
        return self.submatrix is not None or isinstance(self.whole, Distribution)

    @property
    def recorded(self) -> bool:
        """Whether ``drawn`` has arms or random parameters to record."""
        return self.varies or self.chosen is not None or bool(self.fixed)

    @property
    def shared_changes(self) -> None:
        """None: the matrix does not change."""
        return None

    @property
    def drawn_by(self) -> tuple[Subject, ...]:
        """The versioned generators that draw the matrix of each run; empty if all runs share one matrix."""
        drawn = [self.whole.subject()] if isinstance(self.whole, Distribution) else []
        return *drawn, *([SUBMATRICES] if self.submatrix else [])

    @property
    def earlier_votes(self) -> PairCounts | None:
        """The votes that algorithms learn before their first round, if any."""
        return self.whole.known if isinstance(self.whole, Distribution) else None

    @property
    def arms(self) -> int:
        """The number of arms, K, of every instance."""
        return self.submatrix.count if self.submatrix else self.whole.arms

    def instance(self, rng: np.random.Generator) -> PreferenceMatrix:
        """Return the matrix of one run; ``rng`` is used only if the dataset ``varies``.

        Raises UserError if no submatrix that meets the conditions was found.
        """
        return self.drawn(rng).matrix

    def drawn(self, rng: np.random.Generator) -> Drawn[PreferenceMatrix]:
        """Return the matrix of one run and how it was made. Raises UserError as ``instance``."""
        whole, parameters = self.whole, dict(self.fixed)
        if isinstance(whole, Distribution):
            whole, parameters = whole.drawn(rng)
            whole = whole.with_tie_share(self.tie_share)
        if self.submatrix is None:
            return Drawn(whole, self.chosen, parameters)
        with below("submatrix"):
            arms = self.submatrix.choose(whole, rng)
        return Drawn(whole.submatrix(arms), arms, parameters)

    @property
    def arm_names(self) -> tuple[str, ...] | None:
        """The names of the arms, in the order of every instance; None if they have no names, or vary."""
        return self.whole.names if self.submatrix is None else None

    def with_names(self, names: Sequence[str]) -> Dataset:
        """Return the dataset with other names of the arms.

        Raises UserError, with the key ``("arms",)``, if the matrix is random or made of votes, or the number of names
        differs from the number of arms.
        """
        if isinstance(self.whole, Generator):
            raise UserError(f"{self.title}: arms of a random matrix have no names: write their number", key=("arms",))
        if isinstance(self.whole, Distribution):
            raise UserError(f"{self.title}: the arms have the names that the votes give them", key=("arms",))
        with below("arms"):
            return replace(self, whole=PreferenceMatrix(self.whole.P, self.whole.source, names, self.whole.ties))

    def identity(self) -> dict[str, Any]:
        """Return everything that determines the numbers, as JSON data: content, not names or paths."""
        identity = self.whole.identity() if isinstance(self.whole, Distribution) else {"matrix": self.whole.digest()}
        return {
            **identity,
            **({"ties": self.tie_share} if self.tie_share else {}),
            **({"submatrix": self.submatrix.model_dump(mode="json")} if self.submatrix else {}),
        }


def dataset(
    name: str | None = None,
    file: str | Path | None = None,
    parameters: Mapping[str, object] | None = None,
    submatrix: Mapping[str, object] | None = None,
    base: Path = Path(),
    votes: str | Path | None = None,
    called: str | None = None,
) -> Dataset:
    """Return the dataset of a table or a generator with this ``name``, or of a ``file`` or ``votes`` below ``base``.

    The title of a file or of votes begins with ``called``, by default the file's name. Unless the dataset is made of
    votes, the parameter ``ties`` is a share of ties between equal arms, or a file with the probabilities of ties. If
    every run chooses a submatrix, one is chosen here to detect mistakes early.

    Raises UserError with the key ``("name",)``, ``("file",)``, ``("votes",)``, ``(parameter,)`` or ``("submatrix",
    …)``. For an error inside a file, ``source`` is the file, with the line number of a text file.
    """
    if sum(each is not None for each in (name, file, votes)) != 1:
        raise UserError("a dataset has either a name, a file or votes")
    whole: PreferenceMatrix | Distribution
    parameters = dict(parameters or {})
    ties = parameters.pop("ties", 0.0) if votes is None else 0.0
    if votes is not None:
        title, citation, whole = _from_votes(base, Path(votes), parameters)
    elif file is not None:
        title, citation, whole = _from_file(base / file)
    else:
        title, citation, whole = _from_name(str(name), parameters)
    if parameters and votes is None and name not in GENERATORS:
        first, *_ = parameters
        names = "; if these are names of arms, names must be text: put them in quotes" if first == "arms" else ""
        raise UserError(f"{title} is a fixed table and has no parameters: remove {first!r}{names}", key=(first,))
    unused = np.random.Generator(np.random.PCG64(0))
    fixed: dict[str, Any] = {}
    generator = whole if isinstance(whole, Generator) and submatrix is None else None
    if isinstance(whole, Generator) and not whole.varies:
        fixed = whole.draw_parameters(unused)
        whole = whole.matrix(fixed)
    whole, tie_share = _with_ties(whole, ties, base)
    title = called or title
    if submatrix is None:
        title = f"{title}, K = {whole.arms}"
        return Dataset(title, citation, whole, fixed=fixed, generator=generator, tie_share=tie_share)
    if isinstance(whole, Distribution) and whole.known is not None:
        raise UserError("'continue' needs all arms: remove submatrix, or continue", key=("submatrix",))
    choice = validated(Submatrix, submatrix, prefix=("submatrix",))
    title = f"{title}, K = {choice.count} of {whole.arms}"
    with below("submatrix"):
        choice.check(whole.arms)
        arms = None if isinstance(whole, Distribution) else choice.choose(whole, unused)
    if choice.per_run or isinstance(whole, Distribution) or arms is None:
        return Dataset(title, citation, whole, choice, fixed=fixed, tie_share=tie_share)
    return Dataset(title, citation, whole.submatrix(arms), chosen=arms, fixed=fixed)


def _with_ties(
    whole: PreferenceMatrix | Distribution, ties: object, base: Path
) -> tuple[PreferenceMatrix | Distribution, float]:
    """Return the whole with its ties, and the share of ties for matrices that are drawn later."""
    with below("ties"):
        match ties:
            case str() if Path(ties).suffix.lower() in MATRIX_FILES:
                if isinstance(whole, PreferenceMatrix):
                    return load_ties(base / ties, whole), 0.0
                raise UserError("the ties of random matrices are a share, such as 0.2, not a file")
            case int() | float() if not isinstance(ties, bool) and 0 <= ties <= 1:
                if isinstance(whole, PreferenceMatrix):
                    return whole.with_tie_share(ties), 0.0
                return whole, float(ties)
        raise UserError(
            f"ties is {ties!r}: it must be the share of ties between equal arms, from 0 to 1, or the name of a file "
            f"({', '.join(MATRIX_FILES)})"
        )


def _from_file(path: Path) -> tuple[str, str, PreferenceMatrix]:
    with below("file"):
        return path.stem, "", load_matrix(path)


def _from_votes(
    base: Path, file: Path, parameters: Mapping[str, object]
) -> tuple[str, str, PreferenceMatrix | Distribution]:
    from duelbench.votes.findings import voted  # imported only if there are votes
    from duelbench.votes.reading.columns import VoteEntry

    entry = validated(VoteEntry, parameters)
    if entry.alias is not None:
        entry = entry.model_copy(update={"alias": str(base / entry.alias)})
    with below("votes"):
        path = base / file
        return path.stem if entry.draw is None else f"{path.stem}, drawn", "", voted(path, entry)


def _from_name(name: str, parameters: Mapping[str, object]) -> tuple[str, str, PreferenceMatrix | Generator]:
    if table := TABLES.get(name) or DOWNLOADS.get(name):
        with below("name"):
            return table.title, table.citation, table.matrix()
    if name in GENERATORS:
        generator = GENERATORS[name]
        return generator.title, generator.citation, validated(generator, parameters)
    raise UserError(
        f"unknown dataset {name!r}{did_you_mean(name, dataset_names())}: `duelbench list datasets` lists all; for your "
        "own matrix, write file: (.csv, .npy, .npz)",
        key=("name",),
    )


@contextmanager
def below(key: Key) -> Iterator[None]:
    """Prefix ``key`` to the key path of errors raised in this block."""
    try:
        yield
    except UserError as error:
        error.key = (key, *error.key)
        raise


@dataclass(frozen=True)
class Description:
    """One line of the catalogue. ``kind``: table, download or generator; ``arms``: a generator's default.

    ``parameters``: (name, default, meaning).
    """

    name: str
    arms: int
    kind: str
    title: str
    citation: str
    note: str
    parameters: tuple[tuple[str, Any, str], ...]


def dataset_names() -> list[str]:
    """Return the names that ``dataset`` accepts: shipped tables, downloads, generators."""
    return [*TABLES, *DOWNLOADS, *GENERATORS]


def describe_datasets() -> list[Description]:
    """Return the catalogue, in the order of ``dataset_names``."""
    published = [
        Description(each.name, each.arms, kind, each.title, each.citation, each.note, parameters=())
        for kind, group in (("table", TABLES), ("download", DOWNLOADS))
        for each in group.values()
    ]
    generators = [
        Description(
            generator.name,
            generator.model_fields["arms"].default,
            "generator",
            generator.title,
            generator.citation,
            (generator.__doc__ or "").partition("\n")[0],
            tuple((name, field.default, field.description or "") for name, field in generator.model_fields.items()),
        )
        for generator in GENERATORS.values()
    ]
    return published + generators
