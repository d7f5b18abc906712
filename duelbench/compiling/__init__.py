"""Compile kernels, cache their machine code, and compute the digests of code that identify results and machine code.

``jit`` has the decorator ``kernel``, which returns a ``dispatcher.Kernel``. ``tiers`` has two sets of numba options:
tier 1 uses public options only; tier 2 (``linking``) drops reference counts and changes numba's code generator. Both
give the same bits. ``choice`` tries whether tier 2 works here; ``DUELBENCH_TIER=1`` disables it, for tests and for
debugging. ``cache`` keeps the machine code of kernels that Python calls; ``digest`` computes the digest of their code.
"""
