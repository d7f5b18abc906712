"""SAVAGE for a user-defined decision about N unknown means."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelbench.algorithms.elimination.generic import Decision, Exploration, Independent
from duelbench.arrays import Ints
from duelbench.engine.streams import stream


class Explored(NamedTuple):
    """The result of ``explore``.

    Attributes
    ----------
    decision : object
        The decision for the estimated means.
    certain : bool
        Whether exploration ended before the horizon.
    rounds : int
        The number of samples taken.
    plays : ndarray of int, shape (N,)
        How often each mean was sampled.
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
    """Sample Bernoulli arms until a decision about their means is certain, by SAVAGE.

    Parameters
    ----------
    decision : callable
        The right decision for an array of N means. It may return anything that ``==`` compares, must return the same
        for the same means, and must not change the array.
    means : array_like, shape (N,)
        The true means, in [0, 1]. The algorithm sees only Bernoulli samples.
    horizon : int
        The largest number of samples, T ≥ 1.
    delta : float, optional
        The probability δ of a wrong decision; 1/T by default.
    independent : callable, optional
        ``independent(low, high, i)`` tells whether, for means between ``low`` and ``high``, a change of the i-th mean
        alone never changes the decision. By default random walks look for such a change.
    starts, steps : int
        The number of random walks and their length. Longer searches make wrong decisions rarer.
    seed : int
        The seed of the samples and of the walks.

    Returns
    -------
    Explored
        The decision, whether it is certain, and the samples it took.

    Raises
    ------
    ValueError
        If ``means`` are not numbers from 0 to 1, ``delta`` is not between 0 and 1, or ``horizon``, ``starts`` or
        ``steps`` is not a positive integer.

    References
    ----------
    Urvoy, Clerot, Féraud & Naamane, Generic Exploration and K-armed Voting Bandits, ICML 2013, Algorithm 1.

    Examples
    --------
    Find the second best of four arms:

    >>> import numpy as np
    >>> from duelbench import explore
    >>> def second_best(means):
    ...     return int(np.argsort(means)[-2])
    >>> result = explore(second_best, [0.1, 0.5, 0.9, 0.2], horizon=100_000, seed=1)
    >>> result.decision, result.certain, result.rounds < 10_000
    (1, True, True)
    """
    known = np.asarray(means, dtype=float)
    if known.ndim != 1 or not known.size or not np.all((known >= 0) & (known <= 1)):
        raise ValueError("means must be a list of numbers from 0 to 1")
    for name, value in (("horizon", horizon), ("starts", starts), ("steps", steps)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
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
