"""How kernels are compiled, where machine code is kept, and the digest of code that both results and kernels go by.

``jit`` has the decorators, ``dispatcher`` what they make. ``tiers`` says with which of numba's options they compile:
public ones alone, ``inlining`` without reference counts, or ``linking``, which reaches into numba's code generator.
The environment variable ``DUELBENCH_TIER`` (1, 2 or 3) chooses, for tests and in case of doubt; ``choice`` finds out
which of them serves here. All give the same bits. ``cache`` keeps the machine code of what Python calls, ``digest``
tells which code that belongs to.
"""
