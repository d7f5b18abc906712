"""``duelbench trace``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

import click

from duelbench.cli.specs import complete_spec, spec_of_results
from duelbench.cli.terminal import one_line, say


@click.command(name="trace", short_help="Replay one run and write down every duel.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.argument("series", metavar="DATASET/LABEL")
@click.argument("run", type=click.IntRange(min=0), required=False)
@click.option("--worst", is_flag=True, help="The run with the largest regret at its end.")
@click.option("--best", is_flag=True, help="The run with the smallest.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write.  [standard output]")
@click.option(
    "--spec",
    type=click.Path(path_type=Path),
    shell_complete=complete_spec,
    help="The spec of the results; needed where it names code of yours.  [the file they were run from]",
)
def command(
    directory: Path, series: str, run: int | None, worst: bool, best: bool, output: Path | None, spec: Path | None
) -> None:
    """Replay a RUN (its number) of a series of the results in DIRECTORY, and write its answers as CSV.

    A row is an answer of the algorithm: count duels of first against second from round t on, of which first won so many
    (empty for a self-duel), and the cumulative regret after them. Arms are numbered as in the dataset's matrix, and, in
    first_in_run and second_in_run, as the algorithm saw them: a run may shuffle them.

    The run is played again by the same code, which takes about 0.1 s for each thousand answers, and must come out as
    its file says, to the byte. Where the code or the spec is not that of the results any more, nothing is written.
    """
    from duelbench.cli.progress import Progress
    from duelbench.experiment.plan import make_plan
    from duelbench.experiment.trace import extreme_run, find_series, write_trace
    from duelbench.results.reader import Results

    if (run is not None) + worst + best != 1:
        raise click.UsageError("say which run: its number, --worst or --best")
    plan = make_plan(spec_of_results(directory, spec, "trace"), Results(directory).how)
    chosen = find_series(plan, series)
    number = extreme_run(plan, directory, chosen, worst=worst) if run is None else run
    bar, played = Progress(chosen.rounds, plan.spec.count or "rounds"), 0

    def progress(rounds: int) -> None:
        nonlocal played
        played += rounds
        bar.show(played, chosen.rounds)

    # Not beside the results, which may be read-only: until the run has come out as it should it is nobody's file.
    with tempfile.TemporaryDirectory(prefix="duelbench-trace-") as place, bar:
        path = Path(place, "trace.csv")
        write_trace(
            plan,
            directory,
            chosen,
            number,
            path,
            announce=bar.announce,
            progress=progress,
        )
        with path.open("rb") as written:
            if output is None:
                shutil.copyfileobj(written, sys.stdout.buffer)
                sys.stdout.flush()
            else:
                _keep(written, output)
    if output is not None:
        say(f"run {number} of {'/'.join(chosen.labels)}: {one_line(output)}")


def _keep(written: BinaryIO, output: Path) -> None:
    from duelbench.errors import UserError
    from duelbench.writing import whole

    try:
        with whole(output) as file:
            shutil.copyfileobj(written, file)
    except OSError as error:
        raise UserError(f"cannot write {output} ({error.strerror}): choose another place with -o") from None
