"""``duelbench datasets build``."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click


@click.group(name="build", short_help="Make a matrix from raw data.")
def command() -> None:
    """Make a matrix from raw data: orders of users, or judged documents. A spec reads it by `file:`."""


@command.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("-n", "--arms", type=click.IntRange(min=2), default=16, show_default=True, help="How many items.")
@click.option(
    "--by",
    type=click.Choice(["comparisons", "popularity"]),
    default="comparisons",
    show_default=True,
    help="Take the items with most comparisons, or with the largest share of their comparisons won.",
)
@click.option("--digits", type=click.IntRange(1, 15), default=3, show_default=True, help="Decimals of the shares.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help=".csv, .npy or .npz.  [sushiN.csv]")
def sushi(
    directory: Path, arms: int, by: Literal["comparisons", "popularity"], digits: int, output: Path | None
) -> None:
    """Share of users who prefer one sushi to another, from the raw files of the SUSHI Preference Data Set.

    DIRECTORY holds sushi3b.5000.10.order (or name an .order file). Without options the result is the table sushi16
    that comes with duelbench: rows in increasing number of comparisons.
    """
    from duelbench.preferences.files import check_output, save_matrix
    from duelbench.preferences.sushi import read_orders

    target = output or Path(f"sushi{arms}.csv")
    check_output(target)
    orders = read_orders(directory)
    items = orders.top(arms, by)
    matrix, unknown = orders.shares(items, digits)
    numbers = " ".join(map(str, items))
    save_matrix(target, matrix, f"Items {numbers} of {Path(orders.source).name}: by {by}, {orders.users:,} users")
    click.echo(f"{target}: {arms} of {len(orders.wins)} items by {by}, {orders.users:,} users")
    click.echo(f"rows are items {numbers}")
    if unknown:
        click.echo(f"{unknown} of the {arms * (arms - 1) // 2} pairs were compared by nobody: they count as ties")
