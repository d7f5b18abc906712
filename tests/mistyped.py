"""Mistyped specs: the text, the wrong line, and the message that the user reads."""

from duelbench.spec.figures import figure_kinds

FIGURES = [*figure_kinds()]
BASE = "horizon: 1e4\nruns: 2\ndatasets: [sushi16]\nalgorithms: [rucb]\n"
NUMBER = "write, for example, 1000 or 1e6"
LIST = "write it in [ ], or one '- ' line per item"
COLON = "a second ': ' is not expected here: check the indentation, and put text with a ': ' in quotes"
NAMES = "is not a valid file name: use letters (a-z), digits, spaces and . _ + = , -, beginning with a letter or digit"
SUMS = "'copeland', 'condorcet', 'weak', 'strong', 'borda', 'binary-weak', 'binary-strong'"
KINDS = f"{SUMS}, 'adversarial' or 'adversarial-borda'"
NEITHER = "is neither an algorithm's name nor path.py:ClassName"
RECOMMENDED = "this figure shows recommended arms: add a 'budget', or 'recommend: own'"
LIMITS = "must be two numbers, such as [100, null] (null: from the content)"
COLOUR = "must be a colour such as red, tab:blue or '#d9601a'"
NO_VALUE = "has no value: write one after the ':', indent the lines below it, or remove it"


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


COUNTS = [
    (horizon("budget: 1e3\nhorizon: 1e4"), 1, "'horizon' and 'budget' are both given: keep one"),
    (horizon("budget: 1e3\ncount: rounds"), 2, "a 'budget' counts votes: write 'horizon', or remove 'count'"),
    (
        horizon("budget: 9").replace("rucb", "mdb"),
        4,
        "mdb looks for changes, which happen at rounds, and a budget counts votes: write 'horizon'",
    ),
    (horizon("budget: 0"), 1, "'budget' must be at least 1, not 0"),
    (
        horizon("horizon: 1e3\ncount: vote"),
        2,
        "'count' must be 'rounds' or 'votes', not 'vote' (did you mean 'votes'?)",
    ),
    (
        horizon("horizon: 1e3\nrecommend: best"),
        2,
        "'recommend' must be 'none', 'own', 'copeland', 'borda', 'btl' or 'posterior', not 'best'",
    ),
]
YAML = [
    ("", 1, "the spec is empty: begin with a line such as 'horizon: 1e6'"),
    ("---\n", 1, "the spec is empty: begin with a line such as 'horizon: 1e6'"),
    ("horizon:1e6\n", 1, "a spec consists of 'key: value' lines: begin with a line such as 'horizon: 1e6'"),
    ("runs: 5\nhorizon:1e6\nseed: 1\n", 2, "this line has no ': ' after its key: write 'key: value', with the space"),
    ("horizon: 5\n\truns: 3\n", 2, "YAML cannot be indented with tabs: use spaces"),
    ("title: D-TS: MSLR\n", 1, COLON),
    (entry("\n   alpha: 1"), 7, "this line does not fit the lines above: check its indentation and quotes"),
    ("title: [a]]\n", 1, "']' closes a bracket that was never opened: remove it"),
    (datasets("[a, b"), 3, "this '[' is not closed as it should be: check its commas and its ']'"),
    ("a: {b: 1\nc: 2\n", 1, "this '{' is not closed as it should be: check its commas and its '}'"),
    ('runs: 1\ntitle: "x\nseed: 3\n', 2, "a quote opens here and is never closed: close it"),
    ('title: "C:\\data"\n', 1, "a \\ in double quotes is special in YAML: use single quotes"),
    ("title: @x\n", 1, "text that begins with @ is special in YAML: put it in quotes"),
    ("title: *best\n", 1, "text that begins with * or & is special in YAML: put it in quotes"),
    ("title: &\n", 1, "text that begins with * or & is special in YAML: put it in quotes"),
    ("title: >x\n", 1, "text that begins with > or | is special in YAML: put it in quotes"),
    ("title: !x y\n", 1, "text that begins with ! is special in YAML: put it in quotes"),
    ("title: !!python/name:os.system x\n", 1, "text that begins with ! is special in YAML: put it in quotes"),
    ("title: - x\n", 1, "a list cannot begin here: put its first '- ' on a line of its own"),
    ("---\nruns: 1\n---\nseed: 2\n", 3, "a spec is a single YAML document: remove this '---' and what follows"),
    ("runs: 1\n{{seed}}: 2\n", 2, "a key must be a word: put text that begins with { or [ in quotes"),
    ("runs: 1\n<<: {a: 1}\n", 2, "merge keys (<<) are not supported: write the keys out"),
    (BASE + "horizon: 1e5\n", 5, "'horizon' is already given on line 1: keep one"),
    (BASE + "title: a\0b\n", 5, "there is a control character here: delete it"),
    (BASE + "x: &a [*a]\n", 5, "this is nested too deeply, or an alias contains itself: write it flat"),
    (BASE + "x: " + "[" * 5000, 5, "this is nested too deeply, or an alias contains itself: write it flat"),
]

NUMBERS = [
    (horizon("horizon: '1e6'"), 1, "'horizon' must be a whole number, not '1e6': remove the quotes"),
    (horizon("horizon: 1M"), 1, f"'horizon' must be a whole number, not '1M': {NUMBER}"),
    (horizon("horizon: " + "9" * 5000), 1, "'horizon' must be a whole number, not inf"),
    (horizon("horizon: 1.5"), 1, "'horizon' must be a whole number, not 1.5"),
    (horizon("horizon: true"), 1, "'horizon' must be a whole number, not true"),
    (horizon("horizon: [1, 2]"), 1, "'horizon' must be a whole number, not a list: a list goes under 'horizons'"),
    (horizon("horizon: 0"), 1, "'horizon' must be at least 1, not 0"),
    (horizon("horizon: 1e13"), 1, "'horizon' must be at most 1000000000000, not 10000000000000"),
    (horizon("horizon:"), 1, f"'horizon' {NO_VALUE}"),
    (
        horizon("title: x"),
        1,
        "the number of duels is missing: add, for example, 'horizon: 1e6' or 'horizons: [1e4, 1e6]'",
    ),
    (BASE + "horizons: []\n", 5, "'horizon' and 'horizons' are both given: keep one"),
    (horizon("horizons: []"), 1, "'horizons' is empty: give at least one"),
    (horizon("horizons: 1e4"), 1, f"'horizons' must be a list, not 10000: {LIST}"),
    (horizon("horizons: [1,\n  x]"), 2, f"item 2 of 'horizons' must be a whole number, not 'x': {NUMBER}"),
    (horizon("horizons:\n- 1\n- [2]"), 3, "item 2 of 'horizons' must be a whole number, not a list"),
    (horizon("horizons:\n- 1\n-"), 3, "this list item is empty: write a value or remove it"),
    (horizon("horizons: [1e3,\n  1000]"), 2, "item 2 of 'horizons' repeats 1000: remove it"),
    (runs("runs: 0"), 2, "'runs' must be at least 1, not 0"),
    (runs("runs: 1e8"), 2, "'runs' must be at most 10000000, not 100000000"),
    (runs("seed: 1"), 1, "the number of runs is missing: add, for example, 'runs: 100' or 'seeds: [1, 2, 3]'"),
    (BASE + "seeds: [1]\n", 2, "'runs' and 'seeds' are both given: keep one"),
    (runs("seeds: [1]\nseed: 4"), 3, "'seed' and 'seeds' are both given: keep one"),
    (runs("seeds: []"), 2, "'seeds' is empty: give at least one"),
    (BASE + "seed: -1\n", 5, "'seed' must be at least 0, not -1"),
    (BASE + "seed: 9223372036854775808\n", 5, "'seed' must be less than 9223372036854775808, not 9223372036854775808"),
    (BASE + "checkpoints_per_decade: -1\n", 5, "'checkpoints_per_decade' must be at least 0, not -1"),
    (BASE + "checkpoints_per_decade: 1001\n", 5, "'checkpoints_per_decade' must be at most 1000, not 1001"),
]

KEYS_AND_WORDS = [
    (horizon("horizn: 1e4"), 1, "unknown key 'horizn' (did you mean 'horizon'?)"),
    (BASE + "Horizon: 1e4\n", 5, "unknown key 'Horizon' (did you mean 'horizon'?)"),
    ("horizon: 1\nruns: 1\nalgorithms: [a]\n", 1, "'datasets' is missing: add it"),
    (
        BASE + "1: 2\n",
        5,
        "unknown key '1': the keys here are xlim, ylim, colors, styles, name, title, horizon, budget, count, horizons, "
        "runs, only_runs, seed, seeds, shuffle_arms, find, by, regret, recommend, checkpoints_per_decade, feedback, "
        "run_timeout, datasets, algorithms, figures, smoke",
    ),
    (BASE + "shuffle_arms: yes\n", 5, "'shuffle_arms' must be true or false, not 'yes'"),
    (BASE + "feedback: {delay: 0}\n", 5, "item 1 of 'delay' must be at least 1, not 0"),
    (BASE + "feedback: {dely: 2}\n", 5, "unknown key 'dely' (did you mean 'delay'?)"),
    (BASE + "regret: [borda,\n  wek]\n", 6, f"'regret' must be {KINDS}, not 'wek' (did you mean 'weak'?)"),
    (BASE + "regret: [[borda]]\n", 5, f"'regret' must be {KINDS}, not a list"),
    (BASE + "regret: [borda, borda]\n", 5, "item 2 of 'regret' repeats 'borda': remove it"),
    (BASE + "name: ..\n", 5, f"'..' {NAMES}"),
    (BASE + "name: 'a '\n", 5, f"'a ' {NAMES}"),
    (BASE + "name: naïve\n", 5, f"'naïve' {NAMES}"),
    (BASE + f"name: {'x' * 101}\n", 5, f"'{'x' * 37}...' is too long for a file name: use at most 100 characters"),
    (BASE + "name: 2016\n", 5, "'name' must be text, not 2016: put it in quotes"),
]

DATASETS = [
    (datasets("sushi16"), 3, f"'datasets' must be a list, not 'sushi16': {LIST}"),
    (datasets("\n- - a"), 4, "a dataset must be a name or a mapping with a 'name', not a list"),
    (datasets("[{name: 5}]"), 3, "'name' must be text, not 5: put it in quotes"),
    (datasets("[m.csv]"), 3, "'m.csv' looks like a file: write {file: m.csv}"),
    (datasets("['file:m.csv']"), 3, "'file:m.csv' is not a dataset's name: a ':' needs a space after it"),
    (datasets("[sushi/16]"), 3, "'sushi/16' is not a dataset's name: 'duelbench list' shows the names"),
    (datasets("\n- arms: 4\n  nam: a"), 5, "unknown key 'nam' (did you mean 'name'?)"),
    (datasets("[{file: ''}]"), 3, "'file': it should have at least 1 character"),
    (datasets("\n- name: a\n  submatrix: 16"), 5, "'submatrix' must be a mapping, not 16: write it as {key: value, …}"),
    (datasets("\n- A\n- a"), 5, "two datasets would have the label 'a': give this one another 'label'"),
    (datasets("[{file: m (1).csv}]"), 3, f"'m (1)' {NAMES}, or give this entry a 'label'"),
]

ALGORITHMS = [
    (algorithms("\n  rucb\n  d-ts"), 4, f"'algorithms' must be a list, not 'rucb d-ts': {LIST}"),
    (
        algorithms("\n  - rucb\n   - d-ts"),
        5,
        f"'rucb - d-ts' {NEITHER}: check the indentation and the '- ' of this list",
    ),
    (algorithms("[[rucb]]"), 4, "an algorithm must be a name or a mapping with a 'name', not a list"),
    (algorithms("['name:rucb']"), 4, f"'name:rucb' {NEITHER}: a ':' needs a space after it"),
    (algorithms("[mine.py]"), 4, f"'mine.py' {NEITHER}: name the class in it, as in mine.py:MyPolicy"),
    (
        algorithms("\n  - rucb:\n      alpha: 0.5"),
        5,
        "an algorithm is written as {name: rucb, …}: put its keys beside 'name'",
    ),
    (
        algorithms("\n  - name: rucb\n  - alpha: 0.5"),
        6,
        "an algorithm needs a 'name': add it, or remove the '-' if this belongs to the entry above",
    ),
    (algorithms("\n  - alpha: 1\n    nmae: rucb"), 6, "unknown key 'nmae' (did you mean 'name'?)"),
    (entry("alpha: [[0.5]]"), 6, "item 1 of 'alpha' is a list: a grid is a flat list of values"),
    (entry("alpha: []"), 6, "'alpha' is empty: give at least one value"),
    (entry("alpha:\n    - 1\n    - 1.0"), 8, "item 2 of 'alpha' repeats 1: remove it"),
    (entry("alpha: .nan"), 6, "'alpha' must be a finite number, a word, true/false or none, not nan"),
    (entry("with: {alpha: 1}"), 6, "parameters are not a nested mapping: write each one beside 'name'"),
    (entry("label: a/b"), 6, f"'a/b' {NAMES}"),
    (entry("horizons: sweeep"), 6, "'horizons' must be 'sweep' or a list such as [1e3, 1e4], not 'sweeep'"),
    (entry("horizons: []"), 6, "'horizons' is empty: give at least one"),
    (entry("variant: [a/b, c]"), 5, f"'rucb-variant=a/b' {NAMES}, or give this entry a 'label'"),
    (
        entry("alpha: [1, 2]\n  - name: other\n    label: rucb-alpha=2"),
        7,
        "two algorithms would have the label 'rucb-alpha=2': give this one another 'label'",
    ),
    (
        entry("".join(f"{key}: {list(range(200))}\n    " for key in "abcdef")),
        5,
        "the grids make 64000000000000 algorithms: at most 10000 are allowed",
    ),
    (
        entry("".join(f"p{key}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n    " for key in range(20))),
        5,
        "the grids make more than a quadrillion algorithms: at most 10000 are allowed",
    ),
]

NO_RCUB = "no algorithm has the label 'rcub' (did you mean 'rucb'?): choose among rucb"
FIGURES = [
    (figures("- kind: identification\n"), 6, RECOMMENDED),
    (figures("- kind: scaling\n  show: votes_to_right\n"), 7, RECOMMENDED),
    (figures("- kind: scaling\n  at: 0.5\n"), 7, f"'at' must be a whole number, not 0.5: {NUMBER}"),
    (
        figures("- kind: scaling\n  measure: votes_to_right\n  at: 100\n").replace("horizon", "budget"),
        8,
        "'at' is a share of the runs here: write, for example, 0.95",
    ),
    (figures("- regret\n"), 6, "item 1 of 'figures' must be a mapping, not 'regret': write it as {key: value, …}"),
    (
        figures("- x: log\n"),
        6,
        f"'kind' is missing: write {' or '.join(f'kind: {kind}' for kind in FIGURES)}",
    ),
    (
        figures("- kind: std\n- kind: regrets\n"),
        7,
        f"'kind' must be {', '.join(map(repr, FIGURES[:-1]))} or {FIGURES[-1]!r}, not 'regrets' "
        "(did you mean 'regret'?)",
    ),
    (
        figures("- kind: std\n  bounds: [LB]\n"),
        7,
        "unknown key 'bounds': the keys here are regret, title, file, datasets, algorithms, size, width, height, "
        "xlabel, ylabel, legend, caption, at, kind, normalize_by",
    ),
    (figures("- kind: regret\n  bounds: [LB, LB]\n"), 7, "item 2 of 'bounds' repeats 'LB': remove it"),
    (
        figures("- kind: regret\n  bounds:\n  - LB\n  - RMED\n"),
        9,
        "RMED bounds condorcet regret, but the figure shows copeland regret: remove it, or show 'regret: condorcet'",
    ),
    (
        figures("- kind: regret\n  regret: borda\n"),
        7,
        "the regret 'borda' is not recorded: add it to the spec's 'regret'",
    ),
    (
        figures("- kind: regret\n  xlim: [100, 10]\n"),
        7,
        "'xlim' must begin with the smaller number: write [10, 100]",
    ),
    (figures("- kind: tail\n  xlim: 7\n"), 7, f"'xlim' {LIMITS}, not 7"),
    (figures("- kind: tail\n  ylim: [1, 2, 3]\n"), 7, f"'ylim' {LIMITS}, not a list"),
    (
        figures("- kind: regret\n  y: log\n  ylim: [0, null]\n"),
        8,
        "'ylim' must be positive on a logarithmic axis: write null, or 'y: linear'",
    ),
    (
        figures("- kind: identification\n  show: errors\n  ylim: [0, 1]\n"),
        8,
        "'ylim' is for curves, and this figure has none: remove it",
    ),
    (f"{BASE}colors: {{rucb: redd}}\n", 5, f"'rucb' {COLOUR}, not 'redd'"),
    (f"{BASE}colors:\n  d-ts: red\n", 5, "no algorithm has the label 'd-ts': choose among rucb"),
    (
        figures("- kind: regret\n  styles: {rcub: --}\n"),
        7,
        NO_RCUB,
    ),
    (
        figures("- kind: regret\n  styles: {rucb: dashed}\n"),
        7,
        "'rucb' must be -, --, -. or :, optionally with one of o s ^ D v P X < p > h, such as --o, not 'dashed'",
    ),
    (
        figures("- kind: regret\n  caption: $x\n"),
        7,
        r"a '$' in 'caption' is not closed: mathematics is $…$, and \$ is a dollar sign",
    ),
    (figures("- kind: std\n  at: 1e7\n"), 7, "10000000 is beyond the horizon: write at most 10000"),
    (figures("- kind: std\n  normalize_by: rcub\n"), 7, NO_RCUB),
    (figures("- kind: std\n  file: fig/1\n"), 7, f"'fig/1' {NAMES}"),
    (
        figures("- {kind: std, file: a}\n- {kind: regret, file: A}\n"),
        7,
        "another figure has the file 'A': choose another name",
    ),
    (figures("- kind: std\n  algorithms: [rcub]\n"), 7, NO_RCUB),
    (figures("- kind: std\n  datasets: [D]\n"), 7, "no dataset has the label 'D': choose among sushi16"),
    (figures("- kind: std\n  width: 3\n  size: page\n"), 8, "'size' and 'width' are both given: keep one"),
    (figures("- kind: std\n  width: 0.5\n"), 7, "'width' must be at least 1, not 0.5"),
    (
        figures("- kind: std\n  xlabel: $t\n"),
        7,
        r"a '$' in 'xlabel' is not closed: mathematics is $…$, and \$ is a dollar sign",
    ),
    (
        figures("- kind: std\n  title: $\\alhpa$\n"),
        7,
        r"'title' is not mathtext (Unknown symbol: \alhpa): correct it, or write \$ for a dollar sign",
    ),
]
TITLES = [
    (
        entry("title: $\\frac{1}$"),
        6,
        r"'title' is not mathtext (Expected \frac{num}{den}): correct it, or write \$ for a dollar sign",
    ),
    (entry("title: ''"), 6, "'title': it should have at least 1 character"),
    (entry("title: RUCB {alpha}"), 6, "the title has {alpha}, but no parameter 'alpha' is given here: remove it"),
    (
        entry("title: RUCB {alhpa}\n    alpha: [1, 2]"),
        6,
        "the title has {alhpa}, but no parameter 'alhpa' is given here (did you mean 'alpha'?)",
    ),
    (
        datasets("[{name: sushi16, title: '{K}'}]"),
        3,
        "the title has {K}, but no parameter 'K' is given here: choose among delay",
    ),
]

MISTYPED = COUNTS + TITLES + YAML + NUMBERS + KEYS_AND_WORDS + DATASETS + ALGORITHMS + FIGURES
