"""What the algorithms share that find the best k arms, without an order among them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from duelbench.algorithms.declaration import ExploreThenRank
from duelbench.arrays import Ints
from duelbench.compiling.jit import kernel


@kernel(inline=False)
def list_others(order: Ints, listed: int) -> None:
    """Let the arms that are not among the first ``listed`` entries of ``order`` follow these, by their numbers."""
    place = listed
    for arm in range(order.shape[0]):
        is_listed = False
        for k in range(listed):
            is_listed = is_listed or order[k] == arm
        if not is_listed:
            order[place] = arm
            place += 1


class TopK(ExploreThenRank):
    """An algorithm that declares the best ``top`` arms and the others."""

    citation = "Ren, Liu, Shroff. The Sample Complexity of Best-k Items Selection from Pairwise Comparisons. ICML 2020"
    regret_order = "no bound"
    uses_horizon = False

    top: int = Field(1, ge=1, description="how many of the best arms to find")
    delta: float = Field(0.1, gt=0, lt=1, description="probability δ of declaring a wrong set of arms")

    def sizes(self, arms: int) -> Sequence[int]:
        """Return the sizes of the two tiers."""
        if self.top >= arms:
            raise ValueError(f"top is {self.top}, and there are {arms} arms: choose a smaller top")
        return self.top, arms - self.top
