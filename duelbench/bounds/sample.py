"""Constants of many matrices, computed in parallel: the numbers do not depend on the number of processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np

from duelbench.arrays import Floats
from duelbench.bounds.constants import BOUNDS
from duelbench.processes import interrupted_by_parent, start_method

LARGEST_PART = 50
"""Maximum number of matrices in one task."""
FEWEST_FOR_A_PROCESS = 100
"""Starting a process takes about as long as the constants of this many matrices."""


def constants_of(
    draw: Callable[[int], Floats],
    count: int,
    names: Sequence[str],
    jobs: int,
    progress: Callable[[int], object] = lambda done: None,
) -> Floats:
    """Return the (count, names) constants of the matrices ``draw(0)``, …, ``draw(count - 1)``.

    ``draw`` must be picklable, and its result must depend only on its argument; its exceptions are passed on.
    ``progress`` receives the number of matrices done since its last call.
    """
    parts = [range(start, min(start + LARGEST_PART, count)) for start in range(0, count, LARGEST_PART)]
    found = np.empty((count, len(names)))
    processes = min(jobs, count // FEWEST_FOR_A_PROCESS)
    if processes < 2:
        for part in parts:
            found[part] = _constants(draw, part, names)
            progress(len(part))
        return found
    with ProcessPoolExecutor(processes, start_method(fresh=True), interrupted_by_parent) as pool:
        try:
            futures = {pool.submit(_constants, draw, part, names): part for part in parts}
            for future in as_completed(futures):
                found[futures[future]] = future.result()
                progress(len(futures[future]))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def _constants(draw: Callable[[int], Floats], numbers: range, names: Sequence[str]) -> Floats:
    matrices = [draw(number) for number in numbers]
    return np.array([[BOUNDS[name].constant(P) for name in names] for P in matrices])
