"""Shared fixtures. Tests have their own home directory, with its own kernel cache, and download nothing.

The home directory is in the checkout and is kept after a run, so that the next run finds compiled kernels. The MSLR
matrices are read from beside the checkout or from the user's cache; without them, tests that need them are skipped.
"""

import gc
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from duelbench.cli import use_one_thread_for_algebra

use_one_thread_for_algebra()  # before NumPy is imported, as in the commands, some of which run in this process

from duelbench.sources.published_matrices import DOWNLOADS, VARIABLE, data_directory  # noqa: E402

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".pytest_cache" / "home"
BROWSERS = "PLAYWRIGHT_BROWSERS_PATH"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")

if VARIABLE not in os.environ:
    beside = ROOT.parent / "shared" / "datasets"
    there = [each for each in (beside, data_directory()) if each.is_dir()]
    os.environ |= {VARIABLE: str(there[0])} if there else {}
if BROWSERS not in os.environ and (browsers := Path("~/.cache/ms-playwright").expanduser()).is_dir():
    os.environ[BROWSERS] = str(browsers)
HOME.mkdir(parents=True, exist_ok=True)
os.environ["HOME"] = str(HOME)  # also for all processes that tests start
for elsewhere in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"):
    os.environ.pop(elsewhere, None)
os.environ.pop("COLUMNS", None)  # it would determine the width of printed lines
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # otherwise hundreds of processes compile all modules again
    sys.dont_write_bytecode = False

# Hypothesis tries the same examples on every machine, whatever it has tried before and however long they take.
settings.register_profile(
    "duelbench", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("duelbench")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Disable garbage collection while tests are collected: it would take seconds and find nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture
def mslr():
    """The 136-arm MSLR matrices by name."""
    missing = [str(each.path) for each in DOWNLOADS.values() if not each.path.is_file()]
    if missing:
        pytest.skip(f"there is no {missing[0]}: set {VARIABLE} to the directory of the MSLR matrices")
    return {name: each.matrix() for name, each in DOWNLOADS.items()}


@pytest.fixture
def interpreted(monkeypatch):
    """Run kernels as plain Python in this process, so that tests that call single kernels do not compile them."""
    from tests.playing import interpret  # most tests compile nothing

    interpret(monkeypatch)  # undone after the test's own patches


@pytest.fixture
def inner(pytester, monkeypatch):
    """Pytester that, after a run in this process, unloads only modules from its own directory.

    By default, it unloads all modules that its run was the first to import. The modules of numba and duelbench would
    then exist twice, and later tests could not compile anything.
    """

    def drop_own(snapshot):
        for name, module in [*sys.modules.items()]:
            if str(getattr(module, "__file__", None) or "").startswith(str(pytester.path)):
                del sys.modules[name]

    monkeypatch.setattr("_pytest.pytester.SysModulesSnapshot.restore", drop_own)
    return pytester


@pytest.fixture
def project_style():
    """The style of figures, for tests that draw parts of a figure."""
    import matplotlib.style  # most tests draw nothing

    from duelbench.plots.style import STYLE

    with matplotlib.style.context(["default", STYLE]):
        yield


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The results of the spec ``tests.experiments.SMALL``; tests must not change them."""
    from tests.experiments import SMALL, played

    _, directory, execution, said = played(tmp_path_factory.mktemp("small"), SMALL)
    assert (execution.played, said) == (24, [])
    return directory


@pytest.fixture
def copy(small, tmp_path):
    """A copy of ``small`` in ``out``, which tests may change."""
    shutil.copytree(small, tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def spec(tmp_path):
    """A function that writes a text into quick.yaml and loads it."""
    from duelbench.spec.model import load

    def write(text):
        path = tmp_path / "quick.yaml"
        path.write_text(text, encoding="utf-8")
        return load(path)

    return write


@pytest.fixture
def two(tmp_path, monkeypatch):
    """The file two.yaml with the spec ``tests.commands.SPEC``, in the working directory."""
    from tests.commands import SPEC

    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(SPEC)
    return tmp_path / "two.yaml"


@pytest.fixture(scope="session")
def two_played(tmp_path_factory):
    """A directory with that spec and its results in results/two, and the completed command; do not change it."""
    from tests.commands import SPEC, duelbench

    directory = tmp_path_factory.mktemp("played")
    (directory / "two.yaml").write_text(SPEC)
    return directory, duelbench("run", "two.yaml", "-j", 2, cwd=directory)


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """A directory with results of ``tests.experiments.COMPARED`` and of variants of it; tests must not change it."""
    from tests.experiments import COMPARED, played

    base = tmp_path_factory.mktemp("compare")
    played(base, COMPARED, "a")
    played(base, COMPARED, "again")
    played(base, COMPARED.replace("seed: 5", "seed: 6"), "reseeded")
    played(base, COMPARED.replace("alpha: 0.51", "alpha: 1.5"), "wider")
    played(base, COMPARED.replace("runs: 40", "runs: 30"), "fewer")
    played(base, COMPARED.replace(", d-ts", ""), "alone")
    return base


@pytest.fixture(scope="session")
def browser():
    """Chromium from ``DUELBENCH_CHROMIUM``, from the PATH or from ``playwright install chromium``."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs `pip install playwright`")
    found = os.environ.get("DUELBENCH_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    with playwright.sync_playwright() as started:
        try:
            chromium = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"needs Chromium, see DUELBENCH_CHROMIUM: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()
