"""``duelbench list``."""

from __future__ import annotations

import textwrap

import click

from duelbench.cli.terminal import say


@click.group(name="list", short_help="Show the algorithms, datasets, figures and specs there are.")
def command() -> None:
    """Show what there is, with citations and assumptions."""


@command.command()
def algorithms() -> None:
    """The algorithms: parameters, what they assume, citation."""
    from duelbench.algorithms.catalogue import catalogue

    for name, kind in catalogue().items():
        say(f"{name}\n  {(kind.__doc__ or '').splitlines()[0]}")
        for parameter, field in kind.model_fields.items():
            say(f"  {parameter} = {field.default}: {field.description}")
        horizon = "must know the horizon" if kind.uses_horizon else "anytime"
        say(f"  assumes: {kind.assumes}; {horizon}; regret: {kind.regret_order}")
        say(textwrap.indent(textwrap.fill(kind.citation, 110), "  ") + "\n")
    say('Your own: path.py:ClassName in a spec (see duelbench/README.md, "Add an algorithm of your own").')


@command.command()
def datasets() -> None:
    """The preference matrices: arms, parameters, citation."""
    from duelbench.sources.datasets import describe_datasets

    for each in describe_datasets():
        size = {
            "table": f"{each.arms} arms",
            "download": f"{each.arms} arms, `duelbench datasets fetch {each.name}` downloads them",
            "generator": f"generator, {each.arms} arms unless you say otherwise",
        }
        say(f"{each.name}  ({size[each.kind]})\n  {each.title}. {each.note}")
        for parameter, default, meaning in each.parameters:
            say(f"  {parameter} = {default}: {meaning}")
        say(textwrap.indent(textwrap.fill(each.citation, 110), "  ") + "\n")
    say("Your own: {file: matrix.csv} in a spec (.csv, .npy or .npz).")


@command.command()
def figures() -> None:
    """The kinds of figures a spec can ask for, with their options."""
    from duelbench.spec.figures import IdentificationFigure, RegretFigure, ScalingFigure, StdFigure

    for kind in (RegretFigure, StdFigure, ScalingFigure, IdentificationFigure):
        kind_field = kind.model_fields["kind"]
        say(f"{kind_field.annotation.__args__[0]}\n  {kind_field.description}")  # type: ignore[union-attr]
        for name, field in kind.model_fields.items():
            if name != "kind":
                say(f"  {name} = {field.default}: {field.description}")
        say()


@command.command()
def specs() -> None:
    """The specs that come with duelbench, for `run` and `check`."""
    from duelbench.cli.specs import shipped_specs

    for name, path in shipped_specs().items():
        first = path.read_text(encoding="utf-8").partition("\n")[0]
        say(f"{name}\n  {first.lstrip('# ')}")
