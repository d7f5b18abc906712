"""The wheel is complete: its matrices and specs are found from any directory."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    built = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=REPOSITORY, check=True)
    (wheel,) = built.glob("duelbench-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


COMMANDS = ["check quickstart.yaml", "check configs/quickstart", "list specs", "datasets show sushi16"]
SCRIPT = """
import sys, duelbench
from duelbench.cli import main
assert duelbench.__file__.startswith(sys.argv[1]), duelbench.__file__
for command in sys.argv[2:]:
    main(command.split(), standalone_mode=False)
    print("----")
"""


def test_shipped_matrices_and_specs_work_from_the_wheel(unpacked, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(unpacked), *COMMANDS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    by_name, by_path, specs, sushi, _ = done.stdout.split("----\n")
    assert "1,800 in all" in by_name
    assert "1,800 in all" in by_path
    assert "quickstart.yaml" in specs
    assert "exact ties        2–4" in sushi


def test_licence_and_entry_point_are_in_the_wheel(unpacked):
    (info,) = unpacked.glob("duelbench-*.dist-info")
    assert "duelbench = duelbench.cli:main" in (info / "entry_points.txt").read_text()
    assert "MIT" in (info / "licenses" / "LICENSE").read_text()


def test_pages_that_commands_name_are_in_the_wheel(unpacked):
    hint = (REPOSITORY / "duelbench" / "cli" / "list.py").read_text(encoding="utf-8")
    assert "duelbench/README.md" in hint
    assert (unpacked / "duelbench" / "README.md").exists()
    assert (unpacked / "duelbench" / "shipped_files" / "configs" / "README.md").exists()


def test_what_a_page_is_made_of_is_in_the_wheel(unpacked):
    assert {path.name for path in (unpacked / "duelbench" / "plots" / "interactive").glob("page.*")} == {
        "page.css", "page.html", "page.js", "page.py",
    }  # fmt: skip


def test_types_and_fingerprints_are_in_the_wheel(unpacked):
    assert (unpacked / "duelbench" / "py.typed").exists()
    assert (unpacked / "duelbench" / "fingerprints.json").exists()
