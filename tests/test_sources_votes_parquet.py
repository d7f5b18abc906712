"""Parquet, where pyarrow is installed, and what is said where it is not."""

import sys

import pytest

from duelbench.errors import UserError
from duelbench.sources.votes import read_votes
from duelbench.sources.votes.tables import open_table


def test_rows_of_parquet_are_those_of_csv(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = {
        "model_a": ["x", "y", "x", None, "z"],
        "model_b": ["y", "z", "z", "x", "y"],
        "conversation": [["a"], [], None, ["b", "c"], []],
        "winner": ["model_a", "tie", "model_b", "tie", "model_b"],
        "anony": [True, True, True, True, False],
    }
    parquet.write_table(pyarrow.table(table), tmp_path / "v.parquet", row_group_size=2)
    (tmp_path / "v.csv").write_text(
        "model_a,model_b,winner,anony\nx,y,model_a,true\ny,z,tie,true\nx,z,model_b,true\n,x,tie,true\nz,y,model_b,false\n"
    )
    votes, same = (read_votes([tmp_path / name], only=[("anony", "true")]) for name in ("v.parquet", "v.csv"))
    assert votes.counts.digest() == same.counts.digest()
    assert votes.counts.names == ("x", "y", "z")
    assert (votes.rows, votes.left_out, votes.refused_rows) == (5, 1, 1)
    assert votes.refused[0].places == (f"{tmp_path / 'v.parquet'}:4",)
    refused = []
    found = list(open_table(tmp_path / "v.parquet").rows(["conversation"], lambda *fault: refused.append(fault)))
    assert found == [(3, ("",))]
    assert [line for line, _ in refused] == [1, 2, 4, 5]


def test_a_damaged_file_is_one_sentence(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "v.parquet").write_bytes(b"PAR1 nonsense PAR1")
    with pytest.raises(UserError, match="this Parquet file cannot be read"):
        read_votes([tmp_path / "v.parquet"])


def test_without_pyarrow_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "v.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError) as caught:
        read_votes([tmp_path / "v.parquet"])
    assert "pip install 'duelbench[parquet]'" in caught.value.message
