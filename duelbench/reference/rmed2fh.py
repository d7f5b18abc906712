"""RMED2FH (Komiyama, Honda, Kashima, Nakagawa, COLT 2015), RMED2 for a known horizon T.

Its steps are those of rmed2.py, with the pairs duelled alpha log log T times at first and b* fixed from then on.
"""

from itertools import islice

import numpy as np

from .rmed2 import rounds


def run(P, horizon, policy, environment, alpha=3.0, f_scale=0.3, f_power=1.01):
    steps = rounds(P, horizon, environment, alpha, f_scale, f_power, fixed=True)
    return np.array(list(islice(steps, horizon)), dtype=int)
