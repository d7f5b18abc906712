"""Records: named numbers that kernels change in place."""

import pickle

import pytest

from duelbench.arrays import record


def test_attributes_in_plain_python():
    cursor = record(position=0, real=0.5)
    cursor[0].position = 7
    kept = pickle.loads(pickle.dumps(cursor))
    assert (cursor.item(), kept[0].position, kept[0].real) == ((7, 0.5), 7, 0.5)
    with pytest.raises(AttributeError, match="positon"):
        cursor[0].positon = 8
