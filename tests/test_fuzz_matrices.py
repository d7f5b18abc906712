"""Matrix files and raw data that come from anywhere: read, or refused in one line; nothing in them is run."""

import io
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import strategies as st

from duelbench.errors import UserError
from duelbench.sources.files import MAX_ARMS, load_matrix
from tests.fuzzing import Yard, fuzzed

P = np.array([[0.5, 0.7], [0.3, 0.5]])


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    return Yard(tmp_path_factory.mktemp("yard"))


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
    "bom.csv": b"\xef\xbb\xbf0.5,0.7\r\n0.3,0.5\r\n",
    "narrow.npy": npy(np.array([[0.5, 0.75], [0.25, 0.5]], np.float16)),
}
REFUSED = {
    "nan.npy": npy(np.full((2, 2), np.nan)),
    "objects.npy": npy(np.array([[Trap()] * 2] * 2, object), allow_pickle=True),
    "objects.npz": zipped(("PMat.npy", npy(np.array([[Trap()] * 2] * 2, object), allow_pickle=True))),
    "pickle.npy": pickle.dumps(Trap()),
    "pickle.npz": zipped(("PMat.npy", pickle.dumps(Trap()))),
    "pickle.csv": pickle.dumps(Trap()),
    "complex.npy": npy(P.astype(complex)),
    "text.npy": npy(P.astype(str)),
    "times.npy": npy(np.zeros((2, 2), "M8[s]")),
    "records.npy": npy(np.zeros((2, 2), [("a", "f8"), ("b", "f8")])),
    "cube.npy": npy(np.full((2, 2, 2), 0.5)),
    "number.npy": npy(np.array(0.5)),
    "beyond.npy": npy(np.full((2, 2), np.longdouble("1e4000"))),
    "none.npy": npy(np.zeros((0, 0))),
    "single.npy": npy(np.array([[0.5]])),
    "long-rows.npy": npy(np.full((2, 3), 0.5)),
    "huge.npy": shaped((10**9, 10**9)) + b"\0" * 64,
    "huge.npz": zipped(("PMat.npy", shaped((10**9, 10**9)) + b"\0" * 64)),
    "enormous.npy": shaped((10**40, 10**40)),
    "large.npy": shaped((MAX_ARMS + 1, MAX_ARMS + 1)),
    "promise.npy": shaped((4000, 4000)) + b"\0" * 64,
    "negative.npy": shaped((-2, -2)) + b"\0" * 64,
    "wide.npy": shaped((2, 2), "|S1000000000"),
    "void.npy": shaped((2, 2), "|V1000000000"),
    "nested.npy": header("(" * 9_000),
    "operators.npy": header("-" * 9_000 + "1"),
    "call.npy": header("{'descr': __import__('os').mkdir('sprung'), 'fortran_order': False, 'shape': (2, 2)}"),
    "python2.npy": header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 2L), }\n") + P.tobytes()[:8],
    "version9.npy": header("{}", (9, 9)),
    "cut.npy": npy(P)[:-1],
    "cut.npz": zipped(("PMat.npy", npy(P)))[:-30],
    "inflated.npz": zipped(("PMat.npy", shaped((2, 3)) + b"\0" * 50_000_000)),
    "members.npz": zipped(*((f"{n}.npy", b"") for n in range(5_000))),
    "empty.npz": zipped(),
    "no-array.npz": zipped(("PMat.npy", b"0.5,0.5")),
    "empty.csv": b"",
    "header.csv": b"a,b\n0.5,0.7\n",
    "names.csv": b"a,a\n0.5,0.7\n0.3,0.5\n",
    "quote.csv": b'"a,b\n0.5,0.7\n0.3,0.5\n',
    "quoted.csv": b'"' + b"x" * 200_000 + b'",b\n0.5,0.7\n0.3,0.5\n',
    "return.csv": b'"a",b\rc\n0.5,0.7\n0.3,0.5\n',
    "label.csv": b",a,b\nb,0.5,0.7\na,0.3,0.5\n",
    "names.npz": zipped(("PMat.npy", npy(P)), ("names.npy", npy(np.array(["a", "b", "c"])))),
    "no-names.npz": zipped(("PMat.npy", npy(P)), ("names.npy", npy(np.array([1, 2])))),
    "pickled-names.npz": zipped(("PMat.npy", npy(P)), ("names.npy", npy(np.array(["a", "b"], dtype=object)))),
    "ragged.csv": b"0.5,0.7\n0.3\n",
    "single.csv": b"0.5\n",
    "nan.csv": b"0.5,nan\nnan,0.5\n",
    "infinite.csv": b"0.5,inf\n-inf,0.5\n",
    "negative.csv": b"0.5,-0.1\n1.1,0.5\n",
    "huge.csv": b"0.5,1e999\n1,0.5\n",
    "digits.csv": b"0.5," + b"9" * 10_000 + b"\n0,0.5\n",
    "words.csv": b"x" * 1_000_000,
    "wide.csv": b"0.5," * 100_000 + b"0.5\n",
    "tall.csv": b"0.5\n" * 100_000,
    "zeros.csv": b"\0" * 1000,
    "utf16.csv": "0.5,0.7\n0.3,0.5\n".encode("utf-16"),
    "latin.csv": b"0.5,0.7\xe9\n",
    "escape.csv": b"\x1b[31m,\xe2\x80\xae\n",
}  # fmt: skip


@pytest.mark.parametrize("name", READABLE)
def test_unusual_files_are_read(yard, name):
    (yard.work / name).write_bytes(READABLE[name])
    assert load_matrix(yard.work / name).arms == 2
    assert yard.call("datasets", "show", name) == ""


@pytest.mark.parametrize("name", REFUSED)
def test_files_that_are_no_matrices_are_refused_in_one_line(yard, name):
    (yard.work / name).write_bytes(REFUSED[name])
    assert f"error: {name}" in yard.call("datasets", "show", name)
    assert not list(yard.root.rglob("sprung"))


def test_a_header_is_not_believed_before_its_size_is_checked(yard, monkeypatch):
    (yard.work / "bomb.npz").write_bytes(REFUSED["huge.npz"])
    with pytest.raises(UserError, match="at most 5,000 arms; this has shape"):
        load_matrix(yard.work / "bomb.npz")
    (yard.work / "large.npy").write_bytes(REFUSED["large.npy"])
    with pytest.raises(UserError, match="at most 5,000 arms"):
        load_matrix(yard.work / "large.npy")


@pytest.mark.parametrize("suffix", ["csv", "npy", "npz"])
def test_what_has_no_end_is_not_read(yard, suffix):
    places = {f"d.{suffix}": "it is a directory", f"zero.{suffix}": "no plain file", f"pipe.{suffix}": "no plain file"}
    for name in places:
        (yard.work / name).is_symlink() and (yard.work / name).unlink()
    (yard.work / f"d.{suffix}").mkdir(exist_ok=True)
    (yard.work / f"zero.{suffix}").symlink_to("/dev/zero")
    os.mkfifo(yard.work / f"pipe.{suffix}")
    for name, why in places.items():
        assert why in yard.call("datasets", "show", name)


def test_two_thousand_arms(yard):
    strength = np.linspace(0, 0.4, 2_000)
    large = 0.5 + strength[:, None] - strength
    np.save(yard.work / "large.npy", large)
    assert yard.call("datasets", "show", "large.npy") == ""
    (yard.work / "large.npy").unlink()


@fuzzed(60, 150, data=st.data())
def test_broken_matrix_files(yard, data):
    name = data.draw(st.sampled_from(sorted({**READABLE, "m.csv": b""})))
    raw = READABLE.get(name, b"0.5,0.7,0.6\n# note\n0.3,0.5,0.5\n\n0.4,0.5,0.5\n")
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw)))
        end = start + data.draw(st.integers(0, 6))
        junk = st.one_of(
            st.binary(max_size=4), st.sampled_from([b"9" * 30, b"(", b"'", b"|O", b"L", b"\xff" * 8, b","])
        )
        raw = raw[:start] + data.draw(junk) + raw[end:]
    (yard.work / name).write_bytes(raw)
    yard.call("datasets", "show", name)
    assert not list(yard.root.rglob("sprung"))


ORDERS = b"4 1\n0 3 2 1 0\n0 2 3 1\n"


@fuzzed(25, 60, data=st.data())
def test_broken_order_files(yard, data):
    raw = ORDERS
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(raw)))
        end = start + data.draw(st.integers(0, 3))
        junk = st.one_of(st.binary(max_size=3), st.sampled_from([b"-", b"1e3", b"9" * 9, b"9" * 5000, b" 0", b"\n"]))
        raw = raw[:start] + data.draw(junk) + raw[end:]
    (yard.work / "x.order").write_bytes(raw)
    output = yard.work / "sushi2.csv"
    output.write_text("")
    yard.call("datasets", "build", "sushi", "x.order", "-n", 2, may_write=output)


@pytest.mark.parametrize(
    "text",
    [b"", b"9" * 5000 + b" qid:1 1:1\n", b"1 qid:1 999999999999:1 2:1\n", b"1 qid:1 1:nan\n", b"1 qid:1 1:1e999\n",
     b"1 qid:" + b"q" * 10_000 + b" 1:1\n0 qid:2 1:1\n0 qid:" + b"q" * 10_000 + b" 1:1\n", b"\0\xff\n", b"1 qid: 1:1\n",
     "\u00b2 qid:1 1:1\n".encode(), b"-1 qid:1 1:1\n", b"1 qid:1 " + b"9" * 5000 + b":1\n", b"1 qid:1 1:1 1:2\n"],
)  # fmt: skip
def test_broken_judged_documents(yard, text):
    (yard.work / "train.txt").write_bytes(text)
    said = yard.call("datasets", "build", "letor", "train.txt", "--click-model", "perfect", "-j", 1)
    assert said.startswith("error: train.txt")


@pytest.mark.parametrize("features", ["1-99999999999999", "²", "1-²", "-", "", ",", "9" * 5000, "3-1", "0-2", "1,1"])
def test_features_that_are_none(yard, features):
    (yard.work / "train.txt").write_text("1 qid:1 1:1 2:1\n")
    said = yard.call("datasets", "build", "letor", "train.txt", "--click-model", "perfect", "--features", features)
    assert "Invalid value for '--features'" in said


@pytest.mark.parametrize("what", ["/dev/zero", "pipe.order"])
def test_raw_data_without_an_end(yard, what):
    if not (yard.work / "pipe.order").exists():
        os.mkfifo(yard.work / "pipe.order")
    assert "no plain file" in yard.call("datasets", "build", "sushi", what)
    assert "error: " in yard.call("datasets", "build", "letor", what, "--click-model", "perfect")
