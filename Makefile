# Two commands matter: `make check` grades assignments/, `make test` tests the grader.
# Both set up .venv first, once, and need only Python, make and git. `make check` installs what
# grading needs; what tests, lint and pictures need besides comes with the first that asks for it.

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
TOOLS := $(VENV)/.ready-to-develop
# PyTorch's own index of builds for CPUs, as its installation page names it. Asked for torch, and
# for nothing else, only where pip's own index has no such build. TORCH_INDEX=<url> is asked instead
# of both.
CPU_INDEX := https://download.pytorch.org/whl/cpu

# A choice given on the command line is applied even if .venv is ready; without one the last
# choice stays.
PYTHON_GIVEN := $(filter command environment,$(origin PYTHON))
ifneq ($(TORCH)$(TORCH_INDEX)$(PYTHON_GIVEN),)
CHOICE := choice
endif

.DEFAULT_GOAL := check
.PHONY: check demo test quick attack lint format diagnosis restyled pictures notebooks syllabus catalogues bench bench-check fuzz setup clean help choice architecture mutate docs

check: $(READY)  ## grade assignments/ and say what to open next
	@$(VENV)/bin/grader check || { code=$$?; test $$code -eq 1 || exit $$code; }

test: $(TOOLS)  ## test the grader, and every suite on the reference
	@$(VENV)/bin/python -m pytest -n auto --dist loadfile $(ARGS)

# Left to `make test`: whatever starts processes, reads all of the course or of the code, or tries a
# great deal.
SLOW_FILES := test_architecture test_sentences test_subject test_test_run test_words \
  batch/test_memory course/test_explanations course/test_hints grade/test_totals \
  handouts/test_guided_forms judge/test_no_sentence_decides judge/test_shapes_stated \
  judge/calls/test_direct_peer worker/survey/test_accuses_nobody worker/survey/test_places \
  worker/test_kernels worker/loading/test_delivery submission/test_unpacking \
  submission/test_json_scan report/test_sinks export/test_hostile_class
SLOW_UNITS := cli engine export/ci live release restyled tools validate $(SLOW_FILES:%=%.py)
quick: $(TOOLS)  ## the tests for in between: what starts no process, in a minute
	@$(VENV)/bin/python -m pytest -n logical --dist loadfile --hypothesis-profile=quick \
	  $(SLOW_UNITS:%=--ignore=tests/unit/%) \
	  tests/unit tests/suites/a1_attention $(ARGS)

demo: $(READY)  ## grade a small sample class, right and wrong work
	@$(VENV)/bin/python tools/demo.py

attack: $(TOOLS)  ## try every attack on the grader, in every tier this machine has
	@$(VENV)/bin/python -m tests.attack $(or $(ARGS),--controls)

lint: $(TOOLS)  ## ruff and mypy --strict
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy

format: $(TOOLS)  ## put the code into the house format
	@$(VENV)/bin/ruff check --fix-only .
	@$(VENV)/bin/ruff format .

diagnosis: $(READY)  ## is every known mistake named, and nobody wronged? (minutes)
	@$(VENV)/bin/grader validate --diagnosis

restyled: $(TOOLS)  ## the same for known mistakes in other people's words (minutes)
	@$(VENV)/bin/python -m tests.restyled

pictures: $(TOOLS)  ## draw anew what README shows
	@$(VENV)/bin/python tools/pictures.py
	@$(VENV)/bin/python tools/page_pictures.py
	@$(VENV)/bin/python tools/class_pictures.py
	@$(VENV)/bin/python tools/small_pictures.py
	@$(VENV)/bin/python tools/notebook_pictures.py

notebooks: $(TOOLS)  ## run every notebook, solved, at full length, and keep what it draws
	@$(VENV)/bin/python tools/notebooks.py $(ARGS)

syllabus: $(TOOLS)  ## write docs/syllabus.md anew from the course
	@$(VENV)/bin/python tools/syllabus.py

architecture: $(TOOLS)  ## draw the pictures of docs/architecture.md anew from the code
	@$(VENV)/bin/python tools/architecture.py $(ARGS)

docs: $(TOOLS)  ## build the pages of docs/ as a site, in both languages, with every link checked
	@$(VENV)/bin/python tools/site.py $(ARGS)

catalogues: $(TOOLS)  ## bring the catalogues of translations up to date
	@$(VENV)/bin/python tools/catalogues.py $(ARGS)

bench: $(TOOLS)  ## measure the grader against its targets
	@$(VENV)/bin/python -m tests.bench $(ARGS)

bench-check: $(TOOLS)  ## does grading cost at most 15 % more than was recorded? (a minute)
	@$(VENV)/bin/python -m tests.bench no-slower

mutate: $(TOOLS)  ## do tests notice mistakes in what makes a grade? (minutes; ARGS=grader/grade/score.py)
	@$(VENV)/bin/python tools/mutate.py $(ARGS)

fuzz: $(TOOLS)  ## try the wire with changed messages for long (ARGS="--seconds 3600")
	@$(VENV)/bin/python -m tests.fuzz $(ARGS)

setup: $(READY)  ## only set up .venv (TORCH=system, TORCH_INDEX=<url>, PYTHON=python3.12)

# Both come from one script; the second does what the first does if that has not been done.
$(READY) $(TOOLS): pyproject.toml constraints.txt $(wildcard tools/set_up/*.py) $(CHOICE)
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found; give one: make check PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -m tools.set_up --venv $(VENV) --stamp $(READY) --developer-stamp $(TOOLS) \
	  $(if $(filter $(TOOLS),$@),--developer) --cpu-index "$(CPU_INDEX)" \
	  --torch "$(TORCH)" --torch-index "$(TORCH_INDEX)" --python-given "$(PYTHON_GIVEN)"

clean:  ## remove .venv and everything that was generated for you
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | awk -F'\t' '{printf "make %-12s %s\n", $$1, $$2}'
