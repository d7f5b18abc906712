"""What makes a run stale: the code and the libraries behind its numbers, and nothing else."""

import sys
from pathlib import Path

import pytest

from duelbench.algorithms.catalogue import catalogue, find
from duelbench.errors import UserError
from duelbench.runs import code

PACKAGE = code.PACKAGE
DRAWN = ("duelbench.sources.generators", "duelbench.sources.submatrix")


def codes(kinds, drawn_by=()):
    """The code of algorithms by name, of the modules as they are now."""
    code._module.cache_clear()
    return {name: code.code_of(kind, drawn_by) for name, kind in kinds.items()}


@pytest.fixture
def editable(tmp_path, monkeypatch):
    """A copy of the package whose sources a test may edit."""
    copy = tmp_path / "duelbench"
    for source in PACKAGE.rglob("*.py"):
        there = copy / source.relative_to(PACKAGE)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(source.read_bytes())
    monkeypatch.setattr(code, "PACKAGE", copy)
    yield copy
    code._module.cache_clear()


EDITS = [
    ("algorithms/thompson/election.py", {"d-ts"}),
    ("algorithms/divergence/rmed1.py", {"rmed1"}),
    ("arrays.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("compiling/jit.py", set()),
    ("compiling/linking.py", set()),
    ("engine/play.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("preferences/regret.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("runs/run.py", {"rucb", "d-ts", "rmed1", "uniform", "cw-rmed"}),
    ("algorithms/divergence/program.py", {"cw-rmed"}),
    ("sessions/session.py", set()),
    ("engine/warm.py", set()),
    ("algorithms/catalogue.py", set()),
    ("sources/generators.py", set()),
    ("runs/worker.py", set()),
]


@pytest.mark.parametrize(("file", "stale"), EDITS)
def test_an_edit_makes_stale_what_it_can_change(editable, file, stale):
    kinds = {name: catalogue()[name] for name in ("rucb", "d-ts", "rmed1", "uniform", "cw-rmed")}
    before = codes(kinds)
    (editable / file).write_text((editable / file).read_text() + "EDITED = 1\n")
    after = codes(kinds)
    assert {name for name in kinds if after[name] != before[name]} == stale
    for name in stale:
        assert [each for each in after[name] if after[name][each] != before[name][each]] == [
            file.removesuffix(".py").replace("/", ".")
        ]


LITERAL_EDITS = [
    ("literal/dts.py", {"d-ts", "d-ts+"}),
    ("literal/arithmetic.py", {"d-ts", "d-ts+", "rucb"}),
    ("literal/rucb.py", {"rucb"}),
    ("runs/transcription.py", {"d-ts", "d-ts+", "rucb"}),
    ("preferences/regret.py", {"d-ts", "d-ts+", "rucb"}),
    ("algorithms/confidence/rucb.py", set()),
    ("literal/savage.py", set()),
]


@pytest.mark.parametrize(("file", "stale"), LITERAL_EDITS)
def test_a_literal_run_is_stale_when_its_transcription_changes(editable, file, stale):
    def literal():
        code._module.cache_clear()
        return {name: code.code_of(catalogue()[name], literal=True) for name in ("rucb", "d-ts", "d-ts+")}

    before = literal()
    (editable / file).write_text((editable / file).read_text() + "edited = True\n")
    after = literal()
    assert {name for name in after if after[name] != before[name]} == stale


def test_words_make_nothing_stale(editable):
    before = codes(catalogue(), DRAWN)
    for source in editable.rglob("*.py"):
        text = source.read_text()
        words = '"""Other words."""' + text[text.index('"""', 3) + 3 :] if text.startswith('"""') else text
        source.write_text("# a comment\n" + words)
    assert codes(catalogue(), DRAWN) == before


def test_generators_count_where_runs_draw_matrices(editable):
    rucb = {"rucb": catalogue()["rucb"]}
    before = codes(rucb, DRAWN)
    file = editable / "sources" / "submatrix.py"
    file.write_text(file.read_text() + "EDITED = 1\n")
    assert codes(rucb, DRAWN) != before


def test_a_library_counts_where_it_computes():
    assert set(code.code_of(catalogue()["rucb"])) & {"numpy", "scipy", "numba"} == {"numpy"}
    assert not code.code_of(catalogue()["rucb"], DRAWN).keys() & {"numba", "scipy"}


def test_an_algorithm_of_ones_own_counts_with_what_it_imports(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import scipy.special\nfrom duelbench.algorithms import Algorithm\nfrom duelbench.kernels.draws import below\n"
        "class Mine(Algorithm):\n    name = 'mine'\n    State = list\n    def start(self, arms, horizon): return []\n"
    )
    found = code.code_of(find("mine.py:Mine", tmp_path))
    assert {"its file", "kernels.draws", "engine.play", "scipy", "numpy"} <= set(found)
    assert "algorithms.thompson.election" not in found
    assert Path(code.__file__).parent.parent == PACKAGE


def test_what_is_imported_late_is_imported_as_it_was_at_first(monkeypatch):
    """Transcriptions are imported when one is played; the digests are those of the files when the process began."""
    name = "duelbench.literal.wrapped"
    file = PACKAGE / "literal" / "wrapped.py"
    monkeypatch.delitem(sys.modules, name, raising=False)
    code._module.cache_clear()
    code._module(name)
    assert name in sys.modules
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(code._AT_FIRST, file, file.read_bytes() + b"EDITED = 1\n")
    code._module.cache_clear()
    with pytest.raises(UserError, match=r"duelbench\.literal\.wrapped was edited while the command ran"):
        code._module(name)
    code._module.cache_clear()


def test_what_an_algorithm_inherits_from_counts_however_it_came_by_it(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from duelbench.algorithms.catalogue import catalogue\nclass Mine(catalogue()['rucb']):\n    name = 'mine'\n"
    )
    assert "algorithms.confidence.rucb" in code.code_of(find("mine.py:Mine", tmp_path))
