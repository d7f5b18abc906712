"""SAVAGE for a user-defined decision about N unknown means."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from duelbench.algorithms.elimination.generic import Decision, Exploration, Independent
from duelbench.arguments import MAX_HORIZON, number_between, whole_number
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
        Maps an array of N means to the right decision. The result may be anything that ``==`` compares. The function
        must be deterministic and must not change the array.
    means : array_like, shape (N,)
        The true means, in [0, 1]. The algorithm sees only Bernoulli samples.
    horizon : int
        The largest number of samples T, from 1 to 1e12.
    delta : float, optional
        The allowed probability δ of a wrong decision; 1/T by default.
    independent : callable, optional
        ``independent(low, high, i)`` returns whether changing the i-th mean alone never changes the decision, for means
        between ``low`` and ``high``. By default, random walks search for a change of the decision.
    starts, steps : int
        The number of random walks and their length, from 1 to 10,000. Longer searches make wrong decisions rarer.
    seed : int
        The seed of the samples and of the walks.

    Returns
    -------
    Explored
        The decision, whether it is certain, and the samples it took.

    Raises
    ------
    ValueError
        If ``means`` are not numbers from 0 to 1, ``delta`` is not between 0 and 1, or another argument is not a whole
        number in its range.

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
    try:
        known = np.asarray(means, dtype=float)
    except (TypeError, ValueError, OverflowError):
        known = np.empty(0)  # refused below
    if known.ndim != 1 or not known.size or not np.all((known >= 0) & (known <= 1)):
        raise ValueError("means must be a list of numbers from 0 to 1")
    horizon, seed = whole_number("horizon", horizon, most=MAX_HORIZON), whole_number("seed", seed, 0)
    starts, steps = whole_number("starts", starts, most=10_000), whole_number("steps", steps, most=10_000)
    failure = 1 / horizon if delta is None else number_between("delta", delta, 0, 1)
    if failure in (0, 1) and delta is not None:
        raise ValueError(f"delta must be between 0 and 1, not {delta!r}")
    coins, walks = (stream(seed, purpose=purpose, means=known.tolist()) for purpose in ("coins", "walks"))
    exploration = Exploration(decision, known.size, horizon, failure, starts, steps, independent)
    for rounds in range(horizon):
        chosen = exploration.choose(walks)
        if chosen is None:
            return Explored(exploration.decision(), True, rounds, exploration.plays)
        exploration.learn(chosen, float(coins.random() < known[chosen]), 1)
    return Explored(exploration.decision(), exploration.choose(walks) is None, horizon, exploration.plays)
