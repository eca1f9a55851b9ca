# Everything runs in .venv, which make fills itself: a fresh machine needs Python 3.11 or newer, and make.

PYTHON ?= python3
TORCH_INDEX ?=

BIN := .venv/bin
# What nobody imports needs no byte code: 123 s of processor time to install all, 52 s without.
INSTALL = $(BIN)/python -m pip install --no-compile --disable-pip-version-check -c constraints.txt
BENCHMARKS = $(sort $(wildcard benchmarks/bench_*.py benchmarks/*/bench_*.py))

# One run tells all: the tests run even where the style is at fault, and any fault fails the whole. Processors of another
# kind take one process, beside all else; what that has compiled while types are checked, the other tests find.
check = mkdir -p build; trap 'kill 0' INT; $(elsewhere) >build/elsewhere.txt 2>&1 & elsewhere=$$!; \
	failed=0; $(MAKE) --no-print-directory lint || failed=$$?; \
	$(BIN)/python -m pytest -n auto --dist worksteal -m "$(1)" || failed=$$?; \
	wait $$elsewhere || failed=$$?; cat build/elsewhere.txt; exit $$failed

# The numeric tests on one processor of another kind, but for what asks no processor: an interpreter, settings, processes.
elsewhere = $(BIN)/python tests/machines.py --column 1 -n0 tests/kernels tests/engine tests/statistics \
	$(foreach name,triton arithmetic memory engine/test_ranks,--ignore-glob='*$(name)*')

# The tests start hundreds of processes, each of which would compile all that it imports: nothing else is compiled yet.
unexport PYTHONDONTWRITEBYTECODE

# OpenMP threads that spin while they wait turn milliseconds into minutes when other processes use the cores.
export OMP_WAIT_POLICY := PASSIVE

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-all test-machines test-faults test-gpu lint docs bench clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=python3.12    the interpreter that makes .venv (now: $(PYTHON))"
	@echo "  TORCH_INDEX=URL      the package index for torch alone; on Linux, give PyTorch's index of CPU builds"
	@echo "                       to spare several GB of CUDA libraries (see PyTorch's install page)"

venv: .venv/dev.stamp  ## Make or refresh .venv with all that development needs

demo: .venv/demo.stamp  ## Install what the demonstration needs and run it
	$(BIN)/gpustab demo

test: .venv/dev.stamp  ## Check style and types, then run the tests and the examples in the docstrings
	@$(call check,not slow)

test-all: .venv/dev.stamp  ## The same with the tests that take minutes
	@$(call check,)

test-machines: .venv/dev.stamp  ## Run the numeric tests as twelve other processors would: an hour of two cores
	$(BIN)/python tests/machines.py

test-faults: .venv/dev.stamp  ## Let every operation on files fail in every way, and break every file of ours: hours
	$(BIN)/python -m tests.faults

test-gpu: .venv/dev.stamp  ## Run the tests that need CUDA
	$(BIN)/python -m pytest -m gpu

lint: .venv/dev.stamp  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/dev.stamp  ## Build the documentation into build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build -q -f docs/mkdocs.yml

bench: .venv/dev.stamp  ## Run every benchmark
	set -e; for script in $(BENCHMARKS); do $(BIN)/python $$script; done

clean:  ## Remove .venv, caches and build products
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is touched last, so that an interrupted installation is taken up again.
.venv/torch.stamp: constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gpustab needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	$(INSTALL) $(if $(TORCH_INDEX),-i $(TORCH_INDEX)) torch
	touch $@

.venv/demo.stamp: .venv/torch.stamp pyproject.toml
	$(INSTALL) -e '.[cpu,train,report]'
	touch $@

.venv/dev.stamp: .venv/torch.stamp pyproject.toml
	$(INSTALL) -e '.[dev]'
	touch $@ .venv/demo.stamp
