"""Untrusted matrix files and raw data: they are read, or refused with the line; nothing in them is executed."""

import csv
import io
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.sources import matrix_files
from duelbench.sources.matrix_files import load_matrix, save_matrix
from tests.choosing import mirrored
from tests.fuzzing import Yard

P = np.array([[0.5, 0.75], [0.25, 0.5]])
ROWS = "0.5,0.75\n0.25,0.5\n"


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    return Yard(tmp_path_factory.mktemp("yard"))


def refused(path):
    with pytest.raises(UserError) as caught:
        load_matrix(path)
    assert caught.value.source == str(path)
    return caught.value


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (ROWS, None),
        ("\ufeff# from a spreadsheet\r\n0.5, 0.75\r\n 0.25 ,0.5\r\n\r\n", None),
        (f'# note\n\n"x, y",z\n{ROWS}', ("x, y", "z")),
        (f'"1","2"\n{ROWS}', ("1", "2")),
        ("arm,a,b\na,0.5,0.75\nb,0.25,0.5\n", ("a", "b")),
        (",0,1\n0,0.5,0.75\n1,0.25,0.5\n", ("0", "1")),
        ('a,"b,c"\na,0.5,0.75\n"b,c",0.25,0.5\n', ("a", "b,c")),
    ],
)
def test_csv(tmp_path, text, names):
    (tmp_path / "m.CSV").write_bytes(text.encode())
    matrix = load_matrix(tmp_path / "m.CSV")
    assert matrix.names == names
    assert np.array_equal(matrix.P, P)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a,0.5\n0.5,0.6\n", 1, "'a' in column 1 is not a number: write numbers separated by commas"),
        ("0.5,0.6\n0.4,x\n", 2, "'x' in column 2 is not a number"),
        ("0.5,0.6,\n", 1, "column 3 is empty"),
        ("0.5,0.6\n0.4\n", 2, "this row has 1 columns, the first one has 2"),
        ("# note\n\n0.5,0.6\n0.4,1.5\n", 4, "row 2, column 2 (counted from 1) is 1.5"),
        ("0.5,0.6\n", None, "this has 1 rows and 2 columns"),
        ("# nothing\n", None, "the file holds no numbers"),
        (f"a,b,c\n{ROWS}", None, "3 names for 2 arms"),
        (",a,b\nb,0.5,0.6\na,0.4,0.5\n", 2, "this row is called 'b', but the first line has 'a'"),
        ("a,b\na,0.5,0.6\nb,0.4,0.5\nc,1,1\n", 4, "this row is called 'c', but the first line has no further arm"),
        (",a,b\na,0.5,?\nb,0.4,0.5\n", 2, "'?' in column 3 is not a number"),
        (",a,b\na,0.5,0.6\nb,0.4,?\n", 3, "the diagonal is '?': write 0.5"),
        (",a,b\na,,0.6\nb,0.4,\n", 2, "the diagonal is empty: write 0.5"),
        (",0.6,0.7\n0.4,,0.8\n0.3,0.2,\n", 2, "the diagonal is empty: write 0.5"),
        ("0.5,0.6\n0.4,\n", 2, "the diagonal is empty: write 0.5"),
        ("-,0.6\n0.4,-\n", 1, "the diagonal is '-': write 0.5"),
        ("50%,60%\n40%,50%\n", 1, "'50%' in column 1 is not a number: write 0.5, not 50%"),
        ("a,b\na,50 %,60 %\nb,40 %,50 %\n", 2, "write 0.5, not 50 %"),
        ("0.5,60%\n40%,0.5\n", 1, "write 0.6, not 60%"),
        ("1/2,3/5\n2/5,1/2\n", 1, "write 0.5, not 1/2"),
        ('"0,5","0,6"\n"0,4","0,5"\n', 2, "'0,4' is not a number: write 0.4, not 0,4"),
        (",0,1\n1,0.5,0.6\n0,0.4,0.5\n", 2, "this row is called '1', but the first line has '0'"),
        ("0,5;0,6\n0,4;0,5\n", 1, "write numbers separated by commas"),
    ],
)
def test_csv_errors(tmp_path, text, line, says):
    (tmp_path / "m.csv").write_text(text)
    error = refused(tmp_path / "m.csv")
    assert says in error.message
    assert (error.line, error.key) == (line, ())


@pytest.mark.parametrize("suffix", [".csv", ".npy", ".npz", ".CSV"])
def test_round_trip(tmp_path, suffix):
    matrix = PreferenceMatrix(mirrored(np.random.default_rng(1).random((7, 7))))
    save_matrix(tmp_path / f"m{suffix}", matrix, "about\nthis")
    assert load_matrix(tmp_path / f"m{suffix}").digest() == matrix.digest()
    if suffix == ".csv":
        assert (tmp_path / "m.csv").read_text().startswith("# about\n# this\n0.5,")


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
@pytest.mark.parametrize(
    "names",
    [("a", "b"), ("1", "2"), ("x, y", 'say "z"'), ("#1", "b"), ("ü", "nan"), ("0.5", "b"), ("=a", "'@b"), ("-1", "+x")],
)
def test_names_round_trip(tmp_path, suffix, names):
    save_matrix(tmp_path / f"m{suffix}", PreferenceMatrix(P, names=names), "about")
    assert load_matrix(tmp_path / f"m{suffix}").names == names
    if suffix == ".csv":
        header = (tmp_path / "m.csv").read_text().splitlines()[1]
        assert not any(cell.startswith(tuple("=+-@")) for cell in next(csv.reader([header])))


class Trap:
    def __reduce__(self):
        return os.mkdir, ("sprung",)


def npy(array, **how):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **how)
    return stream.getvalue()


def header(text, version=(1, 0)):
    raw = text if isinstance(text, bytes) else text.encode("latin-1")
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(raw)) + raw


def shaped(shape, descr="<f8"):
    return header(f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n")


def zipped(*members, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


READABLE = {
    "fortran.npy": npy(np.asfortranarray(P)),
    "big.npy": npy(P.astype(">f8")),
    "long.npy": npy(P.astype(np.longdouble)),
    "version2.npy": npy(P, version=(2, 0)),
    "one.npz": zipped(("x.npy", npy(P))),
    "lzma.npz": zipped(("x.npy", npy(P)), compression=zipfile.ZIP_LZMA),
    "key.npz": zipped(("x.npy", npy(P)), ("PMat.npy", npy(P)), ("../../evil.npy", b"")),
    "path.npz": zipped(("../../evil.npy", npy(P))),
    "narrow.npy": npy(P.astype(np.float16)),
}
OBJECTS = npy(np.array([[Trap()] * 2] * 2, object), allow_pickle=True)
REFUSED = {
    "objects.npy": (OBJECTS, "not a NumPy file of plain numbers"),
    "pickle.npy": (pickle.dumps(Trap()), "not a NumPy file of plain numbers"),
    "pickle.npz": zipped(("PMat.npy", pickle.dumps(Trap()))),
    "complex.npy": npy(P.astype(complex)),
    "number.npy": npy(np.array(0.5)),
    "beyond.npy": npy(np.full((2, 2), np.longdouble("1e4000"))),
    "huge.npz": zipped(("PMat.npy", shaped((10**9, 10**9)) + b"\0" * 64)),
    "promise.npy": shaped((4000, 4000)) + b"\0" * 64,
    "negative.npy": shaped((-2, -2)) + b"\0" * 64,
    "wide.npy": shaped((2, 2), "|S1000000000"),
    "nested.npy": header("(" * 9_000),
    "call.npy": header("{'descr': __import__('os').mkdir('sprung'), 'fortran_order': False, 'shape': (2, 2)}"),
    "python2.npy": header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 2L), }\n") + P.tobytes()[:8],
    "cut.npz": (zipped(("PMat.npy", npy(P)))[:-30], "not a NumPy file of plain numbers"),
    "inflated.npz": lambda: zipped(("PMat.npy", shaped((2, 3)) + b"\0" * 1_000_000)),
    "members.npz": lambda: zipped(*((f"{n}.npy", b"") for n in range(5_000))),
    "two.npz": (zipped(("a.npy", npy(P)), ("b.npy", npy(P))), "holds a, b: store one array, or call the matrix PMat"),
    "scores.npy": (npy(P[0]), "this has shape (2,)"),
    "empty.npz": (zipped(), "is empty"),
    "quote.csv": b'"a,b\n0.5,0.7\n0.3,0.5\n',
    "return.csv": b'"a",b\rc\n0.5,0.7\n0.3,0.5\n',
    "pickled-names.npz": zipped(("PMat.npy", npy(P)), ("names.npy", npy(np.array(["a", "b"], dtype=object)))),
    "huge.csv": b"0.5,1e999\n1,0.5\n",
    "wide.csv": b"0.5," * 100_000 + b"0.5\n",
    "tall.csv": b"0.5\n" * 100_000,
    "latin.csv": (b"0.5,0.7\xe9\n", "not UTF-8"),
    "escape.csv": b"\x1b[31m,\xe2\x80\xae\n",
}  # fmt: skip


def test_archive_of_compressed_zeros(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "m.npz", np.zeros((100, 100)))
    monkeypatch.setattr(matrix_files, "_MOST_BYTES", 10_000)
    with pytest.raises(UserError, match="holds more than 1 GiB"):
        load_matrix(tmp_path / "m.npz")


@pytest.mark.parametrize("name", READABLE)
def test_unusual_files(yard, name):
    (yard.work / name).write_bytes(READABLE[name])
    assert np.array_equal(load_matrix(yard.work / name).P, P)
    assert yard.call("datasets", "show", name) == ""


@pytest.mark.parametrize("name", REFUSED)
def test_refused_files(yard, name):
    content, says = REFUSED[name] if isinstance(REFUSED[name], tuple) else (REFUSED[name], "")
    content = content() if callable(content) else content
    (yard.work / name).write_bytes(content)
    said = yard.call("datasets", "show", name)
    assert f"error: {name}" in said
    assert says in said
    assert not list(yard.root.rglob("sprung"))
