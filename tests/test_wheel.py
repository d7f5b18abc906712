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
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(built), str(REPOSITORY)]
    subprocess.run(build, check=True)
    (wheel,) = built.glob("duelbench-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


def test_shipped_matrices_and_specs_work_from_the_wheel(unpacked, tmp_path):
    code = (
        "import duelbench, sys; from duelbench.cli import main; "
        f"assert duelbench.__file__.startswith({str(unpacked)!r}), duelbench.__file__; main(sys.argv[1:])"
    )

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(unpacked)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    assert "1,800 in all" in run("check", "quickstart.yaml")
    assert "1,800 in all" in run("check", "configs/quickstart")
    assert "quickstart.yaml" in run("list", "specs")
    assert "exact ties        2–4" in run("datasets", "show", "sushi16")


def test_licence_and_entry_point_are_in_the_wheel(unpacked):
    (info,) = unpacked.glob("duelbench-*.dist-info")
    assert "duelbench = duelbench.cli:main" in (info / "entry_points.txt").read_text()
    assert "MIT" in (info / "licenses" / "LICENSE").read_text()
