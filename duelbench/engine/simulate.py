"""Simulating an algorithm from Python, without a spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from numba.core.errors import NumbaError
from numpy.typing import ArrayLike

from duelbench.algorithms.algorithm import Algorithm
from duelbench.algorithms.catalogue import find
from duelbench.arguments import MAX_DELAY, MAX_HORIZON, whole
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
    ties: str | None = None,
) -> Trajectory:
    """Play one run of an algorithm.

    Parameters
    ----------
    algorithm : Algorithm or str
        An instance, such as ``Rucb(alpha=0.6)`` with ``Rucb`` from ``duelbench.algorithms.confidence.rucb``, or a name:
        one of the catalogue, or ``path.py:ClassName``.
    matrix : PreferenceMatrix, Changing or array_like, shape (K, K)
        The probabilities that the arm of the row beats the arm of the column. With ``Changing``, regret is measured
        against the best arm of each round's matrix.
    horizon : int
        The number of duels T, from 1 to 1e12.
    seed, run : int
        The random streams depend on these, the matrix and the algorithm. The result is that of the same run of a spec
        with this matrix and ``shuffle_arms: false``.
    regret : str or sequence of str
        The kinds of regret to record: ``copeland``, ``condorcet``, ``weak``, ``strong``, ``borda``, ``binary-weak``,
        ``binary-strong``, ``adversarial``, ``adversarial-borda``.
    per_decade : int
        The number of checkpoints between t and 10 t, from 1 to 1,000.
    delay : int
        Outcomes reach the algorithm after every ``delay`` rounds, from 1 to 1e6.
    ties : {"coin", "drop", "keep"}, optional
        What becomes of the ties of a matrix that has them: each is decided by a fair coin, or takes a round without
        an outcome for the algorithm, or is a third outcome, for algorithms that take ties. By default ``keep`` for
        these, else ``coin``.

    Returns
    -------
    Trajectory
        The cumulative regret at the checkpoints, shape (kinds, checkpoints), the duels of every pair, and what the
        algorithm declared.

    Raises
    ------
    UserError
        For an unknown algorithm or kind of regret, or a table that is not a preference matrix.
    ValueError
        If an argument is not a whole number in its range, or the algorithm does not support delay or ties in this way.

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
    horizon, delay = whole("horizon", horizon, most=MAX_HORIZON), whole("delay", delay, most=MAX_DELAY)
    per_decade = whole("per_decade", per_decade, most=1_000)
    seed, run = whole("seed", seed, 0), whole("run", run, 0)
    chosen = find(algorithm, Path())() if isinstance(algorithm, str) else algorithm
    if delay > 1 and not chosen.supports_delay:
        raise ValueError(f"{chosen.name} waits for the outcomes of its batches, so feedback cannot be delayed")
    heard = ties or ("keep" if chosen.takes_ties else "coin")
    if heard not in ("coin", "drop", "keep") or (heard == "keep" and not chosen.takes_ties):
        choices = "coin, drop or keep" if chosen.takes_ties else "coin or drop"
        raise ValueError(f"ties is {ties!r}: for {chosen.name} it must be {choices}")
    if heard == "drop" and (delay > 1 or chosen.detects()):
        raise ValueError("ties can be dropped only without delay, and for algorithms that do not detect changes")
    known = matrix if isinstance(matrix, PreferenceMatrix | Changing) else PreferenceMatrix(matrix)
    kinds = (regret,) if isinstance(regret, str) else tuple(regret)
    identity = known.identity() if isinstance(known, Changing) else {"matrix": known.digest()}
    try:
        found = rollout(
            chosen,
            problem_of(known, kinds, heard != "coin"),
            checkpoints([horizon], per_decade),
            Streams(outcomes_stream(seed, identity, run), policy_stream(seed, identity, run, chosen)),
            Rules(delay=delay, drop=heard == "drop"),
        )
    except (ArithmeticError, NumbaError) as error:
        if chosen.source_text:
            raise
        raise ValueError(f"{chosen.name} cannot compute with these parameters ({type(error).__name__})") from error
    return replace(found, regret=by_kind(found.regret, kinds, known.arms))
