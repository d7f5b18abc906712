"""What is exported is read back as the same votes."""

from duelbench.preferences.counts import PairCounts
from duelbench.sessions.export import counts_text, votes_text
from duelbench.sessions.session import Session
from duelbench.sources.votes import read_votes
from tests.sessions import voted

NAMES = ["gpt, big", '"quoted"', "β", "tie"]


def counted(votes):
    """The counts by name."""
    return {
        (one, other): (votes.wins[i, j], votes.ties[i, j])
        for i, one in enumerate(votes.names)
        for j, other in enumerate(votes.names)
    }


def test_votes_and_counts_read_back_as_they_were(tmp_path):
    session = Session("d-ts", NAMES, seed=1)
    voted(session, 80, judge="ann, b")
    (tmp_path / "votes.csv").write_text(votes_text(session.votes), encoding="utf-8")
    found = read_votes([tmp_path / "votes.csv"])
    assert found.refused_rows == 0
    assert found.judges == {"ann, b": len(session.votes)}
    assert counted(found.counts) == counted(session.counts)
    assert found.counts.ties.any()
    session.tell_votes(PairCounts(tuple(NAMES), *(2 * [[[0, 7, 0, 0], [7, 0, 0, 0], [0] * 4, [0] * 4]])))
    (tmp_path / "counts.csv").write_text(counts_text(session), encoding="utf-8")
    assert counted(read_votes([tmp_path / "counts.csv"]).counts) == counted(session.counts)


def test_a_session_without_votes_has_a_header():
    assert votes_text([]) == "first,second,winner,judge,asked,answered,ask,coin,used\n"
    assert counts_text(Session("rucb", 2)) == "first,second,wins_first,wins_second,ties\n"
