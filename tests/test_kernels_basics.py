"""Draws; and that what is compiled is kept under a name that changes with the sources."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from duelbench.compiling import jit
from duelbench.kernels.draws import below, pick


def test_below_is_one_double_of_the_stream():
    ours, numpys = np.random.default_rng(1), np.random.default_rng(1)
    assert [below(n, ours) for n in range(1, 500)] == [int(numpys.random() * n) for n in range(1, 500)]
    counts = np.bincount([below(7, ours) for _ in range(14_000)], minlength=7)
    assert stats.chisquare(counts).pvalue > 0.001
    assert len(counts) == 7


def test_pick_draws_only_among_several():
    ours, numpys = np.random.default_rng(2), np.random.default_rng(2)
    candidates = np.array([8, 3, 5, 99, 99])
    assert pick(candidates, 1, ours) == 8
    assert [pick(candidates, 3, ours) for _ in range(200)] == [[8, 3, 5][int(numpys.random() * 3)] for _ in range(200)]
    assert ours.bit_generator.state == numpys.bit_generator.state


def test_exactly_the_binomials_of_the_votes():
    # The identity that votes rest on: P(Beta(a+1, b+1) > 1/2) = P(Bin(a+b+1, 1/2) <= a).
    for a, b in ((0, 0), (3, 1), (2, 9)):
        m = a + b + 1
        exact = Fraction(sum(math.comb(m, k) for k in range(a + 1)), 2**m)
        assert float(exact) == pytest.approx(stats.beta.sf(0.5, a + 1, b + 1), rel=1e-12)


def test_machine_code_is_kept_by_sources_and_users_text(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    plain = jit.cache_directory.__wrapped__()
    assert plain.is_relative_to(tmp_path)
    assert plain.is_dir()
    assert plain != jit.cache_directory.__wrapped__("text of a user's algorithm")
    before = jit.sources_digest.__wrapped__()
    for pattern in jit.KERNEL_SOURCES:
        for source in jit.PACKAGE.glob(pattern):
            copy = tmp_path / source.relative_to(jit.PACKAGE)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(source.read_bytes())
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)
    assert jit.sources_digest.__wrapped__() == before
    for pattern in jit.KERNEL_SOURCES:
        source = next(tmp_path.glob(pattern))
        text = source.read_text()
        source.write_text(text + "# edited\n")
        assert jit.sources_digest.__wrapped__() != before
        source.write_text(text)
    assert jit.sources_digest.__wrapped__() == before


def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_one(monkeypatch, tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    assert not jit.cache_directory.__wrapped__().is_relative_to(tmp_path / "a file")
