"""``duelbench datasets build``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from duelbench.arguments import JOBS
from duelbench.cli import build_votes
from duelbench.cli.numbers import WholeRange
from duelbench.cli.terminal import example, say
from duelbench.cores import available_cores


@click.group(name="build", epilog=example("datasets build votes votes.csv -o models.csv"))
def command() -> None:
    """Build a matrix from raw data.

    Raw data are votes, ballots, ratings or judged documents. A spec reads the matrix with `file:`.
    """


command.add_command(build_votes.votes)
command.add_command(build_votes.preflib)
command.add_command(build_votes.ratings)


@command.command(epilog=example("datasets build sushi sushi3-2016"))
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("-n", "--arms", type=WholeRange(min=2), default=16, show_default=True, help="Number of items.")
@click.option(
    "--by",
    type=click.Choice(["comparisons", "popularity"]),
    default="comparisons",
    show_default=True,
    help="Choose the items with the most comparisons, or with the largest share of comparisons won.",
)
@click.option("--digits", type=WholeRange(1, 15), default=3, show_default=True, help="Decimals of the entries.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File to write: .csv, .npy or .npz.  [sushiN.csv]"
)
def sushi(
    directory: Path, arms: int, by: Literal["comparisons", "popularity"], digits: int, output: Path | None
) -> None:
    """Build a matrix from the SUSHI Preference Data Set.

    An entry is the share of users who prefer one sushi to another. DIRECTORY contains sushi3b.5000.10.order; an
    .order file may be named instead. Without options, the result is the shipped table sushi16, with rows in
    increasing order of the number of comparisons.
    """
    from duelbench.sources.matrix_files import check_output, save_matrix
    from duelbench.sources.sushi import read_orders

    target = output or Path(f"sushi{arms}.csv")
    check_output(target)
    orders = read_orders(directory)
    items = orders.top(arms, by)
    matrix, unknown = orders.shares(items, digits)
    numbers = " ".join(map(str, items))
    save_matrix(target, matrix, f"Items {numbers} of {Path(orders.source).name}: by {by}, {orders.users:,} users")
    say(f"{target}: {arms} of {len(orders.wins)} items by {by}, {orders.users:,} users")
    say(f"rows are items {numbers}")
    if unknown:
        say(f"{unknown} of the {arms * (arms - 1) // 2} pairs have no comparisons and count as ties")


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    """Read ``1-5,8``."""
    from duelbench.sources.letor import MAX_FEATURE

    if text is None:
        return None
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            bounds = int(first), int(last or first)
        except ValueError:
            raise click.BadParameter(f"{part!r} is neither a number nor a range: write 1-5,8") from None
        if max(bounds) > MAX_FEATURE:
            raise click.BadParameter(f"{part!r} is beyond {MAX_FEATURE:,}, the highest number of a feature")
        numbers += range(bounds[0], bounds[1] + 1)
    if len(numbers) < 2 or min(numbers) < 1 or len(set(numbers)) < len(numbers):
        raise click.BadParameter("name two or more different features, numbered from 1")
    return numbers


@command.command(epilog=example("datasets build letor Fold1/*.txt --click-model navigational"))
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--click-model",
    type=click.Choice(["perfect", "navigational", "informational"]),
    required=True,
    help="Simulated users: they know what is relevant, look for one page, or collect information.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File to write: .csv, .npy or .npz.  [letor-MODEL.csv]"
)
@click.option(
    "--features", callback=_numbers, help="Features that are compared, such as 1-5,8.  [all of the first query]"
)
@click.option(
    "--interleavings",
    type=WholeRange(min=1),
    default=10,
    show_default=True,
    help="Interleaved lists per pair and query.",
)
@click.option("--cutoff", type=WholeRange(min=1), default=10, show_default=True, help="Number of documents in a list.")
@click.option(
    "--top-grade",
    type=click.Choice(["1", "2", "4"]),
    default="4",
    show_default=True,
    help="Grade of a perfect document; other scales than 0 to 4 are stretched to it.",
)
@click.option("--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of the simulation.")
@click.option("-j", "--jobs", type=WholeRange(1, JOBS), help="Worker processes.  [one per core]")
def letor(
    files: tuple[Path, ...],
    click_model: str,
    output: Path | None,
    features: list[int] | None,
    interleavings: int,
    cutoff: int,
    top_grade: str,
    seed: int,
    jobs: int | None,
) -> None:
    """Build a matrix by comparing rankers on judged documents.

    FILEs have the format of LETOR and MSLR, and every feature is a ranker. Each pair of rankers is compared on each
    query by probabilistic interleaving (Hofmann et al., 2011) with simulated clicks, as for the MSLR matrices. Entry
    (i, j) is the share of comparisons that i wins; equal clicks count half. Results do not depend on -j.
    """
    from tqdm import tqdm

    from duelbench.errors import UserError
    from duelbench.sources.letor import read_queries
    from duelbench.sources.matrix_files import check_output, save_matrix
    from duelbench.sources.rankers import Simulation, compare_rankers

    target = output or Path(f"letor-{click_model}.csv")
    check_output(target)
    for file in files:
        if not file.is_file():
            raise UserError("there is no such file: check the path", source=str(file))
    simulation = Simulation(click_model, interleavings, cutoff, seed, int(top_grade))
    size = sum(file.stat().st_size for file in files)
    with tqdm(total=size, unit="B", unit_scale=True, disable=not sys.stderr.isatty()) as bar:
        queries = read_queries(files, features, simulation.top_grade, bar.update)
        found = compare_rankers(queries, simulation, jobs or available_cores())
    rankers = found.matrix.arms
    numbers = " ".join(map(str, features)) if features else f"1-{rankers}"
    about = (
        f"{click_model} users, lists of {cutoff}, {found.queries:,} queries, "
        f"interleavings per pair and query: {interleavings}, seed {seed}"
    )
    save_matrix(target, found.matrix, f"{about}\nRankers: features {numbers} of {' '.join(f.name for f in files)}")
    say(f"{target}: {rankers} rankers, {about}")
    if found.queries > 1:
        say(f"standard error of an entry: {found.standard_error:.2g} at most")
