"""Downloads are never made by tests: the matrices that need them lie beside the checkout, or are skipped."""

import os
from pathlib import Path

import matplotlib.style
import pytest

from duelbench.plots.style import STYLE
from duelbench.sources.downloads import DOWNLOADS, VARIABLE

BESIDE = Path(__file__).parents[2] / "shared" / "datasets"
if VARIABLE not in os.environ and BESIDE.is_dir():
    os.environ[VARIABLE] = str(BESIDE)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: tries more of the same; `make test` leaves it out")


@pytest.fixture
def mslr():
    """The 136-arm MSLR matrices by name."""
    missing = [str(each.path) for each in DOWNLOADS.values() if not each.path.is_file()]
    if missing:
        pytest.skip(f"there is no {missing[0]}: set {VARIABLE} to the directory of the MSLR matrices")
    return {name: each.matrix() for name, each in DOWNLOADS.items()}


@pytest.fixture
def project_style():
    """What figures look like: for tests that draw parts of one."""
    with matplotlib.style.context(["default", STYLE]):
        yield
