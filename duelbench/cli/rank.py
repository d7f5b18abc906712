"""``duelbench rank``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from duelbench.cli.inputs import FiniteRange, WholeRange, choice, problems, vote_options, votes_of_session
from duelbench.cli.terminal import emit_json, example, one_line, say, warn

if TYPE_CHECKING:
    from duelbench.votes.ranking import Intervals, Looks
    from duelbench.votes.reading.columns import VoteFileOptions
    from duelbench.votes.strengths import Clusters

_TABLES = (".csv", ".tex")


@click.command(
    name="rank",
    epilog=example(
        "rank votes.csv",
        "rank votes.csv -o ranks.png -o ranks.tex",
        "rank games.pgn --scale elo --against base",
        "rank rankers",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...|DIR", type=click.Path(path_type=Path))
@choice(
    "--intervals",
    ["simultaneous", "marginal"],
    "Intervals that contain the true ranks of all arms together, or those of single arms.",
)
@click.option(
    "--level",
    type=FiniteRange(0.5, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level.",
)
@click.option(
    "--clusters",
    type=click.Choice(["groups", "judges", "none"]),
    help="Votes that depend on each other: those of a group (a ranking, a question, two games of one opening), or of a "
    "judge.  [groups, if there are any]",
)
@choice(
    "--scale",
    ["log-odds", "elo"],
    "Unit of strengths. Elo has intervals and the probability to be better than the next arm (LOS), and counts "
    "ties as halves unless --ties is given.",
)
@choice(
    "--prior",
    ["weak", "none"],
    "weak: each arm has also won once and lost once against an arm of strength 0. none: maximum likelihood.",
)
@click.option(
    "--against",
    metavar="ARM",
    help="Also print the difference of every other arm from this one, each with its own interval.",
)
@vote_options("drop")
@click.option("-n", "--arms", type=WholeRange(min=2), help="Rank only the arms with the most votes.  [all]")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="File to write: a table (.csv or .tex) or a figure (.png, .pdf or .svg); repeatable.",
)
@click.option(
    "--until",
    metavar="ranks|top:K",
    help="When to stop asking: the exit code is 0 once all ranks, or the first K arms, are decided, else 1. See "
    "--looks.",
)
@choice(
    "--looks",
    ["one", "any"],
    "Whether intervals hold for one look at the votes, or all together however often you look, as after every "
    "vote, which needs more votes: twice as many with 5 arms, four times with 12.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as one line of JSON.")
def command(
    files: tuple[Path, ...],
    intervals: Intervals,
    level: float,
    clusters: Clusters | None,
    scale: Literal["log-odds", "elo"],
    prior: Literal["weak", "none"],
    against: str | None,
    reading: VoteFileOptions,
    arms: int | None,
    outputs: tuple[Path, ...],
    until: str | None,
    looks: Looks,
    as_json: bool,
) -> None:
    """Rank arms by votes, with intervals of their ranks.

    FILEs are read as `duelbench datasets build votes` reads them; DIR is the directory of a session. Lists the arms,
    best first, by Bradley–Terry strength, with tiers: every arm of a tier is significantly better than all arms of
    later tiers. Says which ranks are decided. Nothing is decided between arms that no votes connect, or about arms with
    very few votes, which come last.

    Ballots (PrefLib), rows with the same group, item or question_id or with the same --group, and the two games of an
    opening with colours reversed (PGN) are dependent votes: standard errors take that into account.

    Where judges are known, says how far they agree, and names those who differ by more than chance: in ties, from the
    majority, or by a preference for the arm shown first or second. The votes of all judges count the same.
    """
    from duelbench.cli.judge_tables import agreement_lines
    from duelbench.cli.rank_tables import difference_numbers, in_scale, latex, lines, numbers, order_lines, rows_text
    from duelbench.errors import UserError, did_you_mean
    from duelbench.files import write_whole
    from duelbench.votes.judge_tests import agreement
    from duelbench.votes.ranking import NoMaximum, TooFewClusters, rank
    from duelbench.votes.reading import read_votes
    from duelbench.votes.sessions.requests import plain
    from duelbench.votes.sessions.standings import goal_of
    from duelbench.votes.strengths import order_effect

    _check_outputs(files, outputs)
    if until not in (None, "ranks") and not until.startswith("top:"):
        raise click.UsageError("--until takes ranks or top:K here; a session also stops at a probability or a margin")
    if looks == "any" and intervals != "simultaneous":
        raise click.UsageError("--looks any is for simultaneous intervals: leave out --intervals")
    ties = reading.ties
    if scale == "elo" and click.get_current_context().get_parameter_source("ties") is ParameterSource.DEFAULT:
        ties = "half"
    grouped: list[str] = []
    if any(file.is_dir() for file in files):
        if len(files) > 1:
            raise UserError("give one session's directory alone, or files of votes")
        table, answers, about = votes_of_session(files[0], reading)
        read = [about]
    else:
        votes = read_votes(files, reading.model_copy(update={"ties": "half"}))
        for problem in problems(votes):
            warn(problem)
        grouped = votes.grouped
        read = [
            f"{one_line(each.path)}: {each.rows:,} rows, read as {one_line(each.understood)}" for each in votes.sources
        ]
        table = answers = votes.table()
    counts = table.counts()
    if arms is not None:
        table = table.among(counts.most_voted(arms))
        counts = table.counts()
    goal = None if until is None else goal_of(until, counts.arms)
    if against is not None and against not in counts.names:
        raise UserError(
            f"--against: there is no arm {against!r:.80}{did_you_mean(against, counts.names)}",
            source=one_line(files[0]),
        )
    if clusters == "judges" and not table.judges:
        raise UserError("no judges are known: name their column by --judge", source=one_line(files[0]))
    try:
        found = rank(
            table,
            ties=ties,
            clusters=clusters,
            intervals=intervals,
            level=level,
            looks=looks,
            ghosts=float(prior == "weak"),
        )
    except NoMaximum as error:
        raise UserError(f"{error}; leave out --prior none, or these arms", source=one_line(files[0])) from None
    except TooFewClusters as error:
        raise UserError(
            f"{error}; --clusters none takes votes as independent, which may give too short intervals",
            source=one_line(files[0]),
        ) from None
    judged = agreement(answers)
    if clusters is None and found.clusters == "groups":
        for note in grouped:
            warn(f"note: {one_line(note)}")
    order = None
    if table.ordered and counts.arms <= _MOST_ORDERED:
        order = order_effect(table, ties, found.clusters)
    for output in outputs:
        if output.suffix == ".csv":
            write_whole(output, rows_text(found, counts, scale))
        elif output.suffix == ".tex":
            write_whole(output, latex(found, counts, scale))
        else:
            from duelbench.votes.vote_figures import draw_ranking

            draw_ranking(output, found)
    if as_json:
        emit_json(
            {
                **numbers(found, counts, scale),
                "against": None
                if against is None
                else {"arm": against, "differences": difference_numbers(found, against, scale)},
                "first_shown": None if order is None else in_scale(order, scale),
                "both_orders": dict(zip(("pairs", "differ"), table.in_both_orders(), strict=True)),
                "agreement": plain(judged),
            }
        )
    else:
        say("\n".join([*read, ""]))
        say("\n".join(lines(found, counts, scale, against)))
        for sentence in order_lines(table, order, scale, found):
            say(sentence)
        if goal is not None and looks == "one":
            say("These intervals hold for one look at the votes; to look after every vote, use --looks any.")
        if of_judges := agreement_lines(judged):
            say("\n".join(["", *of_judges]))
    for output in outputs:
        say(f"wrote {one_line(output)}", err=as_json)
    if goal is not None:
        decided = len(found.decided_ranks) == found.arms if goal.what == "ranks" else goal.k in found.decided_tops
        sys.exit(0 if decided else 1)


def _check_outputs(files: tuple[Path, ...], outputs: tuple[Path, ...]) -> None:
    """Raise UserError where a file to write has no known suffix, or is one of the inputs."""
    if not outputs:
        return
    from duelbench.errors import UserError
    from duelbench.plots.drawing import FORMATS

    read = {file.resolve() for file in files}
    for output in outputs:
        if output.suffix not in (*_TABLES, *(f".{each}" for each in FORMATS)):
            suffixes = ", ".join([*_TABLES, *(f".{each}" for each in FORMATS)])
            raise UserError(f"unknown kind of file: the name must end in one of {suffixes}", source=str(output))
        if output.resolve() in read:
            raise UserError("this input file would be overwritten: choose another name with -o", source=str(output))


_MOST_ORDERED = 500
"""With more arms the effect of the order is not fitted: it takes some seconds."""
