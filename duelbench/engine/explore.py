"""Exploring for a decision of one's own, on an ordinary bandit or any other N means."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelbench.algorithms.elimination.generic import Decision, Exploration, Independent
from duelbench.arrays import Ints
from duelbench.engine.streams import stream


class Explored(NamedTuple):
    """What exploration found: the ``decision``; whether it was ``certain`` before the horizon, and after how many
    ``rounds``; how often each mean was sampled, ``plays``, (N,).
    """

    decision: Any
    certain: bool
    rounds: int
    plays: Ints


def explore(
    decision: Decision,
    means: ArrayLike,
    horizon: int,
    *,
    delta: float | None = None,
    independent: Independent | None = None,
    starts: int = 20,
    steps: int = 50,
    seed: int = 0,
) -> Explored:
    """Sample coins until a decision about their means is certain: SAVAGE (Urvoy et al., ICML 2013, Algorithm 1).

    Parameters
    ----------
    decision
        A function of an array of N means: which decision is right for these? It may return anything that ``==``
        compares, always the same for the same means, and must not change the array.
    means
        The N true means, in [0, 1]; the algorithm sees coins with these chances.
    horizon
        The number of samples T ≥ 1 at most.
    delta
        The probability δ of a wrong decision; 1/T when not given.
    independent
        ``independent(low, high, i)``: whether the decision is the same for all means between ``low`` and ``high``, but
        for the i-th. Without it that is told by random walks, ``starts`` times ``steps`` long; the more, the less often
        the decision is wrong.
    seed
        Of both the coins and the walks.

    Raises
    ------
    ValueError
        Means, a horizon, δ or walks that are none.

    Examples
    --------
    The second best of four arms, as where the best is not to be had:

    >>> import numpy as np
    >>> from duelbench import explore
    >>> def second_best(means):
    ...     return int(np.argsort(means)[-2])
    >>> found = explore(second_best, [0.1, 0.5, 0.9, 0.2], horizon=100_000, seed=1)
    >>> found.decision, found.certain, found.rounds < 10_000
    (1, True, True)
    """
    known = np.asarray(means, dtype=float)
    if known.ndim != 1 or not known.size or not np.all((known >= 0) & (known <= 1)):
        raise ValueError("means must be a list of numbers from 0 to 1")
    for name, value in (("horizon", horizon), ("starts", starts), ("steps", steps)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be a whole number, 1 at least, not {value!r}")
    if delta is not None and not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, not {delta!r}")
    coins, walks = (stream(seed, purpose=purpose, means=known.tolist()) for purpose in ("coins", "walks"))
    failure = 1 / horizon if delta is None else delta
    exploration = Exploration(decision, known.size, int(horizon), failure, starts, steps, independent)
    for rounds in range(horizon):
        chosen = exploration.choose(walks)
        if chosen is None:
            return Explored(exploration.decision(), True, rounds, exploration.plays)
        exploration.learn(chosen, float(coins.random() < known[chosen]), 1)
    return Explored(exploration.decision(), exploration.choose(walks) is None, int(horizon), exploration.plays)
