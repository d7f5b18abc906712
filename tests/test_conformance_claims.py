"""What the properties are asked of: fewer rounds for plain Python, and the end of the time."""

import time

from duelbench.algorithms.confidence.rucb import Rucb
from duelbench.conformance.claims import Case
from tests.proved import PLAIN, toy


def test_plain_python_has_a_tenth_of_the_rounds(tmp_path):
    assert Case(Rucb(), {}).size(2000) == (2000 if Rucb.compiled() else 200)
    assert Case(toy(tmp_path, PLAIN), {}).size(2000) == 200


def test_a_share_of_the_time_is_of_computing():
    now = time.process_time()
    assert 1.0 <= Case(Rucb(), {}, seconds=4.0).ends(0.25) - now < 1.5
