"""``duelbench trace``."""

import shutil
import sys
import tempfile
from pathlib import Path

import click

from duelbench.cli.inputs import PATH, WholeRange, complete_spec, refuse_files, spec_path
from duelbench.cli.terminal import Progress, announce, example, one_line, say
from duelbench.files import whole


@click.command(
    name="trace",
    epilog=example(
        "trace results/quickstart six-rankers/rucb --worst", "trace results/quickstart six-rankers/rucb 7 -o run-7.csv"
    ),
)
@click.argument("directory", type=PATH)
@click.argument("series", metavar="DATASET/LABEL")
@click.argument("run", type=WholeRange(min=0), required=False)
@click.option("--worst", is_flag=True, help="Replay the run with the largest final regret.")
@click.option("--best", is_flag=True, help="Replay the run with the smallest final regret.")
@click.option("-o", "--output", type=PATH, help="File to write.  [standard output]")
@click.option(
    "--spec",
    type=PATH,
    shell_complete=complete_spec,
    help="Spec of the results; required to replay an algorithm of your own.  [the file they were run from]",
)
def command(
    directory: Path, series: str, run: int | None, worst: bool, best: bool, output: Path | None, spec: Path | None
) -> None:
    """Replay one run and list its duels.

    RUN is the number of a run in the series DATASET/LABEL of the results in DIRECTORY. The output is CSV, with one
    row for each choice of the algorithm: count duels of first against second from round t on, the wins of first
    (empty for a self-duel), and the cumulative regret after them. Arms are numbered as in the dataset's matrix and,
    in first_in_run and second_in_run, as the algorithm saw them, since a run may shuffle the arms.

    A replay takes about 0.1 s per thousand choices and must reproduce the run's file byte by byte. If the code or the
    spec has changed since the run, nothing is written.
    """
    from duelbench.experiment.plan import make_plan
    from duelbench.experiment.trace import extreme_run, find_series, write_trace
    from duelbench.results.results import Results
    from duelbench.spec.model import load

    if (run is not None) + worst + best != 1:
        raise click.UsageError("say which run: its number, --worst or --best")
    results = Results(directory)
    wanted = results.recorded_spec() if spec is None else load(spec_path(spec), smoke=results.manifest.small)
    labels = find_series(wanted, series, results)
    if spec is None:
        played = (each.entry for each in wanted.expanded_algorithms() if each.label == labels.algorithm)
        refuse_files(played, "`duelbench trace … --spec SPEC`")
    plan = make_plan(wanted, results.ran.mode, only={labels.algorithm})
    runs = Results(directory, plan).runs[labels]
    chosen = runs.series
    number = extreme_run(runs, worst=worst) if run is None else run
    bar, done = Progress(chosen.rounds, plan.count), 0

    def progress(rounds: int) -> None:
        nonlocal done
        done += rounds
        bar.show(done, chosen.rounds)

    # Use a temporary directory: results may be read-only, and output appears only if the replay reproduces the run.
    with tempfile.TemporaryDirectory(prefix="duelbench-trace-") as place, bar:
        path = Path(place, "trace.csv")
        write_trace(runs, number, path, announce=announce, progress=progress)
        with path.open("rb") as written:
            if output is None:
                shutil.copyfileobj(written, sys.stdout.buffer)
                sys.stdout.flush()
            else:
                with whole(output) as file:
                    shutil.copyfileobj(written, file)
    if output is not None:
        say(f"run {number} of {'/'.join(chosen.labels)}: {one_line(output)}")
