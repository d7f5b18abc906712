"""``duelbench advise``."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duelbench.cli.numbers import JOBS, FiniteRange, WholeRange
from duelbench.cli.terminal import emit_json, example, one_line, say, warn
from duelbench.cli.vote_options import given, problems, vote_options
from duelbench.cores import available_cores

if TYPE_CHECKING:
    from duelbench.analysis.advice import Advice, Standing
    from duelbench.experiment.question import Question
    from duelbench.preferences.counts import PairCounts
    from duelbench.sources.votes.options import VoteFileOptions
    from duelbench.spec.values import Find

RIGHT = {
    "copeland": "a Copeland winner, which beats most others",
    "condorcet": "the Condorcet winner, which beats all others",
    "borda": "a Borda winner, which has the highest mean probability to win",
}
DRAWS = 2000
"""The number of matrices for the probability of the present winner, with a standard error of at most 1 %."""


def _names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(",") if each.strip()) if text else ()


@click.command(
    name="advise", epilog=example("advise votes.csv --budget 5000", "advise --arms 12 --budget 5000 --find condorcet")
)
@click.argument("votes", required=False, type=click.Path(path_type=Path))
@click.option("--budget", type=WholeRange(1, 10**9), required=True, help="Number of new votes you can collect.")
@click.option(
    "--find",
    type=click.Choice(["copeland", "condorcet", "borda"]),
    default="copeland",
    show_default=True,
    help="What to find: the arm that beats most others, the arm that beats all others, or the arm with the highest "
    "mean probability to win. With condorcet, all matrices have such an arm.",
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
    help="Algorithms to try, separated by commas; your own is FILE.py:Class.  [a dozen that do well]",
)
@click.option("--runs", type=WholeRange(2, 100_000), default=300, show_default=True, help="Number of matrices.")
@click.option("--seed", type=WholeRange(0, 2**63 - 1), default=0, show_default=True, help="Seed of the simulation.")
@click.option(
    "--strength",
    type=FiniteRange(min=0, min_open=True),
    help="Strength of the prior, see configs/README.md.  [learned]",
)
@click.option(
    "--continue",
    "continued",
    is_flag=True,
    help="Start algorithms from the votes; they must learn from any duel (`duelbench list algorithms NAME`).",
)
@vote_options(no_effect=("judge", "group"))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Directory of the simulation.  [results/advise-NAME]"
)
@click.option(
    "-j", "--jobs", type=WholeRange(0, JOBS), help="Worker processes; 0 plays in this process.  [one per core]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    votes: Path | None,
    budget: int,
    find: Find,
    arms: int | None,
    like: tuple[str, ...],
    algorithms: tuple[str, ...],
    runs: int,
    seed: int,
    output: Path | None,
    jobs: int | None,
    continued: bool,
    as_json: bool,
    strength: float | None,
    reading: VoteFileOptions,
) -> None:
    """Estimate which algorithm finds the winner with the fewest votes.

    VOTES is a file of the votes so far. Algorithms play on preference matrices drawn from the posterior given these
    votes, from scratch or, with --continue, starting from the votes. The answer is the share of matrices on which
    each algorithm names a right arm after fractions of the budget, and whether the budget is enough. It applies to
    your evaluation as far as the model does. Before you have votes, give the number of --arms, and --like for what
    preferences may look like.

    It takes about a minute. The simulation is an ordinary experiment: its directory has the spec, advise.yaml, the
    results and the figures, and `duelbench run` can repeat it.
    """
    from duelbench.experiment.question import Question, after_votes, before_votes

    said = given(reading) | ({} if strength is None else {"strength": strength})
    counts: PairCounts | None = None
    if votes is not None:
        if arms is not None or like:
            raise click.UsageError("--arms and --like apply only without a file of votes: leave them out")
        counts = _read(votes, reading)
        directory = output or Path("results", f"advise-{_plain(votes.stem)}")
        if reading.alias is not None:
            said["alias"] = os.path.relpath(reading.alias, directory)
        so_far = {"continue": True} if continued else {}
        worlds = [after_votes(os.path.relpath(votes, directory), find, {**said, **so_far})]
        title = f"{votes.name}, {budget:,} {'more ' if continued else ''}votes"
    else:
        if arms is None:
            raise click.UsageError("give a file of votes or, before you have any, --arms")
        if about_votes := [*(["continue"] if continued else []), *said]:
            raise click.UsageError(
                f"--{about_votes[0].replace('_', '-')} needs a file of votes: give one, or leave it out"
            )
        worlds = before_votes(arms, like or ("bradley-terry", "unrelated"), find)
        directory = output or Path("results", f"advise-{arms}-arms")
        title = f"{arms} arms, {budget:,} votes"
    algorithms = _known(algorithms, directory)
    if continued:
        algorithms = _learning(algorithms)
    question = Question(tuple(worlds), budget, find, runs, seed, algorithms)
    answer = _answer(question, directory, title.replace("$", r"\$"), jobs)
    chances = None if counts is None else _chances(counts, question, strength)
    if as_json:
        present = None if chances is None or counts is None else dict(zip(counts.names, chances, strict=True))
        emit_json({"find": find, "budget": budget, "chances_now": present, **asdict(answer)}, indent=2)
        return
    if counts is not None and chances is not None:
        _say_present(counts, chances, find)
    _say_answer(answer, question, directory)


def _read(path: Path, reading: VoteFileOptions) -> PairCounts:
    """Return the counts of a file, and report the rows that are ignored."""
    from duelbench.sources.voting import read

    votes = read(path, reading)
    for problem in problems(votes):
        say(problem, err=True)
    return votes.counts


def _known(names: tuple[str, ...], directory: Path) -> tuple[str, ...]:
    """Return the algorithms without duplicates; paths of users' files are relative to the directory of the spec.

    Raises UserError for an unknown name.
    """
    from duelbench.algorithms.catalogue import find

    found = []
    for name in dict.fromkeys(names):
        path, mark, kind = name.rpartition(":")
        if mark:
            found.append(f"{os.path.relpath(path, directory)}:{kind}")
        else:
            found.append(find(name, Path()).name)
    return tuple(found)


def _learning(algorithms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the algorithms that learn from any duel, and print which ones are left out."""
    from duelbench.algorithms.catalogue import catalogue

    known = catalogue()
    others = [name for name in algorithms if name in known and not known[name].learns_off_policy]
    for name in others:
        say(f"{name} is left out: it cannot learn from earlier votes", err=True)
    left = tuple(name for name in algorithms if name not in others)
    if algorithms and not left:
        raise click.UsageError("none of these algorithms can learn from earlier votes: leave out --continue")
    return left


def _plain(name: str) -> str:
    """Return a name that is valid for a directory."""
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "_-.") else "-" for each in name)
    return kept.strip("-.")[:60] or "votes"


def _answer(question: Question, directory: Path, title: str, jobs: int | None) -> Advice:
    """Write the spec, play it, draw its figures and read the results."""
    import yaml

    from duelbench.analysis.advice import advice
    from duelbench.cli.run import finish, play
    from duelbench.experiment.backends import local
    from duelbench.experiment.plan import make_plan
    from duelbench.experiment.question import FRACTIONS
    from duelbench.experiment.trial.trying import try_out
    from duelbench.plots import draw
    from duelbench.results.files import prepare
    from duelbench.results.frames import load_results
    from duelbench.spec.load import load
    from duelbench.writing import write_whole

    prepare(directory)
    path = directory / "advise.yaml"
    text = yaml.safe_dump(question.spec(_plain(directory.name), title), sort_keys=False, allow_unicode=True)
    write_whole(path, text)
    plan = make_plan(load(path))
    try_out(plan, warn)
    execution = play(plan, directory, local(available_cores() if jobs is None else jobs))
    finish(execution)
    draw(directory, formats=("png",))
    return advice(load_results(directory), FRACTIONS)


def _chances(counts: PairCounts, question: Question, strength: float | None) -> list[float]:
    """Return the probability of each arm of being a best one, given the votes so far."""
    from duelbench.engine.streams import stream
    from duelbench.preferences.posterior import Posterior

    rng = stream(question.seed, purpose="chances", votes=counts.digest())
    return list(map(float, Posterior(counts, strength).chances(rng, DRAWS, question.find)))


def _say_present(counts: PairCounts, chances: list[float], find: Find) -> None:
    pairs = counts.arms * (counts.arms - 1) // 2
    unseen = pairs - int((counts.votes > 0).sum()) // 2
    votes = counts.votes.sum() / 2
    say(f"{votes:,.10g} votes on {counts.arms} arms; {unseen:,} of {pairs:,} pairs have none")
    order = sorted(range(counts.arms), key=lambda arm: -chances[arm])
    told = ", ".join(f"{one_line(counts.names[arm])} {chances[arm]:.0%}" for arm in order[:3])
    say(f"probability of being {RIGHT[find].partition(',')[0]}, given these votes: {told}")
    if find == "condorcet":
        say(f"a Condorcet winner exists with probability {sum(chances):.0%}; the rest assumes that it does")
    say()


def _say_answer(answer: Advice, question: Question, directory: Path) -> None:
    worlds = f"each of {', '.join(answer.worlds)}" if len(answer.worlds) > 1 else answer.worlds[0]
    say(f"share of {answer.runs:,} matrices of {worlds} on which the algorithm names {RIGHT[question.find]},")
    say("by number of votes (with 95 % intervals)")
    width = max(len(each.algorithm) for each in answer.standings)
    heads = "".join(f"  {chance.votes:>15,}" for chance in answer.best.chances)
    say(f"  {'':{width}}{heads}  votes to 95 %")
    for each in answer.standings:
        cells = "".join(f"  {_share(c.right, c.low, c.high):>15}" for c in each.chances)
        say(f"  {each.algorithm:{width}}{cells}  {'—' if each.enough is None else f'{each.enough:,}':>13}")
    say(f"\nuse {answer.best.algorithm}{_level(answer)}")
    say(_enough(answer.best, question.budget))
    say(f"spec, results and figures in {one_line(directory)}")


def _share(right: float, low: float, high: float) -> str:
    return f"{right:.0%} ({low:.0%}–{high:.0%})"


def _level(answer: Advice) -> str:
    if not answer.level:
        return ": with all votes, it is right more often than any other"
    others = ", ".join(answer.level)
    return f"; with this many matrices, it does not differ significantly from {others}"


def _enough(best: Standing, budget: int) -> str:
    last = best.chances[-1]
    if last.low >= 0.95:
        return f"{budget:,} votes are enough: it is right in {_share(last.right, last.low, last.high)}"
    if last.high < 0.95:
        return f"{budget:,} votes are not enough: it is right in {_share(last.right, last.low, last.high)}"
    return (
        f"{budget:,} votes are about enough: it is right in {_share(last.right, last.low, last.high)}; "
        "increase --runs to see whether in 95 %"
    )
