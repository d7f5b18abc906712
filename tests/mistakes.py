"""Mistakes that one makes in an algorithm of one's own: what is written, the line that must be named, and the cause."""

from typing import NamedTuple

KERNELS = '''\
from typing import NamedTuple

import numpy as np
from pydantic import Field

from duelbench import Algorithm, kernel
from duelbench.arrays import Record, record
from duelbench.kernels.draws import below


class Counts(NamedTuple):
    arms: int
    wins: np.ndarray
    place: Record


@kernel
def select(state, t, last, rng):
    first = below(state.arms, rng)
    second = below(state.arms, rng)
    return first, second, 1


@kernel
def update(state, first, second, wins, count):
    state.wins[first] += wins
    state.wins[second] += count - wins
    state.place[0].duels += count


class Mine(Algorithm):
    """All arms alike."""

    name = "mine"
    State = Counts
    select = staticmethod(select)
    update = staticmethod(update)

    patience: int = Field(20, ge=1, description="not used")

    def start(self, arms, horizon):
        return Counts(arms, np.zeros(arms, np.int64), record(duels=0))
'''
PLAIN = KERNELS.replace("@kernel\n", "").replace("Algorithm, kernel", "Algorithm")


class Mistake(NamedTuple):
    """``old`` is replaced by ``new`` in the file; ``at`` is in the line that must be named, ``cause`` in the message.

    ``at`` is empty where the spec's line must be named. ``fatal``: it takes a process with it, or seconds.
    """

    name: str
    old: str
    new: str
    at: str
    cause: str
    plain: bool = False
    fatal: bool = False

    @property
    def text(self) -> str:
        """The file with the mistake."""
        text = PLAIN if self.plain else KERNELS
        assert text.count(self.old) == 1, self.name
        return text.replace(self.old, self.new)

    @property
    def line(self) -> int | None:
        """The line that must be named."""
        lines = [number for number, line in enumerate(self.text.splitlines(), 1) if self.at and self.at in line]
        assert len(lines) == bool(self.at), self.name
        return lines[0] if lines else None


ANSWER = "    return first, second, 1\n"
LEARN = "    state.wins[first] += wins\n"
UPDATE = "def update(state, first, second, wins, count):\n"
START = "        return Counts(arms, np.zeros(arms, np.int64), record(duels=0))\n"
HANGS = f"    while first >= 0:\n        second = (second + 1) % state.arms\n{ANSWER}"
ATTRIBUTES = "    select = staticmethod(select)\n"

MISTAKES = [
    # what happens while a round is played
    Mistake("misspelt variable", ANSWER, "    return first, secnd, 1\n", "secnd", "name 'secnd' is not defined"),
    Mistake("misspelt variable, plain", ANSWER, "    return first, secnd, 1\n", "secnd", "name 'secnd'", plain=True),
    Mistake("misspelt where rarely", ANSWER, f"    if t > 10**9:\n        return firts, 0, 1\n{ANSWER}", "firts", "firts"),
    Mistake("misspelt field", LEARN, "    state.win[first] += wins\n", "state.win[", "has no attribute 'win'"),
    Mistake("misspelt field of a record", "].duels += count", "].duel += count", "].duel +=", "duel"),
    Mistake("misspelt function", "second = below(", "second = belov(", "belov", "name 'belov' is not defined"),
    Mistake("two values", ANSWER, "    return first, second\n", "return first, second", "three whole numbers"),
    Mistake("nothing returned", ANSWER, "    first + second\n", "first + second", "select answered None"),
    Mistake("a list of one", ANSWER, "    return [first]\n", "return [first]", "three whole numbers", plain=True),
    Mistake("a count of 1.0", ANSWER, "    return first, second, 1.0\n", "second, 1.0", "three whole numbers"),
    Mistake("an arm that is a float", ANSWER, "    return first, second / 1, 1\n", "second / 1", "three whole numbers"),
    Mistake("arm K", ANSWER, "    return first, state.arms, 1\n", "state.arms, 1", "6, 1) at t = 1: arms are 0 … 5"),
    Mistake("arm −1", ANSWER, "    return -1, second, 1\n", "return -1", "at t = 1: arms are 0 … 5"),
    Mistake("arms from 1", ANSWER, "    return first + 1, second, 1\n", "first + 1", "arms are 0 … 5"),
    Mistake("count 0", ANSWER, "    return first, second, 0\n", "second, 0", "it may duel two 1 …"),
    Mistake("beyond last", ANSWER, "    return first, first, last + 1\n", "last + 1", "it may duel two 1 …"),
    Mistake("off by one", ANSWER, "    return 0, 0, last - t + 2\n", "t + 2", "it may duel two 1 …"),
    Mistake("out of bounds", LEARN, "    state.wins[first + 1] += wins\n", "first + 1]", "index 6 is out of bounds"),
    Mistake("far out of bounds", LEARN, "    state.wins[first + 10**7] += wins\n", "first + 10", "out of bounds"),
    Mistake("out of bounds, plain", LEARN, "    state.wins[first + 1] += wins\n", "first + 1]", "out of b", plain=True),
    Mistake("index below 0", LEARN, "    state.wins[first - 1] += wins\n", "first - 1]", "the index -1 of wins is below 0"),
    Mistake("two indices for one", LEARN, "    state.wins[first, second] += wins\n", "first, second]", "too many indices"),
    Mistake("write to a number", LEARN, f"{LEARN}    state.arms += 1\n", "state.arms += 1", "can't set attribute"),
    Mistake("text plus number", ANSWER, f"    first += 'a'\n{ANSWER}", "first += 'a'", "unsupported operand"),
    Mistake("division by zero", ANSWER, f"    x = 1 / (t - 5)\n{ANSWER}", "t - 5", "division by zero"),
    Mistake("wrong number of arguments", "second = below(state.arms, rng)", "second = below(rng)", "below(rng)", "missing 1"),
    Mistake("unset variable", ANSWER, f"    if t > 3:\n        best = 0\n    first = best\n{ANSWER}", "first = best", "best"),
    Mistake("beta(−1, −1)", ANSWER, f"    x = rng.beta(-1.0, -1.0)\n{ANSWER}", "rng.beta", "a <= 0"),
    Mistake("no such draw", ANSWER, f"    x = rng.uniforms()\n{ANSWER}", "uniforms", "uniforms"),
    Mistake("endless loop in select", ANSWER, HANGS, "while first", "this loop does not come to an end", fatal=True),
    Mistake("endless loop, plain", ANSWER, HANGS, "while first", "this loop does not come", plain=True, fatal=True),
    Mistake(
        "endless loop in update", LEARN, "    while wins < 2:\n        state.wins[0] += 1\n", "while wins",
        "this loop does not come to an end", fatal=True,
    ),
    Mistake(
        "rejection that never accepts", ANSWER,
        f"    while second < 10:\n        for k in range(100):\n            second = below(5, rng)\n{ANSWER}",
        "while second", "this loop does not come to an end", fatal=True,
    ),
    Mistake(
        "endless loop in start", START, f"        while arms:\n            horizon += 1\n{START}", "while arms",
        "start has not ended", fatal=True,
    ),
    Mistake("chance without rng", ANSWER, "    return first, np.random.randint(state.arms), 1\n", "def select",
            "played twice with the same seed"),
    Mistake("memory outside the state", ANSWER, "    SEEN.append(t)\n    return len(SEEN) // 7 % 6, second, 1\n\n\nSEEN = []\n",
            "def select", "played twice with the same seed", plain=True),
    Mistake("a segfault", ANSWER, f"    import ctypes\n    ctypes.string_at(0)\n{ANSWER}", "string_at", "SIGSEGV",
            plain=True, fatal=True),
    Mistake("the end of the process", ANSWER, f"    import os\n    os._exit(3)\n{ANSWER}", "", "exit code 3",
            plain=True, fatal=True),
    Mistake("sys.exit", ANSWER, f"    import sys\n    sys.exit(3)\n{ANSWER}", "sys.exit", "SystemExit", plain=True),
    # what numba alone notices
    Mistake("an array made in a kernel", ANSWER, f"    seen = np.zeros(state.arms)\n    first += int(seen[0])\n{ANSWER}",
            "seen = np.zeros", "cannot create arrays"),
    Mistake("a list made in a kernel", ANSWER, f"    seen = [t, last]\n    seen.append(t)\n{ANSWER}", "seen = [", "lists"),
    Mistake("a dict made in a kernel", ANSWER, f"    seen = {{}}\n    seen['a'] = t\n{ANSWER}", "seen['a']", "lists, dicts or texts"),
    Mistake("text in a kernel", ANSWER, f"    said = f'{{t}}'\n{ANSWER}", "said = f", "lists, dicts or texts"),
    Mistake("a plain function called", ANSWER, "    return first, helper(second), 1\n\n\ndef helper(arm):\n    return arm\n",
            "helper(second)", "helper"),
    Mistake("a NumPy function that numba lacks", ANSWER, f"    x = np.nanquantile(state.wins, 0.5)\n    first += 0 * int(x)\n{ANSWER}",
            "np.nanquantile", "does not compile"),
    Mistake("a draw that numba lacks", ANSWER, f"    x = rng.multinomial(1, [0.5, 0.5])\n{ANSWER}",
            "rng.multinomial", "numba knows no rng.multinomial"),
    Mistake("a type that changes", ANSWER, f"    best = (1, 2) if t > 1 else 3\n    first += 0 if best == 3 else 0\n{ANSWER}",
            "best = (", "unify"),
    Mistake("with in a kernel", ANSWER, f"    with np.errstate(divide='ignore'):\n        first += 0\n{ANSWER}", "errstate", "a kernel has no with"),
    Mistake("a global that changes", f"@kernel\n{UPDATE}", f"SEEN = 0\n\n\n@kernel\n{UPDATE}    global SEEN\n    SEEN += 1\n",
            "    SEEN += 1", "a kernel cannot change a global"),
    Mistake("whole numbers that become too large", ANSWER, "    return t * 6364136223846793005 // 8 % 6, second, 1\n", "def select",
            "compiled, select answers ("),
    # what the class lacks, or has wrong
    Mistake("no select", ATTRIBUTES, "", "class Mine", "Mine has no select"),
    Mistake("no update", "    update = staticmethod(update)\n", "", "class Mine", "Mine has no update"),
    Mistake("no State", "    State = Counts\n", "", "class Mine", "Mine has no State"),
    Mistake("no name", '    name = "mine"\n', "", "class Mine", "Mine has no name"),
    Mistake("no start", "    def start(", "    def begin(", "class Mine", "Mine has no start"),
    Mistake("no Algorithm", "class Mine(Algorithm):", "class Mine:", "class Mine", "write class Mine(Algorithm)"),
    Mistake("another class", "class Mine(", "class Meine(", "", "has no Algorithm with a name called 'Mine'"),
    Mistake("a name of ours", '"mine"', '"rucb"', "name = ", "'rucb' is an algorithm of duelbench"),
    Mistake("a name that is no text", '"mine"', "7", "name = ", "is text, not 7"),
    Mistake("select without rng", "select(state, t, last, rng)", "select(state, t, last)", "def select", "but takes (state, t, last)"),
    Mistake("update with too much", "wins, count):", "wins, count, t):", "def update", "update is called as"),
    Mistake("start without horizon", "start(self, arms, horizon)", "start(self, arms)", "def start", "start is called as"),
    Mistake("a method", ATTRIBUTES, "    def select(self, state, t, last, rng):\n        return 0, 1, 1\n", "def select(self",
            "without self", plain=True),
    Mistake("select is a number", ATTRIBUTES, "    select: int = 3\n", "class Mine", "has no select"),
    Mistake("one of two kernels", "@kernel\ndef update", "def update", "def update", "put @kernel before both"),
    Mistake("State is no NamedTuple", "class Counts(NamedTuple)", "class Counts", "State = C", "typing.NamedTuple, not the type Counts"),
    Mistake("start returns nothing", START, "        Counts(arms, np.zeros(arms, np.int64), record(duels=0))\n", "def start",
            "start has returned nothing"),
    Mistake("start returns a list", START, "        return [arms]\n", "def start", "start has returned the list"),
    Mistake("a list in the state", "np.zeros(arms, np.int64)", "[0] * arms", "def start", "the field 'wins' of the state is the list"),
    Mistake("objects in the state", "np.zeros(arms, np.int64)", "np.zeros(arms, object)", "def start", "array of object"),
    Mistake("too few fields", "record(duels=0))\n", ")\n", "return Counts(arms", "missing 1 required positional argument"),
    Mistake("too small an array", "np.zeros(arms, np.int64)", "np.zeros(arms - 1, np.int64)", "state.wins[second]", "out of bounds"),
    Mistake("a parameter without a type", "patience: int = Field(20, ge=1, description=\"not used\")", "patience = 20",
                        "patience = 20", "write patience: int"),
    Mistake("a parameter without a value", ' = Field(20, ge=1, description="not used")', "", "", "'patience' is missing"),
    Mistake("a parameter of the spec's", "patience: int", "label: int", "label: int", "a spec has a key 'label'"),
    Mistake("a flag that is no flag", "    State = Counts\n", "    State = Counts\n    uses_horizon = 1e5\n", "uses_horizon", "True or False"),
    Mistake("a flag misspelt", "    State = Counts\n", "    State = Counts\n    use_horizon = True\n", "use_horizon", "did you mean 'uses_horizon'?"),
    Mistake("__init__ that raises", "    def start(", "    def __init__(self):\n        raise OSError('no')\n\n    def start(",
            "raise OSError", "OSError: no"),
    Mistake("a declaration of no arm", "    def start(", "    def declaration(self, state):\n        return 9, 1\n\n    def start(",
            "def declaration", "declaration answered (9, 1)"),
    Mistake("declaration without state", "    def start(", "    def declaration(self):\n        return None\n\n    def start(",
            "def declaration", "declaration is called as"),
    # what happens when it is imported
    Mistake("a syntax error", "def select(state, t, last, rng):", "def select(state, t, last, rng)", "def select", "SyntaxError"),
    Mistake("wrong indentation", LEARN, "  state.wins[first] += wins\n", "state.wins[second]", "IndentationError", ),
    Mistake("a module that is not there", "import numpy as np\n", "import numpy as np\nimport nunpy\n", "nunpy", "No module named 'nunpy'"),
    Mistake("an error at import", "class Mine(", "x = 1 / 0\n\n\nclass Mine(", "1 / 0", "ZeroDivisionError"),
    Mistake("sys.exit at import", "class Mine(", "raise SystemExit(2)\n\n\nclass Mine(", "raise SystemExit", "SystemExit"),
    Mistake("an endless import", "class Mine(", "while True:\n    pass\n\n\nclass Mine(", "while True", "does not come to an end", fatal=True),
]  # fmt: skip
