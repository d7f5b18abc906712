"""The prior-posterior-ratio test of a pair: duel until the coin's posterior density at 1/2 has become small.

Waudby-Smith, Ramdas (NeurIPS 2020); as Bengs, Haddenhorst, Hüllermeier (AISTATS 2024) use it. With a and b wins of the
two it stops when ``Beta(a + 1, b + 1)`` has density γ/(m − 1) or less at 1/2, and errs with probability γ at most.
Theirs is for m = 3 outcomes, as they have ties; for two alone m = 2 would do.

Blocks. For n duels the density falls with the lead ``a − b ≥ 0``. If the arm that is ahead wins the next one, it is
multiplied by ``(n + 2) / (2 (a + 1)) ≤ 1``. So if it wins the next s − 1 in a row and that does not stop the test, then
no other course of them does, nor any shorter one: s duels may be drawn in one, and only the last can stop it.
"""

from __future__ import annotations

import math

from duelbench.algorithms.identification.pair import lead
from duelbench.arrays import Record
from duelbench.compiling.jit import kernel


def ppr_level(gamma: float, outcomes: int) -> float:
    """Return ``log(γ/(outcomes − 1))``, and so little more that equality stops the test, however it is rounded."""
    return math.log(gamma / (outcomes - 1)) + 1e-9


@kernel(inline=False)
def log_density(ahead: int, duels: int) -> float:
    """Return the log of the density at 1/2 when one arm has won ``ahead`` of the duels."""
    behind = duels - ahead
    wins = math.lgamma(ahead + 1.0) + math.lgamma(behind + 1.0)
    return math.lgamma(duels + 2.0) - wins - duels * math.log(2.0)


@kernel
def ppr_decided(pair: Record, log_level: float) -> bool:
    """Return whether the density is at the level or below."""
    duels = pair[0].duels
    return log_density((duels + lead(pair)) // 2, duels) <= log_level


@kernel(inline=False)
def ppr_block(pair: Record, log_level: float, most: int) -> int:
    """Return the largest number of duels of an open pair, up to ``most``, of which none but the last can decide it."""
    duels = pair[0].duels
    ahead = (duels + lead(pair)) // 2
    safe, step = 1, 1
    while step > 0:
        further = safe + step
        if further <= most and log_density(ahead + further - 1, duels + further - 1) > log_level:
            safe = further
            step *= 2
        else:
            step //= 2
    return safe
