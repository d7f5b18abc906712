"""The file: made once, never through a link, and refused where it cannot be what it should."""

import os

import pytest

from duelbench.errors import UserError
from duelbench.sessions.events import Returned, written
from duelbench.sessions.log import FILE, Log
from duelbench.sessions.making import created
from tests.sessions import ARMS

TIME = "2026-02-28T23:59:59.900+00:00"


def begun(directory):
    return Log.create(directory, created(directory, "rucb", ARMS, 0, None, None, {}))


def test_what_was_added_is_read_once_and_what_is_torn_is_cut_away(tmp_path):
    log = begun(tmp_path / "deep" / "er")
    anew, lines = log.unread()
    assert (anew, [line.number for line in lines]) == (True, [1])
    whole = log.path.read_bytes()
    with log.path.open("ab") as file:
        file.write(b'{"time":"2026' * 100)
    assert log.unread() == (False, [])
    with log.writing():
        log.append([Returned(time=TIME, id=1), Returned(time=TIME, id=2)])
    assert log.unread() == (False, [])
    assert log.path.read_bytes() == whole + written(Returned(time=TIME, id=1)) + written(Returned(time=TIME, id=2))
    _, lines = Log(log.directory).unread()
    assert [(line.number, getattr(line.event, "id", 0)) for line in lines] == [(1, 0), (2, 1), (3, 2)]


def test_a_directory_has_one_session(tmp_path):
    begun(tmp_path)
    with pytest.raises(UserError, match="has a session already"):
        begun(tmp_path)


def test_places_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UserError, match="is not a directory"):
            begun(place)
    with pytest.raises(UserError, match=r"there is no session in .*: make one with"):
        Log(tmp_path).unread()
    with pytest.raises(UserError, match="there is no session in"):
        Log(tmp_path / "file").unread()
    with pytest.raises(UserError, match="there is no session in"), Log(tmp_path / "nowhere").writing():
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_or_a_directory_is_no_log(tmp_path):
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(UserError, match="it is no plain file"):
        Log(tmp_path).unread()
    (tmp_path / "other" / FILE).mkdir(parents=True)
    with pytest.raises(UserError, match="it is a directory"):
        Log(tmp_path / "other").unread()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_what_may_not_be_written_can_be_read(tmp_path):
    log = begun(tmp_path)
    tmp_path.chmod(0o500)
    (tmp_path / FILE).chmod(0o400)
    assert len(Log(tmp_path).unread()[1]) == 1
    with pytest.raises(UserError, match="cannot write"), log.writing():
        log.append([Returned(time=TIME, id=1)])
    tmp_path.chmod(0o700)
