"""Simulating an algorithm from Python, without a spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import find
from duelbench.engine.checkpoints import checkpoints
from duelbench.engine.play import Rules
from duelbench.engine.problem import problem_of
from duelbench.engine.rollout import Streams, Trajectory, rollout
from duelbench.engine.streams import outcomes_stream, policy_stream
from duelbench.preferences.changing import Changing
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.regret import by_kind


def simulate(
    algorithm: Algorithm | str,
    matrix: PreferenceMatrix | Changing | ArrayLike,
    horizon: int,
    *,
    seed: int = 0,
    run: int = 0,
    regret: str | Sequence[str] = "copeland",
    per_decade: int = 20,
    delay: int = 1,
) -> Trajectory:
    """Play one run of an algorithm and return its trajectory.

    Parameters
    ----------
    algorithm
        An instance, as ``Rucb(alpha=0.6)``, or a name: that of the catalogue, or ``path.py:ClassName``.
    matrix
        The preference matrix, or a (K, K) table of the probabilities that the row's arm beats the column's; or
        ``Changing``, one matrix after the other. Regret is then against the best arm of each round's matrix.
    horizon
        The number of duels T ≥ 1.
    seed, run
        What is random depends on these, the matrix and the algorithm alone. The numbers are those of that run of a
        spec with this matrix and ``shuffle_arms: false``.
    regret
        One or several of ``copeland``, ``condorcet``, ``weak``, ``strong``, ``borda``, ``binary-weak``,
        ``binary-strong``, ``adversarial``, ``adversarial-borda``: the rows of the trajectory's ``regret``.
    per_decade
        The number of checkpoints between t and 10 t.
    delay
        Outcomes reach the algorithm after every so many rounds.

    Raises
    ------
    UserError
        An unknown algorithm or regret, or a table that is no preference matrix.
    ValueError
        A horizon, number of checkpoints or delay that is no positive integer.

    Examples
    --------
    >>> from duelbench import simulate
    >>> P = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]]
    >>> trajectory = simulate("rucb", P, horizon=10_000, seed=7)
    >>> trajectory.checkpoints[[0, -1]]
    array([    1, 10000])
    >>> trajectory.regret.shape == (1, len(trajectory.checkpoints))
    True
    >>> int(trajectory.duels.sum()), int(trajectory.duels.argmax())  # almost all are (0, 0), the winner's self-duels
    (10000, 0)
    """
    for name, value in (("horizon", horizon), ("per_decade", per_decade), ("delay", delay)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be a whole number, 1 at least, not {value!r}")
    chosen = find(algorithm, Path())() if isinstance(algorithm, str) else algorithm
    if delay > 1 and not chosen.supports_delay:
        raise ValueError(f"{chosen.name} waits for the outcomes of its batches, so feedback cannot be delayed")
    known = matrix if isinstance(matrix, PreferenceMatrix | Changing) else PreferenceMatrix(matrix)
    kinds = (regret,) if isinstance(regret, str) else tuple(regret)
    identity = known.identity() if isinstance(known, Changing) else {"matrix": known.digest()}
    found = rollout(
        chosen,
        problem_of(known, kinds),
        checkpoints([int(horizon)], per_decade),
        Streams(outcomes_stream(seed, identity, run), policy_stream(seed, identity, run, chosen)),
        Rules(delay=int(delay)),
    )
    return replace(found, regret=by_kind(found.regret, kinds, known.arms))
