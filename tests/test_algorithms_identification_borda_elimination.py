"""Borda elimination: the duels it takes beside those of an independent transcription."""

import pytest

from duelbench.algorithms.identification.borda_elimination import BordaElimination
from tests.mean_duels import agrees, count_duels

COUNTED = {"0.6 model": (325_261, 5327), "arithmetic8": (43_929, 810), "btl": (42_148, 655)}


@pytest.mark.parametrize("instance", [pytest.param("0.6 model", marks=pytest.mark.slow), "arithmetic8", "btl"])
def test_as_many_duels_as_others_have_counted(instance):
    counted = count_duels(BordaElimination(), instance, 100)
    assert agrees(counted, *COUNTED[instance])
    assert counted.right == 1.0
    assert not agrees(counted, COUNTED[instance][0] * 1.2**2)  # a fifth in the radius
    assert not agrees(counted, COUNTED[instance][0] * 1.1)
