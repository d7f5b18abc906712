"""Where shipped files lie."""

import pytest

from duelbench import shipped as module
from duelbench.shipped import shipped
from tests.comparison import ROOT


@pytest.mark.parametrize(("kind", "file"), [("datasets", "cyclic4.csv"), ("configs", "quickstart.yaml")])
def test_files_of_a_checkout_and_of_a_wheel(kind, file, tmp_path, monkeypatch):
    assert shipped(kind) == ROOT / kind
    assert (shipped(kind) / file).is_file()
    package = tmp_path / "duelbench"
    monkeypatch.setattr(module, "__file__", str(package / "shipped.py"))
    assert shipped(kind) == tmp_path / kind
    (package / "shipped_files" / kind).mkdir(parents=True)
    assert shipped(kind) == package / "shipped_files" / kind
