"""The base class of the reductions of dueling bandits to multi-armed bandits.

The bandits are UCB with index ``mean + sqrt(alpha log n / n_k)`` (``kernels/confidence.py``): the arms start unplayed,
ties are broken at random and n is the bandit's own number of plays. ``alpha`` is 3 in some experiments and 2.5 in
others. Where the authors begin with an arbitrary arm, a random one is taken, so that the arms' numbers do not matter.

They never hold: a self-duel is a play like any other, and the indices move with it. Its outcome is a coin from the
policy stream, which the bandits receive when the duel is chosen.
"""

from pydantic import Field

from duelbench.algorithms.algorithm import Algorithm


class Reduction(Algorithm):
    """The base class of the three reductions."""

    citation = "Ailon, Karnin, Joachims. Reducing Dueling Bandits to Cardinal Bandits. ICML 2014"
    assumes = "utilities, linear link"

    alpha: float = Field(3.0, gt=0, description="factor a of a log n / n_k in the index of UCB; 2.5 is also in use")
