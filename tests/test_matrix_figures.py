"""The heat map of a matrix."""

import numpy as np

from duelbench.conformance.case import order
from duelbench.plots.drawing import heat_map
from duelbench.preferences.matrix import PreferenceMatrix

NAMED = PreferenceMatrix([[0.5, 0.2, 0.0], [0.8, 0.5, 0.996], [1, 0.004, 0.5]], names=["last", "$best", "n" * 40])


def texts(figure):
    panel, _ = figure.axes
    return [label.get_text() for label in panel.get_yticklabels()], [text.get_text() for text in panel.texts]


def test_heat_map():
    names, cells = texts(heat_map(NAMED, "three"))
    assert names == ["$best", "n" * 13 + "…" + "n" * 14, "last"]
    assert cells == [".99", ".80", ".01", "1", ".20", "0"]
    image = heat_map(NAMED, "three").axes[0].images[0].get_array()
    assert np.ma.allclose(image, np.ma.masked_equal([[9, 0.996, 0.8], [0.004, 9, 1], [0.2, 0, 9]], 9))


def test_heat_map_of_many_arms():
    names, cells = texts(heat_map(order(100, 0.7), "many"))
    assert names == [str(arm) for arm in range(0, 100, 2)]
    assert cells == []
