"""Arguments and options that several commands share: numbers, specs, datasets, algorithms, results, files of votes."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from duelbench.arguments import LARGEST
from duelbench.cli.terminal import counted, one_line, say, warn
from duelbench.errors import UserError
from duelbench.files import shipped

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm
    from duelbench.sources.datasets import Dataset
    from duelbench.spec.entries import AlgorithmEntry
    from duelbench.votes.reading.columns import VoteFileOptions
    from duelbench.votes.vote_table import Votes, VoteTable

PATH = click.Path(path_type=Path)
_Command = Callable[..., Any]
_Ties = Literal["half", "drop"]
_COLUMNS = {
    "first": "The first arm.",
    "second": "The second arm.",
    "winner": "The outcome; with --loser, the name of the winner.",
    "loser": "The name of the loser.",
    "wins_first": "The number of votes for the first arm.",
    "wins_second": "The number of votes for the second arm.",
    "weight": "Number of votes of the row.",
    "judge": "The judge.",
    "group": "The ranking or the question that the row is a part of.",
}
"""Options that name a column. The default names are listed in datasets/README.md."""
_NO_EFFECT = {
    "judge": "The judge. No effect: all judges are alike here.",
    "group": "The ranking or the question that the row is a part of. No effect: votes are independent here.",
}


def vote_options(
    ties: _Ties = "half", no_effect: tuple[str, ...] = (), without: tuple[str, ...] = (), keep: bool = False
) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options for reading votes and passes them as one argument, ``reading``.

    Parameters
    ----------
    ties
        The default of --ties.
    no_effect
        Columns that the command ignores; their help says so.
    without
        Columns for which the command has its own option.
    keep
        Whether ties may also be kept as a third outcome; ``reading`` is then a ``VoteEntry``.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def called(*arguments: Any, **others: Any) -> Any:
            from duelbench.parameters import validated
            from duelbench.votes.reading.columns import VoteEntry, VoteFileOptions

            names = [name for name in VoteFileOptions.model_fields if name in others and name not in without]
            given = {name: others.pop(name) for name in names}
            given["alias"] = None if given["alias"] is None else str(given["alias"])
            return command(*arguments, reading=validated(VoteEntry if keep else VoteFileOptions, given), **others)

        columns = _COLUMNS | {name: _NO_EFFECT[name] for name in no_effect}
        options: list[Callable[[_Command], _Command]] = [
            *(
                click.option(f"--{name.replace('_', '-')}", metavar="COLUMN", help=columns[name])
                for name in _COLUMNS
                if name not in without
            ),
            click.option(
                "--tie", metavar="COLUMN", multiple=True, help="Whether the row is a tie, or their number; repeatable."
            ),
            click.option(
                "--outcome",
                "outcomes",
                metavar="VALUE=first|second|tie|none",
                multiple=True,
                help="What a value of the outcome means; repeatable. VALUE=arm is only the name of an arm.",
            ),
            click.option("--only", metavar="COLUMN=VALUE", multiple=True, help="Use only these rows; repeatable."),
            ties_option(ties, keep),
            *table_options,
            click.option("--strict", is_flag=True, help="Treat a row that cannot be used as an error."),
        ]
        for option in reversed(options):
            option(called)
        return called

    return decorate


table_options: tuple[Callable[[_Command], _Command], ...] = (
    click.option(
        "--alias",
        metavar="FILE",
        type=PATH,
        help="Table of other names of arms, CSV or TSV, with the columns name and arm.",
    ),
    click.option(
        "--delimiter",
        metavar="CHARACTER",
        help="Character between cells, or comma, semicolon, tab or bar.  [as in the header]",
    ),
)
"""Options of all commands that read tables of arms."""


def ties_option(default: _Ties = "half", keep: bool = False) -> Callable[[_Command], _Command]:
    """Return the decorator that adds --ties."""
    return click.option(
        "--ties",
        type=click.Choice(["half", "drop", *["keep"] * keep]),
        default=default,
        show_default=True,
        help=f"Count a tie as half a win for both, or not at all{', or keep it as a third outcome' if keep else ''}.",
    )


def choice(name: str, values: Sequence[str], text: str) -> Callable[[_Command], _Command]:
    """Return an option with a fixed set of values. The first is the default; ``text`` is the help."""
    return click.option(name, type=click.Choice(values), default=values[0], show_default=True, help=text)


def files_read(votes: Votes) -> list[str]:
    """Describe each file of votes in one line: its rows and how they are read."""
    return [f"{each.path}: {counted(each.rows, 'row')}, read as {each.understood}" for each in votes.files]


def votes_of_session(directory: Path, reading: VoteFileOptions) -> tuple[VoteTable, VoteTable, str]:
    """Return the votes on a session's active arms, all answers of judges, and a line about the votes."""
    from duelbench.votes.reading.formats import refuse_folder
    from duelbench.votes.sessions.log import FILE
    from duelbench.votes.sessions.session import Session

    if unused := reading.given().keys() - {"ties"}:
        option = min(unused).replace("_", "-")
        raise UserError(f"--{option} is about how to read a file of votes: leave it out", source=one_line(directory))
    if not (directory / FILE).exists():
        refuse_folder(directory, str(directory))
    session = Session.open(directory)
    table = session.table
    number, mine = table.weight.sum(), table.weight[table.judge >= 0].sum()
    if not number:
        raise UserError("this session has no votes yet", source=one_line(directory))
    judges = f", {mine:,.12g} by {counted(len(table.judges), 'named judge')}" if mine else ""
    about = f"{one_line(directory)}: a session of {session.algorithm}, {number:,.12g} votes{judges}"
    return table, session.answers, about


def refuse_overwriting(files: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Raise UserError if a file to write is one of the inputs."""
    read = {file.resolve() for file in files}
    for output in outputs:
        if output.resolve() in read:
            raise UserError("this input file would be overwritten: choose another name with -o", source=str(output))


class WholeRange(click.IntRange):
    """An integer within bounds. As in a spec, it may be written as ``1e3``."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or fail with a message."""
        for kind in (int, float):
            with contextlib.suppress(ValueError):  # click reports other values
                number = kind(value)
                if abs(number) > LARGEST:
                    most = LARGEST if self.max is None else self.max
                    self.fail(f"the number is out of range: write one from {self.min or 0:,} to {most:,}", param, ctx)
                value = int(number) if number == number // 1 else value
                break
        whole: int = super().convert(value, param, ctx)
        return whole


class FiniteRange(click.FloatRange):
    """A number within bounds. click accepts ``nan`` within any bounds, since it is neither below nor above them."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number, or fail with a message."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


def shipped_specs() -> dict[str, Path]:
    """Return the shipped specs by file name."""
    return {path.name: path for path in sorted(shipped("configs").glob("*.yaml"))}


def spec_path(named: Path) -> Path:
    """Return the file at ``named`` or, if there is none, the shipped spec of that name (``.yaml`` or not)."""
    if named.exists():
        return named
    specs = shipped_specs()
    return specs.get(named.name) or specs.get(f"{named.name}.yaml") or named


def refuse_files(entries: Iterable[AlgorithmEntry], command: str) -> None:
    """Raise UserError if a spec that the user has not named has algorithms in files, since anybody may have written it.

    ``command`` is the command to use if the user trusts the spec.
    """

    if any(entry.is_in_a_file for entry in entries):
        raise UserError(f"its spec runs code from a file: if you trust it, use {command}")


def complete_spec(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete file names and names of shipped specs."""
    names = [CompletionItem(name) for name in shipped_specs() if name.startswith(word)]
    return [*names, CompletionItem(word, type="file")]


def named_dataset(name: str, arms: int | None, submatrix: Mapping[str, object] | None = None) -> Dataset:
    """Return the dataset ``name``, a table, a generator or a matrix file.

    Raises UserError if it is unknown, or does not take these arguments.
    """
    from duelbench.sources.datasets import dataset

    is_file = Path(name).suffix in (".csv", ".npy", ".npz")
    parameters = {} if arms is None else {"arms": arms}
    return dataset(None if is_file else name, name if is_file else None, parameters, submatrix)


def complete_dataset(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete file names and names of the catalogue."""
    from duelbench.sources.datasets import dataset_names

    return _completed(dataset_names(), word)


def complete_algorithm(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete file names and names of the catalogue."""
    from duelbench.algorithms.catalogue import catalogue

    return _completed(catalogue(), word)


def _completed(names: Iterable[str], word: str) -> list[CompletionItem]:
    return [*(CompletionItem(name) for name in names if name.startswith(word)), CompletionItem(word, type="file")]


_ROUNDS = 10_000
"""Default horizon of the trial run."""


def tried_algorithm(
    name: str, instance: Dataset, label: str, parameters: Mapping[str, Any] | None = None, horizon: int = _ROUNDS
) -> type[Algorithm]:
    """Return an algorithm. If it is in a user's file, first play some rounds, as `check` does.

    Raises UserError if the name is unknown, or the class or its parameters are wrong.
    """
    from duelbench.algorithms.algorithm import parameters_of
    from duelbench.engine.problem import checkpoints
    from duelbench.experiment.class_checks import instantiate, load_algorithm
    from duelbench.experiment.code import labelled_algorithm, labelled_dataset
    from duelbench.experiment.trial import try_series
    from duelbench.spec.resolved import ResolvedSpec

    kind = load_algorithm(with_colon(name, "Class") if name.endswith(".py") else name, Path())
    algorithm = instantiate(kind, parameters or {})
    if not kind.source_text:
        return kind
    played = labelled_algorithm(kind, label=kind.__name__, name=name, parameters=parameters_of(algorithm))
    spec = ResolvedSpec(
        name="trial",
        title="",
        horizons=(horizon,),
        runs=1,
        regret=("copeland",),
        checkpoints=checkpoints([horizon], 20).tolist(),
        datasets=(labelled_dataset(instance, label=label),),
        algorithms=(played,),
        figures=(),
    )
    say(f"trying {one_line(name)}…", err=True)
    for note in try_series(spec.series[0], 0, 0):
        warn(note)
    return kind


parameter_option = click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the algorithm, repeatable.",
)


def given_parameters(given: Sequence[str], reserved: Collection[str] = ()) -> dict[str, Any]:
    """Parse the values of ``parameter_option`` as in a spec; ``reserved`` are the command's own option names."""
    from duelbench.spec.yaml_file import scalar

    found: dict[str, Any] = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise UserError(f"{each!r} is not a parameter: write -p alpha=0.6")
        if name in reserved:
            raise UserError(f"{name!r} is an option, not a parameter of the algorithm: give --{name}")
        if name in found:
            raise UserError(f"the parameter {name!r} is given twice")
        found[name] = scalar(value)
    return found


def with_colon(reference: str, what: str) -> str:
    """Return ``file.py:name``. Raises UserError if the name is missing."""
    if ":" not in reference:
        raise UserError(f"{reference} names no {what.lower()}: write {reference}:{what}")
    return reference


def places_of(named: Iterable[Path]) -> list[Path]:
    """Return the experiments among the named directories, and those below the others."""
    from duelbench.results.collection import each_experiment

    return each_experiment(named)


def one_by_one(
    places: Sequence[Path], named: Sequence[Path], do: Callable[[Path], None], *, partial: bool = False
) -> int:
    """Call ``do`` for each experiment. The exit code is 2 if some cannot be read or none is finished.

    Unreadable experiments are named on standard error. Unfinished ones are skipped with a line, unless the user has
    ``named`` them or they may be ``partial``.
    """
    from duelbench.results.results import Results

    alone = len(places) == 1
    failed, unfinished = 0, 0
    for place in places:
        try:
            if place not in named and not partial and Results(place).spec and not Results(place).finished:
                unfinished += 1
                warn(f"{place} is not finished: --partial shows its runs so far")
                continue
            do(place)
        except UserError as error:
            if alone:
                raise
            failed += 1
            warn(f"error: {error}" if str(place) in str(error) else f"error: {place}: {error}")
    return 2 if failed or unfinished == len(places) else 0
