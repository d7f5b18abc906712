"""``duelbench bounds``."""

from __future__ import annotations

import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.arguments import JOBS
from duelbench.cli.inputs import PATH, FiniteRange, WholeRange, complete_dataset, named_dataset
from duelbench.cli.terminal import example, say
from duelbench.errors import UserError
from duelbench.files import write_whole
from duelbench.layout import TABLE_COLUMNS, header
from duelbench.processes import available_cores

if TYPE_CHECKING:
    from duelbench.arrays import Floats
    from duelbench.sources.datasets import Dataset


_MOST_DRAWS = 1_000_000


@click.command(name="bounds", epilog=example("bounds six-rankers", "bounds btl-uniform --arms 10 --draws 100"))
@click.argument("name", shell_complete=complete_dataset)
@click.option("--arms", type=WholeRange(min=2), help="Number of arms of a generator.")
@click.option("--size", type=WholeRange(min=2), help="Number of arms to choose at random.")
@click.option("--min-gap", type=FiniteRange(0, 0.5), help="Smallest |p − 1/2| among the chosen arms.")
@click.option("--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of random choices.")
@click.option("--draws", type=WholeRange(2, _MOST_DRAWS), help="Number of random matrices.")
@click.option("-j", "--jobs", type=WholeRange(1, JOBS), help="Worker processes.  [one per core]")
@click.option("-o", "--output", type=PATH, help="Also write the table to this CSV file.")
def command(
    name: str,
    arms: int | None,
    size: int | None,
    min_gap: float | None,
    seed: int,
    draws: int | None,
    jobs: int | None,
    output: Path | None,
) -> None:
    """Print the constants of regret bounds.

    A constant times the natural logarithm of T is a cumulative regret. NAME is a table, a generator, or a .csv, .npy
    or .npz file. With --draws, constants are means over random matrices: draws of a generator or, with --size, random
    choices of arms. Results do not depend on -j.
    """
    from tqdm import tqdm

    from duelbench.bounds import BOUNDS, constants_of

    if min_gap is not None and size is None:
        raise UserError("--min-gap applies to random choices of arms: add --size")
    chance = {"seed": seed} if draws is None else {"per_run": True}
    found = named_dataset(name, arms, None if size is None else {"size": size, "min_gap": min_gap or 0.0, **chance})
    if draws is not None and not found.varies:
        raise UserError(f"{found.title} is a single matrix: add --size to choose arms at random, or remove --draws")
    random = found.varies or size is not None
    say(found.title + (f" ({draws or 1:,} draw{'s' if draws else ''}, seed {seed})" if random else ""))
    if found.citation:
        say(found.citation)
    with tqdm(total=draws, unit="matrix", disable=draws is None or not sys.stderr.isatty()) as bar:
        draw = partial(matrix_drawn, found, seed, draws is not None)
        constants = constants_of(draw, draws or 1, list(BOUNDS), jobs or available_cores(), bar.update)
    say(f"\n{'bound':<6} {'regret':<10} {'constant':>10}" + (f" {'± s.e.':>10}" if draws else ""))
    lines = [header(TABLE_COLUMNS)]
    for (label, bound), column in zip(BOUNDS.items(), constants.T, strict=True):
        count, mean, sem = _statistics(column)
        cells = f"{label:<6} {bound.regret:<10} {shown(mean):>10}" + (f" {shown(sem):>10}" if draws else "")
        lacking = len(column) - count
        some = f"; {lacking:,} of the matrices lack a Condorcet winner" if draws else "; there is no Condorcet winner"
        say(f"{cells}   {bound.says}{some if lacking else ''}")
        lines.append(f"{label},{bound.regret},{count},{mean!r},{'' if sem is None else repr(sem)}")
    if draws is None and (remark := _on_ties(matrix_drawn(found, seed, False, 0), constants[0, 0])):
        say(f"\n{remark}")
    if output is not None:
        write_whole(output, "\n".join(lines) + "\n")
        say(f"\n{output}")


def matrix_drawn(found: Dataset, seed: int, several: bool, number: int) -> Floats:
    """Return the matrix of a draw. A single draw is the same as in `datasets show`."""
    import numpy as np

    return found.instance(np.random.default_rng([seed, number] if several else seed)).P


def _statistics(constants: Floats) -> tuple[int, float, float | None]:
    """Return the number of constants that are not NaN, their mean, and its standard error."""
    import numpy as np

    defined = constants[~np.isnan(constants)]
    count = len(defined)
    if count == 0:
        return 0, np.nan, None
    many = count > 1 and bool(np.isfinite(defined).all())
    return count, float(defined.mean()), float(defined.std(ddof=1) / np.sqrt(count)) if many else None


def shown(number: float | None) -> str:
    """Format a number with four significant digits."""
    if number is None or math.isnan(number):
        return "—"
    return "infinite" if math.isinf(number) else f"{number:,.{max(0, 3 - math.floor(math.log10(number or 1)))}f}"


def _on_ties(P: Floats, lower_bound: float) -> str:
    """Explain how exact ties, which the papers exclude, affect the constants."""
    import numpy as np

    ties = np.argwhere(np.triu(P == 0.5, 1))
    if len(ties) == 0:
        return ""
    named = f"Exact ties ({', '.join(f'{i}–{j}' for i, j in ties[:5])}{', …' if len(ties) > 5 else ''})"
    if math.isinf(lower_bound):
        return f"{named}: they decide which arm wins, so regret grows faster than any multiple of log T."
    return (
        f"{named}: no number of duels resolves them, so LB counts them as losses of the winner.\n"
        "ECW-RMED duels tied arms forever, which ECWB leaves out."
    )
