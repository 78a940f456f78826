"""Arrays without reference counts, for kernels that pass arrays to many small functions.

numba counts references to an array whenever it is handed on. Each count is an atomic operation on memory that all threads
share: in a loop over particles that costs more than the work itself. A borrowed array points to the same data but owns
nothing; whoever borrows must keep the original alive, as the caller of a kernel does with its arguments.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _is_array_tuple(kind: Any) -> bool:
    return isinstance(kind, types.BaseTuple) and any(isinstance(part, types.Array) for part in kind)


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The same array structure with owner and parent set to null."""
    array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    null = ir.Constant(array.meminfo.type, None)
    array.meminfo = null
    array.parent = ir.Constant(array.parent.type, None)
    return array._getvalue()


@intrinsic
def borrowed(typing_context, thing):
    """`thing`, an array or a named tuple with arrays, without reference counts."""
    if not (isinstance(thing, types.Array) or _is_array_tuple(thing)):
        return None

    def generate(context, builder, signature, arguments):
        (value,) = arguments
        if isinstance(thing, types.Array):
            return _without_owner(context, builder, thing, value)
        for place, part in enumerate(thing):
            if isinstance(part, types.Array):
                array = _without_owner(context, builder, part, builder.extract_value(value, place))
                value = builder.insert_value(value, array, place)
        return value

    return thing(thing), generate
