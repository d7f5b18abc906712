"""Users' kernels are compiled in a process of their own, once."""

import pytest

from duelbench.compiling.jit import is_compiled
from duelbench.compiling.jit import kernel as decorate
from duelbench.errors import UserError
from duelbench.runs.trial import kernels
from duelbench.runs.trial.kernels import compile_apart
from tests.experiments import planned
from tests.mistakes import ANSWER, KERNELS, PLAIN, SPEC


@decorate
def compiles():
    return 1


def kinds(base, text):
    (base / "mine.py").write_text(text)
    return [series.algorithm.kind for series in planned(base, SPEC).series]


@pytest.mark.skipif(not is_compiled(compiles), reason="nothing is compiled here")
def test_what_does_not_compile_is_said_each_time_and_what_does_is_compiled_once(tmp_path, monkeypatch):
    said = []
    wrong = kinds(tmp_path, KERNELS.replace(ANSWER, f"    seen = [t]\n    seen.append({tmp_path.name!r})\n{ANSWER}"))
    for _ in range(2):
        with pytest.raises(UserError, match=r"mine.py:\d+: this does not compile"):
            compile_apart(wrong, said.append)
    assert len(said) == 2
    good = kinds(tmp_path, KERNELS)
    monkeypatch.setattr(kernels, "warm", None)  # here nothing is compiled
    compile_apart(good, said.append)
    before = len(said)
    compile_apart(good, said.append)
    assert len(said) == before


def test_plain_python_is_left_alone(tmp_path):
    compile_apart(kinds(tmp_path, PLAIN), pytest.fail)
