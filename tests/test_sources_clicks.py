"""Click models."""

from duelbench.literal import interleaving as reference
from duelbench.sources.clicks import CLICK_MODELS


def test_click_models_are_the_published_ones():
    assert {name: (list(model.click), list(model.stop)) for name, model in CLICK_MODELS.items()} == reference.CLICK
