"""``duelbench rank``, and what its model of judges says."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from duelbench.cli.inputs import FiniteRange, WholeRange, choice, problems, vote_options, votes_of_session
from duelbench.cli.terminal import emit_json, example, one_line, say, table, warn

if TYPE_CHECKING:
    from duelbench.votes.clusters import Clusters
    from duelbench.votes.fragility import Fragility
    from duelbench.votes.judge_model import JudgeFit, JudgePriors
    from duelbench.votes.judge_tests import HeldOut
    from duelbench.votes.ranking import Intervals, Looks
    from duelbench.votes.reading.options import VoteFileOptions
    from duelbench.votes.vote_table import VoteTable

_TABLES = (".csv", ".tex")


@click.command(
    name="rank",
    epilog=example(
        "rank votes.csv",
        "rank votes.csv -o ranks.png -o ranks.tex",
        "rank games.pgn --scale elo",
        "rank rankers --judges model",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...|DIR", type=click.Path(path_type=Path))
@choice(
    "--intervals",
    ["simultaneous", "marginal", "bootstrap"],
    "Intervals that contain the true ranks of all arms together, those of single arms, or WMT's rank ranges.",
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
@choice(
    "--judges",
    ["alike", "model"],
    "Whether all judges are alike, or differ in reliability, in how the order shown moves them, and in how often "
    "they call a tie.",
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
    judges: Literal["alike", "model"],
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
    later tiers. Says which ranks are decided, and how few votes would change the winner. Nothing is decided between
    arms that no votes connect, or about arms with very few votes, which come last.

    Ballots (PrefLib), rows with the same group, item or question_id or with the same --group, and the two games of an
    opening with colours reversed (PGN) are dependent votes: standard errors take that into account.
    With --judges model, unreliable judges count less, and judges who answer against the majority are reported, but
    their votes are never reversed. The command suggests this if it predicts held-out votes better.

    Bootstrap intervals rank by expected wins, as in WMT's evaluations of translation; they are too short for arms of
    nearly equal strength, so tiers and decisions do not rely on them.
    """
    from duelbench.cli.rank_tables import in_scale, latex, lines, numbers, order_lines, rows_text
    from duelbench.errors import UserError
    from duelbench.files import write_whole
    from duelbench.votes.clusters import order_effect
    from duelbench.votes.fragility import CHANGES, bradley_terry_fragility, judged_fragility
    from duelbench.votes.ranking import NoMaximum, TooFewClusters, rank
    from duelbench.votes.reading import read_votes
    from duelbench.votes.sessions.standings import goal_of

    _check_outputs(files, outputs)
    if until not in (None, "ranks") and not until.startswith("top:"):
        raise click.UsageError("--until takes ranks or top:K here; a session also stops at a probability or a margin")
    if looks == "any" and intervals != "simultaneous":
        raise click.UsageError("--looks any is for simultaneous intervals: leave out --intervals")
    if prior == "none" and judges == "model":
        raise click.UsageError("--judges model needs a prior: leave out --prior none")
    ties = reading.ties
    if scale == "elo" and click.get_current_context().get_parameter_source("ties") is ParameterSource.DEFAULT:
        ties = "half"
    grouped: list[str] = []
    repeated: list[str] = []
    if any(file.is_dir() for file in files):
        if len(files) > 1:
            raise UserError("give one session's directory alone, or files of votes")
        table, about = votes_of_session(files[0], reading)
        read = [about]
    else:
        votes = read_votes(files, reading.model_copy(update={"ties": "half"}))
        for problem in problems(votes):
            warn(problem)
        grouped, repeated = votes.grouped, votes.repeated
        read = [
            f"{one_line(each.path)}: {each.rows:,} rows, read as {one_line(each.understood)}" for each in votes.sources
        ]
        table = votes.table()
    counts = table.counts()
    if arms is not None:
        table = table.among(counts.most_voted(arms))
        counts = table.counts()
    goal = None if until is None else goal_of(until, counts.arms)
    if clusters == "judges" and not table.judges:
        raise UserError("no judges are known: name their column by --judge", source=one_line(files[0]))
    judged = None
    if judges == "model":
        if not table.judges:
            raise UserError("no judges are known: name their column by --judge", source=one_line(files[0]))
        if clusters in ("groups", "judges") or intervals == "bootstrap":
            raise click.UsageError(
                "--judges model takes votes as independent given their judges: leave out --clusters, "
                "and --intervals bootstrap"
            )
        judged = _Judged.of(table)
    elif table.judges:
        judged = _Judged.offer(table)
    fit = None if judged is None else judged.fit
    try:
        found = rank(
            table,
            ties=ties,
            clusters=clusters,
            intervals=intervals,
            level=level,
            looks=looks,
            ghosts=float(prior == "weak"),
            judges=fit,
        )
    except NoMaximum as error:
        raise UserError(f"{error}; leave out --prior none, or these arms", source=one_line(files[0])) from None
    except TooFewClusters as error:
        raise UserError(
            f"{error}; --clusters none takes votes as independent, which may give too short intervals",
            source=one_line(files[0]),
        ) from None
    fragile: list[Fragility | None] = []
    if fit is not None:
        fragile = [judged_fragility(table, fit, change, found.rivals) for change in CHANGES]
    elif intervals != "bootstrap":  # which ranks by expected wins
        fragile = [
            bradley_terry_fragility(counts, change, ghosts=found.ghosts, ties=ties, arms=found.rivals)
            for change in CHANGES
        ]
    if clusters is None and found.clusters == "groups":
        for note in grouped:
            warn(f"note: {one_line(note)}")
    order = None
    if fit is None and table.ordered and counts.arms <= _MOST_ORDERED:
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
                **numbers(found, counts, fragile, scale),
                "first_shown": None if order is None else in_scale(order, scale),
                "both_orders": dict(zip(("pairs", "differ"), table.in_both_orders(), strict=True)),
                "judges": None if judged is None else _judge_numbers(judged),
            }
        )
    else:
        say("\n".join([*read, ""]))
        say("\n".join(lines(found, counts, fragile, scale, judged=fit is not None, repeated=bool(repeated))))
        for sentence in order_lines(table, order, scale, found.level):
            say(sentence)
        if goal is not None and looks == "one":
            say("These intervals hold for one look at the votes; to look after every vote, use --looks any.")
        if judged is not None and (of_judges := _judge_lines(judged)):
            say("\n".join(of_judges))
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


_MOST_OFFERED = 20_000
"""With more rows the model is not tried unless it is asked for: it takes some seconds."""
_FEWEST_GROUPS = 20
"""With fewer groups of votes there is too little to hold out."""
_MOST_LISTED = 20
_MOST_ORDERED = 500
"""With more arms the effect of the order is not fitted: it takes some seconds."""


@dataclass(frozen=True)
class _Judged:
    """How well the model of judges predicts held-out votes, and its fit if the ranking uses it."""

    held_out: HeldOut | None
    fit: JudgeFit | None = None

    @classmethod
    def of(cls, votes: VoteTable) -> _Judged:
        """Return the model of judges fitted to votes, with standard deviations between judges learned from them."""
        from duelbench.votes.judge_model import estimated_priors, fit_judges

        priors = estimated_priors(votes)
        return cls(_held_out(votes, priors), fit_judges(votes, priors))

    @classmethod
    def offer(cls, votes: VoteTable) -> _Judged | None:
        """Return how well the model would do, where the votes of several judges are few enough to try it quickly."""
        from duelbench.votes.judge_model import JudgePriors

        if len(votes) > _MOST_OFFERED or len(votes.judges) < 2:
            return None
        return cls(_held_out(votes, JudgePriors(order=0.0 if votes.ordered else None)))


def _held_out(votes: VoteTable, priors: JudgePriors) -> HeldOut | None:
    import numpy as np

    from duelbench.votes.judge_tests import held_out

    return None if len(np.unique(votes.group)) < _FEWEST_GROUPS else held_out(votes, priors)


def _judge_lines(judged: _Judged) -> list[str]:
    """Return a table of the judges, those that answer against the majority, and whether the data support the model."""
    tried, fit = judged.held_out, judged.fit
    if fit is None:
        if tried is None or not tried.supported:
            return []
        return ["", f"Judges differ: --judges model {_prediction(tried)}."]
    reliability, order, habit = fit.discrimination, fit.order_effect, fit.tie_habit
    by_votes = (-fit.votes).argsort(kind="stable")[:_MOST_LISTED]
    cells = [
        [
            one_line(fit.judges[judge]),
            f"{fit.votes[judge]:,.6g}",
            *(f"{each.value[judge]:+z.2f} ± {each.error[judge]:.2f}" for each in (reliability, order, habit)),
        ]
        for judge in by_votes
    ]
    rest = len(fit.judges) - len(cells)
    lines = [
        "",
        *table(["judge", "votes", "reliability", "first shown", "tie habit"], cells, drop=("tie habit", "first shown")),
        *([f"and {rest:,} more judges; --json has all"] if rest else []),
        "",
        "reliability: 1 is the average judge, 0 a coin; first shown: log-odds that the arm shown first gains; tie "
        "habit: log-odds of a tie relative to the average judge; all with standard errors",
    ]
    if fit.opposed:
        names = ", ".join(map(one_line, fit.opposed))
        lines.append(f"Answer against the majority: {names}. Check these votes; they are not reversed.")
    if tried is not None:
        lines.append(
            f"The model of judges {_prediction(tried)}."
            if tried.supported
            else "The data do not support the model of judges: it does not predict held-out votes significantly better "
            f"({tried.alike:.4f} → {tried.judges:.4f} ± {tried.error:.4f} nats per vote)."
        )
    return lines


def _prediction(tried: HeldOut) -> str:
    return (
        f"predicts held-out votes better (log-loss {tried.alike:.4f} → {tried.judges:.4f} ± {tried.error:.4f} nats per "
        "vote)"
    )


def _judge_numbers(judged: _Judged) -> dict[str, Any]:
    """Return everything, ready for JSON."""
    tried, fit = judged.held_out, judged.fit
    estimates = {} if fit is None else {
        "reliability": fit.discrimination, "first_shown": fit.order_effect, "tie_habit": fit.tie_habit
    }  # fmt: skip
    return {
        "held_out": None if tried is None else {**tried._asdict(), "supported": tried.supported},
        "judges": None
        if fit is None
        else [
            {
                "name": name,
                "votes": float(fit.votes[judge]),
                **{key: [float(each.value[judge]), float(each.error[judge])] for key, each in estimates.items()},
            }
            for judge, name in enumerate(fit.judges)
        ],
        "opposed": [] if fit is None else list(fit.opposed),
    }
