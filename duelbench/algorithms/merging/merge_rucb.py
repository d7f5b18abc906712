"""MergeRUCB: upper confidence bounds within small batches of arms, for many arms.

Only the abstract of the paper was read. The steps are shared by two or three independent codes: Z, a sampler of the
Lerot library in the style of the paper's first author; L, the code of Li (MergeDTS); and D, duelpy. They are in
``tests/reference/merging.py``; ``tests/test_catalogue.py`` checks that the paths are equal. Where the codes differ:

- All losers of a batch are eliminated at once [Z, D]; L eliminates one of them and checks again. Without delay only
  one pair of a batch has new outcomes since it was played last, so this makes no difference. With delayed outcomes all
  arms of a batch may have lost; then a random one stays: our reading.
- Pairs begin without wins [D]; with ``prior: 1`` each arm has one [Z, L]. An arm that the first arm has not met is
  preferred as its challenger: our reading.
- A batch with one arm is skipped while others are left [Z]; L lets it duel itself.
- Stage s ends at ``K / 2^s + 1`` arms, s = 1, 2, … [Z, L]; D merges immediately.
- t continues when batches are merged [Z, D]; L restarts it.

Hold. Elimination is permanent, so the last arm duels itself to the end. For how arms are eliminated see ``batches.py``.
"""

import math
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench.algorithms.merging.batches import (
    Batches,
    Losses,
    Merging,
    advance,
    count_losers,
    deal,
    is_due,
    keep,
    last_arm,
    learn,
    list_arms,
    merge,
    new_batches,
    new_losses,
)
from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, pick


class MergeRucbState(NamedTuple):
    """``found``: a buffer for a list of arms."""

    batches: Batches
    losses: Losses
    found: Ints


@kernel
def _eliminate(state: MergeRucbState, b: int, rng: np.random.Generator) -> int:
    """Remove all arms that have lost from batch b; list the others and return how many there are."""
    arms, lost = state.batches.listed, state.losses.lost
    n = list_arms(state.batches, b)
    losers = count_losers(state.losses, arms, n)
    if losers == 0:
        return n
    if losers == n:
        lost[below(n, rng)] = False
    left = 0
    for k in range(n):
        if not lost[k]:
            arms[left] = arms[k]
            left += 1
    keep(state.batches, b, left)
    return left


@kernel
def _challenger(state: MergeRucbState, n: int, c: int, rng: np.random.Generator) -> int:
    """Return the listed arm j ≠ c with the largest u[j, c]; ties at random."""
    arms, wins, prior = state.batches.listed, state.losses.wins, state.losses.prior
    root = math.sqrt(state.losses.clock[0].level)
    best, ties = -1.0, 0
    for k in range(n):
        j = arms[k]
        if j == c:
            continue
        won = wins[j, c] + prior
        duels = won + wins[c, j] + prior
        u = won / duels + root / math.sqrt(duels) if duels > 0 else np.inf
        if u > best:
            best, ties = u, 0
        if u == best:
            state.found[ties] = j
            ties += 1
    return pick(state.found, ties, rng)


@kernel
def select(state: MergeRucbState, t: int, last: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """Duel a random arm of the next batch with its challenger; hold when one arm is left."""
    batches, course = state.batches, state.batches.course[0]
    if course.count == 0:
        deal(batches, rng)
    advance(state.losses, t)
    n = 0
    while course.left > 1:
        n = _eliminate(state, batches.numbers[course.current], rng)
        if n > 1:
            break
        if course.left == course.count > 1:  # no batch has two arms
            merge(batches, rng)
        course.current = (course.current + 1) % course.count
    if course.left == 1:
        winner = last_arm(batches)
        return winner, winner, last - t + 1
    c = batches.listed[below(n, rng)]
    d = _challenger(state, n, c, rng)
    if is_due(batches):
        merge(batches, rng)
    course.current = (course.current + 1) % course.count
    return batches.arm[c], batches.arm[d], 1


@kernel
def update(state: MergeRucbState, first: int, second: int, wins: int, count: int) -> None:
    """Count the outcome."""
    if first != second:
        place = state.batches.place
        learn(state.losses, place[first], place[second], wins, count)


class MergeRucb(Merging):
    """Upper confidence bounds within small batches, which are merged as arms are eliminated."""

    name = "merge-rucb"
    title = "MergeRUCB"
    citation = "Zoghi, Whiteson, de Rijke. MergeRUCB: A Method for Large-Scale Online Ranker Evaluation. WSDM 2015"
    State = MergeRucbState
    select = staticmethod(select)
    update = staticmethod(update)

    alpha: float = Field(1.01, gt=0, description="confidence constant α of the bounds")
    batch: int = Field(4, ge=4, description="arms in a batch p, before the first merge")
    C: float | None = Field(None, ge=1, description="constant C of log(t + C); null: by its formula from α, δ and K")
    prior: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="wins of each arm of a pair before their first duel; 1 as in its authors' code",
    )

    def start(self, arms: int, horizon: int) -> MergeRucbState:
        """Return the state before the first round."""
        return MergeRucbState(
            batches=new_batches(arms, self.batch),
            losses=new_losses(arms, self.alpha, self.log_constant(arms), self.prior),
            found=np.zeros(arms, np.int64),
        )
