"""A matrix made from votes, what is known of it, and a Markdown page about it.

The statistics are the winners, their certainty, the model of ties that fits best, and pairs with few votes or none; the
page has them with the sources, the refused rows and the arms.
"""

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from duelbench.arrays import Floats
from duelbench.errors import UserError
from duelbench.markup import markdown_table
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.proportions import NORMAL, percent, wilson
from duelbench.votes import matrices
from duelbench.votes.strengths import groups, unbeaten_groups
from duelbench.votes.tie_models import TieModel, fit_ties
from duelbench.votes.vote_table import Votes


def smith_set(matrix: PreferenceMatrix) -> NDArray[np.intp]:
    """Return the smallest set of arms that beat all arms outside it, in increasing order (Smith, Econometrica 1973).

    It is the first strongly connected component of "beats or ties"; if there is a Condorcet winner, it is this arm.
    """
    at_least_ties = matrix.P >= 0.5
    count, part = connected_components(csr_array(at_least_ties), connection="strong")
    # Between two components all edges have the same direction, so the arms of the first have the most edges.
    reach = [np.count_nonzero(at_least_ties[part == each]) / np.count_nonzero(part == each) for each in range(count)]
    return np.flatnonzero(part == int(np.argmax(reach)))


def cycles(matrix: PreferenceMatrix, most: int) -> tuple[int, list[tuple[int, ...]]]:
    """Return the number of cycles of three arms, each beating the next, and up to ``most`` of them.

    If there are only longer cycles (then some pairs tie), return 0 and a shortest cycle. A cycle begins with its lowest
    arm.
    """
    beats = matrix.P > 0.5
    number = beats.astype(np.float32)
    total = round(float(((number @ number) * number.T).sum(dtype=np.float64)) / 3)
    found: list[tuple[int, ...]] = []
    for arm in range(matrix.arms):
        if len(found) >= most or not total:
            break
        later = np.arange(matrix.arms) > arm
        seconds, thirds = np.flatnonzero(beats[arm] & later), np.flatnonzero(beats[:, arm] & later)
        found += [(arm, int(seconds[j]), int(thirds[k])) for j, k in np.argwhere(beats[np.ix_(seconds, thirds)])]
    if total:
        return total, found[:most]
    longer = _shortest_cycle(beats)
    return 0, [longer] if longer else []


def _shortest_cycle(beats: NDArray[np.bool_]) -> tuple[int, ...] | None:
    distance, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    back = np.where(beats, distance.T, np.inf)  # the distance from the loser of a pair back to its winner
    first, last = np.unravel_index(int(np.argmin(back)), back.shape)
    if not np.isfinite(back[first, last]):
        return None
    path = [int(first)]
    while path[-1] != last:
        path.append(int(before[last, path[-1]]))
    lowest = path.index(min(path))
    around = [path[lowest], *reversed(path[lowest + 1 :] + path[:lowest])]
    return tuple(around)


Unseen = Literal["bradley-terry", "half"]
"""The entries of pairs without votes: from a Bradley–Terry model of the other pairs, or 1/2."""

_NAMED = 5
"""The largest number of pairs or arms to name in a sentence."""


def shares(counts: PairCounts, unseen: Unseen | None, source: str) -> PreferenceMatrix:
    """Return the matrix of the shares of votes won, a tie being half a win for both.

    ``unseen`` defines the entries of pairs without votes; with None such pairs are an error. ``source`` names the
    matrix in errors.

    Raises:
        UserError: pairs without votes and no ``unseen``, or a model that the votes do not determine.
    """
    missing = _unseen_pairs(counts)
    if len(missing) and unseen is None:
        some = ", ".join(f"{counts.names[i]} – {counts.names[j]}" for i, j in missing[:_NAMED])
        more = ", …" if len(missing) > _NAMED else ""
        pairs = counts.arms * (counts.arms - 1) // 2
        raise UserError(
            f"{len(missing):,} of {pairs:,} pairs have no votes ({some}{more}): fill them in from a model of the "
            "others (--unseen bradley-terry) or with 1/2 (--unseen half), or keep fewer arms (--arms)",
            source=source,
        )
    if len(missing) and unseen == "bradley-terry":
        apart = groups(counts.votes)
        if len(apart) > 1:
            some = ", ".join(counts.names[arm] for arm in apart[1][:_NAMED])
            raise UserError(
                f"no votes connect {some}{' …' if len(apart[1]) > _NAMED else ''} with {counts.names[apart[0][0]]}, "
                "neither directly nor through others, so no model can compare them: use --unseen half, or keep fewer "
                "arms (--arms)",
                source=source,
            )
    return matrices.shares(counts, unseen, source)


def _unseen_pairs(counts: PairCounts) -> NDArray[np.intp]:
    """Return the pairs (i, j), i < j, without votes, shape (pairs, 2)."""
    return np.argwhere(np.triu(counts.votes == 0, 1))


_THIN = 10
"""A pair with fewer votes is thin: the interval of its probability has a length of at least 1/2."""

_CYCLES = 5
"""The largest number of cycles to show."""


@dataclass(frozen=True)
class Pair:
    """The votes on a pair seen from its first arm: the share won, a tie as half a win, and its 95 % interval."""

    first: int
    second: int
    votes: float
    share: float
    low: float
    high: float

    @property
    def decided(self) -> bool:
        """Whether the interval is above 1/2 or below."""
        return self.low > 0.5 or self.high < 0.5


@dataclass(frozen=True, eq=False)
class Findings:
    """The statistics of a matrix made from votes.

    ``thin`` are the pairs (i, j) with few votes, fewest first, ``unseen`` those without votes, both (pairs, 2).
    ``apart`` are groups of arms that no votes connect, ``one_sided`` groups of which each has lost, or won, all votes
    against the rest; ideally there is one group of all arms. ``winner_pairs`` are the pairs of the first Copeland
    winner, the most probable one.
    """

    condorcet: int | None
    copeland: tuple[int, ...]
    borda: tuple[int, ...]
    smith: tuple[int, ...]
    three_cycles: int
    cycles: tuple[tuple[int, ...], ...]
    unseen: NDArray[np.intp]
    thin: NDArray[np.intp]
    apart: tuple[tuple[int, ...], ...]
    one_sided: tuple[tuple[int, ...], ...]
    winner_pairs: tuple[Pair, ...]
    pairs_decided: int
    pairs: int


def find(counts: PairCounts, matrix: PreferenceMatrix, chances: Floats | None) -> Findings:
    """Return the statistics of ``counts`` and of the ``matrix`` made from them.

    Copeland winners are ordered by their ``chances`` (those of ``Certainty``).
    """
    borda = matrix.borda_scores()
    copeland = matrix.copeland_winners()
    if chances is not None:
        copeland = copeland[np.argsort(-chances[copeland], kind="stable")]
    number, shown = cycles(matrix, _CYCLES)
    votes = counts.votes
    few = np.argwhere(np.triu((votes > 0) & (votes < _THIN), 1))
    winner = int(copeland[0])
    return Findings(
        matrix.condorcet_winner(),
        tuple(map(int, copeland)),
        tuple(map(int, np.flatnonzero(borda == borda.max()))),
        tuple(map(int, smith_set(matrix))),
        number,
        tuple(shown),
        _unseen_pairs(counts),
        few[np.argsort(votes[few[:, 0], few[:, 1]], kind="stable")],
        tuple(map(tuple, groups(votes))),
        tuple(map(tuple, unbeaten_groups(counts.halved()))),
        tuple(_pair(counts, winner, other) for other in range(counts.arms) if votes[winner, other] > 0),
        pairs_decided(counts),
        counts.arms * (counts.arms - 1) // 2,
    )


def pairs_decided(counts: PairCounts) -> int:
    """Return the number of pairs whose Wilson interval excludes 1/2.

    The interval consists of the values that a score test does not reject: it excludes 1/2 if the share is more than
    1.96 standard errors, under probability 1/2, away from 1/2.
    """
    votes = counts.votes
    away = np.abs(counts.halved() - votes / 2)  # in votes won, with standard error sqrt(votes) / 2
    return int(np.count_nonzero(np.triu(away > NORMAL * np.sqrt(votes) / 2, 1)))


def _pair(counts: PairCounts, first: int, second: int) -> Pair:
    won, lost, ties = counts.wins[first, second], counts.wins[second, first], counts.ties[first, second]
    votes = float(won + lost + ties)
    share = float(won + ties / 2) / votes
    return Pair(first, second, votes, share, *wilson(share, votes))


FITTED, DRAWN = 400, 150
"""The largest numbers of arms to fit models of ties to, and to draw matrices of: each takes some seconds."""

_DRAWS = 1_000
"""The number of matrices drawn from the posterior: probabilities have standard errors of at most 1.6 %."""

_CLEAR = 2.0
"""The log-likelihood by which a model must exceed the others to fit clearly better."""

_MODELS: dict[TieModel, str] = {
    "davidson": "Davidson's model",
    "rao-kupper": "Rao and Kupper's model",
    "constant": "a constant share",
}


@dataclass(frozen=True, eq=False)
class Certainty:
    """The fits of the models of ties and the probabilities of being a best arm.

    ``nll`` has the negative log-likelihood per vote of each model, all of which have the same number of parameters; it
    is empty without ties, and if the models are not fitted, as ``why`` then says. ``chances`` are the
    probabilities that each arm is a Copeland winner, ties being a third outcome; None with many arms.
    """

    tie_share: float
    votes: float
    nll: dict[TieModel, float]
    why: str
    chances: Floats | None

    @property
    def best_model(self) -> TieModel | None:
        """The model of ties that fits clearly better than the others, if any does."""
        if not self.nll:
            return None
        best, second = sorted(self.nll, key=self.nll.__getitem__)[:2]
        return best if (self.nll[second] - self.nll[best]) * self.votes > _CLEAR else None


def certainty(counts: PairCounts) -> Certainty:
    """Fit the models of ties and the posterior to votes, each unless there are too many arms."""
    votes, ties = float(counts.votes.sum()) / 2, float(counts.ties.sum()) / 2
    nll: dict[TieModel, float] = {}
    why = ""
    if ties and counts.arms > FITTED:
        why = f"there are more than {FITTED} arms"
    elif ties:
        try:
            nll = {model: fit_ties(counts, model).nll for model in _MODELS}
        except UserError as error:
            why = error.message
    chances = Posterior(counts, ties="model").sample(_DRAWS).chances() if counts.arms <= DRAWN else None
    return Certainty(ties / votes if votes else 0.0, votes, nll, why, chances)


def ties_sentence(found: Certainty) -> str:
    """Return sentences about the share of ties and the model that fits them best; empty without ties."""
    if not found.tie_share:
        return ""
    share = f"{100 * found.tie_share:.1f} % of the votes are ties"
    if not found.nll:
        return f"{share}; no models are fitted to them, since {found.why}."
    fits = ", ".join(f"{name} {found.nll[model]:.4f}" for model, name in _MODELS.items())
    best = found.best_model
    verdict = f"{_MODELS[best]} fits best" if best else "no model fits clearly better than the others"
    return f"{share}; {verdict} (negative log-likelihood per vote: {fits})."


def likely_arms(found: Certainty, least: float) -> Iterator[tuple[int, float]]:
    """Yield the arms whose probability of being best is at least ``least``, the most probable first."""
    if found.chances is not None:
        for arm in np.argsort(-found.chances, kind="stable"):
            if found.chances[arm] >= least:
                yield int(arm), float(found.chances[arm])


def chances_sentence(counts: PairCounts, found: Certainty) -> str:
    """Return a sentence about the arms that are most probably best."""
    if found.chances is None:
        return f"Probabilities of being best are not computed for more than {DRAWN} arms."
    likely = list(likely_arms(found, 0.005))[:3]
    some = ", ".join(f"{counts.names[arm]} {percent(chance, _DRAWS)}" for arm, chance in likely)
    return f"Probability of being a Copeland winner, after these votes: {some}."


_LISTED = 20
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
        _winners_table(counts, found),
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
        [[each.path, f"{each.rows:,}", each.understood, f"`{each.sha256}`"] for each in votes.files],
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
        yield _table(["judge", "votes"], [[judge, f"{number:,}"] for judge, number in votes.judges.items()])


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
        some = ", ".join(f"{names[i]} – {names[j]}" for i, j in found.unseen[:_LISTED])
        taken = f", for which {unseen} is taken" if unseen else ""
        yield f"{len(found.unseen):,} of {found.pairs:,} pairs have no votes{taken}: {some}{_cut(found.unseen)}."
    else:
        yield f"Each of the {found.pairs:,} pairs has votes."
    if len(found.thin):
        some = ", ".join(f"{names[i]} – {names[j]} ({amount(votes[i, j])})" for i, j in found.thin[:_LISTED])
        yield f"{len(found.thin):,} have fewer than {_THIN}: {some}{_cut(found.thin)}."
    if len(found.apart) > 1:
        parts = "; ".join(arms_listed(names, group) for group in found.apart)
        yield f"No votes connect these groups of arms, so nothing is known of one against another: {parts}."
    elif len(found.one_sided) > 1:
        small = found.one_sided[1 : _LISTED + 1]
        parts = "; ".join(arms_listed(names, group) for group in small)
        yield f"These groups have won, or lost, all votes against the others, so their distance is unknown: {parts}."
    yield f"The 95 % interval leaves 1/2 out on {found.pairs_decided:,} of {found.pairs:,} pairs."


def _winners_table(counts: PairCounts, found: Findings) -> str:
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
    return ", ".join(names[arm] for arm in arms[:_LISTED]) + _cut(arms)


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
    yield f"Probability of being a Copeland winner given these votes, from {_DRAWS:,} samples of the posterior:"
    likely = [[counts.names[arm], percent(chance, _DRAWS)] for arm, chance in likely_arms(certain, 0.01)]
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
    return ", …" if len(all_of_them) > _LISTED else ""


def _table(head: list[str], rows: list[list[str]], all_of_them: bool = False) -> str:
    shown = rows if all_of_them else rows[:_LISTED]
    if len(shown) < len(rows):
        shown = [*shown, [f"and {len(rows) - len(shown):,} more", *[""] * (len(head) - 1)]]
    return "\n".join(markdown_table(head, [[cell.replace("|", "\\|") for cell in row] for row in shown]))
