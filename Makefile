# Start with `make demo` and `make test`. Everything is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The papers' figures and our comparisons, one spec each in configs/. SMOKE=1 plays their small variants, into
# results/smoke/.
SPECS := $(sort $(patsubst configs/%.yaml,%,$(wildcard configs/*.yaml)))
LEADERBOARD := $(filter leaderboard%,$(SPECS))
FIGURES := $(filter-out quickstart $(LEADERBOARD),$(SPECS))
# Whole figures of papers: a panel for each of their specs.
WHOLE := fig-batched-1 fig-dts-1 fig-ecw-1
SMOKE ?=
SMALL := $(if $(SMOKE),smoke/)

.PHONY: benchmarks demo demo-plan dist docs test test-slow test-all test-versions mutations lint clean fingerprints figures report leaderboard mslr table-ecw-1 $(FIGURES) $(WHOLE)
.DELETE_ON_ERROR:

demo: demo-plan $(VENV)/.installed
	$(BIN)/duelbench run configs/quickstart.yaml
	$(BIN)/duelbench plot results/quickstart -f png

demo-plan:
	@echo "1. install duelbench into $(VENV), unless it is there (about 40 s)"
	@echo "2. run configs/quickstart.yaml: compile six algorithms, the first time, and play them (about 25 s on two idle cores)"
	@echo "3. draw its figures in results/quickstart (about 4 s)"

figures: $(FIGURES) $(WHOLE) table-ecw-1

# results/REPRODUCTION.md: the papers' numbers and ours.
report: $(VENV)/.installed
	$(BIN)/python -m results.reproduction.report results/$(SMALL)

# results/LEADERBOARD.md and its figure: all algorithms on all tables, with ranks.
leaderboard: $(VENV)/.installed
	for spec in $(LEADERBOARD); do $(BIN)/duelbench run configs/$$spec.yaml $(if $(SMOKE),--smoke -j 0) || exit; done
	$(BIN)/python -m results.leaderboard.page results/$(SMALL)
	$(BIN)/duelbench plot results/$(SMALL)leaderboard -f png

# In one command with figures, also with -j, the report waits for them.
ifneq ($(filter figures,$(MAKECMDGOALS)),)
report: figures
endif

fig-ecw-1a fig-ecw-1b fig-ecw-1c fig-mergedts-1 fig-mergedts-2 fig-rex3-arms fig-rex3-mslr table-ecw-1 identify rank: mslr

# Table 1 of Komiyama et al. (2016): leading constants, means over random submatrices.
table-ecw-1:
	$(BIN)/duelbench bounds mslr-informational --size 16 --min-gap 0.005 --draws $(if $(SMOKE),100,10000) \
		-o results/$(SMALL)$@/table.csv

# The 136-arm matrices: downloaded once, or read from the directory $DUELBENCH_DATA.
mslr: $(VENV)/.installed
	$(BIN)/duelbench datasets fetch mslr

$(FIGURES): %: $(VENV)/.installed
	$(BIN)/duelbench run configs/$@.yaml $(if $(SMOKE),--smoke -j 0)
	$(BIN)/duelbench plot results/$(SMALL)$@ $(if $(SMOKE),-f png)

.SECONDEXPANSION:
$(WHOLE): $$(filter $$@%,$$(FIGURES))
	$(BIN)/duelbench plot $(^:%=results/$(SMALL)%) --panels -o results/$(SMALL)$@.png

test: $(VENV)/.installed-test
	$(BIN)/python -m tests.warm
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-slow: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

# All tests, also with numba's public options only, and the quick tests with the lowest and the newest versions.
test-all: test test-slow
	DUELBENCH_TIER=1 $(BIN)/python -m pytest -n auto
	$(MAKE) test-versions

# The quick tests with the lowest versions of all direct dependencies, and with the newest on each Python.
VERSIONS ?= lowest 3.11 3.12 3.13
TESTS ?= -n auto --dist worksteal -m "not slow"

test-versions: $(VERSIONS:%=test-version-%)

test-version-%: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv venv --quiet --clear --python $(*:lowest=3.11) .venv-$* || \
		{ echo "without Python $(*:lowest=3.11), leave it out as in VERSIONS='lowest 3.11'"; exit 1; }
	$(BIN)/uv pip install --quiet --python .venv-$* $(if $(filter lowest,$*),--resolution lowest-direct) --editable '.[test]'
	.venv-$*/bin/python -m pytest $(TESTS)

# Plant deliberate mistakes and run the tests that must detect them (tests/README.md): an hour. ONLY=rucb plants some,
# CHECK=1 none: it reports in seconds which no longer apply.
mutations: $(VENV)/.installed-test
	$(BIN)/python -m tests.mutations $(if $(CHECK),--check) '$(ONLY)'

# The documentation site, from the pages and docstrings, in build/docs; a broken link is an error.
docs: $(VENV)/.installed-docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env --write-all -c docs -d build/doctrees . build/docs
	@echo build/docs/index.html

# The wheel and the source distribution in dist/, checked: the metadata, and a run in an empty environment.
dist: $(VENV)/.installed
	rm -rf dist
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build twine
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv --clear $(VENV)-dist
	$(VENV)-dist/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd $(VENV)-dist && bin/duelbench --version
	cd $(VENV)-dist && bin/duelbench run fig-dts-1a.yaml --smoke
	cd $(VENV)-dist && bin/duelbench plot results/smoke/fig-dts-1a -f png

# The speed of two commits, side by side: a quarter of an hour on two cores. BENCH=Start measures what matches; exit code
# 1 if something has become slower. asv installs both in an environment of its own in build/asv.
BASE ?= HEAD^
COMMIT ?= HEAD
BENCH ?= .

benchmarks: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check asv virtualenv
	cd benchmarks && ../$(BIN)/asv machine --yes > /dev/null
	cd benchmarks && NUMBA_CACHE_DIR=$(CURDIR)/build/asv/kernels ../$(BIN)/asv continuous --bench '$(BENCH)' \
		--factor 1.2 --split --no-only-changed $(BASE) $(COMMIT)

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# After an edit of an algorithm, a generator or the engine: check that no path has changed (duelbench/fingerprints.json).
fingerprints: $(VENV)/.installed-test
	$(BIN)/python -m tests.short_runs

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable .
	touch $@

# With an extra: .installed-test, .installed-docs.
$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --upgrade --editable '.[$*]'
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-*
