"""Simulating an algorithm from Python, without a spec."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core.errors import NumbaError
from numpy.typing import ArrayLike, NDArray

from duelbench.algorithms.algorithm import Algorithm, Declared
from duelbench.arguments import JOBS, MAX_DELAY, MAX_HORIZON, whole_number
from duelbench.arrays import Floats, Ints
from duelbench.engine.play import Rules
from duelbench.engine.problem import checkpoints, problem_of
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.engine.warm import load
from duelbench.experiment.named import algorithm_of, dataset_of
from duelbench.experiment.run import numbered
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import by_kind
from duelbench.processes import Heartbeat, Processes, available_cores
from duelbench.spec.resolved import ResolvedDataset
from duelbench.spec.values import MAX_RUNS_OF_A_SERIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_ALONE = 1.0
"""Seconds of play before worker processes are started, which takes about as long."""


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """The runs that ``simulate`` has played.

    If ``simulate`` received a number of ``runs``, arrays have runs as their first axis, and ``declaration`` and
    ``detections`` are lists with an item for each run; else they are those of the only run.

    Attributes
    ----------
    algorithm : Algorithm
        The algorithm with its parameters.
    matrix : str
        The title of the matrix.
    kinds : tuple of str
        The kinds of regret.
    numbers : range
        The numbers of the runs.
    checkpoints : ndarray of int, shape (checkpoints,)
        The rounds t of the columns of ``regret``.
    """

    algorithm: Algorithm
    matrix: str
    kinds: tuple[str, ...]
    numbers: range
    checkpoints: Ints
    _trajectories: Sequence[Trajectory]
    _several: bool

    @property
    def regret(self) -> Floats:
        """Cumulative regret, an array of shape (kinds, checkpoints)."""
        found: Floats = self._array(lambda run: run.regret)
        return found

    @property
    def duels(self) -> Ints:
        """How often each ordered pair was duelled, an array of shape (K, K).

        Among arms whose self-duels cost the same in every kind of regret, only the sum of their self-duels is
        meaningful.
        """
        found: Ints = self._array(lambda run: run.duels)
        return found

    @property
    def informative(self) -> Any:
        """The number of duels between different arms."""
        return self._array(lambda run: run.informative)

    @property
    def votes(self) -> Ints:
        """The number of duels between different arms until each checkpoint, an array of shape (checkpoints,)."""
        found: Ints = self._array(lambda run: run.votes)
        return found

    @property
    def declaration(self) -> Any:
        """The declared result and the number of rounds before it; None if nothing was declared.

        The result is a winner, tiers of arms, or None if the algorithm declared that there is no winner.
        """
        return self._list(lambda run: run.declaration)

    @property
    def detections(self) -> Any:
        """The rounds, as a tuple, after which the algorithm restarted because it detected a change."""
        return self._list(lambda run: run.detections)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each run, kind of regret and checkpoint, as in ``load_results(directory).runs``.

        Returns
        -------
        DataFrame
            The columns ``regret`` (the kind), ``run``, ``t``, ``value`` (cumulative regret), ``declared_at`` (the duels
            before a declaration by t) and ``votes`` (duels of different arms so far).
        """
        import pandas as pd

        many, marks = len(self.numbers), len(self.checkpoints)
        t = np.tile(self.checkpoints, many)
        ends = [run.declaration[1] if run.declaration else np.inf for run in self._trajectories]
        declared = np.repeat(np.array(ends, float), marks)
        values = np.array([run.regret for run in self._trajectories])
        frames = [
            pd.DataFrame(
                {
                    "regret": kind,
                    "run": np.repeat(self.numbers, marks),
                    "t": t,
                    "value": values[:, place].ravel(),
                    "declared_at": pd.array(np.where(declared <= t, declared, np.nan)).astype("Int64"),
                    "votes": np.concatenate([run.votes for run in self._trajectories]),
                }
            )
            for place, kind in enumerate(self.kinds)
        ]
        return pd.concat(frames, ignore_index=True).astype({"regret": pd.CategoricalDtype([*self.kinds])})

    def __repr__(self) -> str:
        runs = f"{len(self.numbers):,} run{'s' * (len(self.numbers) > 1)}"
        final = np.mean([run.regret[0, -1] for run in self._trajectories])
        return (
            f"Simulation({self.algorithm.name!r} on {self.matrix!r}, T = {self.checkpoints[-1]:,}, {runs}: "
            f"mean {self.kinds[0]} regret {final:,.1f})"
        )

    def _array(self, of: Callable[[Trajectory], Any]) -> Any:
        found = self._list(of)
        return np.array(found) if self._several else found

    def _list(self, of: Callable[[Trajectory], Any]) -> Any:
        each = [of(run) for run in self._trajectories]
        return each if self._several else each[0]


def simulate(
    algorithm: Algorithm | type[Algorithm] | str,
    matrix: PreferenceMatrix | Changing | ArrayLike | Mapping[str, Any] | str | Path,
    horizon: int,
    *,
    runs: int | None = None,
    seed: int = 0,
    run: int = 0,
    regret: str | Sequence[str] = "copeland",
    per_decade: int = 20,
    delay: int = 1,
    ties: str | None = None,
    shuffle_arms: bool = True,
    jobs: int | None = None,
    **parameters: Any,
) -> Simulation:
    """Play runs of an algorithm.

    Parameters
    ----------
    algorithm : str, Algorithm or type
        A name that ``list_algorithms`` shows, ``path.py:ClassName``, a class, or an instance, as from ``algorithm``.
    matrix : str, Path, array_like, PreferenceMatrix, Changing or mapping
        A name that ``duelbench list datasets`` shows; a .csv, .npy or .npz file; the probabilities that the arm of the
        row beats the arm of the column; or a mapping like an entry under ``datasets:`` in a spec, such as
        ``{"name": "btl-uniform", "arms": 10}``. Random matrices are drawn anew for each run. If the preferences change,
        regret is measured against the best arm of each round's matrix.
    horizon : int
        The number of duels T of each run, from 1 to 1e12.
    runs : int, optional
        The number of runs. Without it there is one, and results have no axis of runs.
    seed, run : int
        The seed, and the number of the first run. Runs are those of a spec with this seed, matrix and algorithm.
    regret : str or sequence of str
        The kinds of regret to record: ``copeland``, ``condorcet``, ``weak``, ``strong``, ``borda``, ``binary-weak``,
        ``binary-strong``, ``adversarial``, ``adversarial-borda``.
    per_decade : int
        The number of checkpoints between t and 10 t, from 1 to 1,000.
    delay : int
        Outcomes reach the algorithm after every ``delay`` rounds, from 1 to 1e6.
    ties : {"coin", "drop", "keep"}, optional
        How to treat ties, if the matrix has them: ``coin`` decides each by a fair coin, ``drop`` uses up the round
        without an outcome for the algorithm, and ``keep`` makes ties a third outcome, for algorithms that take them. By
        default ``keep`` for these, else ``coin``.
    shuffle_arms : bool
        Renumber the arms at random in each run, as specs do by default. Results use the numbers of the matrix. With
        False, an algorithm sees the arms in the order of the matrix.
    jobs : int, optional
        The number of worker processes, by default one per core; 0 plays in this process. Results do not depend on it. A
        class that is defined in a notebook or on the command line is always played in this process.
    **parameters
        Parameters of the algorithm. Pass one that has the name of an argument through ``algorithm``:
        ``simulate(algorithm("…", delay=3), …)``.

    Returns
    -------
    Simulation
        The cumulative regret at the checkpoints, the duels of every pair, and the declaration.

    Raises
    ------
    UserError
        For an unknown name, a wrong parameter, an unknown kind of regret, or a table that is not a preference matrix.
    ValueError
        If an argument is not a whole number in its range, or the algorithm does not support delay or ties in this way.

    Examples
    --------
    >>> from duelbench import simulate
    >>> simulate("rucb", "cyclic4", horizon=1e4, runs=10, alpha=0.6)
    Simulation('rucb' on 'Cyclic, K = 4', T = 10,000, 10 runs: mean copeland regret 575.8)
    >>> P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]]
    >>> one = simulate("rucb", P, horizon=10_000, seed=7)
    >>> one.checkpoints[[0, -1]]
    array([    1, 10000])
    >>> one.regret.shape == (1, len(one.checkpoints))
    True
    >>> int(one.duels.sum()), int(one.duels.argmax())  # almost all are (0, 0), the winner's self-duels
    (10000, 0)
    """
    horizon, delay = whole_number("horizon", horizon, most=MAX_HORIZON), whole_number("delay", delay, most=MAX_DELAY)
    per_decade = whole_number("per_decade", per_decade, most=1_000)
    seed, run = whole_number("seed", seed, 0), whole_number("run", run, 0)
    many = 1 if runs is None else whole_number("runs", runs, most=MAX_RUNS_OF_A_SERIES)
    workers = available_cores() if jobs is None else whole_number("jobs", jobs, 0, JOBS)
    chosen = algorithm_of(algorithm, parameters)
    if delay > 1 and not chosen.supports_delay:
        raise ValueError(f"{chosen.name} waits for the outcomes of its batches, so feedback cannot be delayed")
    outcome = ties or ("keep" if chosen.takes_ties else "coin")
    if outcome not in ("coin", "drop", "keep") or (outcome == "keep" and not chosen.takes_ties):
        choices = "coin, drop or keep" if chosen.takes_ties else "coin or drop"
        raise ValueError(f"ties is {ties!r}: for {chosen.name} it must be {choices}")
    if outcome == "drop" and (delay > 1 or chosen.detects()):
        raise ValueError("ties can be dropped only without delay, and for algorithms that do not detect changes")
    dataset = dataset_of(matrix, horizon, delay)
    kinds = (regret,) if isinstance(regret, str) else tuple(regret)
    marks = checkpoints([horizon], per_decade)
    setting = _Setting(chosen, dataset, marks, kinds, seed, delay, outcome, shuffle_arms)
    if type(chosen).__module__ == "__main__":
        workers = 0
    numbers = range(run, run + many)
    try:
        played = _play(setting, numbers, workers)
    except (ArithmeticError, NumbaError) as error:
        if chosen.source_text:
            raise
        raise ValueError(f"{chosen.name} cannot compute with these parameters ({type(error).__name__})") from error
    return Simulation(chosen, dataset.title, kinds, numbers, marks, played, runs is not None)


@dataclass(frozen=True)
class _Setting:
    """The settings that all runs share; ``ties`` says how ties are treated."""

    algorithm: Algorithm
    dataset: ResolvedDataset
    marks: Ints
    kinds: tuple[str, ...]
    seed: int
    delay: int
    ties: str
    shuffle_arms: bool

    def play(self, run: int) -> Trajectory:
        """Play a run; in the result, arms are numbered as in the dataset."""
        preferences, order = numbered(self.dataset, self.seed, run, self.shuffle_arms)
        identity = self.dataset.identity
        found = rollout(
            self.algorithm,
            problem_of(preferences, self.kinds, self.ties != "coin"),
            self.marks,
            Streams(outcomes_stream(self.seed, identity, run), policy_stream(self.seed, identity, run, self.algorithm)),
            Rules(delay=self.delay, drop=self.ties == "drop"),
        )
        places = np.argsort(order)
        return replace(
            found,
            regret=by_kind(found.regret, self.kinds, preferences.arms),
            duels=found.duels[np.ix_(places, places)],
            declaration=found.declaration and (_numbered(found.declaration[0], order), found.declaration[1]),
        )


def _numbered(declared: Declared, order: NDArray[np.integer]) -> Declared:
    """Renumber the declared arms as in the dataset."""
    if isinstance(declared, tuple):
        return tuple(tuple(int(order[arm]) for arm in tier) for tier in declared)
    return None if declared is None else int(order[declared])


def _play(setting: _Setting, numbers: range, workers: int) -> list[Trajectory]:
    """Play runs in this process and, unless they are finished soon, the others in worker processes."""
    load(setting.algorithm, setting.dataset.arms)  # compiling does not count as play
    began, played = time.monotonic(), list[Trajectory]()
    while len(played) < len(numbers):
        played.append(setting.play(numbers[len(played)]))
        if workers > 1 and time.monotonic() - began > _ALONE:
            break
    left = numbers[len(played) :]
    if left:
        size = max(1, len(left) // (8 * workers))
        parts = [left[start : start + size] for start in range(0, len(left), size)]
        with Processes(min(workers, len(parts))) as pool:
            for task in [pool.submit(_played, setting, part) for part in parts]:
                played += task.result()
    return played


def _played(setting: _Setting, numbers: range, heartbeat: Heartbeat) -> list[Trajectory]:
    return [setting.play(number) for number in numbers]
