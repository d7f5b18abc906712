"""Imported once by the server from which workers fork, so that workers need not repeat the work of importing.

Numba's initialisation takes half a second, and so does reading the code of the engine for the keys of runs.
"""

from numba.core.registry import cpu_target

import duelbench.experiment.backends  # noqa: F401 - workers need what it imports
from duelbench.experiment.code import ENGINE
from duelbench.versions.record import stream_digest, version_in_keys

cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
stream_digest()
version_in_keys(ENGINE)
