"""Random streams: each named by what it is for, so that the same numbers come out in any order, on any worker."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def stream(seed: int, **axes: object) -> np.random.Generator:
    """Return the stream of ``axes`` under ``seed``: independent of every other one, and always the same.

    ``axes`` are anything JSON can write; their order does not matter. The hash is SHA-256, so the streams do not
    depend on the platform or the process.
    """
    text = json.dumps(axes, sort_keys=True, ensure_ascii=True)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(int(word) for word in words)))
