# Two commands matter: `make check` grades assignments/, `make test` tests the grader.
# Both set up .venv first, once, and need only Python, make and git.

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready

# A choice given on the command line is applied even if .venv is ready; without one the last
# choice stays.
PYTHON_GIVEN := $(filter command environment,$(origin PYTHON))
ifneq ($(TORCH)$(TORCH_INDEX)$(PYTHON_GIVEN),)
CHOICE := choice
endif

.DEFAULT_GOAL := check
.PHONY: check demo test attack lint format diagnosis restyled pictures notebooks syllabus catalogues bench fuzz setup clean help choice

check: $(READY)  ## grade assignments/ and say what to open next
	@$(VENV)/bin/grader check || { code=$$?; test $$code -eq 1 || exit $$code; }

test: $(READY)  ## test the grader, and every suite on the reference
	@$(VENV)/bin/python -m pytest -n auto --dist loadfile $(ARGS)

demo: $(READY)  ## grade a small sample class, right and wrong work
	@$(VENV)/bin/python tools/demo.py

attack: $(READY)  ## try every attack on the grader, in every tier this machine has
	@$(VENV)/bin/python -m tests.attack $(or $(ARGS),--controls)

lint: $(READY)  ## ruff and mypy --strict
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy

format: $(READY)  ## put the code into the house format
	@$(VENV)/bin/ruff check --fix-only .
	@$(VENV)/bin/ruff format .

diagnosis: $(READY)  ## is every known mistake named, and nobody wronged? (minutes)
	@$(VENV)/bin/grader validate --diagnosis

restyled: $(READY)  ## the same for known mistakes in other people's words (minutes)
	@$(VENV)/bin/python -m tests.restyled

pictures: $(READY)  ## draw anew what README shows
	@$(VENV)/bin/python tools/pictures.py

notebooks: $(READY)  ## run every notebook, solved, at full length, and keep what it draws
	@$(VENV)/bin/python tools/notebooks.py $(ARGS)

syllabus: $(READY)  ## write docs/syllabus.md anew from the course
	@$(VENV)/bin/python tools/syllabus.py

catalogues: $(READY)  ## bring the catalogues of translations up to date
	@$(VENV)/bin/python tools/catalogues.py $(ARGS)

bench: $(READY)  ## measure the grader against its targets
	@$(VENV)/bin/python -m tests.bench $(ARGS)

fuzz: $(READY)  ## try the wire with changed messages for long (ARGS="--seconds 3600")
	@$(VENV)/bin/python -m tests.fuzz $(ARGS)

setup: $(READY)  ## only set up .venv (TORCH=system, TORCH_INDEX=<url>, PYTHON=python3.12)

$(READY): pyproject.toml constraints.txt tools/set_up.py $(CHOICE)
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found; give one: make check PYTHON=python3.12"; exit 2; }
	@$(PYTHON) tools/set_up.py --venv $(VENV) --stamp $(READY) \
	  --torch "$(TORCH)" --torch-index "$(TORCH_INDEX)" --python-given "$(PYTHON_GIVEN)"

clean:  ## remove .venv and everything that was generated for you
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "make %-9s %s\n", $$1, $$2}'
