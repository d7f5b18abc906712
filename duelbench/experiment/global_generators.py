"""The global random generators: a run that draws from them cannot be repeated."""

from __future__ import annotations

import random
import threading
from collections.abc import Mapping
from typing import Any

import numba._helperlib
import numpy as np


def global_generators() -> Mapping[str, object]:
    """Return the states of the global generators of Python, of NumPy and of this thread's compiled kernels, by name.

    Outside the main thread, as in a dask worker, only the last: other threads may draw from the others meanwhile.
    """
    of_kernels: Any = numba._helperlib
    places = of_kernels.rnd_get_np_state_ptr(), of_kernels.rnd_get_py_state_ptr()
    states: dict[str, object] = {"numba's": [of_kernels.rnd_get_state(each) for each in places]}
    if threading.current_thread() is threading.main_thread():
        state = np.random.get_state(legacy=False)  # noqa: NPY002 - to find draws from it
        states["NumPy's"] = repr(state["state"]["pos"]), state["state"]["key"].tobytes(), state["gauss"]
        states["Python's"] = random.getstate()
    return states


def drawn_since(before: Mapping[str, object]) -> str:
    """Return a sentence that names the global generators drawn from since ``before``; empty if there is none."""
    now = global_generators()
    drawn = " and ".join(name for name in before if before[name] != now[name])
    return drawn and f"{drawn} global generator was used, so the run cannot be repeated: draw only from rng"
