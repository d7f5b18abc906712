"""What votes say beyond their shares: the model of ties that fits best, and how probably each arm is the best."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.preferences.counts import PairCounts
from duelbench.proportions import percent
from duelbench.votes.posterior.posterior import Posterior
from duelbench.votes.posterior.tie_models import TieModel, fit_ties

FITTED, DRAWN = 400, 150
"""The largest numbers of arms to fit models of ties to, and to draw matrices of: each takes some seconds."""
DRAWS = 1_000
"""The number of matrices drawn from the posterior: probabilities have standard errors of at most 1.6 %."""
CLEAR = 2.0
"""The log-likelihood by which a model must exceed the others to fit clearly better."""
MODELS: dict[TieModel, str] = {
    "davidson": "Davidson's model",
    "rao-kupper": "Rao and Kupper's model",
    "constant": "a constant share",
}


@dataclass(frozen=True, eq=False)
class Certainty:
    """The fits of the models of ties and the probabilities of being a best arm.

    ``nll`` has the negative log-likelihood per vote of each model, all of which have the same number of parameters; it
    is empty without ties, and if the models are not fitted, as ``why`` then says. ``chances`` are the
    probabilities that each arm is a Copeland winner, ties being a third outcome; None with many arms.
    """

    tie_share: float
    votes: float
    nll: dict[TieModel, float]
    why: str
    chances: Floats | None

    @property
    def best_model(self) -> TieModel | None:
        """The model of ties that fits clearly better than the others, if any does."""
        if not self.nll:
            return None
        best, second = sorted(self.nll, key=self.nll.__getitem__)[:2]
        return best if (self.nll[second] - self.nll[best]) * self.votes > CLEAR else None


def certainty(counts: PairCounts) -> Certainty:
    """Fit the models of ties and the posterior to votes, each unless there are too many arms."""
    votes, ties = float(counts.votes.sum()) / 2, float(counts.ties.sum()) / 2
    nll: dict[TieModel, float] = {}
    why = ""
    if ties and counts.arms > FITTED:
        why = f"there are more than {FITTED} arms"
    elif ties:
        try:
            nll = {model: fit_ties(counts, model).nll for model in MODELS}
        except UserError as error:
            why = error.message
    chances = Posterior(counts, ties="model").sample(DRAWS).chances() if counts.arms <= DRAWN else None
    return Certainty(ties / votes if votes else 0.0, votes, nll, why, chances)


def ties_sentence(found: Certainty) -> str:
    """Return sentences about the share of ties and the model that fits them best; empty without ties."""
    if not found.tie_share:
        return ""
    share = f"{100 * found.tie_share:.1f} % of the votes are ties"
    if not found.nll:
        return f"{share}; no models are fitted to them, since {found.why}."
    fits = ", ".join(f"{name} {found.nll[model]:.4f}" for model, name in MODELS.items())
    best = found.best_model
    verdict = f"{MODELS[best]} fits best" if best else "no model fits clearly better than the others"
    return f"{share}; {verdict} (negative log-likelihood per vote: {fits})."


def likely_arms(found: Certainty, least: float) -> Iterator[tuple[int, float]]:
    """Yield the arms whose probability of being best is at least ``least``, the most probable first."""
    if found.chances is not None:
        for arm in np.argsort(-found.chances, kind="stable"):
            if found.chances[arm] >= least:
                yield int(arm), float(found.chances[arm])


def chances_sentence(counts: PairCounts, found: Certainty) -> str:
    """Return a sentence about the arms that are most probably best."""
    if found.chances is None:
        return f"Probabilities of being best are not computed for more than {DRAWN} arms."
    likely = list(likely_arms(found, 0.005))[:3]
    some = ", ".join(f"{counts.names[arm]} {percent(chance, DRAWS)}" for arm, chance in likely)
    return f"Probability of being a Copeland winner, after these votes: {some}."
