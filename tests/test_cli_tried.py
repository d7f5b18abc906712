"""A user's algorithm is tried before it is put to work; the rest is in test_cli_test and test_cli_session."""

import pytest

from duelbench.cli.tried import tried_algorithm, with_colon
from duelbench.errors import UserError
from duelbench.sources.datasets import dataset
from tests.proved import PLAIN


def test_names_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    four = dataset("btl-uniform", None, {"arms": 4}, None)
    assert tried_algorithm("rucb", four, "btl-uniform") == "rucb"
    with pytest.raises(UserError, match="did you mean 'rucb'"):
        tried_algorithm("rubc", four, "btl-uniform")
    (tmp_path / "mine.py").write_text(PLAIN)
    kind = tried_algorithm("mine.py:MyPolicy", four, "btl-uniform", {"alpha": 0.7}, 100)
    assert (kind.name, kind.parameters) == ("my-policy", {"alpha": 0.7})


def test_something_in_the_file_is_named():
    assert with_colon("a.py:B", "Class") == "a.py:B"
    with pytest.raises(UserError, match=r"a\.py names no class: write a\.py:Class"):
        with_colon("a.py", "Class")
