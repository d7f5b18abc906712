"""``duelbench advise``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from duelbench.arguments import JOBS
from duelbench.cli.inputs import PATH, FiniteRange, WholeRange, vote_options, votes_of_session
from duelbench.cli.terminal import emit_json, example, one_line, say, table, warn
from duelbench.files import rereadable
from duelbench.processes import available_cores
from duelbench.proportions import percent, percent_with_interval

if TYPE_CHECKING:
    import pandas as pd

    from duelbench.preferences.counts import PairCounts
    from duelbench.spec.resolved import ResolvedSpec
    from duelbench.votes.advice import Advice
    from duelbench.votes.reading.columns import VoteEntry

_BEST = {
    "copeland": "a Copeland winner, which beats most others",
    "condorcet": "the Condorcet winner, which beats all others",
    "borda": "a Borda winner, which has the highest mean probability to win",
}
_RUNS = 200


def _right(find: str) -> str:
    """Describe a correct answer to ``--find``."""
    if top := _top(find):
        return f"the top {top} are right"
    return "the order is right" if find == "ranking" else f"the arm named is {_BEST[find]}"


def _top(find: str) -> str:
    """Return the K of ``top:K``, or an empty string for other goals."""
    return find.removeprefix("top:") if find.startswith("top:") else ""


def _names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip()) if text else ()


@click.command(
    name="advise",
    epilog=example(
        "advise votes.csv --budget 5000",
        "advise rankers --budget 500",
        "advise --arms 12 --budget 5000 --find condorcet",
    ),
)
@click.argument("votes", required=False, metavar="[VOTES|DIR]", type=PATH)
@click.option("--budget", type=WholeRange(1, 10**9), required=True, help="Number of new votes you can collect.")
@click.option(
    "--find",
    metavar="copeland|condorcet|borda|ranking|top:K",
    default="copeland",
    show_default=True,
    help="What to find: the arm that beats most others (copeland), the arm that beats all others (condorcet), the arm "
    "with the highest mean probability to win (borda), the order of all arms (ranking), or the K best (top:K). With "
    "condorcet, all matrices have such an arm.",
)
@click.option("--arms", type=WholeRange(2, 10_000), help="Number of arms, without VOTES.")
@click.option(
    "--like",
    multiple=True,
    metavar="WORLD",
    help="What preferences may look like, without VOTES: bradley-terry, unrelated, or the name of a generator; "
    "repeatable.  [bradley-terry and unrelated]",
)
@click.option(
    "--algorithms",
    callback=_names,
    metavar="A,B",
    help="Algorithms to try, separated by commas; your own is FILE.py:Class.  [some that do well]",
)
@click.option(
    "--margin",
    type=FiniteRange(min=0, max=0.5),
    help="Loss, in probability of winning, that does not matter: also print how often an arm within it is named.  "
    "[0.05; 0 for ranking and top:K, or with more than 300 arms]",
)
@click.option("--runs", type=WholeRange(2, 100_000), default=_RUNS, show_default=True, help="Number of matrices.")
@click.option("--seed", type=WholeRange(min=0), default=0, show_default=True, help="Seed of the simulation.")
@click.option(
    "--strength",
    type=FiniteRange(min=0, min_open=True),
    help="Strength of the prior, see configs/README.md.  [learned]",
)
@vote_options(no_effect=("judge",), keep=True)
@click.option("-o", "--output", type=PATH, help="Directory of the simulation.  [results/advise-NAME]")
@click.option(
    "-j", "--jobs", type=WholeRange(0, JOBS), help="Worker processes; 0 plays in this process.  [one per core]"
)
@click.option("--json", "as_json", is_flag=True, help="Print all numbers as JSON.")
def command(
    votes: Path | None,
    budget: int,
    find: str,
    arms: int | None,
    like: tuple[str, ...],
    algorithms: tuple[str, ...],
    margin: float | None,
    runs: int,
    seed: int,
    output: Path | None,
    jobs: int | None,
    as_json: bool,
    strength: float | None,
    reading: VoteEntry,
) -> None:
    """Estimate which algorithm finds the winner with the fewest votes.

    VOTES is a file of the votes so far, DIR the directory of a session. Algorithms play on preference matrices drawn
    from the posterior given these votes, and continue from them if they can learn from any duel; others start afresh
    (*). After some numbers of new votes, the arm is named that is most probably best given all votes, earlier and new
    ones. The result is the share of matrices on which this arm is a best one, beginning with 0 new votes, and whether
    the budget is enough. It applies to your evaluation as far as the model does. Before you have votes, give the number
    of --arms, and --like for what preferences may look like.

    Votes on one question, or of one ranking (--group), depend on each other: they count as fewer independent ones.

    It takes less than a minute with a dozen arms, and some minutes with 60. With more than 100 arms, the arm with the
    largest Bradley-Terry strength is named. The simulation is an ordinary experiment: its directory has the spec,
    advise.yaml, the results and the figures, and `duelbench run` can repeat it.
    """
    from duelbench.cli.run import finish, play
    from duelbench.experiment.backends import local
    from duelbench.experiment.trial import try_out
    from duelbench.plots.drawing import draw_results
    from duelbench.results.results import Results, prepare
    from duelbench.votes.advice import (
        AdviceSetup,
        advice_on,
        before_votes,
        goal_in,
        known,
        plain,
        save_independent,
        world_of,
    )

    goal = goal_in(find)
    options = reading.model_dump(mode="json", exclude_defaults=True) | (
        {} if strength is None else {"strength": strength}
    )
    counts: PairCounts | None = None
    if votes is not None:
        if arms is not None or like:
            raise click.UsageError("--arms and --like apply only without a file of votes: leave them out")
        stem = "stdin" if str(votes) == "-" else votes.stem
        directory = output or Path("results", f"advise-{plain(stem)}")
        if votes.is_dir():
            table, _, about = votes_of_session(votes, reading)
            say(about, err=as_json)
            prepare(directory)
            votes = directory / f"{plain(stem)}.csv"
            counts = save_independent(votes, table, reading.ties)
        else:
            with rereadable(votes) as file:
                if file != votes:  # copy it, since the spec refers to it later
                    prepare(directory)
                    votes = Path(shutil.copyfile(file, directory / f"{stem}.csv"))
            counts = _read(votes, reading)
        worlds = [world_of(votes, directory, goal, options)]
        title = f"{votes.name}, {budget:,} more votes"
    else:
        if arms is None:
            raise click.UsageError("give a file of votes or, before you have any, --arms")
        if options:
            option = next(iter(options)).replace("_", "-")
            raise click.UsageError(f"--{option} needs a file of votes: give one, or leave it out")
        worlds = before_votes(arms, like or ("bradley-terry", "unrelated"), goal)
        directory = output or Path("results", f"advise-{arms}-arms")
        title = f"{arms} arms, {budget:,} votes"
    setup = AdviceSetup(tuple(worlds), budget, goal, runs, seed, known(algorithms, directory))

    def player(plan: ResolvedSpec) -> None:
        try_out(plan, warn)
        finish(play(plan, directory, local(available_cores() if jobs is None else jobs)))
        list(draw_results(Results(directory), directory, formats=("png",)))

    advice = advice_on(setup, directory, title.replace("$", r"\$"), player, counts, margin)
    if reading.group and advice.effect == 1:
        warn(
            f"note: votes with the same {reading.group!r} count as independent: they do not agree more than others, or "
            "there are fewer than two such groups for each arm"
        )
    if as_json:
        emit_json({"find": find, "budget": budget, **_plain_numbers(advice)}, indent=2)
        return
    if counts is not None and advice.now is not None:
        _say_now(counts, advice, advice.now, find)
    _say_curves(advice, setup.shown, find)
    say(f"spec, results and figures in {one_line(directory)}")


def _read(path: Path, reading: VoteEntry) -> PairCounts:
    """Read the counts of a file, and report rejected rows."""
    from duelbench.votes.reading.read import read_votes

    votes = read_votes(path, reading)
    for problem in votes.problems():
        warn(problem)
    return votes.counts


def _plain_numbers(advice: Advice) -> dict[str, Any]:
    """Convert the advice to JSON-ready values."""
    import json

    def records(frame: pd.DataFrame | None) -> Any:
        return None if frame is None else json.loads(frame.to_json(orient="records", double_precision=15))

    frames = {"now": advice.now, "curve": advice.curve, "algorithms": advice.algorithms.reset_index()}
    return {
        **{name: getattr(advice, name) for name in ("best", "worlds", "runs", "margin", "exists", "effect")},
        **{name: records(frame) for name, frame in frames.items()},
    }


def _say_now(counts: PairCounts, advice: Advice, now: pd.DataFrame, find: str) -> None:
    pairs = counts.arms * (counts.arms - 1) // 2
    seen = int((counts.votes > 0).sum()) // 2
    say(f"{counts.arms} arms, {counts.votes.sum() / 2:,.10g} votes on {seen:,} of {pairs:,} pairs")
    if advice.effect > 1:
        say(f"votes on one item depend on each other: {advice.effect:.3g} votes count as an independent one")
    if find == "condorcet":
        say(f"a Condorcet winner exists with probability {percent(advice.exists)}; all that follows assumes it does")
    leaders = ", ".join(f"{one_line(arm)} {percent(best)}" for arm, best in zip(now.arm[:3], now.best[:3], strict=True))
    what = f"one of the top {top}" if (top := _top(find)) else _BEST.get(find, _BEST["copeland"]).partition(",")[0]
    say(f"probability of being {what}, given these votes: {leaders}")
    if advice.margin:
        say(f"{one_line(now.arm[0])} is within {advice.margin:g} of the best with {percent(now.within_margin[0])}")
    say()


def _say_curves(advice: Advice, shown: list[int], find: str) -> None:
    worlds = f"each of {', '.join(advice.worlds)}" if len(advice.worlds) > 1 else one_line(advice.worlds[0])
    say(f"share of {advice.runs:,} matrices of {worlds} on which {_right(find)},")
    say("by number of new votes (with 95 % intervals)")
    curves = {str(name): rows.set_index("votes") for name, rows in advice.curve.groupby("algorithm", sort=False)}
    times = [t for t in (0, *shown) if t in curves[advice.best].index]
    afresh = advice.algorithms.starts_afresh
    labels = {name: f"{name}*" if afresh[name] else name for name in curves}
    heads = ["", *(f"{t:,}" if t else "now" for t in times)]
    certain = advice.algorithms.votes_to_95.astype(object).where(advice.algorithms.votes_to_95.notna(), None)
    shares = [
        [
            labels[name],
            *(_share(rows, t) for t in times),
            "—" if certain[name] is None else f"{certain[name]:,}",
        ]
        for name, rows in curves.items()
    ]
    between = [head for head in heads[1:-1] if head != "now"]  # left out where there is little space
    say("\n".join(table([*heads, "votes to 95 %"], shares, drop=between)))
    if advice.margin:
        say(f"\nshare on which it is within {advice.margin:g} of the best")
        near = [[labels[name], *(percent(rows.within_margin[t]) for t in times)] for name, rows in curves.items()]
        say("\n".join(table(heads, near, drop=between)))
    if afresh.any():
        say("\n* starts afresh, since it learns only from its own duels; the arm named rests on all votes")
    any_duel = ", which learns from any duel" if advice.best != advice.algorithms.index[0] else ""
    say(f"\nuse {advice.best}{any_duel}{_level(advice)}")
    say(_enough(curves[advice.best], max(times)))


def _share(rows: pd.DataFrame, votes: int) -> str:
    return percent_with_interval(*rows.loc[votes, ["right", "low", "high"]])


def _level(advice: Advice) -> str:
    if len(advice.algorithms) == 1:
        return ", the only one that was tried"
    others = [str(name) for name, level in advice.algorithms.level.items() if level and name != advice.best]
    if not others:
        return ": with all votes, it is right more often than any other"
    return f"; with this many matrices, it does not differ significantly from {', '.join(others)}"


def _enough(rows: pd.DataFrame, budget: int) -> str:
    from duelbench.votes.advice import SURE

    if 0 in rows.index and rows.low[0] >= SURE:
        return f"no more votes are needed: it is right on {_share(rows, 0)} of the matrices now"
    last, result = rows.loc[budget], f"it is right on {_share(rows, budget)} of the matrices"
    if last.low >= SURE:
        return f"{budget:,} votes are enough: {result}"
    if last.high < SURE:
        return f"{budget:,} votes are not enough: {result}"
    return f"{budget:,} votes may be enough: {result}, an interval that contains 95 %; increase --runs to narrow it"
