"""``duelbench table``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.terminal import emit, one_line, say

if TYPE_CHECKING:
    from duelbench.analysis.tables.table import Table

SUFFIXES = {".md": "markdown", ".tex": "latex", ".csv": "csv"}


class Rounds(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic from click 8.4 on
    """Whole numbers, such as ``1e4,1e6``."""

    name = "rounds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the numbers; fails with a sentence if these are none."""
        found = []
        for word in str(value).split(","):
            try:
                number = float(word)
            except ValueError:
                number = 0.5
            if not 1 <= number <= 1e12 or number != int(number):
                self.fail(f"{word!r} is not a round: write 10000 or 1e4, or several with commas between", param, ctx)
            found.append(int(number))
        return tuple(found)


@click.command(name="table", short_help="Make a table for a paper.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="The file: .md, .tex (booktabs) or .csv says what it will be.  [standard output]",
)  # fmt: skip
@click.option(
    "-f", "--format", "form", type=click.Choice([*SUFFIXES.values()]),
    help="The format, where no file says it.  [markdown]",
)  # fmt: skip
@click.option("--at", "rounds", type=Rounds(), help="Rounds, or votes, such as 1e4,1e6.  [the horizon]")
@click.option("--regret", "kind", metavar="KIND", help="The kind of regret.  [the first of the spec]")
@click.option(
    "--show", type=click.Choice(["regret", "right", "simple", "votes"]), default="regret", show_default=True,
    help="Regret; or, where arms are recommended, the share of runs that are right with Wilson's interval, the simple "
    "regret, or the votes asked for.",
)  # fmt: skip
@click.option("--dataset", "datasets", metavar="LABEL", multiple=True, help="Only these, repeatable.  [all]")
@click.option("--algorithm", "algorithms", metavar="LABEL", multiple=True, help="Only these, repeatable.  [all]")
@click.option("--partial", is_flag=True, help="Of what there is of an experiment that has not ended.")
@click.option("--transpose", is_flag=True, help="Datasets down and algorithms across.")
def command(
    directory: Path,
    output: Path | None,
    form: str | None,
    rounds: tuple[int, ...] | None,
    partial: bool,
    transpose: bool,
    **asked: Any,
) -> None:
    """Make a table of the results in DIRECTORY: mean ± standard error at chosen rounds, algorithms by datasets.

    Errors have two significant digits, means end at the same place. The best is bold; what the runs do not tell from it
    is marked: Welch's t (of shares Fisher's exact test) between every two algorithms of a column, corrected by Holm
    for all of these pairs. So that the best is chosen by the same runs does not matter. With several datasets there are
    mean ranks, and from five on the difference from which they tell. `{kind: ranks}` in a spec's figures draws them.

    Titles are those that the spec has now, as in figures.
    """
    from duelbench.analysis.tables.asked import ask
    from duelbench.analysis.tables.table import make_table
    from duelbench.errors import UserError
    from duelbench.results.frames import load_results
    from duelbench.results.present import present
    from duelbench.writing import write_whole

    if output is not None and output.suffix not in SUFFIXES:
        raise UserError(f"-o {output}: a table is a file {', '.join(SUFFIXES)}, by which its format is known")
    if output is not None and form is not None and SUFFIXES[output.suffix] != form:
        raise click.UsageError(f"-f {form} is not what {output.name} will be: leave one of the two out")
    results = present(directory, partial=partial, announce=lambda line: say(one_line(line), err=True))
    question = ask(results, rounds=rounds or (), **asked)
    table = make_table(
        results, question, load_results(directory).runs if question.show == "simple" and results.finished else None
    )
    text = _written(table, SUFFIXES[output.suffix] if output is not None else form or "markdown", transpose)
    if output is None:
        emit(text.rstrip("\n"))
    else:
        write_whole(output, text)
        say(one_line(output))


def _written(table: Table, form: str, transposed: bool) -> str:
    from duelbench.analysis.tables.comma_separated import comma_separated
    from duelbench.analysis.tables.latex import latex
    from duelbench.analysis.tables.markdown import markdown

    if form == "csv":
        return comma_separated(table)
    return latex(table, transposed) if form == "latex" else markdown(table, transposed)
