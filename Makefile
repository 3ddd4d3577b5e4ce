PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
FIRMOGRAPH := $(BIN)/firmograph
# how many run tests side by side, each with up to 1 GB: one more than two cores, as tests of servers often wait; on a
# larger machine: make test TESTERS=8
TESTERS ?= 3

.DEFAULT_GOAL := help
.PHONY: help demo serve test test-postgres test-thorough test-browser check format reference bench evaluate demo-data lock

help: ## Show what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk 'BEGIN {FS = ":.*## "} {printf "  make %-14s %s\n", $$1, $$2}'

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or run make PYTHON=/path/to/python3.11"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo "Installing what Firmograph needs into $(VENV) (once; about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.runtime
	@echo "Installing what its developers need as well ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

demo: $(VENV)/.runtime ## Load the demo data, serve it, search, prospect, find lookalikes, enrich, fill a table, find calls, ask a second server, erase a person, show the bill, and end
	@$(FIRMOGRAPH) demo

serve: $(VENV)/.runtime ## The same, and stay up; from the second time on it starts with what is there
	@$(FIRMOGRAPH) demo --stay

# a process takes whole modules, whose tests share an application; long ones come first (tests/conftest.py)
PYTEST := $(BIN)/python -m pytest -n $(TESTERS) --dist loadscope --no-loadscope-reorder --ignore=tests/browser

# some machines set it, but the tests start a thousand processes, and each would compile everything anew
test test-postgres test-thorough test-browser: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/.dev ## Run the tests; of the slow ones, those of what changed (see CONTRIBUTING.md)
	@$(PYTEST) tests

test-postgres: $(VENV)/.dev ## Run those that reach a database on a PostgreSQL of their own (apt-get install postgresql)
	@FIRMOGRAPH_TEST_DATABASE=postgresql $(PYTEST) tests

test-thorough: export FIRMOGRAPH_TEST_THOROUGH = 1
test-thorough: $(VENV)/.dev ## Run all tests with all their examples on both databases
	@$(PYTEST) tests
	@FIRMOGRAPH_TEST_DATABASE=postgresql $(PYTEST) tests

$(VENV)/.browser: requirements/browser.txt $(VENV)/.dev
	@echo "Installing what drives a browser (the browser itself is the system's) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/browser.txt
	@touch $@

test-browser: $(VENV)/.browser ## Visit a tracked page with a real browser (apt-get install chromium)
	@$(BIN)/python -m pytest tests/browser

check: $(VENV)/.dev ## Lint, types, import rules, wording, names, accounts in statements
	@$(BIN)/ruff check --no-cache .  # a cached verdict knows nothing of a module that moved
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/check_wording.py
	@$(BIN)/python scripts/check_modules.py
	@$(BIN)/python scripts/check_accounts.py

format: $(VENV)/.dev ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

reference: $(VENV)/.dev ## Write docs/asyncapi.yaml and the tables of docs/reference again
	@$(BIN)/python scripts/build_asyncapi.py
	@$(BIN)/python scripts/build_reference.py

$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	@echo "Installing the search engines to compare with ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

bench: $(VENV)/.bench ## Measure speed, size and memory (an hour or two; writes docs/benchmarks.md)
	@$(BIN)/python -m bench

evaluate: $(VENV)/.dev ## Measure how well people and companies are matched by name, job signals told, titles, roles, bots, and conversations
	@$(BIN)/python -m evaluation.matching
	@$(BIN)/python -m evaluation.companies.measure
	@$(BIN)/python -m evaluation.spellings.measure
	@$(BIN)/python -m evaluation.jobs.measure
	@$(BIN)/python -m evaluation.titles.measure
	@$(BIN)/python -m evaluation.roles.measure
	@$(BIN)/python -m evaluation.encodings.measure
	@$(BIN)/python -m evaluation.visits.bots $(if $(DATA),"$(DATA)")
	@$(BIN)/python -m evaluation.news $(if $(DATA),"$(DATA)")
	@$(BIN)/python -m evaluation.conversations.measure $(if $(DATA),"$(DATA)")
	@$(if $(DATA),$(BIN)/python -m evaluation.lookalikes "$(DATA)")
	@$(if $(DATA),$(BIN)/python -m evaluation.visits "$(DATA)")

demo-data: $(VENV)/.dev ## Build demo/ again from the open data in DATA, and pack the part that is shipped
	@$(BIN)/python scripts/build_demo_data.py "$(DATA)"
	@$(BIN)/python scripts/pack_demo_data.py

lock: $(VENV)/.dev ## Pin the dependencies of pyproject.toml again
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra build -o requirements/runtime.txt pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra build --extra dev -o requirements/dev.txt pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra bench -c requirements/dev.txt -o requirements/bench.txt pyproject.toml
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --extra browser -c requirements/dev.txt -o requirements/browser.txt pyproject.toml
