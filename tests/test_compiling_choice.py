"""Which tier serves under a numba that is not as expected, or when one is asked for."""

import os
import subprocess
import sys

import pytest

from duelbench.compiling import choice
from duelbench.errors import UserError
from tests.comparison import ROOT

BROKEN = """
import sys
import numba.core.codegen
del numba.core.codegen.JITCodeLibrary
from duelbench.compiling.choice import tier
print(tier().number)
"""


def test_the_tier_below_serves_and_one_line_says_so_once(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop(choice.VARIABLE, None)
    heard = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", BROKEN], env=environment, capture_output=True, text=True)
        assert done.stdout == "2\n"
        heard += done.stderr.splitlines()
    assert len(heard) == 1
    assert "is not as expected (ImportError in tier 3: cannot import name 'JITCodeLibrary'" in heard[0]


def test_a_numba_that_is_not_known_is_tried_in_a_process_of_its_own(monkeypatch, tmp_path, capsys):
    """It may not survive."""
    monkeypatch.setattr(choice, "cache_directory", lambda: tmp_path / "first")
    monkeypatch.setattr(choice.numba, "__version__", "9.1.0")
    assert choice.serves(2)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(choice, "cache_directory", lambda: tmp_path / "second")
    (tmp_path / "python").write_text("#!/bin/sh\nkill -SEGV $$\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(choice.sys, "executable", str(tmp_path / "python"))
    assert not choice.serves(2)
    assert "numba 9.1.0 is not as expected (its trial ended with exit code -11)" in capsys.readouterr().err
    assert not choice.serves(2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("wanted", "number"), [("1", 1), ("2", 2), ("3", 3), ("", 3)])
def test_a_variable_chooses_the_tier(monkeypatch, wanted, number):
    monkeypatch.setenv(choice.VARIABLE, wanted)
    assert choice.tier.__wrapped__().number == number


def test_there_is_no_fourth_tier(monkeypatch):
    monkeypatch.setenv(choice.VARIABLE, "4")
    with pytest.raises(UserError, match="set it to 1, 2 or 3"):
        choice.tier.__wrapped__()
