"""Machine code is loaded from directories that nobody else can write to, or from none."""

import os

import pytest

from duelbench.compiling import cache, private
from duelbench.errors import UserError


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """A temporary directory of the test's own, in a process that has not made a directory of kernels."""
    monkeypatch.setenv(private.VARIABLE, "")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    cache.sources_digest.cache_clear()
    private.made.cache_clear()
    yield tmp_path / "temporary"
    private.made.cache_clear()


def test_a_cache_that_cannot_be_written_is_replaced_by_one_of_the_commands_own(monkeypatch, tmp_path, alone, capsys):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    directory = cache.cache_directory.__wrapped__()
    (own,) = alone.iterdir()
    assert directory.parent == own
    assert own.stat().st_mode & 0o777 == 0o700
    assert os.environ[private.VARIABLE] == str(own)  # for the processes of this command
    assert cache.cache_directory.__wrapped__() == directory
    assert capsys.readouterr().err.count("duelbench: no machine code is kept in") == 1
    private._remove(own, os.getpid() + 1)
    assert own.exists()
    private._remove(own, os.getpid())
    assert not own.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners")
@pytest.mark.parametrize("spoil", ["mode", "owner"])
def test_machine_code_that_others_can_write_is_not_loaded(monkeypatch, tmp_path, alone, spoil):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    directory = cache.cache_directory.__wrapped__()
    assert directory.is_relative_to(tmp_path / "cache")
    if spoil == "mode":
        directory.chmod(0o777)
    elif os.geteuid() == 0:
        os.chown(directory, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.cache_directory.__wrapped__().is_relative_to(alone)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners")
@pytest.mark.parametrize("spoil", ["mode", "owner", "link"])
def test_nor_what_is_in_a_directory_in_which_others_can_rename(monkeypatch, tmp_path, alone, spoil):
    above = tmp_path / "above"
    above.mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(above))
    if spoil == "link":
        (tmp_path / "link").symlink_to(above)
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "link"))
    above.chmod(0o1777)
    assert cache.cache_directory.__wrapped__().is_relative_to(tmp_path)  # as /tmp
    assert not cache.cache_directory.__wrapped__().is_relative_to(alone)
    if spoil != "owner":
        above.chmod(0o777)
    elif os.geteuid() == 0:
        os.chown(above, 12345, -1)
    else:
        pytest.skip("only root gives directories away")
    assert cache.cache_directory.__wrapped__().is_relative_to(alone)


def test_a_directory_of_the_command_that_another_user_has_planted_is_not_used(monkeypatch, tmp_path, alone):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    planted = tmp_path / "planted"
    planted.mkdir()
    monkeypatch.setenv(private.VARIABLE, str(planted))
    assert cache.cache_directory.__wrapped__().is_relative_to(planted)
    planted.chmod(0o777)
    assert not cache.cache_directory.__wrapped__().is_relative_to(planted)


def test_where_nothing_can_be_written_a_sentence_says_so(monkeypatch, tmp_path, alone):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "a file"))
    alone.rmdir()
    with pytest.raises(UserError, match="set NUMBA_CACHE_DIR"):
        cache.cache_directory.__wrapped__()
