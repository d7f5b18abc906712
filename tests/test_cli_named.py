"""Datasets by the names that users give them, and names that are completed."""

import pytest
from click.shell_completion import CompletionItem

from duelbench.cli.named import complete_dataset, named_dataset
from duelbench.errors import UserError


def test_tables_generators_and_files(tmp_path):
    assert named_dataset("cyclic4", None).arms == 4
    assert named_dataset("btl-uniform", 7).arms == 7
    assert named_dataset("sushi16", None, {"size": 5}).arms == 5
    (tmp_path / "m.csv").write_text("0.5,0.7\n0.3,0.5\n")
    assert named_dataset(str(tmp_path / "m.csv"), None).arms == 2
    with pytest.raises(UserError, match="did you mean 'cyclic4'"):
        named_dataset("cyclic", None)


def test_names_and_files_are_completed():
    def completed(word):
        return [(item.value, item.type) for item in complete_dataset(None, None, word)]

    assert completed("cycl") == [("cyclic4", "plain"), ("cycl", "file")]
    assert completed("./m") == [("./m", "file")]
    assert isinstance(complete_dataset(None, None, "x")[0], CompletionItem)
