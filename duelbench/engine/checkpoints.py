"""The rounds at which regret is recorded."""

from collections.abc import Sequence

import numpy as np

from duelbench.arrays import Ints


def checkpoints(horizons: Sequence[int], per_decade: int) -> Ints:
    """Return increasing rounds from 1 to the largest horizon, ``per_decade`` in each decade, and every horizon.

    The grid does not depend on the horizon: the checkpoints of a shorter run are the first ones of a longer run.
    """
    last = max(horizons)
    grid = {1}
    power = 0
    while (t := round(10 ** (power / per_decade))) <= last:
        grid.add(t)
        power += 1
    return np.array(sorted(grid | set(horizons)), dtype=np.int64)
