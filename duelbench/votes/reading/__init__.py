"""Vote files: rows that compare two arms each, and the counts of each pair."""

from duelbench.votes.reading.columns import VoteFileOptions
from duelbench.votes.reading.read import read_votes
from duelbench.votes.vote_table import Refused, Source, Votes

__all__ = ["Refused", "Source", "VoteFileOptions", "Votes", "read_votes"]
