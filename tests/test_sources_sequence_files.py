"""Sequences of matrices in .npz files."""

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.sources.sequence_files import is_sequence, load_sequence
from duelbench.sources.tables import TABLES

CYCLIC = TABLES["cyclic4"].matrix()
BLOCKS = np.stack([CYCLIC.P, CYCLIC.relabelled([1, 0, 2, 3]).P, CYCLIC.P])


def test_a_file_is_read_as_it_was_written(tmp_path):
    np.savez(tmp_path / "s.npz", PMat=BLOCKS, rounds=[1, 5, 9])
    assert is_sequence(tmp_path / "s.npz")
    found = load_sequence(tmp_path / "s.npz")
    assert found.begins == (1, 5, 9)
    assert [each.digest() for each in found.matrices] == [
        CYCLIC.digest(),
        CYCLIC.relabelled([1, 0, 2, 3]).digest(),
        CYCLIC.digest(),
    ]


def test_other_files_are_no_sequences(tmp_path):
    np.savez(tmp_path / "one.npz", PMat=CYCLIC.P)
    (tmp_path / "text.npz").write_text("0.5,0.6")
    np.save(tmp_path / "s.npy", BLOCKS)
    assert not any(is_sequence(tmp_path / name) for name in ("one.npz", "text.npz", "s.npy", "nowhere.npz"))


WRONG = BLOCKS.copy()
WRONG[2, 0, 1] = 2.0


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"P": BLOCKS, "rounds": [1, 5, 9]}, "matrices in an array PMat"),
        ({"PMat": BLOCKS, "rounds": [1, 5]}, r"not shapes \(3, 4, 4\) and \(2,\)"),
        ({"PMat": CYCLIC.P, "rounds": [1]}, "one .K, K. matrix for each of the rounds"),
        ({"PMat": BLOCKS, "rounds": [1, 5, 5]}, "matrix 2 .counted from 0.: round 5 does not come after round 5"),
        ({"PMat": BLOCKS, "rounds": [2, 5, 9]}, "from round 1 on, not from 2"),
        ({"PMat": BLOCKS, "rounds": [1, 5.5, 9]}, "a whole round on, not from 5.5"),
        ({"PMat": BLOCKS, "rounds": [1, np.nan, 9]}, "from nan"),
        ({"PMat": WRONG, "rounds": [1, 5, 9]}, "matrix 2 .counted from 0.: row 1, column 2"),
        ({"PMat": BLOCKS, "rounds": ["a", "b", "c"]}, "real numbers only|no NumPy file"),
        ({"PMat": BLOCKS[:, :, :3], "rounds": [1, 5, 9]}, "one column per arm|4 rows"),
    ],
)
def test_what_is_no_sequence_is_refused_with_the_file(tmp_path, arrays, says):
    np.savez(tmp_path / "s.npz", **{name: np.array(each) for name, each in arrays.items()})
    with pytest.raises(UserError, match=says) as raised:
        load_sequence(tmp_path / "s.npz")
    assert raised.value.source == str(tmp_path / "s.npz")
