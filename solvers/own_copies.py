"""The same machine code whether a kernel was compiled just now or comes from the cache.

numba links a copy of every kernel that another one calls into the caller and optimises it there once more: under `fastmath` it
may then sum in another order. Copy and original have one name, and the loader takes whichever it meets first. In the process that
compiles, the original is there before the caller; in later ones, which load the caller from the cache, only the copy is. The
first bake on a machine could differ from all later ones in the last bit. With names of their own, callers always run their
copies.
"""

import uuid

_KERNEL = "_ZN"
"""Compiled functions begin so; the runtime's own (NRT_…) are recognised by name and keep theirs."""


def install() -> None:
    """From now on kernels compiled in this process keep their copies to themselves. `jit` calls it before the first one is."""
    from numba.core.codegen import CPUCodeLibrary

    original = CPUCodeLibrary._optimize_final_module
    if hasattr(original, "original"):
        return

    def with_own_copies(self) -> None:
        mark = f".{uuid.uuid4().hex[:16]}"
        for function in self._final_module.functions:
            if function.name.startswith(_KERNEL) and not function.is_declaration and "linkonce" in function.linkage.name:
                function.name += mark
        original(self)

    with_own_copies.original = original  # type: ignore[attr-defined]
    CPUCodeLibrary._optimize_final_module = with_own_copies
