"""Advise on the next votes: which algorithm finds the winner with the fewest votes, and whether a budget suffices."""

import math
import os
import re
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from duelbench.arguments import JOBS, number_between, whole_number
from duelbench.arrays import Flags, Floats
from duelbench.errors import UserError, did_you_mean
from duelbench.experiment.backends import local
from duelbench.experiment.execute import execute
from duelbench.experiment.plan import make_plan
from duelbench.experiment.run import instance
from duelbench.files import write_whole
from duelbench.parameters import validated
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.posterior import MANY, Posterior
from duelbench.preferences.samples import Notion, Samples, near_best
from duelbench.processes import available_cores
from duelbench.proportions import NORMAL, wilson
from duelbench.results.frames import Experiment, read_experiment
from duelbench.results.results import Results, prepare
from duelbench.sources.datasets import Dataset
from duelbench.sources.generators import GENERATORS
from duelbench.spec.model import load
from duelbench.spec.resolved import ResolvedSpec
from duelbench.spec.values import Find, OrderGoal, Top, order_goal
from duelbench.votes.matrices import Voted
from duelbench.votes.reading.columns import VoteEntry, VoteFileOptions
from duelbench.votes.reading.read import read_votes
from duelbench.votes.sessions.standings import enough_draws
from duelbench.votes.strengths import design_effect, independent
from duelbench.votes.vote_table import VoteTable, counts_text

_WORLDS = {"bradley-terry": "btl-uniform", "unrelated": "uniform-random"}
"""Kinds of preferences by name; the name of any generator is valid too."""
_USUAL = ("d-ts", "rmed1", "sparring", "parwis", "doubt", "gap-variance", "uniform")
SUGGESTED: dict[str, tuple[str, ...]] = {
    "copeland": _USUAL,
    "condorcet": _USUAL,
    "borda": ("active-ranking", "d-ts", "sparring", "parwis", "doubt", "gap-variance", "uniform"),
    "ranking": ("asap", "d-ts", "doubt", "gap-variance", "uniform"),
}
"""The default algorithms: some that did well when the posterior recommends arms, and some widely used ones. ``asap``,
``doubt`` and ``gap-variance`` aim at the whole order, which "ranking" and the top k require."""
_BUDGETED = ("parwis", "select")
"""Algorithms with a ``budget`` parameter."""
MARGIN = 0.05
"""The default margin: a loss of winning probability that does not matter."""
_FRACTIONS = (0.05, 0.2, 0.5, 1.0)
"""The fractions of the budget after which arms are recommended. Few, as each takes longer than a thousand votes."""
_FEW = 100
"""With more arms, we recommend by Bradley–Terry strengths, since the posterior would take too long."""


@dataclass(frozen=True)
class AdviceSetup:
    """The settings of the experiment.

    ``worlds`` are the entries of ``datasets:``. ``algorithms`` are names; if empty, we take the default algorithms.
    ``find`` is the goal (a kind of winner or an order of the arms), and ``budget`` the number of votes. ``runs``
    matrices are drawn from each world, with ``seed``.
    """

    worlds: tuple[Mapping[str, Any], ...]
    budget: int
    find: Find | OrderGoal
    runs: int
    seed: int
    algorithms: tuple[str, ...] = ()

    @property
    def shown(self) -> list[int]:
        """The numbers of votes after which arms are recommended."""
        return sorted({max(1, round(fraction * self.budget)) for fraction in _FRACTIONS})

    def spec(self, name: str, title: str, arms: int) -> dict[str, Any]:
        """Return the spec for a number of arms, ready for YAML."""
        names = self.algorithms or SUGGESTED[self.find if isinstance(self.find, str) else "ranking"]
        return {
            "name": name,
            "title": title,
            "count": "votes",
            "horizons": self.shown,
            "checkpoints_per_decade": 0,
            "runs": self.runs,
            "seed": self.seed,
            "find": self.find if isinstance(self.find, str) else self.find.model_dump(),
            "recommend": "btl" if arms > _FEW else "posterior",
            "datasets": [dict(world) for world in self.worlds],
            "algorithms": [{"name": each, "budget": self.budget} if each in _BUDGETED else each for each in names],
            "figures": [
                {"kind": "identification"},
                {"kind": "identification", "show": "tau" if order_goal(self.find) else "errors"},
            ],
        }


def goal_in(text: str) -> Find | OrderGoal:
    """Parse a goal: a kind of winner, "ranking" or "top:K". Raises UserError for anything else."""
    if found := re.fullmatch(r"top:([1-9]\d{0,5})", text, re.ASCII):
        return Top(top=int(found[1]))
    if text not in ("copeland", "condorcet", "borda", "ranking"):
        raise UserError(f"{text!r} is not a goal: choose copeland, condorcet, borda, ranking or top:K")
    return text  # type: ignore[return-value]


def before_votes(arms: int, like: Sequence[str], find: Find | OrderGoal) -> list[dict[str, Any]]:
    """Return the dataset entries for the kinds of preferences ``like``, with this number of arms.

    Raises UserError for an unknown kind.
    """
    entries = []
    for word in like:
        name = _WORLDS.get(word, word)
        if name not in GENERATORS:
            known = [*_WORLDS, *GENERATORS]
            raise UserError(f"unknown world {word!r}{did_you_mean(word, known)}: choose among {', '.join(known)}")
        crowned = {"condorcet": True} if find == "condorcet" and "condorcet" in GENERATORS[name].model_fields else {}
        entries.append({"name": name, "arms": arms, **crowned})
    return entries


SURE = 0.95
"""A number of votes is enough if at least this share of runs is right."""
Near = Callable[[str, int], Flags]
"""Takes the label of a dataset and the number of a run; returns which arms are within the margin of the best."""


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """The probabilities of being best now, and the performance of algorithms with more votes.

    Attributes
    ----------
    now : DataFrame or None
        For each ``arm``, the most probable first: the posterior probabilities that it is ``best`` and that it is
        ``within_margin`` of the best. With ``find="condorcet"``, they are conditional on a Condorcet winner; with
        ``find="top:K"``, ``best`` means one of the top K. None before any votes.
    curve : DataFrame
        For each ``algorithm`` and number of new ``votes``: the share of matrices on which the recommended arm is best,
        or the order or the top K are ``right``, with a 95 % interval from ``low`` to ``high``; and the share on which
        it is ``within_margin`` of the best. The rows for 0 new votes show how far the votes so far go.
    algorithms : DataFrame
        The algorithms by name, the best first. ``votes_to_95`` is the (interpolated) number of new votes from which on
        at least 95 % of runs are right, missing if the budget does not suffice. ``behind`` is the difference of the
        final shares of the first algorithm and this one, and ``error`` its standard error. ``level`` says that the
        first one is not significantly better, and ``starts_afresh`` that the algorithm learns only from its own duels.
    best : str
        The algorithm that is right most often with the full budget. If algorithms level with it learn from any duel,
        the best of these: they also use votes on pairs that they did not choose.
    worlds : tuple of str
        The datasets from which the matrices were drawn.
    runs : int
        The number of matrices of each world.
    margin : float
        The margin, a difference of probabilities.
    exists : float
        With ``find="condorcet"``, the probability now that a Condorcet winner exists; else 1.
    effect : float
        The design effect: how many of the votes so far count as one independent vote. It exceeds 1 if votes on an item
        depend on each other.
    """

    now: pd.DataFrame | None
    curve: pd.DataFrame
    algorithms: pd.DataFrame
    best: str
    worlds: tuple[str, ...]
    runs: int
    margin: float = 0.0
    exists: float = 1.0
    effect: float = 1.0

    def __repr__(self) -> str:
        return f"Advice(best={self.best!r}, algorithms={list(self.algorithms.index)}, runs={self.runs:,})"


@dataclass(frozen=True)
class Now:
    """The probabilities that arms are best, and within the margin of the best, from ``draws`` matrices.

    ``right`` and ``near_right`` are the same probabilities for the recommended arm, order or set of arms. If the goal
    is the top k, an arm is best if it is one of these.
    """

    names: tuple[str, ...]
    best: Floats
    near: Floats
    draws: int
    exists: float
    right: float
    near_right: float

    def frame(self) -> pd.DataFrame:
        """Return the probabilities as a frame, the most probable arm first."""
        order = np.argsort(-self.best, kind="stable")
        columns = {"best": self.best[order], "within_margin": self.near[order]}
        return pd.DataFrame({"arm": [self.names[arm] for arm in order], **columns})


def chances_now(posterior: Posterior, find: Notion | OrderGoal, margin: float, seed: int) -> Now:
    """Compute the posterior probabilities, conditional on a Condorcet winner if that is the goal."""
    counts = posterior.counts
    samples, exists = posterior.sample(enough_draws(counts.arms), seed, margin=margin), 1.0
    if not isinstance(find, str) or find == "ranking":
        return _order_now(counts.names, samples, find)
    notion = find
    if notion == "condorcet":
        some = samples.best(notion).any(axis=1)
        exists = float(some.mean())
        names = ("wins", "nearly", "borda", "strengths", "above")
        samples = replace(samples, **{name: getattr(samples, name)[some] for name in names})
    best, near = samples.chances(notion), samples.within_margin(notion)
    leader = int(best.argmax())
    return Now(counts.names, best, near, samples.draws, exists, float(best[leader]), float(near[leader]))


def _order_now(names: tuple[str, ...], samples: Samples, find: OrderGoal) -> Now:
    """Compute the probabilities for an order by the number of arms beaten, then by Borda scores, as ``OrderJudge``."""
    scores = samples.wins + samples.borda / 2.0  # Borda scores are at most 1
    samples = replace(samples, wins=scores, nearly=scores)
    order = np.argsort(-scores.mean(axis=0), kind="stable").tolist()
    k = find.top if isinstance(find, Top) else 1
    right = float(samples.tops(order)[k - 1]) if isinstance(find, Top) else samples.in_order(order)
    best = (scores >= np.sort(scores, axis=1)[:, [-k]]).mean(axis=0)
    return Now(names, best, best, samples.draws, 1.0, right, right)


def advice(
    experiment: Experiment,
    now: Now | None = None,
    own: Collection[str] = (),
    near: Near | None = None,
    margin: float = 0.0,
) -> Advice:
    """Compare the algorithms of an experiment, and add the probabilities ``now``.

    A run is right if the arm it names has no regret of the first kind, or if its order is exact; ``near`` says whether
    the arm is within the ``margin``. All worlds have equal weight. The best algorithm has the largest share of right
    runs at the end; ties go to the smaller simple regret, or tau distance. All algorithms face the same matrices, so we
    compare them run by run: an algorithm is level with the best if the mean difference is within 1.96 standard errors.
    ``own`` are the algorithms that learn only from their own duels. They start afresh, and we do not recommend them if
    another one is level.
    """
    spec = experiment.spec
    runs = experiment.runs[experiment.runs["regret"] == spec["regret"][0]]
    runs = runs.astype({"dataset": str, "algorithm": str}).assign(
        right=(runs["exact"] if "exact" in runs else runs["simple"] == 0).astype(float),
        away=runs["tau"] if "tau" in runs else runs["simple"],
    )
    runs["within_margin"] = runs["right"] if near is None else _within(runs, near)
    columns = ["right", "within_margin", "away"]
    means = runs.groupby(["algorithm", "t", "dataset"])[columns].mean().groupby(["algorithm", "t"]).mean()
    sizes = runs.groupby(["algorithm", "t"]).size()
    ends = runs[runs["t"] == runs["t"].max()].pivot(index=["dataset", "run"], columns="algorithm", values="right")
    last = {each["label"]: means.loc[each["label"]].iloc[-1] for each in spec["algorithms"]}
    order = sorted(last, key=lambda label: (-last[label]["right"], last[label]["away"]))
    curve, rows = [], []
    for label in order:
        shares, many = means.loc[label], sizes.loc[label]
        points = [
            (int(t), *_with_interval(share, many[t]), within)
            for t, share, within in zip(shares.index, shares["right"], shares["within_margin"], strict=True)
        ]
        if now is not None:
            points.insert(0, (0, *_with_interval(now.right, now.draws), now.near_right))
        curve += [(label, *point) for point in points]
        lost = ends[order[0]] - ends[label]
        error = float(lost.std()) / math.sqrt(len(lost)) if len(lost) > 1 else math.inf
        behind = float(lost.mean())
        level = label == order[0] or behind <= NORMAL * error
        enough = votes_to(SURE, [(each[0], each[1]) for each in points])
        rows.append((label, enough, behind, error, level, now is not None and label in own))
    best = next((row[0] for row in rows if row[4] and row[0] not in own), order[0])
    algorithms = pd.DataFrame(rows, columns=["algorithm", "votes_to_95", "behind", "error", "level", "starts_afresh"])
    return Advice(
        None if now is None else now.frame(),
        pd.DataFrame(curve, columns=["algorithm", "votes", "right", "low", "high", "within_margin"]),
        algorithms.astype({"votes_to_95": "Int64"}).set_index("algorithm"),
        best,
        tuple(each["label"] for each in spec["datasets"]),
        int(spec["runs"]),
        margin,
        1.0 if now is None else now.exists,
    )


def _with_interval(share: float, trials: int) -> tuple[float, float, float]:
    return float(share), *wilson(float(share), int(trials))


def _within(runs: pd.DataFrame, near: Near) -> Floats:
    """Return 1 for each row whose recommended arm is within the margin of the best, else 0."""
    of = {key: near(*key) for key in set(zip(runs["dataset"], runs["run"], strict=True))}
    rows = zip(runs["dataset"], runs["run"], runs["recommended"], strict=True)
    return np.array([of[dataset, run][arm] for dataset, run, arm in rows], float)


def votes_to(share: float, points: Sequence[tuple[int, float]]) -> int | None:
    """Return the number of votes from which on at least this share is right; None if the last share is smaller.

    ``points`` are numbers of votes with shares. We interpolate linearly in the logarithm of 1 + votes.
    """
    short = [place for place, (_, right) in enumerate(points) if right < share]
    if not short:
        return points[0][0]
    if short[-1] + 1 == len(points):
        return None
    (before, low), (after, high) = points[short[-1]], points[short[-1] + 1]
    ends = math.log1p(before), math.log1p(after)
    return math.ceil(math.expm1(ends[0] + (share - low) / (high - low) * (ends[1] - ends[0])) - 1e-9)


def advise(
    votes: Any,
    *,
    budget: int,
    find: str = "copeland",
    margin: float | None = None,
    algorithms: Sequence[str] = (),
    runs: int = 200,
    seed: int = 0,
    directory: str | Path | None = None,
    jobs: int | None = None,
    **reading: Any,
) -> Advice:
    """Estimate which algorithm finds the best arm with the fewest new votes, like ``duelbench advise``.

    Algorithms play on preference matrices drawn from the posterior given the votes. After some numbers of new votes, we
    recommend the arm that is most probably best given all votes, earlier and new ones.

    Parameters
    ----------
    votes : str, Path, DataFrame, sequence, VoteTable or PairCounts
        The votes so far: anything that ``read_votes`` reads, the votes of a session (``session.table``), or counts.
    budget : int
        The number of new votes that you can collect, from 1 to 1e9.
    find : {"copeland", "condorcet", "borda", "ranking", "top:K"}
        The goal: the arm that beats most others, the arm that beats all others, the arm with the highest mean
        probability of winning, the order of all arms, or the K best. An order is by the number of arms beaten.
    margin : float, optional
        A loss of winning probability that does not matter; by default 0.05, or 0 for an order or more than 300 arms.
        It defines ``within_margin``: a Borda score may be this far below the highest; otherwise, pairs that an arm
        loses by at most the margin count as its wins.
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
        and ``winner``, as for ``read_votes``.

    Returns
    -------
    Advice
        Data frames ``now``, ``curve`` and ``algorithms``, and the ``best`` algorithm.

    Raises
    ------
    UserError
        If the votes cannot be read, an option is not valid, or a run fails.
    ValueError
        If a number is not in its range.

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
    budget, seed = whole_number("budget", budget, most=10**9), whole_number("seed", seed, 0)
    runs = whole_number("runs", runs, most=100_000)
    margin = None if margin is None else number_between("margin", margin, 0, 0.5)
    jobs = available_cores() if jobs is None else whole_number("jobs", jobs, 0, JOBS)
    goal = goal_in(find)
    if not isinstance(votes, (str, Path, VoteTable, PairCounts)):
        columns = VoteFileOptions.model_fields.keys() - {"ties"}
        votes = read_votes(votes, **{name: reading.pop(name) for name in columns & reading.keys()}).table
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary if directory is None else directory).absolute()
        prepare(place)
        options = validated(VoteEntry, {"draw": "posterior", **reading})
        reading = options.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude={"draw"})
        if isinstance(votes, PairCounts):
            votes = VoteTable.of(votes)
        if isinstance(votes, VoteTable):
            path = place / "votes.csv"
            counts = save_independent(path, votes, options.ties)
        else:
            path = Path(votes).absolute()
            counts = read_votes(path, options).counts
        worlds = (world_of(path, place, goal, reading),)
        setup = AdviceSetup(worlds, budget, goal, runs, seed, known(algorithms, place))
        return advice_on(setup, place, path.stem, lambda plan: _play(plan, place, jobs), counts, margin)


def _play(plan: ResolvedSpec, directory: Path, jobs: int) -> None:
    done = execute(plan, directory, local(jobs), announce=lambda _: None, progress=lambda *_: None)
    for path in [*done.failures, *done.gone]:
        raise UserError("a run failed", source=str(path))


def world_of(votes: Path, directory: Path, find: Find | OrderGoal, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the dataset entry of a vote file for a spec in ``directory``; to find a Condorcet winner, all have one."""
    here = {"alias": os.path.relpath(reading["alias"], directory)} if reading.get("alias") is not None else {}
    crowned = {"condorcet": True} if find == "condorcet" else {}
    entry = {"votes": os.path.relpath(votes, directory), "draw": "posterior", "continue": True}
    return {**entry, **crowned, **reading, **here}


def known(names: Sequence[str], directory: Path) -> tuple[str, ...]:
    """Return the algorithms without duplicates, with paths of users' files relative to the directory of the spec.

    Raises UserError for an unknown name.
    """
    from duelbench.algorithms.catalogue import find

    parts = [name.rpartition(":") for name in dict.fromkeys(names)]
    return tuple(
        f"{os.path.relpath(path, directory)}:{kind}" if mark else find(kind, Path()).name for path, mark, kind in parts
    )


def advice_on(
    setup: AdviceSetup,
    directory: Path,
    title: str,
    play: Callable[[ResolvedSpec], object],
    counts: PairCounts | None,
    margin: float | None,
) -> Advice:
    """Write the spec, play it, and return the advice from its results.

    ``counts`` are the votes so far, if any. The default ``margin`` is ``MARGIN``, or 0 for an order or many arms.
    Raises UserError for any other margin with these, and for a top:K that has all arms.
    """
    import yaml

    goal = order_goal(setup.find)
    arms = counts.arms if counts is not None else max(int(world["arms"]) for world in setup.worlds)
    if margin is None:
        margin = 0.0 if goal or arms > MANY else MARGIN
    if margin and (goal or arms > MANY):
        what = "an order" if goal else f"{arms:,}"
        raise UserError(f"a margin is for one arm among at most {MANY}, not for {what}: leave it out")
    if counts is not None and isinstance(goal, Top) and goal.top >= counts.arms:
        raise UserError(f"the votes are on {counts.arms} arms: ask for fewer than {counts.arms} in top:K")
    prepare(directory)
    path = directory / "advise.yaml"
    write_whole(
        path, yaml.safe_dump(setup.spec(plain(directory.name), title, arms), sort_keys=False, allow_unicode=True)
    )
    plan = make_plan(load(path))
    play(plan)
    now, effect = None, 1.0
    if counts is not None:
        source = plan.datasets[0].source
        assert isinstance(source, Dataset) and isinstance(source.whole, Voted)
        now = chances_now(source.whole.posterior, setup.find, margin, setup.seed)
        effect = round(float(counts.votes.sum() / source.whole.posterior.counts.votes.sum()), 2)
    near = _near(plan, setup.find, margin) if margin and not goal else None
    own = {each.label for each in plan.algorithms if not each.kind.learns_off_policy}
    return replace(advice(read_experiment(Results(directory)), now, own, near, margin), effect=effect)


def _near(plan: ResolvedSpec, find: Any, margin: float) -> Near:
    """Return a function that draws the matrix of a run again, and tells which arms are within the margin."""
    planned = {each.label: each for each in plan.datasets}

    @lru_cache(maxsize=1)
    def near(dataset: str, run: int) -> Any:
        preferences = instance(planned[dataset], *plan.seed_of(run), shuffle_arms=False)
        return near_best(preferences.at(1).P, find, margin)

    return near


def plain(name: str) -> str:
    """Return a name that is valid for a directory."""
    kept = re.sub(r"[^A-Za-z0-9_.-]", "-", name)
    return kept.strip("-.")[:60] or "votes"


def save_independent(path: Path, table: VoteTable, ties: str) -> PairCounts:
    """Write the counts of a table divided by its design effect; return the full counts."""
    votes = table.chosen(table.outcome != 0) if ties == "drop" else table
    write_whole(path, counts_text(independent(votes.counts(), design_effect(votes))))
    return votes.counts()
