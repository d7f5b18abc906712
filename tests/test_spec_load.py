"""Every way to mistype a spec: the line and the sentence that the researcher reads."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duelbench.errors import UserError
from duelbench.spec.load import load
from tests.mistyped import BASE, MISTYPED, NAMES


@pytest.mark.parametrize(("text", "line", "sentence"), MISTYPED)
def test_a_mistyped_spec_says_where_and_what_to_do(tmp_path, text, line, sentence):
    path = tmp_path / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    assert str(caught.value) == f"{path}:{line}: {sentence}"


def test_the_spec_that_the_mistakes_are_made_in_is_right(tmp_path):
    path = tmp_path / "spec.yaml"
    path.write_text(BASE, encoding="utf-8")
    assert load(path).horizons == (10_000,)


def test_alias_bomb(tmp_path):
    path = tmp_path / "spec.yaml"
    levels = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    path.write_text("\n".join(levels), encoding="utf-8")
    with pytest.raises(UserError, match="more than 100000 values"):
        load(path)


def test_files_that_are_no_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("latin.yaml").write_bytes("runs: 1\ntitle: naïve\n".encode("latin-1"))
    Path("big.yaml").write_text("# " + "x" * 1_000_000, encoding="utf-8")
    Path("folder").mkdir()
    expected = {
        "latin.yaml": "latin.yaml:2: this is not UTF-8 text: save the file as UTF-8",
        "big.yaml": "big.yaml: the file is larger than 1 MB: is it a spec?",
        "folder": "folder: this is a directory: give the YAML file in it",
        "latn.yaml": "latn.yaml: there is no such file: check the path (did you mean 'latin.yaml'?)",
        "no/such.yaml": "no/such.yaml: there is no such file: check the path",
        "big.yaml/x.yaml": "big.yaml/x.yaml: the file cannot be read (Not a directory): check it",
    }
    for name, message in expected.items():
        with pytest.raises(UserError) as caught:
            load(Path(name))
        assert str(caught.value) == message


def test_a_file_name_that_cannot_name_results(tmp_path):
    path = tmp_path / "my spec (2).yaml"
    path.write_text(BASE, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path)
    assert caught.value.message == f"the file needs another name, or a 'name' inside: 'my spec (2)' {NAMES}"
    path.write_text(BASE + "name: mine\n", encoding="utf-8")
    assert load(path).name == "mine"


FULL = BASE + (
    "name: full\nregret: [borda, weak]\nseed: 3\n"
    "figures:\n  - {kind: regret, band: 'none'}\n  - kind: std\n    at: 1e3\n    normalize_by: rucb\n"
)


@settings(derandomize=True, max_examples=1000, deadline=None)
@given(st.data())
def test_any_slip_of_the_keyboard_is_an_error_of_the_user(tmp_path_factory, data):
    text = FULL
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 8)))
        inserted = data.draw(
            st.sampled_from(["", *"-:[]{}'\"#&*!|>%@,?~<=\\\t\n \x01é0", "- ", ": ", "\n  ", "<<: ", "null", "1e9"])
        )
        text = text[:start] + inserted + text[end:]
    path = tmp_path_factory.getbasetemp() / "slip.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        load(path)
    except UserError as error:
        assert error.line is not None
        assert 1 <= error.line <= text.count("\n") + 1
        assert "\n" not in error.message
