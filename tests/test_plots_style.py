"""Curves that can be told apart on paper."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_rgb

from duelbench.plots.style import COLOURS, line_style


def test_colours_get_lighter_and_no_two_of_twenty_algorithms_look_alike() -> None:
    luminance = [float(np.dot((0.299, 0.587, 0.114), to_rgb(colour))) for colour in COLOURS]
    assert np.diff(luminance).min() > 0.08
    assert luminance[-1] < 0.7

    in_grey = {(style["marker"], str(style["linestyle"])) for style in map(line_style, range(20))}
    assert len(in_grey) == 20
