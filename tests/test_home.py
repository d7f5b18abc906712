"""Where the user's cache is, for users with and without a home."""

import os
from pathlib import Path

import platformdirs
import pytest

from duelbench.compiling.cache import cache_directory
from duelbench.home import is_nowhere, user_cache
from tests.comparison import ROOT


def test_tests_leave_the_users_cache_alone():
    assert Path(os.environ["HOME"]) == ROOT / ".pytest_cache" / "home"
    assert cache_directory().is_relative_to(ROOT / ".pytest_cache")


def test_it_is_where_the_platform_has_it(monkeypatch, tmp_path):
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, author: tmp_path / name)
    assert user_cache() == tmp_path / "duelbench"
    assert not is_nowhere(user_cache())


@pytest.mark.parametrize("error", [RuntimeError, KeyError])
def test_a_user_without_home_has_none(monkeypatch, error):
    def fails(name, author):
        raise error

    monkeypatch.setattr(platformdirs, "user_cache_path", fails)
    assert is_nowhere(user_cache() / "kernels")
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name, author: Path("~/.cache", name))
    assert is_nowhere(user_cache())
