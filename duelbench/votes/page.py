"""Matrices made of votes, and what the votes say about them, in sentences and as a page in Markdown.

The findings are the winners, their certainty, the model of ties that fits best, and pairs with few votes or none. The
page also lists the files, the refused rows and the arms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path

from duelbench.arrays import Floats, Ints
from duelbench.errors import UserError
from duelbench.markup import markdown_table
from duelbench.preferences.counts import PairCounts
from duelbench.preferences.matrix import PreferenceMatrix
from duelbench.preferences.posterior import Posterior
from duelbench.preferences.scores import FITTED, STEPS
from duelbench.proportions import NORMAL, percent, wilson
from duelbench.votes import matrices
from duelbench.votes.reading.columns import VoteEntry
from duelbench.votes.reading.read import read
from duelbench.votes.strengths import design_effect, groups, independent, unbeaten_groups
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
    return 0, _shortest_cycle(beats)


def _shortest_cycle(beats: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    distance, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    back = np.where(beats, distance.T, np.inf)  # the distance from the loser of a pair back to its winner
    first, last = np.unravel_index(int(np.argmin(back)), back.shape)
    if not np.isfinite(back[first, last]):
        return []
    path = [int(first)]
    while path[-1] != last:
        path.append(int(before[last, path[-1]]))
    lowest = path.index(min(path))
    around = [path[lowest], *reversed(path[lowest + 1 :] + path[:lowest])]
    return [tuple(around)]


Unseen = Literal["bradley-terry", "half"]
"""The entries of pairs without votes: from a Bradley–Terry model of the other pairs, or 1/2."""

_NAMED = 5
"""The largest number of pairs or arms to name in a sentence."""


def shares(counts: PairCounts, unseen: Unseen | None, source: str) -> PreferenceMatrix:
    """Return the matrix of the shares of votes won, a tie being half a win for both.

    ``unseen`` defines the entries of pairs without votes; with None such pairs are an error. ``source`` names the
    matrix in errors.

    Raises UserError for pairs without votes if ``unseen`` is None, or if the votes do not determine the model.
    """
    missing = np.argwhere(np.triu(counts.votes == 0, 1))
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


_MOST_CONTINUED = 100_000_000
"""The largest number of earlier votes: the slowest algorithms learn them one by one, in half a second."""


def voted(path: Path, entry: VoteEntry) -> PreferenceMatrix | matrices.Voted:
    """Read a vote file; return the matrix, or the source of posterior samples, which takes groups into account.

    Raises UserError for mistakes in the file, with ``source`` and ``line``, and for pairs without votes.
    """
    found = read(path, entry)
    counts = found.counts
    if entry.continue_ and (votes := counts.votes.sum() / 2) > _MOST_CONTINUED:
        raise UserError(
            f"algorithms continue from at most {_MOST_CONTINUED:,} votes, not {votes:,.0f}: give a random part of them",
            source=str(path),
        )
    if entry.draw is None:
        return matrices.shares(counts, entry.unseen, path.name, ties=entry.ties == "keep")
    strength = math.inf if entry.draw == "bradley-terry" else entry.strength
    ties: Literal["half", "model"] = "model" if entry.ties == "keep" else "half"
    effect = design_effect(found.table)
    return matrices.Voted(Posterior(independent(counts, effect), strength, ties), entry.condorcet, entry.continue_)


_THIN = 10
"""A pair with fewer votes is thin: the interval of its probability has a length of at least 1/2."""

_CYCLES = 5
"""The largest number of cycles to show."""

MOST_FITTED, MOST_DRAWN = 400, 150
"""The largest numbers of arms to fit models of ties to, and to draw matrices of: each takes some seconds."""

_DRAWS = 1_000
"""The number of matrices drawn from the posterior: probabilities have standard errors of at most 1.6 %."""

_CLEAR = 2.0
"""The log-likelihood by which a model must exceed the others to fit clearly better."""

_LISTED = 20
"""The largest number of rows in a table and of names in a sentence."""

TieModel = Literal["davidson", "rao-kupper", "constant"]

_MODELS: dict[TieModel, str] = {
    "davidson": "Davidson's model",
    "rao-kupper": "Rao and Kupper's model",
    "constant": "a constant share",
}


class ShareAgainst(NamedTuple):
    """The share of its votes against another arm that an arm has won, ties as half wins, with its 95 % interval."""

    other: int
    votes: float
    value: float
    low: float
    high: float

    @property
    def result(self) -> str:
        """What the votes decide: the interval is above 1/2, below it, or neither."""
        return "wins" if self.low > 0.5 else "loses" if self.high < 0.5 else "open"


class Findings:
    """What votes say about the matrix made of them."""

    def __init__(self, counts: PairCounts, matrix: PreferenceMatrix) -> None:
        self.counts, self.matrix = counts, matrix
        self.total, self.ties = float(counts.votes.sum()) / 2, float(counts.ties.sum()) / 2
        self.pairs = counts.arms * (counts.arms - 1) // 2
        self.unseen = np.argwhere(np.triu(counts.votes == 0, 1))

    @cached_property
    def chances(self) -> Floats | None:
        """The probability that each arm is a Copeland winner, ties being a third outcome; None with many arms."""
        if self.counts.arms > MOST_DRAWN:
            return None
        return Posterior(self.counts, ties="model").sample(_DRAWS).chances()

    @cached_property
    def copeland(self) -> list[int]:
        """The Copeland winners, the most probable first."""
        winners = self.matrix.copeland_winners()
        order = slice(None) if self.chances is None else np.argsort(-self.chances[winners], kind="stable")
        found: list[int] = winners[order].tolist()
        return found

    @cached_property
    def winner_shares(self) -> list[ShareAgainst]:
        """The shares of the first Copeland winner against each arm on which there are votes with it."""
        winner, votes, halved = self.copeland[0], self.counts.votes, self.counts.halved()
        found = []
        for other in np.flatnonzero(votes[winner]).tolist():
            number = float(votes[winner, other])
            share = float(halved[winner, other]) / number
            found.append(ShareAgainst(other, number, share, *wilson(share, number)))
        return found

    @cached_property
    def pairs_decided(self) -> int:
        """The number of pairs whose Wilson interval excludes 1/2.

        The interval consists of the values that a score test does not reject: it excludes 1/2 if the share is more
        than 1.96 standard errors, under probability 1/2, away from 1/2.
        """
        votes = self.counts.votes
        away = np.abs(self.counts.halved() - votes / 2)  # in votes won, with standard error sqrt(votes) / 2
        return int(np.count_nonzero(np.triu(away > NORMAL * np.sqrt(votes) / 2, 1)))

    @cached_property
    def thin(self) -> list[tuple[int, int]]:
        """The pairs with few votes, fewest first."""
        votes = self.counts.votes
        few: list[list[int]] = np.argwhere(np.triu((votes > 0) & (votes < _THIN), 1)).tolist()
        return sorted(((i, j) for i, j in few), key=lambda pair: float(votes[pair]))

    @cached_property
    def fits(self) -> dict[TieModel, float]:
        """The negative log-likelihood per vote of each model of ties. All have the same number of parameters.

        Raises UserError if the models are not fitted.
        """
        if self.counts.arms > MOST_FITTED:
            raise UserError(f"there are more than {MOST_FITTED} arms")
        return {model: fit_ties(self.counts, model).nll for model in _MODELS}

    def ties_sentence(self) -> str:
        """Return the share of ties and the model that fits them best; empty without ties."""
        if not self.ties:
            return ""
        share = f"{100 * (self.ties / self.total):.1f} % of the votes are ties"
        try:
            nll = self.fits
        except UserError as error:
            return f"{share}; no models are fitted to them, since {error.message}."
        best, second = sorted(nll, key=nll.__getitem__)[:2]
        clear = (nll[second] - nll[best]) * self.total > _CLEAR
        verdict = f"{_MODELS[best]} fits best" if clear else "no model fits clearly better than the others"
        fits = ", ".join(f"{name} {nll[model]:.4f}" for model, name in _MODELS.items())
        return f"{share}; {verdict} (negative log-likelihood per vote: {fits})."

    def _likely(self, least: float) -> list[list[str]]:
        """Return the arms that are best with at least this probability, the most probable first."""
        assert self.chances is not None
        order = np.argsort(-self.chances, kind="stable").tolist()
        likely = ((arm, float(self.chances[arm])) for arm in order)
        return [[self.counts.names[arm], percent(chance, _DRAWS)] for arm, chance in likely if chance >= least]

    def chances_sentence(self) -> str:
        """Return a sentence about the arms that are most probably best."""
        if self.chances is None:
            return f"Probabilities of being best are not computed for more than {MOST_DRAWN} arms."
        some = ", ".join(map(" ".join, self._likely(0.005)[:3]))
        return f"Probability of being a Copeland winner, after these votes: {some}."

    def pair_sentences(self, unseen: str = "") -> Iterator[str]:
        """Yield sentences about pairs with few votes or none, and about groups of arms that votes do not compare.

        ``unseen`` describes the entries of pairs without votes.
        """
        names, votes = self.counts.names, self.counts.votes
        if len(self.unseen):
            some = _listed([f"{names[i]} – {names[j]}" for i, j in self.unseen[: _LISTED + 1]])
            taken = f", for which {unseen} is taken" if unseen else ""
            yield f"{len(self.unseen):,} of {self.pairs:,} pairs have no votes{taken}: {some}."
        else:
            yield f"Each of the {self.pairs:,} pairs has votes."
        if self.thin:
            some = _listed([f"{names[i]} – {names[j]} ({amount(votes[i, j])})" for i, j in self.thin])
            yield f"{len(self.thin):,} have fewer than {_THIN}: {some}."
        apart, one_sided = groups(votes), unbeaten_groups(self.counts.halved())
        if len(apart) > 1:
            parts = "; ".join(map(self.named, apart))
            yield f"No votes connect these groups of arms, so nothing is known of one against another: {parts}."
        elif len(one_sided) > 1:
            few = "; ".join(map(self.named, one_sided[1 : _LISTED + 1]))
            yield f"These groups have won, or lost, all votes against the others, so their distance is unknown: {few}."
        yield f"The 95 % interval leaves 1/2 out on {self.pairs_decided:,} of {self.pairs:,} pairs."

    def named(self, arms: Sequence[int]) -> str:
        """Return the names of some arms, only the first ones if there are many."""
        return _listed([self.counts.names[arm] for arm in arms])

    def decided_sentence(self) -> str:
        """Return a sentence about the number of decided pairs of the first Copeland winner."""
        decided = sum(each.result != "open" for each in self.winner_shares)
        winner = self.counts.names[self.copeland[0]]
        return f"{decided} of {self.counts.arms - 1} pairs of {winner} are decided at 95 % (Wilson's interval)"

    def cycles_sentence(self) -> str:
        """Return the number of cycles, and the shortest ones."""
        number, found = cycles(self.matrix, _CYCLES)
        if not found:
            return "None: the pairs are consistent with an order of the arms."
        shown = "; ".join(" > ".join(self.counts.names[arm] for arm in (*cycle, cycle[0])) for cycle in found)
        what = f"{number:,} of three arms" if number else "None of three arms, but longer ones"
        return f"{what}, each beating the next: {shown}{' …' * (number > len(found))}."

    def page(self, title: str, votes: Votes, unseen: str) -> str:
        """Return the page, which is the same for the same ``votes``, of whose arms these may be some."""
        seen = f"{self.pairs - len(self.unseen):,} of {self.pairs:,}"
        parts = [
            f"# {title}",
            f"{self.counts.arms} arms, {amount(self.total)} votes on {seen} pairs. Entry (i, j) is the share of votes "
            "that arm i has won against arm j, a tie being half a win for both.",
            "## Where the votes are from",
            *_files(votes),
            "## Arms",
            self._arms(),
            "## Pairs",
            *self.pair_sentences(unseen),
            "## Winners",
            *self._winners(),
            *(["## Ties", self.ties_sentence()] if self.ties else []),
            "## Cycles",
            self.cycles_sentence(),
        ]
        return "\n\n".join(part.replace("<", "&lt;") for part in parts) + "\n"

    def _arms(self) -> str:
        counts, copeland, borda = self.counts, self.matrix.copeland_scores(), self.matrix.borda_scores()
        numbers = counts.votes.sum(axis=1), counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
        rows = [
            [
                counts.names[arm],
                *(amount(each[arm]) for each in numbers),
                f"{copeland[arm]:.3f}",
                f"{borda[arm]:.3f}",
            ]
            for arm in np.lexsort((-borda, -copeland))
        ]
        head = ["arm", "votes", "won", "lost", "tied", "Copeland score", "Borda score"]
        return _table(head, rows, most=len(rows))

    def _winners(self) -> Iterator[str]:
        condorcet, borda = self.matrix.condorcet_winner(), self.matrix.borda_scores()
        rows = [
            ["Condorcet winner (beats every other arm)", "none" if condorcet is None else self.named([condorcet])],
            ["Copeland winner (beats most others)", self.named(self.copeland)],
            ["Borda winner (largest mean share)", self.named(np.flatnonzero(borda == borda.max()).tolist())],
            ["Smith set (smallest that beats all others)", self.named(smith_set(self.matrix).tolist())],
        ]
        yield _table(["rule", "winner"], rows)
        yield f"{self.decided_sentence()}, the closest first:"
        shares = sorted(self.winner_shares, key=lambda each: abs(each.value - 0.5))
        rows = [
            [self.named([other]), amount(votes), f"{share:.3f}", f"{low:.3f} … {high:.3f}", each.result]
            for each in shares
            for other, votes, share, low, high in [each]
        ]
        yield _table(["against", "votes", "share won", "95 % interval", ""], rows)
        if self.chances is None:
            yield self.chances_sentence()
        else:
            yield f"Probability of being a Copeland winner given these votes, from {_DRAWS:,} samples of the posterior:"
            yield _table(["arm", "probability"], self._likely(0.01))


def _files(votes: Votes) -> Iterator[str]:
    """Yield the files of votes, and what has become of their rows."""
    rows = [[each.path, f"{each.rows:,}", each.understood, f"`{each.sha256}`"] for each in votes.files]
    yield _table(["file", "rows", "read as", "SHA-256"], rows)
    numbers = [f"Rows read: {votes.rows:,}; refused: {votes.refused_rows:,}"]
    numbers += [f"left out by --only: {votes.left_out:,}"] if votes.left_out else []
    numbers += [f"abstentions: {votes.abstentions.total():,}"] if votes.abstentions else []
    numbers += [f"ties dropped: {amount(votes.dropped_ties)}"] if votes.dropped_ties else []
    yield "; ".join(numbers) + "."
    if votes.abstentions:
        yield "Abstentions, which are no votes:"
        yield _table(["outcome", "rows"], [[word, f"{rows:,}"] for word, rows in votes.abstentions.items()])
    if votes.refused:
        rows = [[each.reason, f"{each.rows:,}", ", ".join(each.places)] for each in votes.refused]
        yield _table(["reason", "rows", "as in"], rows)
    yield from (f"Note: {warning}." for warning in votes.warnings)
    if votes.judges:
        yield _table(["judge", "votes"], [[judge, f"{number:,}"] for judge, number in votes.judges.items()])


def amount(votes: float) -> str:
    """Return a number of votes, which may have weights."""
    return f"{votes:,.0f}" if votes == round(votes) else f"{votes:,.2f}"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items[:_LISTED]) + ", …" * (len(items) > _LISTED)


def _table(head: list[str], rows: list[list[str]], most: int = _LISTED) -> str:
    """Return a table in Markdown, of the first rows only if there are many."""
    more = [[f"and {len(rows) - most:,} more", *[""] * (len(head) - 1)]] if len(rows) > most else []
    shown = [[cell.replace("|", "\\|") for cell in row] for row in rows[:most] + more]
    return "\n".join(markdown_table(head, shown))


class TieFit(NamedTuple):
    """A model of votes with ties, as fitted.

    ``strengths`` are log-strengths with mean 0, shape (K,); ``tie_parameter`` is ν, θ or τ of the model, 0, 1 or 0
    without ties; ``nll`` is the negative log-likelihood per vote, without multinomial coefficients.
    """

    strengths: Floats
    tie_parameter: float
    nll: float


def fit_ties(counts: PairCounts, model: TieModel = "davidson") -> TieFit:
    """Return the fit of a model with ties as a third outcome that has the largest likelihood.

    With log-strengths g and ``z = g[i] − g[j]``, and ``σ(x) = 1 / (1 + exp(−x))``:

        davidson      P(i wins) = exp(z/2) / D, P(tie) = ν / D,  D = exp(z/2) + exp(−z/2) + ν
        rao-kupper    P(i wins) = σ(z − η),     P(tie) = 1 − σ(z − η) − σ(−z − η),  θ = exp(η) > 1
        constant      P(i wins) = (1 − τ) σ(z), P(tie) = τ

    In Davidson's model the decisive votes follow Bradley and Terry's. In Rao and Kupper's a judge calls a tie if the
    perceived difference is within ±η. The third model is the baseline: its tie share does not depend on the arms.
    Scales of g differ between models, so compare likelihoods instead. The log-likelihoods are jointly concave in g and
    ln ν or η. Without ties all models are Bradley and Terry's.

    Raises UserError if the likelihood has no maximum, or no unique one.

    References: Rao & Kupper, Ties in paired-comparison experiments, JASA 62, 1967. Davidson, On extending the
    Bradley–Terry model to accommodate ties, JASA 65, 1970.
    """
    cells = _cells(counts)
    total, ties = float(cells.votes.sum()), float(cells.ties.sum())
    if not total:
        raise UserError("a model needs votes: add votes on at least one pair")
    decisive = cells._replace(ties=np.zeros(len(cells.ties)))
    share = ties / total
    played = decisive if model == "constant" or not ties else cells
    _check_maximum(counts.names, played)
    if played is decisive:
        found = _newton(counts.arms, played, _davidson, -math.inf)
        nll = found.nll - _log_split(ties if model == "constant" else 0.0, total, share)
        parameter = {"davidson": 0.0, "rao-kupper": 1.0, "constant": share}[model]
        return TieFit(found.strengths, parameter, nll / total)
    likelihood, k = (
        (_davidson, math.log(2 * share / (1 - share))) if model == "davidson" else (_rao_kupper, 2 * math.atanh(share))
    )
    found = _newton(counts.arms, played, likelihood, k)
    return TieFit(found.strengths, math.exp(found.tie_parameter), found.nll / total)


class _Cells(NamedTuple):
    """Votes on pairs, one cell each: numbers of arms and counts, all of shape (cells,)."""

    first: Ints
    second: Ints
    wins: Floats
    losses: Floats
    ties: Floats

    @property
    def votes(self) -> Floats:
        return self.wins + self.losses + self.ties


def _cells(counts: PairCounts) -> _Cells:
    first, second = np.nonzero(np.triu(counts.votes, 1))
    return _Cells(first, second, counts.wins[first, second], counts.wins[second, first], counts.ties[first, second])


class _Likelihood(NamedTuple):
    """The log-likelihood of cells, the sum of ``value``, its slopes and its curvatures, negative second derivatives.

    ``z`` is for the margin of a cell, ``k`` for the parameter of the ties; arrays have shape (cells,).
    """

    value: Floats
    z: Floats
    k: Floats
    zz: Floats
    zk: Floats
    kk: Floats


def _davidson(cells: _Cells, z: Floats, k: float) -> _Likelihood:
    """Return the likelihood by margins and ``k = ln ν``: a multinomial logit of z/2, −z/2 and k."""
    n = cells.votes
    log_sum = np.logaddexp(np.logaddexp(z / 2, -z / 2), k)
    win, loss, tie = np.exp(z / 2 - log_sum), np.exp(-z / 2 - log_sum), np.exp(k - log_sum)
    lead = (win - loss) / 2
    return _Likelihood(
        (cells.wins - cells.losses) * z / 2 + (cells.ties * k if k > -math.inf else 0.0) - n * log_sum,
        (cells.wins - cells.losses) / 2 - n * lead,
        cells.ties - n * tie,
        n * ((win + loss) / 4 - lead**2),
        -n * lead * tie,
        n * tie * (1 - tie),
    )


def _rao_kupper(cells: _Cells, z: Floats, k: float) -> _Likelihood:
    """Return the likelihood by margins and ``k = η``, which is −∞ unless η is above 0."""
    if k <= 0:
        return _Likelihood(np.array([-math.inf]), *[z] * 5)
    wins, losses, ties = cells.wins + cells.ties, cells.losses + cells.ties, cells.ties
    miss_win, miss_loss = np.exp(-np.logaddexp(0.0, z - k)), np.exp(-np.logaddexp(0.0, -z - k))
    up, down = wins * miss_win, losses * miss_loss
    steep, flat = up * (1 - miss_win), down * (1 - miss_loss)
    return _Likelihood(
        ties * math.log(math.expm1(2 * k)) - wins * np.logaddexp(0.0, k - z) - losses * np.logaddexp(0.0, k + z),
        up - down,
        2 * ties / -math.expm1(-2 * k) - up - down,
        steep + flat,
        flat - steep,
        4 * ties * math.exp(-2 * k) / math.expm1(-2 * k) ** 2 + steep + flat,
    )


def _log_split(ties: float, total: float, share: float) -> float:
    """Return the log-likelihood of the split into ties and other votes."""
    return (ties * math.log(share) + (total - ties) * math.log1p(-share)) if 0 < ties < total else 0.0


def _newton(arms: int, cells: _Cells, likelihood: Callable[[_Cells, Floats, float], _Likelihood], k: float) -> TieFit:
    """Return the fit by ``k`` and its negative log-likelihood, from equal arms and a start of ``k``; k = −∞ stays."""
    free = np.append(np.full(arms, True), math.isfinite(k))
    x = np.append(np.zeros(arms), k if free[-1] else 0.0)

    def at(x: Floats) -> _Likelihood:
        return likelihood(cells, x[cells.first] - x[cells.second], float(x[-1]) if free[-1] else k)

    now = at(x)
    value, moved = float(now.value.sum()), math.inf
    for _ in range(STEPS):
        step = np.zeros(arms + 1)
        try:
            information = _information(arms, cells, now)[np.ix_(free, free)]
            step[free] = np.linalg.solve(information, _slope(arms, cells, now)[free])
        except np.linalg.LinAlgError:
            break
        moved = np.abs(step).max()
        then = at(x + step)
        while not float(then.value.sum()) >= value and moved > FITTED:
            step, moved = step / 2, moved / 2
            then = at(x + step)
        x, now = x + step, then
        value = float(now.value.sum())
        if moved <= FITTED:
            break
    if moved > FITTED:
        raise _no_maximum("the strengths grow without end")
    return TieFit(x[:arms] - x[:arms].mean(), float(x[-1]), -value)


def _slope(arms: int, cells: _Cells, each: _Likelihood) -> Floats:
    """Return the (K + 1,) slope by strengths and tie parameter."""
    strengths = np.bincount(cells.first, each.z, arms) - np.bincount(cells.second, each.z, arms)
    slope: Floats = np.append(strengths, each.k.sum())
    return slope


def _information(arms: int, cells: _Cells, each: _Likelihood) -> Floats:
    """Return the (K + 1, K + 1) negative second derivatives by strengths and tie parameter.

    Equal strengths more change nothing: a constant keeps their sum.
    """
    H = np.zeros((arms + 1, arms + 1))
    first, second = cells.first, cells.second
    for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
        np.add.at(H, (i, j), sign * each.zz)
    H[:arms, :arms] += 1.0 / arms
    H[arms, :arms] = H[:arms, arms] = np.bincount(first, each.zk, arms) - np.bincount(second, each.zk, arms)
    H[arms, arms] = each.kk.sum()
    return H


def _check_maximum(names: tuple[str, ...], cells: _Cells) -> None:
    """Raise UserError unless the likelihood has one maximum.

    It has one if no direction of the parameters raises it for ever, which is a question of who has beaten whom (Albert
    & Anderson, On the existence of maximum likelihood estimates in logistic regression models, Biometrika 71, 1984).
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

    arms = len(names)
    won, tied = np.zeros((arms, arms), np.bool_), np.zeros((arms, arms), np.bool_)
    for winner, loser, votes in (
        (cells.first, cells.second, cells.wins),
        (cells.second, cells.first, cells.losses),
    ):
        won[winner[votes > 0], loser[votes > 0]] = True
        tied[winner[cells.ties > 0], loser[cells.ties > 0]] = True
    count, part = connected_components(csr_array(won | tied), connection="strong")
    if count > 1:
        # The arms of one part have all won, or all lost, their votes against the others, or have had none.
        few = min((np.flatnonzero(part == each) for each in range(count)), key=len)
        some = ", ".join(names[arm] for arm in few[:3]) + (", …" if len(few) > 3 else "")
        raise _no_maximum(
            f"some arms have won, or lost, all of their votes against the others, such as {some}",
            "add votes, or leave those arms out",
        )
    if tied.any() and connected_components(csr_array(won), connection="strong")[0] == arms:
        # No cycle of wins. Strengths that move apart and ties that become more likely together explain votes ever
        # better if there are d with d_i − d_j ≥ 1 for each win and |d_i − d_j| ≤ 1 for each tie. There are none where
        # these bounds contradict each other around a cycle, and surely none with a cycle of wins.
        bounds = np.where(won, -1.0, np.where(tied, 1.0, 0.0))
        try:
            bellman_ford(csr_array(bounds), indices=0)
        except NegativeCycleError:
            return
        raise _no_maximum("no arm that has won has also lost, if only through others")


def _no_maximum(why: str, advice: str = "add votes") -> UserError:
    return UserError(f"the likelihood of these votes has no maximum, as {why}: {advice}")
