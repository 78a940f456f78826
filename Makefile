# Two commands do everything on a machine with Python 3.11 and make:
#
#   make demo          bake the demo scene and render one frame of it into demo/
#   make test          linter, type checker and every test
#
# Others: make package · make test-all · make lint · make bench [NAME=slope] [QUICK=1] · make demo [EXAMPLE=pour] [QUICK=1] ·
# make clean
# PYTHON=/path/to/python3.11 and PYTHON313=/path/to/python3.13 choose the interpreters that environments are made from.

SHELL   := /bin/bash
PYTHON  ?= python3.11
VENV    := .venv
BIN     := $(VENV)/bin
EXAMPLE ?= dam_break
QUICK   ?=
NAME    ?=
ARGS    ?=
# Processes that share the tests; 0: all in one.
WORKERS ?= 2

# The environment is named after what it holds: other pins, another environment.
PINS    := $(shell cksum requirements-dev.txt | cut -d' ' -f1)
READY   := $(VENV)/.ready-$(PINS)

# A Python 3.13 for Blender 5.2: on the path, or one that pyenv keeps; nothing if there is none that runs.
RUNS     = $(shell $(1) -c 'import sys; print(sys.version_info[:2] == (3, 13))' 2>/dev/null)
PYTHON313 ?= $(firstword $(foreach p,python3.13 $(wildcard $(HOME)/.pyenv/versions/3.13*/bin/python3.13),$(if $(filter True,$(call RUNS,$(p))),$(p))))
OTHER    := tests/blender tests/bake tests/installed
ENGINE   := tests/kernels tests/verification

.PHONY: demo test test-all test-4.5 test-5.2 package lint bench environment clean

demo: $(READY)
	$(BIN)/python -m examples $(EXAMPLE) --out demo $(if $(QUICK),--quick) $(ARGS)

test: lint
	$(BIN)/python -m pytest -p no:cacheprovider -n $(WORKERS) --dist loadfile $(ARGS)

# Everything again in the other Blenders: 4.5 LTS (Python 3.11), and 5.2 LTS where a Python 3.13 is found.
test-all: test test-4.5 test-5.2

test-4.5: .venv-4.5/.ready
	.venv-4.5/bin/python -m pytest -p no:cacheprovider $(OTHER) $(ARGS)

test-5.2: $(if $(PYTHON313),.venv-5.2/.ready)
ifeq ($(PYTHON313),)
	@echo "SKIPPED: Blender 5.2 LTS was not tested, because no Python 3.13 was found. Name one: make test-all PYTHON313=/path/to/python3.13"
else
	.venv-5.2/bin/python -m pytest -p no:cacheprovider $(OTHER) $(ENGINE) $(ARGS)
endif

.venv-4.5/.ready: tools/blender-4.5.txt
	$(call other_environment,.venv-4.5,$(PYTHON),$<)

.venv-5.2/.ready: tools/blender-5.2.txt
	$(call other_environment,.venv-5.2,$(PYTHON313),$<)

define other_environment
	@echo "Making the environment $(1) (about 1.5 GB, once) ..."
	@rm -rf $(1)
	@$(2) -m venv $(1)
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $(3)
	@$(1)/bin/python -m pip check
	@touch $@
endef

# The zips that artists install, one for each platform, into dist/. Wheels are downloaded once, into wheels/.
package: $(READY)
	$(BIN)/python -m tools.package

lint: $(READY)
	$(BIN)/ruff check --no-cache .
	$(BIN)/basedpyright --level error

bench: $(READY)
	$(BIN)/python -m benchmarks $(NAME) $(if $(QUICK),--quick) $(ARGS)

environment: $(READY)

$(READY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 is needed (Blender's module exists for no other); name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Making the environment $(VENV) (about 2 GB, once) ..."
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-dev.txt
	@$(BIN)/python -m pip check
	@$(BIN)/python -c 'import bpy' || \
	  { echo "Blender's module does not load: install the X11 and OpenGL libraries named above (Debian: libgl1 libegl1 libxi6 libxrender1 libxfixes3 libxxf86vm1 libxkbcommon0 libsm6)."; exit 1; }
	@touch $@

clean:
	rm -rf $(VENV) .venv-4.5 .venv-5.2 .installed demo dist wheels benchmarks/results
