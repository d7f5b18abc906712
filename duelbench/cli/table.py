"""``duelbench table``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import PATH, WholeRange, one_by_one, places_of
from duelbench.cli.terminal import emit, example, one_line, say, warn
from duelbench.errors import UserError
from duelbench.files import write_whole

if TYPE_CHECKING:
    from duelbench.analysis.tables import Table

_SUFFIXES = {".md": "markdown", ".tex": "latex", ".csv": "csv"}


class _Rounds(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.4 on
    """Whole numbers, such as ``1e4,1e6``."""

    name = "rounds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the rounds, or fail with a message."""
        return tuple(WholeRange(1, 10**12).convert(word, param, ctx) for word in str(value).split(","))


@click.command(
    name="table", epilog=example("table results/quickstart", "table results/quickstart --at 1e3,1e4 -o regret.tex")
)
@click.argument("what", metavar="DIRECTORY...", nargs=-1, required=True, type=PATH)
@click.option(
    "-o", "--output", "outputs", multiple=True, type=PATH,
    help="File to write, repeatable: .md, .tex (booktabs) or .csv.  [standard output]",
)  # fmt: skip
@click.option(
    "-f", "--format", "form", type=click.Choice([*_SUFFIXES.values()]),
    help="Format on standard output.  [markdown]",
)  # fmt: skip
@click.option(
    "--at", "rounds", type=_Rounds(), help="Rounds or votes, separated by commas, such as 1e4,1e6.  [the horizon]"
)
@click.option("--regret", "kind", metavar="KIND", help="Kind of regret.  [the first in the spec]")
@click.option(
    "--show", type=click.Choice(["regret", "tail", "better", "right", "simple", "tau", "votes"]), default="regret",
    show_default=True,
    help="Regret; its tail (median, 95 % and 99 % quantile, mean of the worst 5 %); for each pair of algorithms the "
    "probability that the first is better; or, if runs recommend arms, the share of right runs with Wilson's interval, "
    "the simple regret, the Kendall tau distance of their order, or the number of votes used.",
)  # fmt: skip
@click.option("--dataset", "datasets", metavar="LABEL", multiple=True, help="Only this dataset, repeatable.  [all]")
@click.option(
    "--algorithm", "algorithms", metavar="LABEL", multiple=True, help="Only this algorithm, repeatable.  [all]"
)
@click.option("--partial", is_flag=True, help="Use the runs so far of an unfinished experiment.")
@click.option("--ranks/--no-ranks", default=True, help="Mean ranks over several datasets.  [with ranks]")
@click.option("--transpose", is_flag=True, help="Rows are datasets and columns algorithms.")
def command(
    what: tuple[Path, ...],
    outputs: tuple[Path, ...],
    form: str | None,
    rounds: tuple[int, ...] | None,
    partial: bool,
    transpose: bool,
    **asked: Any,
) -> None:
    """Make a table of results for a paper.

    Give the DIRECTORY of an experiment, or a folder such as results/ for a table of each experiment below it.

    A cell is the mean ± standard error at a chosen round; rows are algorithms and columns datasets. Errors have two
    significant digits, and means end at the same place; CSV has all digits. The best mean is bold, and algorithms
    that do not differ significantly from it are marked: Welch's t-test (Fisher's exact test for shares) between all
    pairs of algorithms in a column, with Holm's correction. Other marks warn of unreliable errors, and of algorithms
    whose assumptions a matrix does not meet; notes explain them.

    Several datasets add mean ranks, and five or more add the critical difference of ranks; `{kind: ranks}` in a
    spec's figures draws them. Points of a grid count as one dataset. Titles are those of the run, as in figures. A line
    says if the results are out of date for their spec, or for the file of an algorithm.

    `--show tail` and `--show better` need the files of the runs. Their errors and intervals are those of a bootstrap
    over runs, for `better` stratified by dataset: the probability that a run of the row's algorithm has less regret
    than a run of the column's, on average over the datasets.
    """
    from duelbench.analysis.tables import make_table, request_of
    from duelbench.experiment.current import out_of_date
    from duelbench.results.frames import read_experiment
    from duelbench.results.results import Results

    for output in outputs:
        if output.suffix not in _SUFFIXES:
            raise UserError(f"-o {output}: the name of a table ends in {', '.join(_SUFFIXES)}")
        if form is not None and _SUFFIXES[output.suffix] != form:
            raise click.UsageError(f"-f {form} contradicts the name {output.name}: leave one of the two out")
    tables: dict[str, Table] = {}

    def make(place: Path) -> None:
        results = Results(place, partial=warn if partial else None)
        if line := out_of_date(results):
            warn(f"note: {line}")
        request = request_of(results, rounds=rounds or (), **asked)
        runs = read_experiment(results).runs if request.show == "simple" and results.finished else None
        tables[str(place)] = make_table(results, request, runs)

    places = places_of(what)
    code = one_by_one(places, what, make, partial=partial)
    several = len(places) > 1
    for output in outputs if tables else ():
        write_whole(output, _written(tables, _SUFFIXES[output.suffix], transpose, several))
        say(one_line(output))
    if tables and not outputs:
        emit(_written(tables, form or "markdown", transpose, several).rstrip("\n"))
    if code:
        sys.exit(code)


def _written(tables: Mapping[str, Table], form: str, transposed: bool, several: bool) -> str:
    """Return the text of tables, each with the directory of its experiment if there are ``several``."""
    from duelbench.analysis.table_formats import comma_separated, latex, markdown

    if form == "csv":
        return comma_separated(tables, several)
    write, sign = (latex, "%") if form == "latex" else (markdown, "##")
    texts = [
        (f"{sign} {one_line(name)}\n\n" if several else "") + write(each, transposed) for name, each in tables.items()
    ]
    return "\n".join(texts)
