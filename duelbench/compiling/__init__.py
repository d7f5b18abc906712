"""Compiling kernels, caching their machine code, and the digest of code that identifies results and machine code.

``jit`` has the decorator ``kernel``, which returns a ``dispatcher.Kernel``. ``tiers`` selects the options of numba for
compilation: public options only, or ours, without reference counts and with changes in numba's code generator
(``linking``). ``choice`` finds out whether ours work here; the environment variable ``DUELBENCH_TIER=1``
leaves them out, for tests and for debugging. Both tiers give the same bits. ``cache`` keeps the machine code of kernels
that Python calls, and ``digest`` computes the digest of their code.
"""
