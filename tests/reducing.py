"""The reductions beside their transcriptions."""

import numpy as np

from duelbench.algorithms.reductions.doubler import Doubler
from duelbench.algorithms.reductions.multisbm import MultiSbm
from duelbench.algorithms.reductions.sparring import Sparring
from duelbench.conformance.paths import engine_course
from duelbench.literal import doubler, multisbm, sparring
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.tables import TABLES
from tests.comparison import MATRICES

REDUCTIONS = {"doubler": (Doubler, doubler), "multisbm": (MultiSbm, multisbm), "sparring": (Sparring, sparring)}

ALL = MATRICES | {
    "K=2": PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]]),
    "no difference": PreferenceMatrix(np.full((3, 3), 0.5)),
    "sushi16, with ties": TABLES["sushi16"].matrix(),
    "tennis8, with zeros and ones": TABLES["tennis8"].matrix(),
}


def fast_path(name, matrix, horizon, seed, **parameters):
    return engine_course(REDUCTIONS[name][0](**parameters), matrix, horizon, seed)[0]
