"""Errors that users can correct: one sentence with file and line, without a traceback."""

import difflib
import traceback
from collections.abc import Collection, Iterable, Sequence

Key = str | int


class UserError(Exception):
    """A mistake that the user can correct.

    The command line prints the message with its place and exits with code 2.

    Attributes
    ----------
    message : str
        One sentence that says what to do.
    source : str, optional
        The file, or other source, that contains the mistake.
    line : int, optional
        The line in the file, from 1.
    key : tuple of str and int
        The path of the wrong entry in the object that was read, such as ``("submatrix", "size")``. A caller that knows
        the file finds the line from it.
    below : sequence of str
        Lines to print below the message as they are, such as a command to copy.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        key: tuple[Key, ...] = (),
        below: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.key = key
        self.below = tuple(below)

    @property
    def sentence(self) -> str:
        """The message with its place, without the lines below."""
        place = ":".join(str(part) for part in (self.source, self.line) if part is not None)
        return f"{place}: {self.message}" if place else self.message

    def __str__(self) -> str:
        return "\n".join([self.sentence, *self.below])


class AnswerError(ValueError):
    """An algorithm has answered or asked for something that is not valid."""


SYNONYMS = {
    "runs": ("repeats", "repetitions", "replications", "trials", "n_runs", "num_runs", "episodes"),
    "horizon": ("t", "rounds", "steps", "timesteps", "time_steps", "max_rounds"),
    "algorithms": ("algos", "policies", "agents", "methods", "learners", "bandits"),
    "datasets": ("problems", "instances", "environments", "envs", "matrices"),
    "arms": ("k", "n_arms", "num_arms", "n_actions"),
    "jobs": ("workers", "n_jobs", "processes"),
    "seed": ("random_state", "random_seed", "rng"),
    "output": ("out", "outdir", "output_dir"),
}
"""Names used here, each with its synonyms in other programs."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for a synonym, spelling or completion of a word, or an empty string."""
    said, words = str(word).lower(), list(known)
    near = [ours for ours, others in SYNONYMS.items() if ours in words and said.replace("-", "_") in others]
    near += difflib.get_close_matches(said, words, n=1, cutoff=0.6)
    near += [each for each in words if len(said) > 2 and each.startswith(said)]
    return f" (did you mean {near[0]!r}?)" if near else ""


_NAMED = 10
"""The largest number of names that a message lists."""


def choose_among(word: str, known: Iterable[str]) -> str:
    """Return the end of a message on an unknown word: the nearest spelling and the known words."""
    names = list(known)
    more = ", …" if len(names) > _NAMED else ""
    return f"{did_you_mean(word, names)}: choose among {', '.join(names[:_NAMED])}{more}"


def place_in(error: BaseException, files: Collection[str]) -> tuple[str, int, str] | None:
    """Return the innermost frame of the traceback of ``error`` in one of ``files``: file, line and function name."""
    if isinstance(error, SyntaxError) and error.filename in files:
        return str(error.filename), error.lineno or 1, ""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename in files]
    return (frames[-1].filename, frames[-1].lineno or 1, frames[-1].name) if frames else None
