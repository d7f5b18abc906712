"""The mistakes of ``wrong.txt``, in the algorithm of ``duelbench new`` or in one that draws during holds."""

import re
from pathlib import Path
from typing import NamedTuple

from duelbench.algorithms.catalogue import find
from duelbench.cli.new import TEMPLATE

WRITTEN = (TEMPLATE / "policy" / "algorithm.txt").read_text(encoding="utf-8")
REFERENCE = (TEMPLATE / "policy" / "reference.txt").read_text(encoding="utf-8")
PLAIN = WRITTEN.replace("@kernel\n", "")

EXPLORER = '''
"""Now and then a random duel, the more rarely the later; else the leader against itself, in holds that draw."""

from typing import Any, NamedTuple

from duelbench import Algorithm
from duelbench.arrays import record
import numpy as np


class Seen(NamedTuple):
    wins: np.ndarray
    due: Any


def select(state, t, last, rng):
    begin = 2 ** (int(t).bit_length() - 1)  # of the rounds with this chance, which end before 2 * begin
    chance = min(1.0, 8 / begin)
    wins = state.wins.tolist()
    best = [arm for arm, each in enumerate(wins) if each == max(wins)]
    leader = best[int(rng.random() * len(best))]
    if state.due[0].now or rng.random() < chance:
        state.due[0].now = False
        first = int(rng.random() * len(state.wins))
        second = int(rng.random() * (len(state.wins) - 1))
        return first, second + (second >= first), 1
    if len(best) > 1 or t == last:
        return leader, leader, 1
    wait = int(rng.geometric(chance))
    until = min(last, 2 * begin - 1)
    state.due[0].now = t + wait <= until
    return leader, leader, min(wait, until - t + 1)


def update(state, first, second, wins, count):
    if first != second:
        state.wins[first] += 2 * wins - count
        state.wins[second] -= 2 * wins - count


class MyPolicy(Algorithm):
    """Explores."""

    name = "my-policy"
    State = Seen
    select = staticmethod(select)
    update = staticmethod(update)

    def start(self, arms, horizon):
        return Seen(np.zeros(arms, int), record(now=False))
'''


class Mistake(NamedTuple):
    """The text of an algorithm with a mistake, the check that must fail, and a part of the message."""

    name: str
    property: str
    text: str
    said: str


def toy(directory, text):
    """Write the text of an algorithm to a user's file in a directory; return the algorithm."""
    (directory / "toy.py").write_text(text, encoding="utf-8")
    return find("toy.py:MyPolicy", directory)()


def changed(text, *replacements):
    """Replace lines that occur once in a text."""
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def _mistakes():
    for section in Path(__file__).with_name("wrong.txt").read_text(encoding="utf-8").split("\n# ")[1:]:
        head, *lines = section.splitlines()
        name, prop, base = re.fullmatch(r"(.*) \[(.*)\] (\w+)", head).groups()
        changes = re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", "\n".join(lines), re.MULTILINE)
        text = changed(
            {"plain": PLAIN, "explorer": EXPLORER}[base],
            *(["".join(f"{line[1:]}\n" for line in part.splitlines()) for part in change] for change in changes),
        )
        yield Mistake(name, prop, text, next(line[2:] for line in lines if line.startswith("! ")))


MISTAKES = list(_mistakes())
