"""Mistyped specs: the text, the wrong line, and the beginning or end of the error message."""

from duelbench.spec.figures import figure_kinds

FIGURES = [*figure_kinds()]
BASE = "horizon: 1e4\nruns: 2\ndatasets: [sushi16]\nalgorithms: [rucb]\n"


def horizon(text):
    return BASE.replace("horizon: 1e4", text)


def runs(text):
    return BASE.replace("runs: 2", text)


def datasets(text):
    return BASE.replace("[sushi16]", text)


def algorithms(text):
    return BASE.replace("[rucb]", text)


def entry(text):
    return algorithms("\n  - name: rucb\n    " + text)


def figures(text):
    return BASE + "figures:\n" + text


MISTYPED = [
    (horizon("budget: 1e3\nhorizon: 1e4"), 1, "'horizon' and 'budget' are both given: keep"),
    (horizon("budget: 1e3\ncount: rounds"), 2, "a 'budget' counts votes: write 'horizon',"),
    (horizon("horizon: 1e3\ncount: vote"), 2, "did you mean 'votes'?"),
    (horizon("horizon: 1e3\nrecommend: best"), 2, "'recommend' must be 'none', 'own',"),
    ("", 1, "the spec is empty: begin with a line such"),
    ("horizon:1e6\n", 1, "a spec consists of 'key: value' lines:"),
    ("runs: 5\nhorizon:1e6\nseed: 1\n", 2, "this line has no ': ' after its key: write"),
    ("horizon: 5\n\truns: 3\n", 2, "YAML cannot be indented with tabs: use"),
    ("title: D-TS: MSLR\n", 1, "a second ': ' is not expected here: check"),
    (entry("\n   alpha: 1"), 7, "this line does not fit the lines above:"),
    ("title: [a]]\n", 1, "']' closes a bracket that was never opened:"),
    (datasets("[a, b"), 3, "this '[' is not closed as it should be:"),
    ("a: {b: 1\nc: 2\n", 1, "this '{' is not closed as it should be:"),
    ('runs: 1\ntitle: "x\nseed: 3\n', 2, "a quote opens here and is never closed:"),
    ('title: "C:\\data"\n', 1, "a \\ in double quotes is special in YAML:"),
    ("title: @x\n", 1, "text that begins with @ is special in YAML:"),
    ("title: *best\n", 1, "text that begins with * or & is special in"),
    ("title: >x\n", 1, "text that begins with > or | is special in"),
    ("title: !x y\n", 1, "text that begins with ! is special in YAML:"),
    ("title: - x\n", 1, "a list cannot begin here: put its first '-"),
    ("---\nruns: 1\n---\nseed: 2\n", 3, "a spec is a single YAML document: remove"),
    ("runs: 1\n{{seed}}: 2\n", 2, "a key must be a word: put text that begins"),
    ("runs: 1\n<<: {a: 1}\n", 2, "merge keys (<<) are not supported: write"),
    (BASE + "horizon: 1e5\n", 5, "'horizon' is already given on line 1: keep"),
    (BASE + "title: a\0b\n", 5, "there is a control character here: delete it"),
    (BASE + "x: &a [*a]\n", 5, "this is nested too deeply, or an alias"),
    (BASE + "x: " + "[" * 5000, 5, "this is nested too deeply, or an alias"),
    (horizon("horizon: '1e6'"), 1, "'horizon' must be a whole number, not"),
    (horizon("horizon: 1M"), 1, "'horizon' must be a whole number, not '1M':"),
    (horizon("horizon: 1.5"), 1, "'horizon' must be a whole number, not 1.5"),
    (horizon("horizon: [1, 2]"), 1, "'horizon' must be a whole number, not a"),
    (horizon("horizon: 0"), 1, "'horizon' must be at least 1, not 0"),
    (horizon("horizon:"), 1, "'horizon' has no value: write one after the"),
    (horizon("title: x"), 1, "the number of duels is missing: add, for"),
    (horizon("horizons: []"), 1, "'horizons' is empty: give at least one"),
    (horizon("horizons: 1e4"), 1, "'horizons' must be a list, not 10000: write"),
    (horizon("horizons: [1,\n  x]"), 2, "item 2 of 'horizons' must be a whole"),
    (horizon("horizons:\n- 1\n-"), 3, "this list item is empty: write a value or"),
    (horizon("horizons: [1e3,\n  1000]"), 2, "item 2 of 'horizons' repeats 1000: remove it"),
    (runs("seed: 1"), 1, "the number of runs is missing: add, for"),
    (BASE + "seed: 9223372036854775808\n", 5, "'seed' must be less than"),
    (BASE + "checkpoints_per_decade: 1001\n", 5, "'checkpoints_per_decade' must be at most"),
    (horizon("horizn: 1e4"), 1, "did you mean 'horizon'?"),
    ("horizon: 1\nruns: 1\nalgorithms: [a]\n", 1, "'datasets' is missing: add it"),
    (BASE + "1: 2\n", 5, "unknown key '1': the keys here are xlim,"),
    (BASE + "shuffle_arms: yes\n", 5, "'shuffle_arms' must be true or false, not"),
    (BASE + "feedback: {delay: 0}\n", 5, "item 1 of 'delay' must be at least 1, not 0"),
    (BASE + "regret: [borda,\n  wek]\n", 6, "did you mean 'weak'?"),
    (BASE + "name: ..\n", 5, "'..' is not a valid file name: use letters"),
    (BASE + "name: naïve\n", 5, "'naïve' is not a valid file name: use"),
    (BASE + f"name: {'x' * 101}\n", 5, "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"),
    (BASE + "name: 2016\n", 5, "'name' must be text, not 2016: put it in"),
    (datasets("sushi16"), 3, "'datasets' must be a list, not 'sushi16':"),
    (datasets("\n- - a"), 4, "a dataset must be a name or a mapping with"),
    (datasets("[{name: 5}]"), 3, "'name' must be text, not 5: put it in quotes"),
    (datasets("[m.csv]"), 3, "'m.csv' looks like a file: write {file:"),
    (datasets("['file:m.csv']"), 3, "'file:m.csv' is not a dataset's name: a ':'"),
    (datasets("[sushi/16]"), 3, "'sushi/16' is not a dataset's name:"),
    (datasets("[{file: ''}]"), 3, "'file': it should have at least 1 character"),
    (datasets("\n- name: a\n  submatrix: 16"), 5, "'submatrix' must be a mapping, not 16:"),
    (datasets("\n- A\n- a"), 5, "two datasets would have the label 'a': give"),
    (algorithms("\n  rucb\n  d-ts"), 4, "'algorithms' must be a list, not 'rucb"),
    (algorithms("\n  - rucb\n   - d-ts"), 5, "'rucb - d-ts' is neither an algorithm's"),
    (algorithms("[[rucb]]"), 4, "an algorithm must be a name or a mapping"),
    (algorithms("['name:rucb']"), 4, "'name:rucb' is neither an algorithm's name"),
    (algorithms("[mine.py]"), 4, "'mine.py' is neither an algorithm's name"),
    (algorithms("\n  - rucb:\n      alpha: 0.5"), 5, "an algorithm is written as {name: rucb, …}:"),
    (algorithms("\n  - name: rucb\n  - alpha: 0.5"), 6, "an algorithm needs a 'name': add it, or"),
    (entry("alpha: [[0.5]]"), 6, "item 1 of 'alpha' is a list: a grid is a"),
    (entry("alpha: []"), 6, "'alpha' is empty: give at least one value"),
    (entry("alpha:\n    - 1\n    - 1.0"), 8, "item 2 of 'alpha' repeats 1: remove it"),
    (entry("alpha: .nan"), 6, "'alpha' must be a finite number, a word,"),
    (entry("with: {alpha: 1}"), 6, "parameters are not a nested mapping: write"),
    (entry("horizons: sweeep"), 6, "'horizons' must be 'sweep' or a list such"),
    (entry("variant: [a/b, c]"), 5, "'rucb-variant=a/b' is not a valid file"),
    (entry("alpha: [1, 2]\n  - name: other\n    label: rucb-alpha=2"), 7, "two algorithms would have the label"),
    (
        entry("".join(f"p{key}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n    " for key in range(20))),
        4,
        "the grids make more than 100,000 pairs of a dataset and",
    ),
    (figures("- kind: identification\n"), 6, "this figure shows recommended arms: add a"),
    (figures("- kind: scaling\n  show: votes_to_right\n"), 7, "this figure shows recommended arms: add a"),
    (figures("- kind: scaling\n  at: 0.5\n"), 7, "'at' must be a whole number, not 0.5:"),
    (
        figures("- kind: scaling\n  measure: votes_to_right\n  at: 100\n").replace("horizon", "budget"),
        8,
        "'at' is a share of the runs here: write,",
    ),
    (figures("- regret\n"), 6, "item 1 of 'figures' must be a mapping, not"),
    (figures("- x: log\n"), 6, "'kind' is missing: write kind:"),
    (figures("- kind: std\n- kind: regrets\n"), 7, "did you mean 'regret'?"),
    (figures("- kind: std\n  bounds: [LB]\n"), 7, "unknown key 'bounds': the keys here are"),
    (figures("- kind: regret\n  bounds:\n  - LB\n  - RMED\n"), 9, "RMED bounds condorcet regret, but the"),
    (figures("- kind: regret\n  regret: borda\n"), 7, "the regret 'borda' is not recorded: add it"),
    (figures("- kind: regret\n  xlim: [100, 10]\n"), 7, "'xlim' must begin with the smaller number:"),
    (figures("- kind: tail\n  ylim: [1, 2, 3]\n"), 7, "'ylim' must be two numbers, such as [100,"),
    (figures("- kind: regret\n  y: log\n  ylim: [0, null]\n"), 8, "'ylim' must be positive on a logarithmic"),
    (
        figures("- kind: identification\n  show: errors\n  ylim: [0, 1]\n"),
        8,
        "'ylim' is for curves, and this figure has",
    ),
    (f"{BASE}colors:\n  d-ts: red\n", 5, "no algorithm has the label 'd-ts': choose"),
    (figures("- kind: regret\n  styles: {rcub: --}\n"), 7, "did you mean 'rucb'?"),
    (figures("- kind: regret\n  styles: {rucb: dashed}\n"), 7, "'rucb' must be -, --, -. or :, optionally"),
    (figures("- kind: regret\n  caption: $x\n"), 7, "a '$' in 'caption' is not closed:"),
    (figures("- kind: std\n  at: 1e7\n"), 7, "10000000 is beyond the horizon: write at"),
    (figures("- kind: std\n  normalize_by: rcub\n"), 7, "did you mean 'rucb'?"),
    (figures("- {kind: std, file: a}\n- {kind: regret, file: A}\n"), 7, "another figure has the file 'A': choose"),
    (figures("- kind: std\n  algorithms: [rcub]\n"), 7, "did you mean 'rucb'?"),
    (figures("- kind: std\n  width: 3\n  size: page\n"), 8, "'size' and 'width' are both given: keep one"),
    (figures("- kind: std\n  title: $\\alhpa$\n"), 7, "'title' is not mathtext (Unknown symbol:"),
    (entry("title: $\\frac{1}$"), 6, "'title' is not mathtext (Expected"),
    (entry("title: ''"), 6, "'title': it should have at least 1 character"),
    (entry("title: RUCB {alpha}"), 6, "the title has {alpha}, but no parameter"),
    (entry("title: RUCB {alhpa}\n    alpha: [1, 2]"), 6, "did you mean 'alpha'?"),
    (datasets("[{name: sushi16, title: '{K}'}]"), 3, "the title has {K}, but no parameter 'K' is"),
]
