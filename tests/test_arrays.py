"""Records: named numbers that kernels change in place."""

import pickle

import numpy as np
import pytest

from duelbench.arrays import record
from duelbench.compiling.jit import kernel


@kernel
def step(cursor):
    cursor[0].position += 1
    cursor[0].chance /= 2.0
    cursor[0].due = not cursor[0].due


def test_kernels_keep_types_of_fields():
    cursor = record(position=2**40, chance=0.5, due=False)
    for _ in range(3):
        step(cursor)
    assert cursor.shape == (1,)
    assert cursor[0].tolist() == (2**40 + 3, 0.0625, True)
    assert [cursor.dtype[name] for name in ("position", "chance", "due")] == [np.int64, np.float64, np.bool_]


def test_records_share_nothing():
    one, other = record(position=0), record(position=0)
    one[0].position = 5
    assert other[0].position == 0


def test_attributes_in_plain_python():
    cursor = record(position=0, real=0.5)
    cursor[0].position = 7
    kept = pickle.loads(pickle.dumps(cursor))
    assert (cursor.item(), kept[0].position, kept[0].real) == ((7, 0.5), 7, 0.5)
    with pytest.raises(AttributeError, match="positon"):
        cursor[0].positon = 8
