# Two commands do everything on a machine with Python 3.11 and make:
#
#   make demo          bake the demo scene and render one frame of it into demo/
#   make test          linter, type checker and every test
#
# Others: make lint · make bench [NAME=slope] [QUICK=1] · make demo [EXAMPLE=pour] [QUICK=1] · make clean
# PYTHON=/path/to/python3.11 chooses the interpreter that .venv is made from.

SHELL   := /bin/bash
PYTHON  ?= python3.11
VENV    := .venv
BIN     := $(VENV)/bin
EXAMPLE ?= dam_break
QUICK   ?=
NAME    ?=
ARGS    ?=

# The environment is named after what it holds: other pins, another environment.
PINS    := $(shell cksum requirements-dev.txt | cut -d' ' -f1)
READY   := $(VENV)/.ready-$(PINS)

.PHONY: demo test lint bench environment clean

demo: $(READY)
	$(BIN)/python -m examples $(EXAMPLE) --out demo $(if $(QUICK),--quick) $(ARGS)

test: lint
	$(BIN)/python -m pytest -p no:cacheprovider $(ARGS)

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
	rm -rf $(VENV) demo dist benchmarks/results
