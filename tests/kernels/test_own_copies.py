"""A caller runs the same code in the process that compiled it as in one that loads it from the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from solvers import jit
from numba.core.codegen import CPUCodeLibrary
if sys.argv[1] == "shared": CPUCodeLibrary._optimize_final_module = CPUCodeLibrary._optimize_final_module.original
import numpy as np
import many_sums
a = np.random.default_rng(0).random((3, 50))
many_sums.caller(*a, 0.3)
name = next(iter(many_sums.callee.overloads.values())).fndesc.llvm_func_name
text = next(iter(many_sums.caller.inspect_asm().values()))
print(f"\\n{name}:" in text, f"\\n{name}." in text.replace('"', ""))
"""
KERNELS = """
from solvers.jit import kernel
import numpy as np

@kernel
def callee(a, b, c, x):
    s = 0.0
    for i in range(len(a)):
        if a[i] > b[i] * x:
            s += a[i] * b[i] + c[i] / (1.0 + x) - a[i] * x * c[i]
            for j in range(i):
                s += a[j] * 0.5 * x + b[j] * c[i]
        else:
            s -= c[i] * (a[i] + b[i] + x)
            for j in range(i + 1, len(a)):
                s += a[j] * b[j] * x - c[j]
    for i in range(len(a)):
        s += np.sin(a[i] * s)
    return s

@kernel
def caller(a, b, c, x):
    return callee(a, b, c, x) + callee(b, c, a, x) + callee(c, a, b, x)
"""


@pytest.mark.parametrize("own", [True, False])
def test_copies_have_names_of_their_own(own: bool, tmp_path: Path) -> None:
    """The caller's code holds the callee under another name than the callee's own; as numba has it, under the same."""
    (tmp_path / "many_sums.py").write_text(KERNELS, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}", "TSUBU_JIT_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-c", PROGRAM, "own" if own else "shared"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(not own), str(own)]
