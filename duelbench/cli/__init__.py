"""The command line: one small module per verb, imported only when it is used."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any

import click

from duelbench import __version__
from duelbench.cli.surroundings import (
    ending_in_order,
    open_closed_streams,
    use_one_thread_for_algebra,
    what_is_wrong,
)
from duelbench.cli.terminal import one_line, say
from duelbench.errors import UserError

VERBS = {
    "run": "Compute what a spec asks for.",
    "plot": "Draw the figures of an experiment.",
    "table": "Make a table for a paper.",
    "report": "Compare results with what the papers state.",
    "leaderboard": "Rank all algorithms on all tables, on a page.",
    "new": "Write an algorithm to begin with.",
    "test": "Prove an algorithm: ours or yours.",
    "check": "Say all that can be known of a spec before computing.",
    "status": "Say what is done and what a rerun would compute, and why.",
    "trace": "Replay one run and write down every duel.",
    "compare": "Say whether two directories of results agree.",
    "advise": "Say which algorithm finds the winner with fewest votes.",
    "list": "Show the algorithms, datasets, figures and specs there are.",
    "session": "Put an algorithm to work with real judges.",
    "datasets": "Look at preference matrices, and get more of them.",
    "bounds": "Print the constants of regret bounds.",
    "bench": "Measure what runs cost.",
}


class Verbs(click.Group):
    """The verbs; ``--help`` lists them without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order in which a user needs them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"duelbench.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def main(self, *arguments: Any, **named: Any) -> Any:
        """Run a verb; a user's mistake is one line on stderr and exit code 2."""
        open_closed_streams()
        use_one_thread_for_algebra()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # names of files need not be text, nor terminals know all letters
                stream.reconfigure(errors="backslashreplace")
        try:
            with ending_in_order():
                return super().main(*arguments, **named)
        except UserError as error:
            said = str(error)
        except Exception as error:
            wrong = what_is_wrong(error)
            if wrong is None:
                raise
            said = wrong
        say(f"error: {one_line(said)}", err=True)
        sys.exit(2)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="duelbench")
def main() -> None:
    """A laboratory for dueling bandits: a YAML spec in, regret CSVs and figures out."""
