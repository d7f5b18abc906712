"""The words that mean something in files of votes, in the names of columns and in outcomes.

Reading, notes about columns that are not used, and the table in datasets/README.md follow these words. A name is split
into its words: ``modelA``, ``model_a`` and ``Model A`` are ``model a``.
"""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.replace("\n", ",").split(",") if each.strip())


MARKS = {
    "letter": ("a", "b"),
    "number": ("1", "2"),
    "order": ("first", "second"),
    "side": ("left", "right"),
    "venue": ("home", "away"),
    "colour": ("white", "black"),
    "index": ("0", "1"),
}
"""The marks of the two sides: ``model_a``, ``model_b``. Outcomes may name a side of any kind."""
INITIALS = {"letter": ("a", "b"), "side": ("l", "r"), "venue": ("h", "a"), "colour": ("w", "b")}
"""Letters that mean a side, in outcomes only."""
DRAWN = ("venue", "colour")
"""The kinds beside whose letters a ``d`` is a draw."""
WON = (("winner", "loser"), ("winning", "losing"), ("chosen", "rejected"), ("preferred", "rejected"))
"""Marks of the two sides of which the first has won."""

ARMS = _words("""
    model, system, player, team, arm, item, option, candidate, variant, generator, assistant, agent, name, policy
    ranker, engine, bot
""")
"""What an arm is called, the most likely first."""
LABELS = _words("name, id, source, username")
"""Words that may stand beside those for an arm: ``model_a_name``."""
CONTENTS = _words("prompt, response, answer, text, image, output, completion, summary")
"""What was compared: these are arms if no others are named."""
SIDES = _words("""
    model, system, assistant, player, team, option, response, output, answer, candidate, side, variant, text, choice
    summary, completion, image, prompt
""")
"""Words that may stand beside a mark in an outcome: ``Response A``."""
OUTCOMES = _words("""
    winner, result, outcome, preference, preferred, chosen, choice, vote, judgment, judgement, verdict, label, better
    ftr, selected, pairwise, pw
""")
"""What an outcome is called, the most likely first."""
INDEXES = _words("id, index, idx")
"""After a word for the winner, these say that it is a number: ``better_response_id``."""
INDEXED = _words("winner, preferred, chosen, better, selected")
WINS = _words("wins, win, won, winner, votes, preferred, better, chosen, selected")
"""What columns of flags or of numbers of votes are called, one for each side."""
COUNTED = _words("wins, win, votes")
"""Of these, without a word for an arm: columns of numbers of votes. ``votes`` always are."""
SCORES = _words("score, goals, points, pts, reward")
"""What the scores of the two sides are called: the larger one wins."""
WEIGHTS = _words(
    "count, counts, weight, weights, times, frequency, frequencies, freq, cnt, n, total, sum, multiplicity"
)
"""What a number of votes is called, alone or with ``COUNTABLE``. It is not guessed."""
COUNTABLE = _words("""
    votes, games, matches, battles, duels, comparisons, judgments, judgements, occurrences, voters, trials
    vote count, game count, match count, vote weight, sample size, nb votes
""")
QUANTITIES = _words("n, num, number, no, nr, of, count, counts, total, sum")
JUDGES = _words("judge, annotator, rater, judge hash, visitor id, worker id, completed by")
GROUPS = _words("ranking id, ballot id")
USERS = _words("user, rater, judge, annotator, reviewer, prompt id")
ITEMS = _words("item, movie, model, system, arm, title, product, name")
VALUES = _words("rating, value, score, stars, grade, points")
"""The columns of ratings."""
ORDERS = _words("swapped, swap, flipped, flip, reversed, switched, exchanged, order, position, side, shown")
"""Columns that say on which side the arms were shown, as do those with a mark such as ``left``."""
BESIDE = _words("""
    is, was, has, flag, vote, votes, num, number, of, n, count, result, winner, positions, sides, presentation, display
""")
"""Words that may stand beside those for ties and orders: ``is_draw``, ``sides_swapped``."""
SHORT = {"fthg": "home goals", "ftag": "away goals", "hg": "home goals", "ag": "away goals", "res": "result"}
"""Short names of columns in files of football matches."""
YES, NO = ("yes", "y", "t", "x"), ("no", "n", "f")
"""True and false in flags, beside ``true``, ``1`` and so on."""

FOR_A_SIDE = _words(
    "is, was, win, wins, won, winner, better, best, preferred, selected, much, slightly, clearly, strongly"
    ", significantly, somewhat, moderately, definitely, i, prefer, the"
)
"""Words that may surround a side in an outcome: ``the left is slightly better``."""
TIES = _words("tie, ties, tied, draw, draws, drawn")
EQUAL = _words("""
    both, neither, either, equal, equally, equals, equality, equivalent, same, similar, similarly, alike, identical
    comparable, bothequal, bothgood, bothbad, indifferent
""")
"""These and ``TIES`` are ties, in outcomes and as names of flags, alone or with words in ``BETWEEN``."""
BETWEEN = _words("""
    the, it, its, is, are, they, them, of, about, roughly, nearly, almost, approximately, quite
    very, just, much, all, one, ones, two, i, think, feel, seem, in, quality, good, bad, great, poor, fine, ok, okay
    well, badly, correct, incorrect, wrong, acceptable, unacceptable, helpful, unhelpful, useful, better, best, wins
    won, model, models, answer, answers, response, responses, option, options, output, outputs, side, sides
""")
HOW_TIED = _words("""
    by, agreement, mutual, repetition, threefold, stalemate, insufficient, material, fifty, move, rule, inconsistent
    game, match
""")
"""Words that may stand beside ``TIES``: ``draw by agreement``."""
