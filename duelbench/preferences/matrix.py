"""The preference matrix: K arms and, for each pair, the probability that one beats the other."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duelbench.arguments import LARGEST, number_between, whole_number
from duelbench.errors import UserError
from duelbench.preferences import scores

TOLERANCE = 1e-6
"""How far ``P[i, j] + P[j, i]`` may be from 1 in a user's table: printed tables are rounded."""


_UNWRITTEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, and surrogates, which UTF-8 cannot encode."""


class PreferenceMatrix:
    """The probabilities that one arm beats another, for K arms numbered from 0.

    The upper triangle of ``values`` is kept exactly; the lower triangle becomes ``1 - upper`` and the diagonal 1/2, so
    that ``P + P.T == 1`` holds exactly in floating point. ``relabelled`` and ``submatrix`` move entries without
    changing a bit, so no number derived from a matrix depends on the numbering of the arms.

    A matrix is immutable and equal only to itself; compare ``digest()`` for content.

    Parameters
    ----------
    values : array_like, shape (K, K)
        ``values[i, j]`` is the probability that arm i beats arm j in one duel, in [0, 1]. Mirrored entries must add
        up to 1 within ``TOLERANCE``.
    source : str
        Where the numbers come from, for error messages.
    names : sequence of str, optional
        The names of the K arms. They do not affect any number and are not part of ``digest()``.
    ties : array_like, shape (K, K), optional
        The probability that each pair ties, symmetric; the diagonal is ignored. A tie counts as half a win in
        ``values``: arm i wins with probability ``values[i, j] - ties[i, j] / 2``, which must not be negative.

    Raises
    ------
    UserError
        If ``values`` or ``ties`` is not such a table, or ``names`` are not K different names. The message gives the
        first wrong cell, counted from 1 as in a spreadsheet; ``key`` is its (row, column), counted from 0.

    Examples
    --------
    >>> from duelbench import PreferenceMatrix
    >>> matrix = PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])
    >>> matrix.arms, matrix.condorcet_winner()
    (3, 0)
    >>> matrix.copeland_scores()
    array([1. , 0.5, 0. ])
    """

    __slots__ = ("_P", "_T", "_names", "_source")
    _P: NDArray[np.float64]
    _T: NDArray[np.float64] | None
    _source: str
    _names: tuple[str, ...] | None

    def __init__(
        self,
        values: ArrayLike,
        source: str = "preference matrix",
        names: Sequence[str] | None = None,
        ties: ArrayLike | None = None,
    ) -> None:
        P = _checked(values, source)
        if names is not None:
            _check_names(names, len(P), source)
        # The largest float below 1/2 has a complement that rounds to 1/2: a loss for one arm, a tie for the other.
        P[1 - P == 0.5] = 0.5
        for i in range(len(P)):
            P[i, :i] = 1 - P[:i, i]
        np.fill_diagonal(P, 0.5)
        T = None if ties is None else _checked_ties(ties, P, source)
        self._keep(P, source, None if names is None else tuple(names), T)

    @classmethod
    def _exactly(
        cls, P: NDArray[np.float64], source: str, names: tuple[str, ...] | None, T: NDArray[np.float64] | None = None
    ) -> PreferenceMatrix:
        """Return a matrix of entries that have already been validated."""
        matrix = cls.__new__(cls)
        matrix._keep(P, source, names, T)
        return matrix

    def _keep(
        self, P: NDArray[np.float64], source: str, names: tuple[str, ...] | None, T: NDArray[np.float64] | None
    ) -> None:
        self._P, self._T = np.ascontiguousarray(P), None if T is None else np.ascontiguousarray(T)
        for table in (self._P, self._T):
            if table is not None:
                table.flags.writeable = False
        self._source = source
        self._names = names

    def __reduce__(self) -> tuple[Callable[..., PreferenceMatrix], tuple[object, ...]]:
        return PreferenceMatrix._exactly, (self._P, self._source, self._names, self._T)

    def __repr__(self) -> str:
        return f"PreferenceMatrix({self._source!r}, arms={self.arms})"

    @property
    def P(self) -> NDArray[np.float64]:  # noqa: N802
        """The (K, K) read-only array of probabilities."""
        return self._P

    @property
    def ties(self) -> NDArray[np.float64] | None:
        """The (K, K) read-only array of the probabilities of ties, 0 on the diagonal; None without ties."""
        return self._T

    @property
    def source(self) -> str:
        """Where the numbers come from, for error messages."""
        return self._source

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the K arms, in order, or None."""
        return self._names

    @property
    def arms(self) -> int:
        """The number of arms, K."""
        return len(self._P)

    def with_ties(self, ties: ArrayLike, source: str | None = None) -> PreferenceMatrix:
        """Return the matrix with these tie probabilities, read from ``source``. Raises UserError as the class does."""
        T = _checked_ties(ties, self._P, source or self._source)
        return PreferenceMatrix._exactly(self._P, self._source, self._names, T)

    def with_tie_share(self, share: float) -> PreferenceMatrix:
        """Return the matrix with ties by Davidson's model, in which two equal arms tie with probability ``share``.

        With ``d = P − 1/2`` and Davidson's ``ν = 2 share / (1 − share)``, the model ``T² = ν² W[i, j] W[j, i]`` and
        ``W = P − T/2`` give ``T² (1 − 4/ν²) − 2T + 1 − 4d² = 0``. A ``share`` of 1 gives the largest valid tie matrix.
        """
        share = number_between("the share of ties between equal arms", share, 0, 1)
        if share == 0:
            return self
        q = 4 * self._P * self._P.T  # 1 − 4d²
        ratio = min((1 - share) / share, 1e150)  # 2/ν; its square is finite
        return self.with_ties(q / (1 + np.sqrt(np.maximum(1 - q, 0) + q * ratio**2)))

    def at(self, t: int) -> PreferenceMatrix:
        """Return the matrix of round ``t``: this one, since it does not change."""
        return self

    def wins(self) -> NDArray[np.intp]:
        """Return the number of arms that each arm beats, shape (K,). A tie (exactly 1/2) is not a win."""
        return scores.wins(self._P)

    def copeland_scores(self) -> NDArray[np.float64]:
        """Return the share of the K − 1 other arms that each arm beats, shape (K,), in [0, 1]."""
        return self.wins() / (self.arms - 1)

    def copeland_winners(self) -> NDArray[np.intp]:
        """Return the arms that beat the most other arms, in increasing order; never empty."""
        wins = self.wins()
        return np.flatnonzero(wins == wins.max())

    def condorcet_winner(self) -> int | None:
        """Return the arm that beats every other, or None."""
        wins = self.wins()
        best = int(wins.argmax())
        return best if wins[best] == self.arms - 1 else None

    def borda_scores(self) -> NDArray[np.float64]:
        """Return the probability that each arm beats an opponent drawn uniformly from the other arms, shape (K,)."""
        return scores.exact_borda(self._P)

    def smallest_gap(self) -> float:
        """Return the smallest ``|P[i, j] − 1/2|`` over i ≠ j: 0 when a pair ties."""
        return float(np.abs(self._P - 0.5)[~np.eye(self.arms, dtype=bool)].min())

    def submatrix(self, indices: Sequence[int] | NDArray[np.integer]) -> PreferenceMatrix:
        """Return the matrix of some of the arms.

        Parameters
        ----------
        indices : sequence of int
            Two or more different arms; arm k of the result is arm ``indices[k]`` of this matrix.

        Returns
        -------
        PreferenceMatrix
            The chosen rows and columns, with their names.

        Raises
        ------
        UserError
            If there are fewer than two arms, an arm does not exist, or is listed twice; ``key`` is its position.
        """
        chosen = [whole_number("an arm", index, -LARGEST) for index in indices]
        check_choice(chosen, self.arms)
        return self._of(chosen)

    def relabelled(self, permutation: Sequence[int] | NDArray[np.integer]) -> PreferenceMatrix:
        """Return the same arms in another order.

        Parameters
        ----------
        permutation : sequence of int
            Arm k of the result is arm ``permutation[k]`` of this matrix.

        Returns
        -------
        PreferenceMatrix
            The same entries and names in the new order.

        Raises
        ------
        ValueError
            If ``permutation`` is not a permutation of 0 … K − 1.
        """
        order = np.asarray(permutation)
        if order.dtype.kind not in "iu" or not np.array_equal(np.sort(order), np.arange(self.arms)):
            raise ValueError(f"not a permutation of 0..{self.arms - 1}: {permutation!r}")
        return self._of(order.tolist())

    def _of(self, arms: list[int]) -> PreferenceMatrix:
        names = None if self._names is None else tuple(self._names[arm] for arm in arms)
        T = None if self._T is None else self._T[np.ix_(arms, arms)]
        return PreferenceMatrix._exactly(self._P[np.ix_(arms, arms)], self._source, names, T)

    def digest(self) -> str:
        """Return the SHA-256, in hex, of the shape, the entries (row by row, little-endian float64) and the ties."""
        tables = [self._P] if self._T is None else [self._P, self._T]
        content = b"".join(table.astype("<f8").tobytes() for table in tables)
        return hashlib.sha256(f"{self._P.shape}".encode() + content).hexdigest()


def check_choice(arms: Sequence[int], available: int) -> None:
    """Raise UserError unless ``arms`` are two or more different arms below ``available``; ``key`` is the position."""
    if len(arms) < 2:
        raise UserError("a submatrix needs at least two arms")
    for position, arm in enumerate(arms):
        if not 0 <= arm < available:
            raise UserError(
                f"there is no arm {arm}: the {available} arms are numbered from 0 to {available - 1}", key=(position,)
            )
        if arm in arms[:position]:
            raise UserError(f"arm {arm} is listed twice: name each arm once", key=(position,))


def is_name(text: str) -> bool:
    """Return whether a text is a valid name: one line, not empty, with no spaces at its ends."""
    return text == text.strip() and len(text.splitlines()) == 1 and not _UNWRITTEN.search(text)


def _check_names(names: Sequence[str], arms: int, source: str) -> None:
    """Raise UserError unless ``names`` are ``arms`` different valid names."""
    if len(names) != arms:
        raise UserError(f"{len(names)} names for {arms} arms: give each arm one name", source=source)
    known: set[str] = set()
    for arm, name in enumerate(names):
        if not is_name(name):
            raise UserError(
                f"arm {arm} is called {name!r}: a name is one line of text with no blanks at its ends", source=source
            )
        if name in known:
            raise UserError(f"two arms are called {name!r}: names must differ", source=source)
        known.add(name)


def _checked(values: ArrayLike, source: str) -> NDArray[np.float64]:
    """Return a fresh float64 copy of a valid table of probabilities."""
    P = _table(values, source)
    off_diagonal = ~np.eye(len(P), dtype=bool)
    unmatched = np.abs(P + P.T - 1) > TOLERANCE
    _reject(
        P,
        unmatched & off_diagonal,
        lambda i, j: f"with row {j + 1}, column {i + 1}, which is {P[j, i]}, it must add up to 1",
        source,
    )
    _reject(P, unmatched, lambda i, j: "an arm against itself must be 0.5", source)
    return P


def _checked_ties(values: ArrayLike, P: NDArray[np.float64], source: str) -> NDArray[np.float64]:
    """Return a fresh float64 copy of a valid table of ties, exactly symmetric, with 0 on the diagonal."""
    T = _table(values, source, what="a table of ties")
    if T.shape != P.shape:
        raise UserError(f"the table of ties has {len(T)} rows and the matrix {len(P)}", source=source)
    np.fill_diagonal(T, 0.0)
    _reject(T, np.abs(T - T.T) > TOLERANCE, lambda i, j: f"row {j + 1}, column {i + 1} must be the same", source)
    largest = 2 * np.minimum(P, P.T)
    _reject(
        T,
        T - largest > TOLERANCE,
        lambda i, j: (
            f"there cannot be more ties than {largest[i, j]:.9g}, since a tie counts as half a win in {P[i, j]:.9g}"
        ),
        source,
    )
    T = np.minimum(np.triu(T), largest)
    return np.asarray(T + T.T)


def _table(values: ArrayLike, source: str, what: str = "a preference matrix") -> NDArray[np.float64]:
    """Return a fresh float64 copy of a square table of probabilities."""
    try:
        table = np.asarray(values)
    except ValueError:
        raise UserError("the rows do not all have the same number of columns", source=source) from None
    if table.dtype.kind not in "biuf":
        raise UserError(f"{what} holds real numbers only", source=source)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        shape = "{} rows and {} columns".format(*table.shape) if table.ndim == 2 else f"shape {table.shape}"
        raise UserError(f"{what} has one row and one column per arm; this has {shape}", source=source)
    if len(table) < 2:
        raise UserError(f"{what} needs at least two arms", source=source)
    P = np.array(table, dtype=np.float64)
    _reject(P, ~np.isfinite(P), lambda i, j: "every entry must be a finite number", source)
    _reject(P, (P < 0) | (P > 1), lambda i, j: "a probability lies between 0 and 1", source)
    return P


def _reject(P: NDArray[np.float64], wrong: NDArray[np.bool_], why: Callable[[int, int], str], source: str) -> None:
    """Raise UserError with the first wrong cell, if any."""
    if wrong.any():
        i, j = map(int, np.argwhere(wrong)[0])
        place = f"row {i + 1}, column {j + 1} (counted from 1) is {P[i, j]}"
        raise UserError(f"{place}: {why(i, j)}", source=source, key=(i, j))
