"""Strange specs: each is accepted, or refused in one line, and no other file changes."""

import pytest
import yaml
from hypothesis import strategies as st

from tests.fuzzing import Yard, damaged, fuzzed


@pytest.fixture(scope="module")
def yard(tmp_path_factory):
    return Yard(tmp_path_factory.mktemp("yard"))


VALID = {
    "name": "fuzz",
    "title": "A title",
    "horizon": 100,
    "runs": 2,
    "seed": 3,
    "shuffle_arms": True,
    "regret": ["copeland", "borda"],
    "checkpoints_per_decade": 5,
    "feedback": {"delay": [1, 10]},
    "run_timeout": 60,
    "datasets": [
        "six-rankers",
        {"name": "btl-uniform", "arms": 5, "seed": 1},
        {"name": "sushi16", "label": "part", "submatrix": {"size": 4, "per_run": True}},
        {"name": "mine", "file": "m.csv"},
    ],
    "algorithms": ["uniform", {"name": "rucb", "alpha": [0.51, 1.0], "label": "R", "title": "$R$ ({alpha})"}],
    "figures": [
        {"kind": "regret", "x": "log", "bounds": ["LB"], "algorithms": ["uniform"], "title": "T"},
        {"kind": "std", "at": 100, "normalize_by": "uniform", "file": "f"},
        {"kind": "scaling", "against": "delay", "datasets": ["part"], "xlabel": "$d$", "legend": "right"},
    ],
    "smoke": {"runs": 1, "horizon": 200, "title": "Small"},
}

NASTY_TEXT = st.one_of(
    st.sampled_from([
        "", " ", "\0", "\x1b[31m", "\x7f", "\u200b", "\u202egnp.exe", "\ufeff", "\ud800", "a\nb", "a\rb", "\u2028",
        "..", ".", "/", "../evil", "../../evil.csv", "/tmp/evil", "~", "~root", "$HOME", "a/../../evil", "a\\b",
        "CON", "nul", "COM1.txt", "aux.csv", "summary.csv", "manifest.json", ".lock", "-rf", "--help", "=1+1",
        "/dev/zero", "/dev/stdin", "/proc/self/mem", "m.csv/x.csv", "x" * 300, "x" * 60_000, "é" * 200,
        "%s%n", "{0}", "{it}", "{sentence}", "$\\frac$", "$x", "_hidden", "evil.py:Evil", "../evil.py:Evil",
        "null", "true", "1e5", "0x10", "1:30", "2001-12-14", "NaN", "nan", "sweep", "六", "𝒳", "e\u0301",
    ]),
    st.text(max_size=20),
)  # fmt: skip
NASTY = st.one_of(
    NASTY_TEXT,
    st.sampled_from([None, True, False, 0, 1, -1, 2, 3, 2**31, 2**63 - 1, 2**63, 10**18, 10**99, 10**400, -(10**30)]),
    st.sampled_from(
        [0.0, -0.0, 0.5, 1.5, 1e-308, 5e-324, 1e308, float("inf"), float("-inf"), float("nan"), 1e12, 1e13]
    ),
    st.sampled_from([[], {}, [[]], [{}], {"a": 1}, {"": 1}, {"name": {}}, [1] * 200, list(range(300)), ["x"] * 3]),
    st.sampled_from([b"\x00\xff", {1: 2}, [[[[[[[[1]]]]]]]], {"name": "uniform", "file": "m.csv"}]),
)


def _paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _paths(inner, (*path, index))


def _changed(tree, path, change):
    """Return ``tree`` with ``change`` applied at ``path``; None removes the item."""
    if not path:
        return change(tree)
    first, *rest = path
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    if not rest and change is None:
        del copy[first]
    else:
        copy[first] = _changed(tree[first], rest, change)
    return copy


def _mutated(tree, path, how, word, value):
    """Return a tree with a mutation at ``path``."""

    def added(old):
        if isinstance(old, dict):
            return {**old, word: value}
        return [*old, value] if isinstance(old, list) else value

    if how == "rename" and path and isinstance(path[-1], str):
        return _changed(tree, path[:-1], lambda old: {word if key == path[-1] else key: old[key] for key in old})
    if how == "remove" and path:
        return _changed(tree, path, None)
    return _changed(tree, path, {"add": added, "wrap": lambda old: [old]}.get(how, lambda old: value))


@st.composite
def mutants(draw, valid=VALID, nasty=NASTY):
    """Draw a valid tree with a few things replaced, removed, added, renamed or wrapped."""
    tree = valid
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(sorted(_paths(tree), key=str)))
        how = draw(st.sampled_from(["replace", "replace", "replace", "remove", "add", "wrap", "rename"]))
        tree = _mutated(tree, path, how, draw(NASTY_TEXT), draw(nasty))
    return tree


def _dumped(tree) -> bytes:
    text = yaml.dump(tree, allow_unicode=False, sort_keys=False, width=10**6)
    return text.encode("utf-8", "surrogatepass")


def test_sound_spec(yard):
    (yard.work / "spec.yaml").write_bytes(_dumped(VALID))
    assert yard.call("check", "spec.yaml") == yard.call("check", "--smoke", "spec.yaml") == ""


@fuzzed(25, 150, tree=mutants())
def test_nasty_values(yard, tree):
    path = yard.work / "spec.yaml"
    path.write_bytes(_dumped(tree))
    yard.call("check", "spec.yaml")
    yard.call("check", "--smoke", "spec.yaml")


TOKENS = [
    b"\0", b"\x1b", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"\t", b"\r", b"\n", b"\n  ", b"\n- ", b": ", b"- ", b"---\n",
    b"&a ", b"*a", b"<<: *a", b"!!python/object/apply:os.system ['touch pwned']", b"!!python/name:os.system",
    b"!!binary aGk=", b"!x ", b"!!set", b"{", b"}", b"[", b"]", b"'", b'"', b'"\\ud800"', b'"\\0"', b'"\\x1b"', b"|",
    b">", b"%", b"? ", b"@", b"`", b"#", b"~", b".inf", b".nan", b"-0.0", b"1e999", b"0o17", b"12:30:45", b"2001-01-01",
    b"...", b"9" * 101, b"9" * 5000, b"%YAML 9.9\n", b"%TAG ! x\n", b"\xe2\x80\xae", b"\xe2\x80\x8b", b"\xc2\x85",
    b"[" * 200,
]  # fmt: skip
JUNK = st.one_of(st.sampled_from(TOKENS), st.binary(max_size=4))


@fuzzed(40, 200, data=st.data())
def test_damaged_bytes(yard, data):
    raw = data.draw(damaged(_dumped(VALID), JUNK, 5, 9))
    encoding = data.draw(st.sampled_from(["as is"] * 6 + ["utf-16", "utf-32", "utf-16-le", "latin-1", "utf-7"]))
    if encoding != "as is":
        raw = raw.decode("utf-8", "replace").encode(encoding, "replace")
    (yard.work / "spec.yaml").write_bytes(raw)
    yard.call("check", "spec.yaml")
    assert not list(yard.root.rglob("pwned"))


BOMBS = {
    "closed deep lists": b"a: " + b"[" * 500 + b"]" * 500,
    "deep blocks": b"".join(b" " * n + b"a:\n" for n in range(600)),
    "aliases": b"a0: &a0 [1,1,1,1]\n"
    + b"\n".join([b"a%d: &a%d [%s]" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 20)]),
    "many keys": b"".join(b"k%d: 1\n" % n for n in range(4_000)),
    "anchors": b"".join(b"k%d: &a%d 1\n" % (n, n) for n in range(4_000)),
    "one long line": b"title: " + b"a" * 900_000,
    "quotes": b'title: "' + b"\\n" * 40_000 + b'"',
    "datasets": b"horizon: 10\nruns: 1\nalgorithms: [uniform]\nfeedback: {delay: [%s]}\n"
    b"datasets: [{name: btl-uniform, arms: 5, seed: [%s]}]\n"
    % (b",".join(b"%d" % n for n in range(1, 1_000)), b",".join(b"%d" % n for n in range(1_000))),
    "pairs": b"horizon: 10\nruns: 1\nalgorithms: [{name: rucb, alpha: [%s]}]\n"
    b"datasets: [{name: btl-uniform, arms: 5, seed: [%s]}]\n"
    % (b",".join(b"%d.5" % n for n in range(1, 1_000)), b",".join(b"%d" % n for n in range(1_000))),
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs(yard, bomb):
    (yard.work / "spec.yaml").write_bytes(BOMBS[bomb])
    assert "error: spec.yaml" in yard.call("check", "spec.yaml")
