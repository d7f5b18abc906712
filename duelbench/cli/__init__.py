"""The command line: one small module per verb, imported only when it is used."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any

import click

from duelbench import __version__
from duelbench.cli.surroundings import (
    check_backend,
    ending_in_order,
    open_closed_streams,
    use_one_thread_for_algebra,
    what_is_wrong,
)
from duelbench.cli.terminal import one_line, say
from duelbench.errors import UserError, did_you_mean

SECTIONS = {
    "Experiments": {
        "run": "Run the experiment of a spec.",
        "check": "Validate a spec without running it.",
        "status": "Show which runs are done and what a rerun would compute.",
        "plot": "Draw the figures of experiments.",
        "table": "Make a table of results for a paper.",
        "compare": "Test whether two directories of results agree.",
        "trace": "Replay one run and list its duels.",
    },
    "Votes": {
        "advise": "Estimate which algorithm finds the winner with the fewest votes.",
        "rank": "Rank arms by votes, with intervals of their ranks.",
        "session": "Let an algorithm choose which comparisons judges make.",
        "datasets": "Show, draw, download and build preference matrices.",
    },
    "Algorithms": {
        "new": "Write the files of a new algorithm, to be edited.",
        "test": "Check that an algorithm is correct.",
        "list": "List algorithms, datasets, kinds of figures and shipped specs.",
        "bench": "Measure the speed of algorithms.",
    },
    "Papers": {
        "report": "Compare results with the numbers in the papers.",
        "leaderboard": "Rank algorithms across datasets.",
        "bounds": "Print the constants of regret bounds.",
    },
}
"""The verbs by section, each with the first sentence of its help."""
VERBS = {verb: text for section in SECTIONS.values() for verb, text in section.items()}


class Verbs(click.Group):
    """The verbs; ``--help`` lists them without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the sections."""
        return [*VERBS]  # `list` is a module here

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a verb; for an unknown one suggest the nearest."""
        if cmd_name in VERBS:
            command: click.Command = importlib.import_module(f"duelbench.cli.{cmd_name}").command
            return command
        if not ctx.resilient_parsing:
            ctx.fail(f"no such command: {cmd_name!r}{did_you_mean(cmd_name, VERBS)}")
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs, by section."""
        for section, verbs in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(f"{verb:{max(map(len, VERBS))}}", text) for verb, text in verbs.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; Ctrl-C ends it with exit code 130, as a shell does."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted", err=True)
            ctx.exit(130)

    def main(self, *arguments: Any, **named: Any) -> Any:
        """Run a verb; a user's mistake is one line on stderr and exit code 2."""
        open_closed_streams()
        use_one_thread_for_algebra()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # file names may be invalid text, and terminals may lack letters
                stream.reconfigure(errors="backslashreplace")
        try:
            with ending_in_order():
                check_backend()
                return super().main(*arguments, **named)
        except UserError as error:
            said = str(error)
        except OSError as error:
            said = what_is_wrong(error)
        say(f"error: {one_line(said)}", err=True)
        sys.exit(2)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="duelbench")
def main() -> None:
    """A laboratory for dueling bandits: a YAML spec in, regret CSVs and figures out."""
