"""``duelbench list``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.cli.inputs import complete_algorithm, shipped_specs
from duelbench.cli.terminal import example, say
from duelbench.errors import UserError

if TYPE_CHECKING:
    from duelbench.algorithms.algorithm import Algorithm


@click.group(name="list", epilog=example("list algorithms --goal identification", "list datasets"))
def command() -> None:
    """List algorithms, datasets, kinds of figures and shipped specs.

    Each subcommand lists one of them.
    """


@command.command(epilog=example("list algorithms --needs condorcet", "list algorithms d-ts"))
@click.argument("name", required=False, shell_complete=complete_algorithm)
@click.option(
    "--goal", type=click.Choice(["regret", "identification", "ranking"]), help="Only algorithms with this goal."
)
@click.option("--needs", metavar="TEXT", help="Only algorithms whose needs contain this text, such as horizon.")
def algorithms(name: str | None, goal: str | None, needs: str | None) -> None:
    """List the algorithms: name, goal, year and needs.

    The goal is small regret; identification, to find a winner with few duels, without a bound on the regret; or
    ranking, to find the order of the arms, the top ones or tiers.
    Needs are what the guarantee assumes of the preference matrix, and "horizon" where the algorithm must know it.

    With NAME, describe one algorithm: citation, assumptions, parameters with their allowed values, and source files.
    Your own algorithm is FILE.py:Class in a spec, see duelbench/README.md.
    """
    from duelbench.algorithms.catalogue import catalogue, find
    from duelbench.experiment.named import goal_of, year_of

    if name is not None:
        if goal or needs:
            raise click.UsageError("--goal and --needs choose from the list: leave them out, or leave out NAME")
        if ":" in name:
            raise UserError(f"{name} is not a shipped algorithm: `duelbench list algorithms` lists these")
        _show(name, find(name, Path()))
        return
    rows = [(each, goal_of(kind), str(year_of(kind) or "—"), _needs(kind)) for each, kind in catalogue().items()]
    rows = [row for row in rows if goal in (None, row[1]) and (needs or "").lower() in row[3].lower()]
    if not rows:
        raise UserError(f"no algorithm has these needs ({needs}): `duelbench list algorithms` lists them")
    width = max(len(row[0]) for row in rows)
    for each, what, year, needed in [("", "goal", "year", "needs"), *rows]:
        say(f"{each:{width}}  {what:14}  {year:4}  {needed}")


def _needs(kind: type[Algorithm]) -> str:
    """Return the assumptions of the guarantee, and whether the horizon must be known."""
    needed = [kind.assumes] * (kind.assumes != "nothing") + ["horizon"] * kind.uses_horizon
    return "; ".join(needed) or "nothing"


@command.command(epilog=example("list datasets"))
def datasets() -> None:
    """List the datasets: arms, parameters and citations.

    Tables are shipped, downloads are fetched by `duelbench datasets fetch`, and generators draw matrices.
    """
    from duelbench.sources.datasets import describe_datasets

    for each in describe_datasets():
        size = {
            "table": f"{each.arms} arms",
            "download": f"{each.arms} arms, `duelbench datasets fetch {each.name}` downloads them",
            "generator": f"generator, {each.arms} arms by default",
        }
        say(f"{each.name}  ({size[each.kind]})\n  {each.title}. {each.note}".replace("``", ""))
        for parameter, default, meaning in each.parameters:
            say(f"  {parameter} = {'none' if default is None else default}: {meaning}")
        say(f"  {each.citation}\n")
    say("Your own: {file: matrix.csv} in a spec (.csv, .npy or .npz).")


@command.command(epilog=example("list figures"))
def figures() -> None:
    """List the kinds of figures and their options.

    A spec asks for them under `figures:`.
    """
    from duelbench.spec.figures import FigureEntry, Look, figure_kinds

    def show(kind: type[FigureEntry | Look], *hidden: str) -> None:
        for name, field in kind.model_fields.items():
            if name not in hidden:
                default = "" if field.default in (None, (), {}) else f" = {field.default}"
                say(f"  {name}{default}: {field.description}")
        say()

    curved: list[str] = []
    for name, kind in figure_kinds().items():
        curved += [name] if issubclass(kind, Look) else []
        say(f"{name}\n  {kind.model_fields['kind'].description}")
        show(kind, "kind", *Look.model_fields, *FigureEntry.model_fields)
    say(f"kinds with curves ({', '.join(curved)}); also at the top of a spec")
    show(Look)
    say("all kinds")
    show(FigureEntry)


@command.command(epilog=example("list specs"))
def specs() -> None:
    """List the specs that come with duelbench.

    `run`, `check`, `plot` and `status` accept their names.
    """

    for name, path in shipped_specs().items():
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        say(f"{name}\n  {first.lstrip('# ')}")


def _show(name: str, kind: type[Algorithm]) -> None:
    """Print the description of an algorithm."""
    from duelbench.algorithms.algorithm import Algorithm

    say(f"{name}: {kind.title}\n  {(kind.__doc__ or '').splitlines()[0]}\n")
    say(f"  {kind.citation}")
    say(f"  assumes      {kind.assumes}")
    say(f"  regret       {kind.regret_order}")
    say(f"  horizon      {'must be known' if kind.uses_horizon else 'need not be known (anytime)'}")
    declares = "tiers of arms" if kind.declares_tiers else "a winner" if kind.declares() else "no winner"
    say(f"  declares     {declares}")
    say(f"  ties         {'are a third outcome' if kind.takes_ties else 'are decided by a coin, or dropped'}")
    say(f"  delay        {'outcomes may arrive late' if kind.supports_delay else 'waits for the outcomes of batches'}")
    given = {
        "checkpoints": kind.ends_blocks_at_checkpoints,
        "kinds of regret": kind.merge_equal_self_duels is not Algorithm.merge_equal_self_duels,
    }
    others = " and ".join(word for word, matters in given.items() if matters)
    draws = f"are others, of the same law, for other {others}" if others else "do not depend on checkpoints"
    say(f"  draws        {draws}")
    say(f"  learns from  {'any duel' if kind.learns_off_policy else 'its own duels'}")
    say(f"  code         {Path(*kind.__module__.split('.')).with_suffix('.py').as_posix()}")
    say("\n  parameters" if kind.model_fields else "\n  no parameters")
    schema = kind.model_json_schema().get("properties", {})
    for parameter, field in kind.model_fields.items():
        default = "none" if field.default is None else field.default
        say(f"    {parameter} = {default}  ({values(schema[parameter])})\n      {field.description}")


def values(schema: Mapping[str, Any]) -> str:
    """Describe the values that a JSON schema allows: ``one of random, round-robin``."""
    if "anyOf" in schema:
        return " or ".join(map(values, schema["anyOf"]))
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "const" in schema:
        return str(schema["const"])
    words = {
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "null": "none",
        "string": "a word",
        "array": "a list",
    }
    limits = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    said = [f"{sign} {schema[key]:g}" for key, sign in limits.items() if key in schema]
    return " ".join([words[schema["type"]], ", ".join(said)]).strip()
