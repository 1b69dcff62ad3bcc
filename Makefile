# `make demo` and `make test` are all a newcomer needs; both first make .venv from pyproject.toml.
# Nothing has to be there beforehand but Python 3.10+ (PYTHON=python3.12 to choose one) and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.stamp

.PHONY: help fuzz demo test lint types format check docs wheel clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	    { echo "qdsl needs Python 3.10 or newer; choose one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	    { echo "python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP) ## quantize the bundled networks and print what was done and what it cost
	$(BIN)/python examples/demo.py

test: $(STAMP) ## run the tests
	$(BIN)/python -m pytest -q

lint: $(STAMP) ## ruff, and mypy in strict mode
	$(BIN)/ruff check .
	$(BIN)/mypy

check: $(STAMP) ## check and test the stock rules
	$(BIN)/qdsl fmt --check
	$(BIN)/qdsl check
	$(BIN)/qdsl test

FUZZ_SECONDS ?= 300
fuzz: $(STAMP) ## fuzz the parser and the checker for FUZZ_SECONDS; a finding goes to tests/fuzz/found/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'atheris>=2.3'
	@mkdir -p out/corpus && cp rules/*.qrule tests/bad/*.qrule out/corpus
	$(BIN)/python tests/fuzz/rules.py -max_total_time=$(FUZZ_SECONDS) -max_len=8192 \
	    -artifact_prefix=tests/fuzz/found/ out/corpus

format: $(STAMP) ## let ruff format the Python files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP) ## write the generated pages of docs/, and build the site into site/
	$(BIN)/qdsl config --format markdown > docs/configuration.md
	$(BIN)/python -m qdsl.check.codes
	$(BIN)/python docs/scripts/operators.py
	$(BIN)/python docs/scripts/relay.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/mkdocs build --quiet --strict

wheel: $(STAMP) ## build dist/qdsl-*.whl
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean: ## remove what the targets made, .venv included
	rm -rf $(VENV) build dist out site *.egg-info .pytest_cache .mypy_cache .ruff_cache
