"""`python -m solvers …`, or `python solvers/__main__.py …` where -I keeps the working directory off the path.

TSUBU_IMPORT_PATHS names further folders to import from (where an extension's wheels were unpacked), as PYTHONPATH would
if -I did not switch it off.
"""

import os
import sys


def _prepare() -> None:
    for folder in filter(None, os.environ.get("TSUBU_IMPORT_PATHS", "").split(os.pathsep)):
        if folder not in sys.path:
            sys.path.append(folder)
    if not __package__:
        here = os.path.dirname(os.path.abspath(__file__))
        # Started as a file: its own folder would let solvers/state.py pass as a top-level module.
        sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
        sys.path.insert(0, os.path.dirname(here))


if __name__ == "__main__":
    _prepare()
    from solvers.bake.cli import main

    sys.exit(main(sys.argv[1:]))
