"""Asking for advice: the experiment of a question, its runs, and what they say."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from duelbench.arguments import JOBS, number_between, whole
from duelbench.errors import UserError
from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from duelbench.experiment.plan import Plan, make_plan
from duelbench.experiment.run import instance
from duelbench.files import write_whole
from duelbench.parameters import validated
from duelbench.preferences.counts import PairCounts
from duelbench.processes import available_cores
from duelbench.results.frames import load_results
from duelbench.results.run_files import prepare
from duelbench.spec.load import load
from duelbench.spec.values import Find, OrderGoal, Top, order_goal
from duelbench.votes.advice import Advice, Near, advice, chances_now
from duelbench.votes.entry import VoteEntry, read
from duelbench.votes.posterior.posterior import Posterior
from duelbench.votes.posterior.strength_grid import MANY
from duelbench.votes.posterior.worlds import near_best
from duelbench.votes.question import FEW, Question, after_votes, goal_in
from duelbench.votes.reading.counts_file import save_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RUNS = 200
"""The default number of matrices."""


def advise(
    votes: str | Path | PairCounts,
    *,
    budget: int,
    find: str = "copeland",
    margin: float = 0.0,
    algorithms: Sequence[str] = (),
    runs: int = RUNS,
    seed: int = 0,
    directory: str | Path | None = None,
    jobs: int | None = None,
    **reading: Any,
) -> Advice:
    """Estimate which algorithm finds the best arm with the fewest new votes, as ``duelbench advise``.

    Algorithms play on preference matrices drawn from the posterior given the votes. After some numbers of new votes,
    the arm is named that is most probably best given all votes, earlier and new ones.

    Parameters
    ----------
    votes : str, Path or PairCounts
        The votes so far: a file of votes, or counts.
    budget : int
        The number of new votes that you can collect, from 1 to 1e9.
    find : {"copeland", "condorcet", "borda", "ranking", "top:K"}
        What to find: the arm that beats most others, the arm that beats all others, or the arm with the highest mean
        probability to win; or the order of all arms, or the K best, by the number of arms that they beat.
    margin : float
        A loss that does not matter, in probability of winning. It defines ``within_margin``: for Borda scores, a score
        at most this far below the highest; for wins, pairs that an arm loses by at most this count as its wins.
    algorithms : sequence of str
        Names of the algorithms to compare, or ``path.py:ClassName``; by default some that do well.
    runs : int
        The number of matrices.
    seed : int
        The seed of the simulation.
    directory : str or Path, optional
        Where to keep the spec and the results; by default they are deleted.
    jobs : int, optional
        The number of worker processes, by default one per core; 0 plays in this process.
    **reading
        Options of votes in a spec, such as ``strength`` of the prior, ``ties``, or the columns ``first``, ``second``
        and ``winner``.

    Returns
    -------
    Advice
        Data frames ``now``, ``curve`` and ``algorithms``, and the ``best`` algorithm.

    Raises
    ------
    UserError
        If the votes cannot be read, an option is not valid, or a run fails.
    ValueError
        If ``find`` has another value, or a number is not in its range.

    Examples
    --------
    >>> import numpy as np
    >>> from duelbench import advise
    >>> from duelbench.preferences.counts import PairCounts
    >>> wins = np.array([[0, 9, 8], [4, 0, 6], [2, 5, 0]])
    >>> votes = PairCounts(("a", "b", "c"), wins, 0 * wins)
    >>> found = advise(votes, budget=20, algorithms=["rucb", "uniform"], runs=10, jobs=0)
    >>> found.now.arm[0]
    'a'
    >>> found.curve.columns.tolist()
    ['algorithm', 'votes', 'right', 'low', 'high', 'within_margin']
    """
    budget, seed = whole("budget", budget, most=10**9), whole("seed", seed, 0)
    runs, margin = whole("runs", runs, most=100_000), number_between("margin", margin, 0, 0.5)
    jobs = available_cores() if jobs is None else whole("jobs", jobs, 0, JOBS)
    goal = goal_in(find)
    if goal is None:
        raise ValueError(f"find must be copeland, condorcet, borda, ranking or top:K, not {find!r}")
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary if directory is None else directory).absolute()
        prepare(place)
        if isinstance(votes, PairCounts):
            path = place / "votes.csv"
            save_counts(path, votes)
        else:
            path = Path(votes).absolute()
        options = validated(VoteEntry, {"draw": "posterior", **reading})
        reading = options.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"draw"})
        counts = read(path, options).counts
        worlds = (world_of(path, place, goal, reading),)
        question = Question(worlds, budget, goal, runs, seed, known(algorithms, place), counts.arms > FEW)
        return ask(question, place, path.stem, lambda plan: _play(plan, place, jobs), counts, margin)


def _play(plan: Plan, directory: Path, jobs: int) -> None:
    done = execute(plan, directory, local(jobs), announce=lambda _: None, progress=lambda *_: None)
    for path in [*done.failures, *done.gone]:
        raise UserError("a run failed", source=str(path))


def world_of(votes: Path, directory: Path, find: Find | OrderGoal, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dataset entry of a vote file in a spec in ``directory``."""
    here = {"alias": os.path.relpath(reading["alias"], directory)} if reading.get("alias") is not None else {}
    return after_votes(os.path.relpath(votes, directory), find, {**reading, **here})


def known(names: Sequence[str], directory: Path) -> tuple[str, ...]:
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


def ask(
    question: Question,
    directory: Path,
    title: str,
    play: Callable[[Plan], object],
    counts: PairCounts | None,
    margin: float,
) -> Advice:
    """Write the spec of a question, play it, and return what its results say.

    ``counts``: the votes so far, if any. Raises UserError for a margin with too many arms.
    """
    import yaml

    goal = order_goal(question.find)
    if margin and goal:
        raise UserError("a margin is for one arm, not for an order: leave it out")
    if counts is not None and isinstance(goal, Top) and goal.top >= counts.arms:
        raise UserError(f"the votes are on {counts.arms} arms: ask for fewer than {counts.arms} in top:K")
    if margin and counts is not None and counts.arms > MANY:
        raise UserError(f"a margin is for at most {MANY} arms, not {counts.arms:,}: leave it out")
    prepare(directory)
    path = directory / "advise.yaml"
    write_whole(path, yaml.safe_dump(question.spec(plain(directory.name), title), sort_keys=False, allow_unicode=True))
    plan = make_plan(load(path))
    play(plan)
    now = None
    if counts is not None:
        world = question.worlds[0]
        posterior = Posterior(counts, world.get("strength"), "model" if world.get("ties") == "keep" else "half")
        now = chances_now(posterior, question.find, margin, question.seed)
    told = {each.label for each in plan.datasets if each.source.earlier_votes is not None}
    afresh = {each.label: bool(told) and not each.kind.learns_off_policy for each in plan.algorithms}
    near = _near(plan, question.find, margin) if margin and not goal else None
    own = {each.label for each in plan.algorithms if not each.kind.learns_off_policy}
    return advice(load_results(directory), now, afresh, near, margin, own)


def _near(plan: Plan, find: Any, margin: float) -> Near:
    """Return the function that draws the matrix of a run again."""
    planned = {each.label: each for each in plan.datasets}

    @lru_cache(maxsize=1)
    def near(dataset: str, run: int) -> Any:
        preferences = instance(planned[dataset], *plan.seed(run), shuffle_arms=False)
        return near_best(preferences.at(1).P, find, margin)

    return near


def plain(name: str) -> str:
    """Return a name that is valid for a directory."""
    kept = "".join(each if each.isascii() and (each.isalnum() or each in "_-.") else "-" for each in name)
    return kept.strip("-.")[:60] or "votes"
