"""The global random generators: a run that draws from them cannot be repeated."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from typing import Any

import numba._helperlib
import numpy as np


def global_generators() -> Mapping[str, object]:
    """Return the states of the global generators by name: of Python, of NumPy, and of compiled kernels in this thread.

    In a thread beside others, as of a dask worker, only the last: anybody may draw from the others meanwhile.
    """
    of_kernels: Any = numba._helperlib
    places = of_kernels.rnd_get_np_state_ptr(), of_kernels.rnd_get_py_state_ptr()
    states: dict[str, object] = {"numba's": [of_kernels.rnd_get_state(each) for each in places]}
    if threading.current_thread() is threading.main_thread():
        state = np.random.get_state(legacy=False)  # noqa: NPY002 - that somebody draws from it is what is looked for
        states["NumPy's"] = repr(state["state"]["pos"]), state["state"]["key"].tobytes(), state["gauss"]
        states["Python's"] = random.getstate()
    return states


def drawn_since(before: Mapping[str, object]) -> str:
    """Return which global generators have been drawn from since, as a sentence; an empty one if none has."""
    now = global_generators()
    drawn = " and ".join(name for name in before if before[name] != now[name])
    return drawn and f"{drawn} global generator was used, so the run cannot be repeated: draw only from rng"
