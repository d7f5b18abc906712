"""Matrix files: what is read, and the line of what is refused."""

import tracemalloc
import zipfile

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources.files import load_matrix, save_matrix
from duelbench.sources.tables import TABLES

P = np.array([[0.5, 0.6], [0.4, 0.5]])


def test_csv(tmp_path):
    file = tmp_path / "m.CSV"
    file.write_bytes("\ufeff# from a spreadsheet\r\n0.5, 0.6\r\n 0.4 ,0.5\r\n\r\n".encode())
    assert np.array_equal(load_matrix(file).P, P)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            "a,0.5\n0.5,0.6\n",
            1,
            "'a' in column 1 is not a number: write numbers separated by commas, with nothing above",
        ),
        ("0.5,0.6\n0.4,x\n", 2, "'x' in column 2 is not a number"),
        ("0.5,0.6,\n", 1, "column 3 is empty"),
        ("0.5;0.6\n", 1, "'0.5;0.6' in column 1 is not a number"),
        ("0.5,0.6\n0.4\n", 2, "this row has 1 columns, the first one has 2"),
        ("# note\n\n0.5,0.6\n0.4,1.5\n", 4, "row 2, column 2 (counted from 1) is 1.5"),
        ("0.5,0.6\n", None, "this has 1 rows and 2 columns"),
        ("# nothing\n", None, "the file holds no numbers"),
    ],
)
def test_csv_errors(tmp_path, text, line, says):
    file = tmp_path / "m.csv"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        load_matrix(file)
    assert says in caught.value.message
    assert (caught.value.source, caught.value.line, caught.value.key) == (str(file), line, ())


def refused(file):
    with pytest.raises(UserError) as caught:
        load_matrix(file)
    assert caught.value.source == str(file)
    return caught.value.message


def test_missing_files(tmp_path):
    assert refused(tmp_path / "m.csv") == "there is no such file"
    assert "a matrix is read from .csv, .npy, .npz" in refused(tmp_path / "m.xlsx")
    (tmp_path / "d.csv").mkdir()
    assert "cannot be read" in refused(tmp_path / "d.csv")
    (tmp_path / "latin.csv").write_bytes(b"0.5,0.5\xe9")
    assert "not UTF-8" in refused(tmp_path / "latin.csv")


def test_numpy_files(tmp_path):
    np.save(tmp_path / "m.npy", P)
    np.savez(tmp_path / "one.npz", anything=P)
    np.savez_compressed(tmp_path / "named.npz", other=P.T, PMat=P)
    for name in ("m.npy", "one.npz", "named.npz"):
        assert np.array_equal(load_matrix(tmp_path / name).P, P)


def test_numpy_errors(tmp_path):
    np.savez(tmp_path / "two.npz", a=P, b=P)
    assert "holds a, b: store one array, or call the matrix PMat" in refused(tmp_path / "two.npz")
    np.savez(tmp_path / "none.npz")
    assert "is empty" in refused(tmp_path / "none.npz")
    whole = (tmp_path / "two.npz").read_bytes()
    for name, content in {"text.npy": b"0.5,0.5", "empty.npy": b"", "cut.npz": whole[:100]}.items():
        (tmp_path / name).write_bytes(content)
        assert "no NumPy file of plain numbers" in refused(tmp_path / name)
    np.save(tmp_path / "scores.npy", P[0])
    assert "this has shape (2,)" in refused(tmp_path / "scores.npy")


def test_pickles(tmp_path):
    class Trap:
        def __reduce__(self):
            return (tmp_path / "sprung").touch, ()

    objects = np.array([Trap()], dtype=object)
    np.save(tmp_path / "m.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "m.npz", PMat=objects)
    for name in ("m.npy", "m.npz"):
        assert "no NumPy file of plain numbers" in refused(tmp_path / name)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("suffix", [".csv", ".npy", ".npz", ".CSV"])
def test_round_trip(tmp_path, suffix):
    P = np.random.default_rng(1).random((7, 7))
    matrix = PreferenceMatrix(np.triu(P, 1) + np.tril(1 - P.T, -1) + np.eye(7) / 2)
    save_matrix(tmp_path / f"m{suffix}", matrix, "about\nthis")
    assert load_matrix(tmp_path / f"m{suffix}").digest() == matrix.digest()
    if suffix == ".csv":
        assert (tmp_path / "m.csv").read_text().startswith("# about\n# this\n0.5,")


def test_failing_write(tmp_path, monkeypatch):
    (tmp_path / "m.npy").write_text("as it was")

    def full(file, array):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(UserError, match="cannot write here: No space left on device"):
        save_matrix(tmp_path / "m.npy", TABLES["tennis8"].matrix(), "")
    assert [path.name for path in tmp_path.iterdir()] == ["m.npy"]
    assert (tmp_path / "m.npy").read_text() == "as it was"


def peak(path):
    """Return the most bytes that refusing a file takes, and what is said."""
    tracemalloc.start()
    try:
        with pytest.raises(UserError) as refused:
            load_matrix(path)
        return tracemalloc.get_traced_memory()[1], refused.value.message
    finally:
        tracemalloc.stop()


def test_huge_header(tmp_path):
    file = tmp_path / "m.npz"
    length = 300_000_000
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("PMat.npy", "w") as member:
        member.write(np.lib.format.magic(2, 0) + length.to_bytes(4, "little"))
        for _ in range(length // 1_000_000):
            member.write(b" " * 1_000_000)
    assert file.stat().st_size < 1_000_000
    most, says = peak(file)
    assert says == "this is no NumPy file of plain numbers"
    assert most < 10_000_000


def test_endless_line(tmp_path):
    file = tmp_path / "m.csv"
    file.write_bytes(b"0.5," * 10_000_000)
    most, says = peak(file)
    assert says == "this line is too long for a row of a matrix"
    assert most < 20_000_000


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
def test_csv_names(tmp_path, text, names):
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
def test_csv_name_errors(tmp_path, text, line, says):
    with pytest.raises(UserError) as caught:
        read(tmp_path, text)
    assert says in caught.value.message
    assert caught.value.line == line


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
@pytest.mark.parametrize(
    "names", [("a", "b"), ("1", "2"), ("x, y", 'say "z"'), ("#1", "b"), ("ü", "nan"), ("0.5", "b")]
)
def test_names_round_trip(tmp_path, suffix, names):
    save_matrix(tmp_path / f"m{suffix}", PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]], names=names), "about")
    assert load_matrix(tmp_path / f"m{suffix}").names == names
