"""Compiling kernels, caching their machine code, and the digest of code that identifies results and machine code.

``jit`` has the decorator ``kernel``, which returns a ``dispatcher.Kernel``. ``tiers`` selects the options of numba for
compilation: public options only, ``inlining`` without reference counts, or ``linking``, which changes numba's code
generator. ``choice`` finds the highest tier that works here; the environment variable ``DUELBENCH_TIER`` (1, 2 or 3)
overrides it, for tests and for debugging. All tiers give the same bits. ``cache`` keeps the machine code of kernels
that Python calls, and ``digest`` computes the digest of their code.
"""
