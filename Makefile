# `make` alone tells what there is. Everything is set up on first use in .venv; nothing outside this folder is touched.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := .cache/stamps
JOBS   ?= 2
DATA   ?= ../shared/data
COMPOSITIONS := harness/scoring/transfer/compositions
# compiled modules are kept, also where a shell says otherwise: tests start hundreds of processes
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --rootdir=tests tests

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types wheel lowest check-full docs site catalogue clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	@echo "== making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "tagsuite needs Python 3.11 or newer: make PYTHON=python3.11 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "== no venv module here: using virtualenv"; rm -rf $(VENV); $(PYTHON) -m pip install --user virtualenv && $(PYTHON) -m virtualenv $(VENV); }
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(STAMPS)/run: pyproject.toml | $(BIN)/python
	@echo "== installing tagsuite and the libraries that it runs on"
	@$(BIN)/python -m pip install --quiet --editable .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: pyproject.toml | $(BIN)/python
	@echo "== installing tagsuite with its extras and the tools that test it"
	@$(BIN)/python -m pip install --quiet --editable '.[cluster,crf,indexing]' --group dev
	@mkdir -p $(STAMPS) && touch $(STAMPS)/run $@

demo: $(STAMPS)/run ## run the main job on bundled material; ends with a table and demo/report.html
	$(BIN)/tagsuite demo --out demo --force

test: $(STAMPS)/dev ## run the tests (those that need corpora are skipped without them)
	$(PYTEST) -n $(JOBS) --dist loadfile -m "not full"

check: lint types wheel ## lint, types, and the wheel built and tried outside the checkout

lint: $(STAMPS)/dev ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# the package is the checkout itself, whatever its folder is called: the link gives it its name
types: $(STAMPS)/dev ## mypy, strict
	@mkdir -p .cache/typing && ln -sfn ../.. .cache/typing/tagsuite
	MYPYPATH=.cache/typing $(BIN)/mypy -p tagsuite

wheel: $(STAMPS)/dev ## build the wheel, look into it, run the command line from it
	$(BIN)/python tests/installation/try_wheel.py

lowest: | $(BIN)/python ## run the tests with the lowest versions that pyproject.toml allows
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .cache/lowest
	$(BIN)/uv pip install --quiet --python .cache/lowest/bin/python --resolution lowest-direct \
		--editable '.[cluster,crf,indexing,http]' --group test
	.cache/lowest/bin/pytest --rootdir=tests tests -n $(JOBS) --dist loadfile -m "not full"

check-full: $(STAMPS)/dev check lowest ## everything, the slow checks too
	$(PYTEST) -n $(JOBS) --dist loadfile --hypothesis-profile thorough
	$(BIN)/python benchmarks/coverage.py --tries 2000 --check
	$(BIN)/python benchmarks/discover.py --null 100 --check

docs: $(STAMPS)/run ## write the pages that are made; and the README's picture where there is a Chromium
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/counts.py
	$(BIN)/python docs/features.py
	$(BIN)/python docs/picture.py

site: $(STAMPS)/dev ## build the documentation as a site, site/docs/index.html
	$(BIN)/python -m pip install --quiet --group site
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -c docs . site

catalogue: $(STAMPS)/run ## write the bundled entities, contexts and compositions again from DATA and the tables in tools/curation, and the pages
	$(BIN)/python -m tagsuite.tools.curation $(DATA)
	$(BIN)/tagsuite composition genetag:$(DATA)/genetag/train --out $(COMPOSITIONS)/genetag-train.parquet
	$(BIN)/tagsuite composition bc2gm:$(DATA)/bc2gm/train --out $(COMPOSITIONS)/bc2gm-train.parquet
	$(MAKE) docs

clean: ## remove what this file made
	rm -rf $(VENV) .cache build dist demo site *.egg-info
