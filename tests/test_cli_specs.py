"""Specs by the names that users give them: their own files first, then those that travel with duelbench."""

from pathlib import Path

from duelbench.cli.specs import complete_spec, shipped_specs, spec_path
from duelbench.shipped import shipped


def test_a_file_of_ones_own_comes_before_a_shipped_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quickstart = shipped("configs") / "quickstart.yaml"
    assert shipped_specs()["quickstart.yaml"] == quickstart
    for name in ("quickstart", "quickstart.yaml", "configs/quickstart.yaml"):
        assert spec_path(Path(name)) == quickstart
    assert spec_path(Path("nothing.yaml")) == Path("nothing.yaml")
    Path("quickstart.yaml").write_text("")
    assert spec_path(Path("quickstart.yaml")) == Path("quickstart.yaml")


def test_names_and_files_are_completed():
    assert [(item.value, item.type) for item in complete_spec(None, None, "quick")] == [
        ("quickstart.yaml", "plain"),
        ("quick", "file"),
    ]
