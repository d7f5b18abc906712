"""The command line: one module per command, imported on first use."""

import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click

from duelbench import __version__
from duelbench.cli.terminal import emit, one_line, say
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
    },
    "Papers": {
        "bounds": "Print the constants of regret bounds.",
    },
}
"""The verbs by section, each with the first sentence of its help."""
VERBS = {verb: text for section in SECTIONS.values() for verb, text in section.items()}


class Verbs(click.Group):
    """The commands; ``--help`` lists them without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of the sections."""
        return [*VERBS]  # `list` is a module here

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command; suggest the nearest name if it is unknown."""
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
        """Run a command; Ctrl-C ends it with exit code 130, as in a shell."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say("interrupted", err=True)
            ctx.exit(130)

    def main(self, *arguments: Any, **named: Any) -> Any:
        """Run a command; report a user's mistake in one line on stderr, with exit code 2."""
        use_one_thread_for_algebra()
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # the stream was closed
                setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - until the end of the command
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # file names may be invalid text; terminals may lack characters
                stream.reconfigure(errors="backslashreplace")
        try:
            with _ending_like_an_exit():
                return super().main(*arguments, **named)
        except UserError as error:
            said, below = error.sentence, error.below
        except OSError as error:
            place = error.filename or "the system"
            said, below = f"{place}: {error.strerror or error}: correct this and repeat the command", ()
        say(f"error: {one_line(said)}", err=True)
        for line in below:
            emit(line, err=True)
        sys.exit(2)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="duelbench")
def main() -> None:
    """A laboratory for dueling bandits: a YAML spec in, regret CSVs and figures out."""


_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Environment variables that set the number of threads of NumPy's linear algebra libraries."""


def use_one_thread_for_algebra() -> None:
    """Limit linear algebra to one thread unless the environment sets a number. Call this before importing NumPy.

    With a few hundred arms, more threads cost up to ten times the processor time without being faster, and are slower
    if other workers use the cores.
    """
    for name in _THREADS:
        os.environ.setdefault(name, "1")


@contextmanager
def _ending_like_an_exit() -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the command like an exit, so that temporary files are removed."""
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP: keep that
                before[number] = signal.signal(number, _exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal must not interrupt the cleanup
    raise SystemExit(128 + number)
