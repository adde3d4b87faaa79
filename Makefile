# Everything a developer does, one word each. A fresh clone needs only Python >= 3.10, git, make
# and the package registries; Node.js is fetched from PyPI when the machine has none.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
# The language servers' bin folders; installs them first where they are missing.
WITH_SERVERS = servers=$$($(BIN)/python tools/provision.py) && UNDERSTUDY_TEST_SERVERS="$$servers"

.PHONY: help setup servers test lint demo bench clean

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

setup: $(READY)  ## make .venv with understudy and the development tools

$(READY): pyproject.toml tools/environment.py
	@$(PYTHON) tools/environment.py

servers: $(READY)  ## install the language servers for the tests; print their search path
	@$(BIN)/python tools/provision.py

test: $(READY)  ## run all tests, against the real language servers too
	@$(WITH_SERVERS) $(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

lint: $(READY)  ## ruff, pyright (strict), import-linter
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/lint-imports

demo: $(READY)  ## rehearse a sample AI edit and show what it would break
	@$(BIN)/python tools/demo.py

bench: $(READY)  ## measure every figure that the project promises
	@$(WITH_SERVERS) $(BIN)/python -m bench $(ARGS)

clean:  ## remove what the targets above made inside the checkout
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
