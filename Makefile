# Everything a developer does, one word each. A fresh clone needs only Python >= 3.10, git, make
# and the package registries; Node.js is fetched from PyPI when the machine has none.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
# The bin folders of language servers and editor; installs them first where they are missing.
# A thousand processes are started by tests: where bytecode is forbidden, each would compile ours.
WITH_SERVERS = $(BIN)/python -m compileall -q server/understudy \
	&& servers=$$($(BIN)/python tools/provision.py) \
	&& editor=$$($(BIN)/python -m tools.provision_editor) \
	&& UNDERSTUDY_TEST_SERVERS="$$servers" UNDERSTUDY_TEST_EDITOR="$$editor"

# More test processes than processors: many a test waits. tests/rooms.toml says what they begin with:
# pytest-xdist would put files of few tests last, and those with an editor have few.
PYTEST := $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder
NODE := $(BIN)/python -m tools.node
MODULES := node_modules/.package-lock.json
# Every warning is an error: a link that leads nowhere, a page in no menu, a picture that is missing.
DOCS := $(BIN)/sphinx-build -q -E -n -W --keep-going docs build/docs

.PHONY: help setup servers extension vsix release test ring quick fuzz soak pictures lint docs demo bench clean

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

setup: $(READY) $(MODULES)  ## make .venv and node_modules with all that development needs

$(READY): pyproject.toml tools/environment.py
	@$(PYTHON) tools/environment.py

$(MODULES): package-lock.json $(READY)
	@$(NODE) npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

servers: $(READY)  ## install the language servers for the tests; print their search path
	@$(BIN)/python tools/provision.py

extension: $(READY) $(MODULES)  ## build the VS Code extension
	@$(NODE) npm run --silent build

vsix: extension  ## package the extension for every platform into dist/ (ARGS="--target linux-x64": one)
	@$(BIN)/python -m tools.vsix $(ARGS)

release: $(READY) $(MODULES)  ## build every package twice, compare, install and try each, into dist/
	@$(WITH_SERVERS) $(BIN)/python -m tools.release $(ARGS)

test: $(READY) $(MODULES)  ## run the tests, in real language servers and a real editor too
	@$(WITH_SERVERS) $(PYTEST) -m "not ring" $(ARGS)

ring: $(READY) $(MODULES)  ## run the tests that take too long for `make test`
	@$(WITH_SERVERS) $(PYTEST) -m ring $(ARGS)

quick: $(READY) $(MODULES)  ## within a minute: the pure rings, and what looks at your changes
	@$(WITH_SERVERS) $(BIN)/python -m tools.quick $(ARGS)

fuzz: $(READY)  ## look for inputs that a reader does not take, minutes of it (ARGS="patch --seconds 600")
	@$(BIN)/python -m tests.fuzz $(ARGS)

soak: $(READY)  ## everybody at work while things break, and a model that knows what is right (HOURS=1)
	@$(WITH_SERVERS) $(BIN)/python -m tests.soak --hours $(or $(HOURS),1) $(ARGS)

pictures: $(READY) $(MODULES)  ## make the pictures of docs/pictures anew, from a real editor
	@$(WITH_SERVERS) $(BIN)/python -m tools.pictures $(ARGS)

lint: $(READY) $(MODULES)  ## ruff, pyright (strict), import-linter; TypeScript and prettier
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python -m tools.manifest
	$(BIN)/python -m tools.public_names
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.attacks
	$(BIN)/python -m tools.python_verbs
	$(BIN)/python -m tools.request_types
	$(DOCS)
	$(NODE) npm run --silent check

docs: $(READY)  ## build the pages of docs/ into build/docs
	@$(DOCS)

demo: $(READY)  ## check a sample AI edit and show what it would break
	@$(BIN)/python tools/demo.py

bench: $(READY)  ## measure every figure that the project promises
	@$(WITH_SERVERS) $(BIN)/python -m bench $(ARGS)

clean:  ## remove what the targets above made inside the checkout
	rm -rf .venv node_modules client-vscode/dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
