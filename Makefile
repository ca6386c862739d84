# Needs only Python 3.11 or newer and make. Another Python: make run PYTHON=/path/to/python3.12
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
BIN := .venv/bin
STAMP := .venv/.installed
DEV_STAMP := .venv/.installed-dev
ARGS ?=
SEED ?= 20261130

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.DEFAULT_GOAL := help
.PHONY: help run test check format bench monkey shots prepare docs clean

help:  ## show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' Makefile

# The stamps make a second run instant; a changed pyproject.toml installs again.
.venv/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "rackrate needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

$(STAMP): .venv/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $(STAMP)

$(DEV_STAMP): .venv/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(STAMP) $(DEV_STAMP)

run: $(STAMP)  ## start the dashboard; other commands: make run ARGS="compare --help"
	@$(BIN)/rackrate $(ARGS)

test: $(DEV_STAMP)  ## run every test; some of them: make test ARGS="tests/test_models -k memory"
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

check: $(DEV_STAMP)  ## style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(DEV_STAMP)  ## let ruff format and fix what it safely can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV_STAMP)  ## measure start-up, keys, re-rank and the estimator; prints ratios
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/keystroke.py
	$(BIN)/python benchmarks/estimator.py
	$(BIN)/python benchmarks/rerank.py
	$(BIN)/python benchmarks/refresh.py
	$(BIN)/python -m benchmarks.advise
	$(BIN)/python -m benchmarks.trace

monkey: $(DEV_STAMP)  ## 20,000 random keys, clicks, pastes and resizes; another run: make monkey SEED=7
	RACKRATE_TEST_MONKEY=20000 RACKRATE_TEST_SEED=$(SEED) $(BIN)/python -m pytest -q tests/test_tui/test_monkey.py

shots: $(DEV_STAMP)  ## draw screenshots/ from the running dashboard (PNGs need the system's cairo library)
	$(BIN)/python -m pip install --quiet --editable '.[shots]'
	$(BIN)/python -m tui.shots

prepare: $(DEV_STAMP)  ## write the quick forms of bundled data, after an edit of data/
	$(BIN)/python scripts/prepare.py

docs: $(DEV_STAMP)  ## run README's examples and write what they print; CLAIMS.md
	$(BIN)/python scripts/readme.py
	$(BIN)/python scripts/claims.py

clean:  ## remove what the other targets made
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
