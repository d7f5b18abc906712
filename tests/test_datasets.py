"""Datasets by name, the shipped tables, and downloads from a local server."""

import functools
import gc
import hashlib
import http.server
import io
import threading
import warnings

import numpy as np
import pytest

from duelbench.errors import UserError
from duelbench.files import shipped
from duelbench.preferences.scores import most_likely
from duelbench.sources import published_matrices
from duelbench.sources.datasets import dataset, dataset_names, describe_datasets
from duelbench.sources.generators import UniformRandom
from duelbench.sources.published_matrices import DOWNLOADS, TABLES, Download
from duelbench.votes.matrices import shares
from duelbench.votes.reading.read import read_votes
from duelbench.votes.vote_table import counts_path
from tests.choosing import rng


def error_of(**arguments):
    with pytest.raises(UserError) as caught:
        dataset(**arguments)
    return caught.value


def test_random_generator():
    free = dataset("uniform-random", parameters={"arms": 4})
    assert free.varies and free.arms == 4
    assert free.identity() == {
        "generator": "uniform-random",
        "parameters": {"arms": 4, "seed": None, "condorcet": False},
    }
    assert free.instance(rng(3)).digest() == UniformRandom(arms=4).draw(rng(3)).digest()
    assert free.instance(rng(3)).digest() != free.instance(rng(4)).digest()
    seeded = dataset("uniform-random", parameters={"arms": 4, "seed": 1})
    assert not seeded.varies
    assert seeded.identity() == {"matrix": seeded.instance(rng()).digest()}
    assert not dataset("linear-order").varies


@pytest.mark.parametrize(
    ("name", "parameters", "key", "says"),
    [
        ("sushi", {}, "name", "unknown dataset 'sushi' (did you mean 'sushi16'?): `duelbench list datasets` lists all"),
        ("six", {}, "name", "unknown dataset 'six' (did you mean 'six-rankers'?)"),
        ("xyz", {}, "name", "unknown dataset 'xyz': `duelbench list datasets` lists all; for your own matrix"),
        ("sushi16", {"arms": 4}, "arms", "Sushi is a fixed table and has no parameters: remove 'arms'"),
        ("btl-uniform", {"arm": 4}, "arm", "no parameter 'arm' (did you mean 'arms'?): choose among arms, seed"),
        ("btl-uniform", {"arms": 1}, "arms", "arms is 1: it must be greater than or equal to 2"),
        ("uniform-random", {"condorcet": "no"}, "condorcet", "condorcet is 'no': it must be true or false"),
    ],
)
def test_parameter_errors(name, parameters, key, says):
    error = error_of(name=name, parameters=parameters)
    assert says in error.message
    assert error.key == (key,)


@pytest.mark.parametrize(
    ("name", "submatrix", "key", "says"),
    [
        ("sushi16", {}, (), "write which arms"),
        ("sushi16", {"size": 1}, ("size",), "size is 1: it must be greater"),
        ("sushi16", {"size": 17}, ("size",), "size is 17, but there are only 16 arms"),
        ("btl-uniform", {"size": 101}, ("size",), "only 100 arms"),
        ("sushi16", {"sizes": 4}, ("sizes",), "did you mean 'size'?"),
        ("sushi16", {"size": 4, "seed": 1, "per_run": True}, ("seed",), "remove seed"),
        ("sushi16", {"arms": [0, 1], "size": 2}, ("size",), "random choices, but arms lists the choice: keep one"),
        ("sushi16", {"arms": [0, 16]}, ("arms", 1), "there is no arm 16"),
        ("sushi16", {"arms": [0, "x"]}, ("arms", 1), "arms.1 is 'x'"),
        ("sushi16", {"size": 3, "min_gap": 0.6}, ("min_gap",), "min_gap is 0.6"),
    ],
)
def test_submatrix_errors(name, submatrix, key, says):
    error = error_of(name=name, submatrix=submatrix)
    assert says in error.message
    assert error.key == ("submatrix", *key)


def test_file_errors(tmp_path):
    (tmp_path / "mine.csv").write_text("0.5,0.6\n0.4,zero\n")
    error = error_of(file="mine.csv", base=tmp_path)
    assert (error.source, error.line, error.key) == (str(tmp_path / "mine.csv"), 2, ("file",))
    for arguments in ({}, {"name": "sushi16", "file": "x.csv"}):
        assert "either a name, a file" in error_of(**arguments).message
    assert error_of(file="nowhere.csv", base=tmp_path).key == ("file",)


def test_catalogue():
    lines = describe_datasets()
    assert [line.name for line in lines] == dataset_names()
    for line in lines:
        if line.kind != "download":
            made = dataset(line.name)
            assert made.arms == line.arms
            assert made.title.startswith(line.title) and made.citation == line.citation
        assert line.note and (line.kind != "generator") == (not line.parameters)
    defaults = {line.name: {name: default for name, default, _ in line.parameters} for line in lines}
    assert defaults["uniform-random"] == {"arms": 10, "seed": None, "condorcet": False}


FACTS = {
    # name: (arms, Copeland winners, their wins, tied pairs, smallest gap)
    "six-rankers": (6, [0], 5, [(3, 5)], 0),
    "mslr5-condorcet": (5, [0], 4, [], 0.00999465),
    "mslr5-non-condorcet": (5, [0, 1, 2], 3, [], 0.00332994),
    "sushi16": (16, [7], 15, [(2, 4)], 0),
    "sushi16-ws": (16, [0], 15, [], 0.012),
    "cyclic4": (4, [0], 3, [], 0.1),
    "arithmetic8": (8, [0], 7, [], 0.05),
    "hudry13": (13, [0], 9, [], 0.1),
    "tennis8": (8, [0, 6], 6, [], 0.02),
    "gap": (8, [0], 7, [], 0.01),
    "multisol": (5, [0], 3, [], 0.2),
    "baseball1987": (7, [4], 6, [], 0.5 - 6 / 13),
    "journals4": (4, [3], 3, [], 284 / 505 - 0.5),
}


def test_shipped_files():
    assert set(TABLES) == set(FACTS)
    assert sorted(table.file for table in TABLES.values()) == sorted(
        path.name for path in shipped("datasets").glob("*.csv") if not path.stem.endswith("-counts")
    )


@pytest.mark.parametrize("name", TABLES)
def test_published_numbers(name):
    table = TABLES[name]
    matrix = table.matrix()
    lines = (shipped("datasets") / table.file).read_text(encoding="utf-8").splitlines()
    printed = np.loadtxt([line for line in lines if line[0].isdigit()], delimiter=",")  # some lines begin with names
    upper = np.triu_indices(matrix.arms, 1)
    assert np.array_equal(matrix.P[upper], printed[upper])
    assert np.abs(matrix.P - printed).max() < 1e-15

    arms, winners, wins, ties, gap = FACTS[name]
    assert matrix.arms == arms
    assert matrix.copeland_winners().tolist() == winners
    assert matrix.wins().max() == wins
    assert matrix.condorcet_winner() == (winners[0] if wins == arms - 1 else None)
    assert [(i, j) for i, j in zip(*upper, strict=True) if matrix.P[i, j] == 0.5] == ties
    assert matrix.smallest_gap() == pytest.approx(gap, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "reference", "published"),
    [
        # Firth, Bradley-Terry Models in R, Journal of Statistical Software 12, 2005; Agresti (2002), section 10.6
        (
            "baseball1987",
            "Baltimore",
            {"Boston": 1.1077, "Cleveland": 0.6839, "Detroit": 1.4364, "Milwaukee": 1.5814}
            | {"New York": 1.2476, "Toronto": 1.2945},
        ),
        ("journals4", "Biometrika", {"Comm Statist": -2.9491, "JASA": -0.4796, "JRSS-B": 0.2690}),
    ],
)
def test_published_strengths(name, reference, published):
    matrix = TABLES[name].matrix()
    counts = read_votes([counts_path(TABLES[name].path)]).counts
    assert shares(counts, None, "").digest() == matrix.digest()
    assert counts.names == matrix.names
    strength = dict(zip(counts.names, most_likely(counts.halved(), 1e-7), strict=True))  # nearly maximum likelihood
    found = {arm: strength[arm] - strength[reference] for arm in published}
    assert found == pytest.approx(published, abs=6e-5)


def published():
    stream = io.BytesIO()
    np.savez(stream, PMat=np.array([[0.5, 0.75], [0.25, 0.5]]))
    return stream.getvalue()


CONTENT = published()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        if self.path.endswith("short.npz"):  # promises more than it sends
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 10)
        else:
            super().do_GET()


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A local directory, served in place of the publisher's site."""
    root = tmp_path / "www"
    root.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=root))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(published_matrices, "BASE_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("DUELBENCH_DATA", str(tmp_path / "data"))
    yield root
    server.shutdown()
    server.server_close()
    thread.join()
    with warnings.catch_warnings():  # requests leaves the socket of a failed download to the garbage collector
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect(1)  # only young objects: collecting all takes seconds


def pair(file="pair.npz"):
    return Download("pair", file, "Pair", "Nobody", "A pair.", hashlib.sha256(CONTENT).hexdigest(), 2)


def files_in(directory):
    return sorted(path.name for path in directory.rglob("*")) if directory.exists() else []


def test_fetch(served, tmp_path):
    (served / "pair.npz").write_bytes(CONTENT)
    with pytest.raises(
        UserError, match=r"pair has not been downloaded: 'duelbench datasets fetch pair' .* DUELBENCH_DATA .* pair.npz"
    ):
        pair().matrix()
    assert pair().fetch(progress=False)
    assert files_in(tmp_path / "data") == ["pair.npz"]
    assert pair().matrix().P[0, 1] == 0.75 and pair().matrix().source == "pair"
    (served / "pair.npz").unlink()
    assert not pair().fetch(progress=False)


def test_changed_file(served, capfd):
    (served / "pair.npz").write_bytes(CONTENT)
    pair().fetch(progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "100%" in err
    pair().path.write_bytes(CONTENT[:-1])
    with pytest.raises(
        UserError, match=r"this is not pair as published .* 'duelbench datasets fetch pair' replaces it"
    ) as caught:
        pair().matrix()
    assert caught.value.source == str(pair().path)
    assert pair().fetch(progress=False)
    assert pair().path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("file", "sends", "says"),
    [
        ("pair.npz", b"something else", "does not send the published file"),
        ("pair.npz", None, r"HTTPError"),
        ("short.npz", None, r"\((ChunkedEncodingError|ConnectionError)\)"),
    ],
)
def test_failed_download(served, tmp_path, file, sends, says):
    if sends is not None:
        (served / file).write_bytes(sends)
    pair(file).path.parent.mkdir()
    pair(file).path.write_bytes(b"older")
    with pytest.raises(UserError, match=says) as caught:
        pair(file).fetch(progress=False)
    assert published_matrices.BASE_URL + file in caught.value.message and "set DUELBENCH_DATA" in caught.value.message
    assert files_in(tmp_path / "data") == [file]
    assert pair(file).path.read_bytes() == b"older"


@pytest.mark.parametrize(
    ("name", "condorcet", "copeland", "wins", "gap"),
    [
        ("mslr-informational", None, 114, 134, 7.2e-6),
        ("mslr-navigational", 109, 109, 135, 7.2e-6),
        ("mslr-perfect", 109, 109, 135, 2.4e-6),
    ],
)
def test_mslr_facts(mslr, name, condorcet, copeland, wins, gap):
    matrix = mslr[name]
    assert matrix.arms == DOWNLOADS[name].arms == 136
    assert matrix.condorcet_winner() == condorcet
    assert matrix.copeland_winners().tolist() == [copeland]
    assert matrix.wins().max() == wins
    assert matrix.smallest_gap() == pytest.approx(gap, rel=0.01) and matrix.smallest_gap() > 0
    assert str(copeland) in DOWNLOADS[name].note
    assert dataset(name).title == f"MSLR, {name.removeprefix('mslr-')}, K = 136"
    found = dataset(name, submatrix={"size": 16, "per_run": True, "condorcet": True, "min_gap": 0.005})
    part = found.instance(np.random.default_rng(1))
    assert part.condorcet_winner() is not None and part.smallest_gap() >= 0.005


def test_mslr5_tables(mslr):
    whole = mslr["mslr-informational"]
    for name, arms in (("mslr5-condorcet", [1, 3, 2, 0, 4]), ("mslr5-non-condorcet", [92, 6, 91, 93, 104])):
        np.testing.assert_allclose(dataset(name).whole.P, whole.submatrix(arms).P, rtol=0, atol=0.5e-8)
