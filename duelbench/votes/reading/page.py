"""A Markdown page about a matrix made from votes: sources, refused rows, arms, pairs and winners."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized

import numpy as np

from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.proportions import percent
from duelbench.votes.reading.certainty import DRAWS, Certainty, chances_sentence, likely_arms, ties_sentence
from duelbench.votes.reading.findings import THIN, Findings, Pair
from duelbench.votes.reading.report import Votes

LISTED = 20
"""The largest number of rows in a table and of names in a sentence."""


def page(
    title: str,
    votes: Votes,
    counts: PairCounts,
    matrix: PreferenceMatrix,
    found: Findings,
    certain: Certainty,
    unseen: str,
) -> str:
    """Return the page, which is the same for the same votes.

    ``counts`` are those of ``votes`` or of some of their arms, as are ``found`` and ``certain``; ``unseen``
    describes the entries of pairs without votes.
    """
    seen = f"{found.pairs - len(found.unseen):,} of {found.pairs:,}"
    parts = [
        f"# {title}",
        f"{counts.arms} arms, {amount(counts.votes.sum() / 2)} votes on {seen} pairs. Entry (i, j) is the "
        "share of votes that arm i has won against arm j, a tie being half a win for both.",
        "## Where the votes are from",
        *_sources(votes),
        "## Arms",
        _arms(counts, matrix),
        "## Pairs",
        *pairs_sentences(counts, found, unseen),
        "## Winners",
        winners_table(counts, found),
        *_surely(counts, found),
        *_chances(counts, certain),
        *(["## Ties", ties_sentence(certain)] if certain.tie_share else []),
        "## Cycles",
        cycles_sentence(counts, found),
    ]
    return "\n\n".join(part.replace("<", "&lt;") for part in parts) + "\n"


def _sources(votes: Votes) -> Iterable[str]:
    yield _table(
        ["file", "rows", "read as", "SHA-256"],
        [[each.path, f"{each.rows:,}", each.understood, f"`{each.sha256}`"] for each in votes.sources],
    )
    numbers = [f"Rows read: {votes.rows:,}; refused: {votes.refused_rows:,}"]
    if votes.left_out:
        numbers.append(f"left out by --only: {votes.left_out:,}")
    if votes.abstentions:
        numbers.append(f"abstentions: {sum(votes.abstentions.values()):,}")
    if votes.dropped_ties:
        numbers.append(f"ties dropped: {amount(votes.dropped_ties)}")
    yield "; ".join(numbers) + "."
    if votes.abstentions:
        yield "Abstentions, which are no votes:"
        yield _table(["outcome", "rows"], [[word, f"{rows:,}"] for word, rows in votes.abstentions.items()])
    if votes.refused:
        yield _table(
            ["reason", "rows", "as in"],
            [[each.reason, f"{each.rows:,}", ", ".join(each.places)] for each in votes.refused],
        )
    yield from (f"Note: {warning}." for warning in votes.warnings)
    if votes.judges:
        yield _table(["judge", "rows"], [[judge or "(not named)", f"{rows:,}"] for judge, rows in votes.judges.items()])


def _arms(counts: PairCounts, matrix: PreferenceMatrix) -> str:
    copeland, borda = matrix.copeland_scores(), matrix.borda_scores()
    won, lost, tied = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    rows = [
        [
            counts.names[arm],
            *(amount(each[arm]) for each in (won + lost + tied, won, lost, tied)),
            f"{copeland[arm]:.3f}",
            f"{borda[arm]:.3f}",
        ]
        for arm in np.lexsort((-borda, -copeland))
    ]
    return _table(["arm", "votes", "won", "lost", "tied", "Copeland score", "Borda score"], rows, all_of_them=True)


def pairs_sentences(counts: PairCounts, found: Findings, unseen: str) -> Iterable[str]:
    """Yield sentences about pairs with few votes or none, and about groups of arms that votes do not compare."""
    names, votes = counts.names, counts.votes
    if len(found.unseen):
        some = ", ".join(f"{names[i]} – {names[j]}" for i, j in found.unseen[:LISTED])
        taken = f", for which {unseen} is taken" if unseen else ""
        yield f"{len(found.unseen):,} of {found.pairs:,} pairs have no votes{taken}: {some}{_cut(found.unseen)}."
    else:
        yield f"Each of the {found.pairs:,} pairs has votes."
    if len(found.thin):
        some = ", ".join(f"{names[i]} – {names[j]} ({amount(votes[i, j])})" for i, j in found.thin[:LISTED])
        yield f"{len(found.thin):,} have fewer than {THIN}: {some}{_cut(found.thin)}."
    if len(found.apart) > 1:
        parts = "; ".join(arms_listed(names, group) for group in found.apart)
        yield f"No votes connect these groups of arms, so nothing is known of one against another: {parts}."
    elif len(found.one_sided) > 1:
        small = found.one_sided[1 : LISTED + 1]
        parts = "; ".join(arms_listed(names, group) for group in small)
        yield f"These groups have won, or lost, all votes against the others, so their distance is unknown: {parts}."
    yield f"The 95 % interval leaves 1/2 out on {found.pairs_decided:,} of {found.pairs:,} pairs."


def winners_table(counts: PairCounts, found: Findings) -> str:
    """Return a table of the winners by each rule."""
    names = counts.names
    rows = [
        ["Condorcet winner (beats every other arm)", "none" if found.condorcet is None else names[found.condorcet]],
        ["Copeland winner (beats most others)", arms_listed(names, found.copeland)],
        ["Borda winner (largest mean share)", arms_listed(names, found.borda)],
        ["Smith set (smallest that beats all others)", arms_listed(names, found.smith)],
    ]
    return _table(["rule", "winner"], rows)


def arms_listed(names: Sequence[str], arms: Sequence[int]) -> str:
    """Return the names of some arms, only the first ones if there are many."""
    return ", ".join(names[arm] for arm in arms[:LISTED]) + _cut(arms)


def decided_sentence(counts: PairCounts, found: Findings) -> str:
    """Return a sentence about the number of decided pairs of the first Copeland winner."""
    decided = sum(pair.decided for pair in found.winner_pairs)
    winner = counts.names[found.copeland[0]]
    return f"{decided} of {counts.arms - 1} pairs of {winner} are decided at 95 % (Wilson's interval)"


def _surely(counts: PairCounts, found: Findings) -> Iterable[str]:
    yield f"{decided_sentence(counts, found)}, the closest first:"
    rows = [
        [
            counts.names[each.second],
            amount(each.votes),
            f"{each.share:.3f}",
            f"{each.low:.3f} … {each.high:.3f}",
            _result(each),
        ]
        for each in sorted(found.winner_pairs, key=lambda pair: abs(pair.share - 0.5))
    ]
    yield _table(["against", "votes", "share won", "95 % interval", ""], rows)


def _result(pair: Pair) -> str:
    return "open" if not pair.decided else "wins" if pair.share > 0.5 else "loses"


def _chances(counts: PairCounts, certain: Certainty) -> Iterable[str]:
    if certain.chances is None:
        yield chances_sentence(counts, certain)
        return
    yield f"Probability of being a Copeland winner given these votes, from {DRAWS:,} samples of the posterior:"
    likely = [[counts.names[arm], percent(chance, DRAWS)] for arm, chance in likely_arms(certain, 0.01)]
    yield _table(["arm", "probability"], likely)


def cycles_sentence(counts: PairCounts, found: Findings) -> str:
    """Return the number of cycles, and the shortest ones."""
    if not found.cycles:
        return "None: the pairs are consistent with an order of the arms."
    shown = "; ".join(" > ".join(counts.names[arm] for arm in (*cycle, cycle[0])) for cycle in found.cycles)
    what = f"{found.three_cycles:,} of three arms" if found.three_cycles else "None of three arms, but longer ones"
    more = " …" if found.three_cycles > len(found.cycles) else ""
    return f"{what}, each beating the next: {shown}{more}."


def amount(votes: float) -> str:
    """Return a number of votes, which may have weights."""
    return f"{votes:,.0f}" if votes == round(votes) else f"{votes:,.2f}"


def _cut(all_of_them: Sized) -> str:
    return ", …" if len(all_of_them) > LISTED else ""


def _table(head: list[str], rows: list[list[str]], all_of_them: bool = False) -> str:
    shown = rows if all_of_them else rows[:LISTED]
    lines = [head, ["---"] * len(head), *shown]
    if len(shown) < len(rows):
        lines.append([f"and {len(rows) - len(shown):,} more", *[""] * (len(head) - 1)])
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
