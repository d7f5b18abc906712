"""Click models: the probabilities of a click for each relevance grade.

A user reads the list from the top, clicks a document with a probability that depends on its grade, and stops after the
click with another one: the dependent click model of Guo, Liu & Wang (WSDM 2009), which the literature on interleaving
calls a cascade. The probabilities are those of Hofmann, Whiteson & de Rijke, Fidelity, Soundness, and Efficiency of
Interleaved Comparison Methods (ACM TOIS 31(4), 2013), for grades 0 (irrelevant) to 4 (perfect).
"""

from __future__ import annotations

from dataclasses import dataclass

TOP_GRADE = 4


@dataclass(frozen=True)
class ClickModel:
    """The probability of a ``click`` on an examined document, and of a ``stop`` after the click, by grade 0 … 4."""

    click: tuple[float, float, float, float, float]
    stop: tuple[float, float, float, float, float]


CLICK_MODELS = {
    "perfect": ClickModel((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    "navigational": ClickModel((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    "informational": ClickModel((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
}
"""Users who read everything and know what is relevant; who look for one page; and who collect information."""
