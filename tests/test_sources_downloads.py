"""Fetching, against a server of our own, and the facts of what is fetched."""

import functools
import gc
import hashlib
import http.server
import io
import threading
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

from duelbench.cli import main
from duelbench.errors import UserError
from duelbench.sources import downloads
from duelbench.sources.datasets import dataset
from duelbench.sources.downloads import BASE_URL, DOWNLOADS, SETS, Download, data_directory, fetchable, to_fetch


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
    """A directory that is served where the publisher's files would be."""
    root = tmp_path / "www"
    root.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=root))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setattr(downloads, "BASE_URL", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("DUELBENCH_DATA", str(tmp_path / "data"))
    yield root
    server.shutdown()
    server.server_close()
    thread.join()
    with warnings.catch_warnings():  # requests leaves the socket of a failed download to the garbage collector
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect(1)  # of what is young: all that other tests have left takes seconds


def pair(file="pair.npz"):
    return Download("pair", file, hashlib.sha256(CONTENT).hexdigest(), 2, "Pair", "Nobody", "A pair.")


def files_in(directory):
    return sorted(path.name for path in directory.rglob("*")) if directory.exists() else []


def test_fetch_once_then_read(served, tmp_path):
    (served / "pair.npz").write_bytes(CONTENT)
    with pytest.raises(
        UserError, match=r"pair is not here: 'duelbench datasets fetch pair' .* DUELBENCH_DATA .* pair.npz"
    ):
        pair().matrix()
    assert pair().fetch(progress=False)
    assert files_in(tmp_path / "data") == ["pair.npz"]
    assert pair().matrix().P[0, 1] == 0.75 and pair().matrix().source == "pair"
    (served / "pair.npz").unlink()
    assert not pair().fetch(progress=False)


def test_progress_goes_to_stderr(served, capfd):
    (served / "pair.npz").write_bytes(CONTENT)
    pair().fetch(progress=True)
    out, err = capfd.readouterr()
    assert out == "" and "100%" in err


def test_a_changed_file_is_refused_and_replaced(served):
    (served / "pair.npz").write_bytes(CONTENT)
    pair().fetch(progress=False)
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
        ("pair.npz", b"something else", "is not the published file"),
        ("pair.npz", None, r"HTTP status 404"),
        ("short.npz", None, "the connection broke off"),
    ],
)
def test_a_failed_download_leaves_nothing_behind(served, tmp_path, file, sends, says):
    if sends is not None:
        (served / file).write_bytes(sends)
    with pytest.raises(UserError, match=says) as caught:
        pair(file).fetch(progress=False)
    assert downloads.BASE_URL + file in caught.value.message and "set DUELBENCH_DATA" in caught.value.message
    assert files_in(tmp_path / "data") == []


def test_a_wrong_download_leaves_what_is_there(served):
    (served / "pair.npz").write_bytes(b"something else")
    pair().path.parent.mkdir()
    pair().path.write_bytes(b"older")
    with pytest.raises(UserError, match=r"is not the published file"):
        pair().fetch(progress=False)
    assert pair().path.read_bytes() == b"older"


def test_no_connection(served, monkeypatch):
    monkeypatch.setattr(downloads, "BASE_URL", "http://127.0.0.1:9/")  # the discard port: nobody listens
    with pytest.raises(UserError, match=r"cannot download http://127.0.0.1:9/pair.npz \(no connection\)"):
        pair().fetch(progress=False)


def test_a_place_that_cannot_be_written_to(served, tmp_path, monkeypatch):
    (served / "pair.npz").write_bytes(CONTENT)
    (tmp_path / "data").write_text("a file")
    with pytest.raises(UserError, match=r"cannot write to .*data .*: set DUELBENCH_DATA to a directory of your own"):
        pair().fetch(progress=False)


def test_data_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("DUELBENCH_DATA", "here")
    assert str(data_directory()) == "here"
    monkeypatch.delenv("DUELBENCH_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_directory() == tmp_path / "duelbench" / "datasets"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_directory() == tmp_path / ".cache" / "duelbench" / "datasets"


def test_names():
    assert fetchable() == ["mslr", "mslr-informational", "mslr-navigational", "mslr-perfect"]
    assert to_fetch("mslr") == SETS["mslr"] == tuple(DOWNLOADS.values())
    assert to_fetch("mslr-perfect") == (DOWNLOADS["mslr-perfect"],)
    with pytest.raises(UserError, match=r"there is no 'mslr-perfekt' to fetch .did you mean 'mslr-perfect'"):
        to_fetch("mslr-perfekt")
    assert "da41c471d3c984f0fd2851ae91a573eb7623b234" in BASE_URL


def test_the_verb(served, tmp_path, monkeypatch):
    (served / "pair.npz").write_bytes(CONTENT)
    monkeypatch.setitem(DOWNLOADS, "pair", pair())
    first, second = (CliRunner().invoke(main, ["datasets", "fetch", "pair"]) for _ in range(2))
    assert first.output == f"pair  downloaded to {tmp_path / 'data' / 'pair.npz'}\n"
    assert second.output == f"pair  is there already: {tmp_path / 'data' / 'pair.npz'}\n"
    failed = CliRunner().invoke(main, ["datasets", "fetch", "mslr"])
    assert failed.exit_code == 2
    assert failed.stderr.startswith("error: cannot download ") and failed.stderr.count("\n") == 1


def test_a_dataset_that_is_not_there_points_to_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("DUELBENCH_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"'duelbench datasets fetch mslr-perfect' downloads it") as caught:
        dataset("mslr-perfect")
    assert caught.value.key == ("name",)
    spec = tmp_path / "s.yaml"
    spec.write_text("horizon: 9\nruns: 1\nalgorithms: [uniform]\ndatasets:\n  - mslr-perfect\n")
    checked = CliRunner().invoke(main, ["check", str(spec)])
    assert checked.exit_code == 2
    assert checked.stderr.startswith(f"error: {spec}:5: mslr-perfect is not here: ")


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


def test_the_five_armed_tables_are_parts_of_the_informational_matrix(mslr):
    whole = mslr["mslr-informational"]
    for name, arms in (("mslr5-condorcet", [1, 3, 2, 0, 4]), ("mslr5-non-condorcet", [92, 6, 91, 93, 104])):
        np.testing.assert_allclose(dataset(name).origin.P, whole.submatrix(arms).P, rtol=0, atol=0.5e-8)
