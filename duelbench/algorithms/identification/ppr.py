"""The prior-posterior-ratio test of a pair: duel until the coin's posterior density at 1/2 has become small.

Waudby-Smith, Ramdas (NeurIPS 2020); as Bengs, Haddenhorst, Hüllermeier (AISTATS 2024) use it. The outcomes are a win of
either arm or a tie, and a ≥ b the two largest counts. The test stops when ``Beta(a + 1, b + 1)`` has density γ/(m − 1)
or less at 1/2: the outcome with count a is the most probable one, but for an error with probability γ at most. Theirs
is for m = 3 outcomes; without ties m = 2 would do.

Blocks. With ``n = a + b`` the density falls with the lead ``a − b ≥ 0``: another duel with the leading outcome
multiplies it by ``(n + 2) / (2 (a + 1)) ≤ 1``. So if the next s − 1 all have this outcome and that does not stop the
test, then no other course of them does, since a grows by no more and b does not fall, nor any shorter one: s duels may
be drawn in one, and only the last can stop it.
"""

from __future__ import annotations

import math

from duelbench.arrays import Record
from duelbench.compiling.jit import kernel


def ppr_level(gamma: float, outcomes: int) -> float:
    """Return ``log(γ/(outcomes − 1))``, and so little more that equality stops the test, however it is rounded."""
    return math.log(gamma / (outcomes - 1)) + 1e-9


@kernel(inline=False)
def log_density(ahead: int, duels: int) -> float:
    """Return the log of the density at 1/2 when one of two outcomes has come ``ahead`` times in so many duels."""
    behind = duels - ahead
    wins = math.lgamma(ahead + 1.0) + math.lgamma(behind + 1.0)
    return math.lgamma(duels + 2.0) - wins - duels * math.log(2.0)


@kernel
def two_largest(pair: Record) -> tuple[int, int]:
    """Return the counts of the two most frequent outcomes, the larger one first."""
    wins, ties = pair[0].wins, pair[0].ties
    losses = pair[0].duels - wins - ties
    most = max(wins, losses, ties)
    return most, pair[0].duels - most - min(wins, losses, ties)


@kernel
def is_tie(pair: Record) -> bool:
    """Return whether ties are more frequent than wins of either arm."""
    return pair[0].ties > max(pair[0].wins, pair[0].duels - pair[0].wins - pair[0].ties)  # type: ignore[no-any-return]


@kernel
def ppr_decided(pair: Record, log_level: float) -> bool:
    """Return whether the density is at the level or below."""
    ahead, behind = two_largest(pair)
    return log_density(ahead, ahead + behind) <= log_level


@kernel(inline=False)
def ppr_block(pair: Record, log_level: float, most: int) -> int:
    """Return the largest number of duels of an open pair, up to ``most``, of which none but the last can decide it."""
    ahead, behind = two_largest(pair)
    duels = ahead + behind
    safe, step = 1, 1
    while step > 0:
        further = safe + step
        if further <= most and log_density(ahead + further - 1, duels + further - 1) > log_level:
            safe = further
            step *= 2
        else:
            step //= 2
    return safe
