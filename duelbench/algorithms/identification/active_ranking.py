"""Active ranking: every arm that is left duels a random other one, until its tier of Borda scores is certain.

By default the tiers are the best arm and all others, and the best arm is declared. After each round the remaining arms
are sorted by their wins; the first of them fill the free places of the first tier, and so on. An arm is settled when
its mean is below the last arm above its tier, and above the first arm below its tier, by more than the threshold. A
settled arm duels only as an opponent.

The pseudo-code, step by step, is ``tests/reference/borda.py``; ``tests/test_catalogue.py`` checks that the
paths are equal. Arms are in a random order, drawn once per run, which breaks ties.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from duelbench.algorithms.algorithm import Declared, Program
from duelbench.arrays import Ints, State, Tiers, record
from duelbench.compiling.jit import kernel
from duelbench.kernels.draws import below, shuffle
from duelbench.kernels.duels import World, duel

FACTORS = {"paper": 4.0, "program": 1.0, "experiments": 0.0}


@kernel(inline=False)
def threshold(state: State, t: int) -> float:
    """Return by how much two means must differ after t rounds; infinite while no difference suffices."""
    K = state.won.shape[0]
    if state.factor > 0.0:
        radius = math.sqrt(math.log(125.0 * K * math.log(1.12 * t) / state.delta) / t)
        return state.factor * radius  # type: ignore[no-any-return]
    if t <= 2:  # the inner logarithm is not positive
        return np.inf
    x = math.log(K / state.delta)
    return 2.0 * math.sqrt(0.5 * (x + 0.75 * math.log(x) + 1.5 * math.log(1.0 + math.log(t / 2.0))) / t)


@kernel
def keep_unsettled(state: State, arms: Ints, left: int) -> int:
    """Drop the settled arms from the first ``left`` of ``arms``; return how many remain."""
    kept = 0
    for a in range(left):
        if not state.settled[arms[a]]:
            arms[kept] = arms[a]
            kept += 1
    return kept


@kernel(inline=False)
def settle(state: State, rounds: int) -> None:
    """Settle the arms whose tier is certain."""
    won, ranked, left, enough = state.won, state.sorted, state.standing[0].left, threshold(state, rounds)
    for a in range(1, left):  # nearly sorted since the last round
        arm, b = ranked[a], a
        while b > 0 and won[ranked[b - 1]] < won[arm]:
            ranked[b] = ranked[b - 1]
            b -= 1
        ranked[b] = arm
    low = 0
    for k in range(state.ends.shape[0]):
        high = low + state.free[k]
        for a in range(low, high):
            i = ranked[a]
            below_upper = low == 0 or (won[ranked[low - 1]] - won[i]) / rounds > enough
            if below_upper and (high == left or (won[i] - won[ranked[high]]) / rounds > enough):
                state.order[state.ends[k] - state.free[k]] = i
                state.free[k] -= 1
                state.settled[i] = True
        low = high
    keep_unsettled(state, ranked, left)
    state.standing[0].left = keep_unsettled(state, state.remaining, left)


@kernel
def explore(world: World, state: State, rng: np.random.Generator) -> Ints:
    """In each round let every remaining arm duel a random other arm, until every arm is settled."""
    standing, rounds = state.standing[0], 0
    shuffle(state.remaining, world.arms, rng)
    for a in range(world.arms):
        state.sorted[a] = state.remaining[a]
    while standing.left > 0:
        rounds += 1
        for a in range(standing.left):
            i = state.remaining[a]
            j = below(world.arms - 1, rng) if world.arms > 2 else 0
            state.won[i] += duel(world, i, j + 1 if j >= i else j, 1)
        settle(state, rounds)
    return state.order  # type: ignore[no-any-return]


class ActiveRanking(Program):
    """In each round, let every remaining arm duel a random other arm, and settle the arms whose tier is certain."""

    name = "active-ranking"
    title = "Active ranking"
    citation = (
        "Heckel, Shah, Ramchandran, Wainwright. Active Ranking from Pairwise Comparisons and When Parametric "
        "Assumptions Do Not Help. Annals of Statistics 2019"
    )
    assumes = "one Borda winner"  # with tiers: scores that differ at their boundaries
    regret_order = "no bound: Σ Δ⁻² log(K log(1/Δ)/δ) duels, Δ of Borda scores across tiers"
    declares_tiers = True  # without ``tiers`` only the best arm
    supports_delay = False  # a round is judged once all its outcomes have arrived
    explore = explore

    delta: float = Field(0.1, gt=0, lt=1, description="probability δ that an arm is in a wrong tier")
    radius: Literal["paper", "experiments", "program"] = Field(
        "paper",
        description="paper: the one that is proved; experiments: the one of the paper's figures, much smaller, for two "
        "tiers; program: a quarter of the paper's, as in the authors' program for tiers",
    )
    tiers: tuple[Annotated[int, Field(ge=1)], ...] | Literal["order"] | None = Field(
        None, description="the sizes of the tiers, best first, without the last one if you like; or the word order"
    )

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Omit ``tiers`` if it is not given, since random streams depend on the parameters that are written."""
        written: dict[str, Any] = write(self)
        if self.tiers is None:
            del written["tiers"]
        return written

    def sizes(self, arms: int) -> Sequence[int]:
        """Return the sizes of all tiers."""
        if self.tiers == "order":
            return super().sizes(arms)
        tiers = (1,) if self.tiers is None else self.tiers
        rest = arms - sum(tiers)
        if rest < 0 or tiers in ((), (arms,)):
            raise ValueError(f"tiers of the sizes {list(tiers)} do not divide {arms} arms")
        return (*tiers, rest) if rest else tiers

    def start(self, arms: int, horizon: int) -> Any:
        """Return the state before the first round.

        ``won[i]``: how many of its own duels, one per round, arm i has won. ``factor`` is the factor in the paper's
        threshold; 0 selects the threshold of the experiments. ``remaining`` begins with the arms that are left,
        ``sorted`` with the same arms sorted by wins. ``order`` has the settled arms at their places and −1 elsewhere;
        tier k ends before place ``ends[k]``, and ``free[k]`` of its places are free. ``settled[i]``: whether arm i is
        settled. ``standing``: how many arms are ``left``.
        """
        sizes = np.array(self.sizes(arms))
        return self.state(
            factor=FACTORS[self.radius],
            won=np.zeros(arms, np.int64),
            remaining=np.arange(arms),
            sorted=np.arange(arms),
            order=np.full(arms, -1),
            ends=sizes.cumsum(),
            free=sizes,
            settled=np.zeros(arms, np.bool_),
            standing=record(left=arms),
        )

    def declared(self, order: Ints) -> Declared:
        """Return the tiers, or only the best arm if ``tiers`` is not given."""
        return int(order[0]) if self.tiers is None else super().declared(order)

    def ranking(self, state: Any) -> Tiers:
        """Return the settled arms in their tiers, and the remaining arms, sorted by wins, in the free places."""
        order = state.order.copy()
        left = state.remaining[: int(state.standing[0].left)]
        order[order < 0] = left[np.argsort(-state.won[left], kind="stable")]
        return tuple(tuple(order[a:b].tolist()) for a, b in pairwise((0, *state.ends.tolist())))

    def recommendation(self, state: Any) -> int:
        """Return the first settled arm of the first tier; if there is none, the remaining arm with the most wins."""
        if state.order[0] >= 0:
            return int(state.order[0])
        left = state.remaining[: int(state.standing[0].left)]
        return int(left[state.won[left].argmax()])
