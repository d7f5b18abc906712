"""CSV of matrices: names above and beside the numbers. Mistakes in lines: test_sources_files, test_fuzz_matrices."""

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.files import load_matrix, save_matrix

ROWS = "0.5,0.6\n0.4,0.5\n"


def read(tmp_path, text):
    (tmp_path / "m.csv").write_text(text, encoding="utf-8")
    return load_matrix(tmp_path / "m.csv")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ROWS, None),
        (f"a, b\n{ROWS}", ("a", "b")),
        (f'# note\n\n"x, y",z\n{ROWS}', ("x, y", "z")),
        (f'"1","2"\n{ROWS}', ("1", "2")),
        ("arm,a,b\na,0.5,0.6\nb,0.4,0.5\n", ("a", "b")),
        (",0,1\n0,0.5,0.6\n1,0.4,0.5\n", ("0", "1")),
        ('a,"b,c"\na,0.5,0.6\n"b,c",0.4,0.5\n', ("a", "b,c")),
    ],
)
def test_names_stand_above_and_perhaps_beside_the_numbers(tmp_path, text, names):
    matrix = read(tmp_path, text)
    assert matrix.names == names
    assert np.array_equal(matrix.P, [[0.5, 0.6], [0.4, 0.5]])


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (f"a,b,c\n{ROWS}", None, "there are 3 names for 2 arms"),
        (f"a,a\n{ROWS}", None, "two arms are called 'a'"),
        (f"a,0.1\n{ROWS}", 1, "'a' in column 1 is not a number"),
        (",a,b\nb,0.5,0.6\na,0.4,0.5\n", 2, "this row is called 'b' where the first line has 'a'"),
        ("a,b\na,0.5,0.6\nb,0.4,0.5\nc,1,1\n", 4, "this row is called 'c' where the first line has no further arm"),
        (",a,b\na,0.5,0.6\nb,0.4,?\n", 3, "'?' in column 3 is not a number"),
    ],
)
def test_names_that_do_not_fit(tmp_path, text, line, says):
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    assert says in caught.value.message
    assert caught.value.line == line


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
@pytest.mark.parametrize(
    "names", [("a", "b"), ("1", "2"), ("x, y", 'say "z"'), ("#1", "b"), ("ü", "nan"), ("0.5", "b")]
)
def test_names_are_read_as_they_were_saved(tmp_path, suffix, names):
    save_matrix(tmp_path / f"m{suffix}", PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]], names=names), "about")
    assert load_matrix(tmp_path / f"m{suffix}").names == names
