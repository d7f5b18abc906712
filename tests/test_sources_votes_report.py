"""What reading votes gives."""

import hashlib

from duelbench.sources.votes import read_votes


def test_a_source_is_told_by_its_bytes(tmp_path):
    (tmp_path / "v.csv").write_bytes(b"winner,loser\nx,y\n")
    votes = read_votes([tmp_path / "v.csv"])
    (source,) = votes.sources
    assert source.path == str(tmp_path / "v.csv")
    assert source.sha256 == hashlib.sha256(b"winner,loser\nx,y\n").hexdigest()
    assert (source.rows, source.understood) == (1, "winner has won against loser")
    assert (votes.refused_rows, votes.refused, votes.warnings) == (0, (), ())
