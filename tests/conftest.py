"""Tests have a home of their own, with its kernel cache, and download nothing.

The home lies in the checkout and outlives the run, so that the next one finds the machine code that it needs. The MSLR
matrices are those beside the checkout or in the user's cache; where there are none, tests that need them are skipped.
"""

import gc
import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from duelbench.cli import use_one_thread_for_algebra

use_one_thread_for_algebra()  # as commands do, some of which are run in this process; NumPy is imported below

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
os.environ["HOME"] = str(HOME)  # and that of all processes that tests start
for elsewhere in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "NUMBA_CACHE_DIR", "MPLCONFIGDIR"):
    os.environ.pop(elsewhere, None)
os.environ.pop("COLUMNS", None)  # what is printed is as wide as it is
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):  # else each of hundreds of processes compiles all modules again
    sys.dont_write_bytecode = False

# Hypothesis tries the same examples on every machine, whatever it has tried before and however long they take.
settings.register_profile(
    "duelbench", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("duelbench")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Nothing that is collected is garbage: to look for it among ten thousand tests takes seconds."""
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
    """Kernels are plain Python in this process: none is compiled for tests that call it by itself."""
    from tests.playing import interpret  # most tests compile nothing

    interpret(monkeypatch)  # undone after what the test itself patches


@pytest.fixture
def inner(pytester, monkeypatch):
    """Pytester, whose run in this process leaves modules loaded that are not of its directory.

    It would drop all that are first imported there: numba's and ours would then exist twice, and no test after it
    could compile.
    """

    def drop_own(snapshot):
        for name, module in [*sys.modules.items()]:
            if str(getattr(module, "__file__", None) or "").startswith(str(pytester.path)):
                del sys.modules[name]

    monkeypatch.setattr("_pytest.pytester.SysModulesSnapshot.restore", drop_own)
    return pytester


@pytest.fixture
def project_style():
    """What figures look like: for tests that draw parts of one."""
    import matplotlib.style  # most tests draw nothing

    from duelbench.plots.style import STYLE

    with matplotlib.style.context(["default", STYLE]):
        yield


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The results of the spec ``tests.experiments.SMALL``; not to be changed."""
    from tests.experiments import SMALL, played

    _, directory, execution, said = played(tmp_path_factory.mktemp("small"), SMALL)
    assert (execution.played, said) == (24, [])
    return directory


@pytest.fixture
def copy(small, tmp_path):
    """A copy of ``small`` in ``out``, to be changed."""
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
    """The spec ``tests.commands.SPEC`` in two.yaml, in the working directory."""
    from tests.commands import SPEC

    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(SPEC)
    return tmp_path / "two.yaml"


@pytest.fixture(scope="session")
def two_played(tmp_path_factory):
    """A directory with that spec and its results in results/two, and what the command said; not to be changed."""
    from tests.commands import SPEC, duelbench

    directory = tmp_path_factory.mktemp("played")
    (directory / "two.yaml").write_text(SPEC)
    return directory, duelbench("run", "two.yaml", "-j", 2, cwd=directory)


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """Results of ``tests.experiments.COMPARED`` and of some changes to it, by name; not to be changed."""
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
    """Chromium: ``DUELBENCH_CHROMIUM``, one on the PATH, or that of ``playwright install chromium``."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs `pip install playwright`")
    found = os.environ.get("DUELBENCH_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    with playwright.sync_playwright() as started:
        try:
            chromium = started.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except playwright.Error as error:
            pytest.skip(f"needs Chromium, see DUELBENCH_CHROMIUM: {str(error).splitlines()[0]}")
        yield chromium
        chromium.close()
