"""Vote files: rows that compare two arms each, and the counts of each pair."""

from duelbench.sources.votes.options import VoteFileOptions
from duelbench.sources.votes.read import read_votes
from duelbench.sources.votes.report import Refused, Source, Votes

__all__ = ["Refused", "Source", "VoteFileOptions", "Votes", "read_votes"]
