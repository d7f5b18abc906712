"""Users' algorithms may depend only on duels and ``rng``: anything else they draw from or read is found and named."""

import numba
import numpy as np
import pytest

from duelbench.compiling.randomness import drawn_since, global_generators, refuse_foreign_randomness
from duelbench.errors import UserError
from tests.commands import here
from tests.experiments import own_algorithm

FILE = """
import os
HEAD
class Mine(Algorithm):
    rngs: np.random.Generator | None = None
    def start(self, arms, horizon):
        assert isinstance(self.rngs, np.random.Generator)
    def select(state, t, last, rng):
        BODY
        return 0, 1, 1
if __name__ == "__main__":
    np.random.seed(1)
else:
    MARGIN = 1
"""
HELPER = "import numpy as npy\ndef draw(): return HELPS\n"
REFUSED = {
    ("import numpy as np", "np.random.random()"): "numpy.random.random",
    ("import numpy as np", "f(lambda: np.random.random())"): "numpy.random.random",
    ("import numpy as np", "f(k=np.random)"): "numpy.random",
    ("import numpy as np", "np.random.Generator(BITS)"): "numpy.random.Generator",
    ("import numpy as np; rngs = np.random", "rngs.random()"): "numpy.random",
    ("import numpy as np; RNG = np.random.default_rng(1)", "RNG.random()"): "numpy.random.default_rng",
    ("import numpy as np", "np.random.default_rng(state.seed).random()"): "numpy.random.default_rng",
    ("import numpy as np\ndef mine(): return np.random.random()", "mine()"): "numpy.random.random",
    ("import numpy as np\nclass Luck:\n    def f(): return np.random.random()", "Luck().f()"): "numpy.random.random",
    ("import numpy as np\ndef mine(x=np.random.random()): pass", "pass"): "numpy.random.random",
    ("from numpy.random import random as r", "r()"): "numpy.random.random",
    ("from numpy import random", "random.random()"): "numpy.random.random",
    ("import numpy.random as nr", "nr.random()"): "numpy.random.random",
    ("import random", "random.random()"): "random.random",
    ("try:\n    import random\nexcept ImportError:\n    random = None", "random.random()"): "random.random",
    ("", "import random; random.random()"): "random.random",
    ("import secrets", "secrets.randbelow(3)"): "secrets.randbelow",
    ("import uuid", "uuid.uuid4()"): "uuid.uuid4",
    ("", "os.urandom(3)"): "os.urandom",
    ("from scipy import stats; import numpy as np", "stats.norm(np.random.random()).cdf(0)"): "numpy.random.random",
    ("import helper", "helper.draw()"): "numpy.random.rand",
}
ACCEPTED = [
    ("import numpy as np", "rng.random()"),
    ("import random", "random = rng.random; random()"),
    ("from scipy import stats", "stats.beta(1, 2).rvs(random_state=rng)"),
    ("from scipy import stats", "stats.norm.ppf(rng.random())"),
    ("import uuid", "uuid.uuid5(uuid.NAMESPACE_DNS, 'x')"),
]


def scan(head, body, helps="1"):
    """Search a file with these lines, and the module that it imports; return the lines of both."""
    texts = {"mine.py": FILE.replace("HEAD", head).replace("BODY", body), "helper.py": HELPER.replace("HELPS", helps)}
    refuse_foreign_randomness(texts)
    return texts


@pytest.mark.parametrize(("lines", "name"), REFUSED.items())
def test_random_numbers_from_elsewhere(lines, name):
    with pytest.raises(UserError) as caught:
        scan(*lines, helps="npy.random.rand()" if "helper" in lines[0] else "1")
    error = caught.value
    assert error.message == f"{name} does not depend on the run's seed: draw from rng, which select or explore receives"
    text = HELPER if error.source == "helper.py" else FILE.replace("HEAD", lines[0]).replace("BODY", lines[1])
    line = text.splitlines()[error.line - 1]
    assert name.rpartition(".")[2] in line or " as " in "".join(lines) or "HELPS" in line


@pytest.mark.parametrize("lines", ACCEPTED)
def test_rng_and_its_types_are_accepted(lines):
    scan(*lines)


SPEC = (
    "horizon: 1000\nruns: 3\ndatasets: [six-rankers]\nalgorithms: ['own.py:Own', {name: 'fine.py:Own', label: fine}]\n"
)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A function that writes an algorithm, and a spec that has it and a fine one, into the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))  # also records what has been tried

    def write(body, head=""):
        (tmp_path / "own.py").write_text(own_algorithm(body, f"import os; {head}"))
        (tmp_path / "fine.py").write_text(own_algorithm())
        (tmp_path / "spec.yaml").write_text(SPEC)
        return tmp_path

    return write


@pytest.mark.parametrize("command", [["check", "spec.yaml"], ["test", "own.py:Own"]])
def test_commands_refuse_random_numbers_from_elsewhere(own, command):
    base = own("np.random.random()", "import numpy as np")
    done = here(*command)
    said = f"{base / 'own.py'}:5: numpy.random.random does not depend on the run's seed: draw from rng, which"
    assert (done.exit_code, said in done.output) == (2, True), done.output


COMPUTED = "import numpy as np; hidden = getattr(np, 'ran' + 'dom')"


def test_trial_watches_the_global_generators(own):
    """A trial run detects draws from global generators that a search of the text cannot find."""
    base = own("hidden.random()", COMPUTED)
    said = here("check", "spec.yaml").output
    assert f"{base / 'own.py'}:4: NumPy's global generator was used" in said
    own("pass", f"{COMPUTED}\nclass Luck(list):\n    def __init__(self): hidden.random()")
    (base / "own.py").write_text((base / "own.py").read_text().replace("return []", "return Luck()"))
    said = here("check", "spec.yaml").output
    assert "NumPy's global generator was used, so the run cannot be repeated: draw only from rng" in said


def test_generator_of_kernels_is_watched():
    @numba.njit
    def draw():
        return np.random.random()  # noqa: NPY002

    draw()
    before = global_generators()
    assert drawn_since(before) == ""
    draw()
    if not numba.config.DISABLE_JIT:
        assert drawn_since(before).startswith("numba's global generator was used")


@pytest.mark.parametrize(
    ("body", "head", "code", "said"),
    [
        ("if t > 4: raise KeyboardInterrupt", "", 2, "own.py:5: select fails with KeyboardInterrupt at t = 5"),
        ("if t > 900: raise KeyboardInterrupt", "", 1, "3 runs failed; tracebacks are in"),
    ],
)
def test_interrupt_of_its_own(own, capfd, body, head, code, said):
    """An algorithm's KeyboardInterrupt is its error, not the user's interrupt; no process prints a traceback."""
    base = own(body, head)
    done = here("run", "spec.yaml", "-j", 1)
    assert (done.exit_code, said in done.output) == (code, True), done.output
    assert "Traceback" not in done.output + capfd.readouterr().err
    assert all("in select" in path.read_text() for path in base.rglob("run-*.failed"))
