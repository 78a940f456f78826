"""Eight particles as rows instead of lanes: transposes, and two grid nodes of four floats in one value.

A grid node is four floats (momentum x, y, z and mass). `pair8`, `twice8` and `store_folded` treat eight lanes as two
such nodes side by side; `load_rows` and `store_rows` turn eight particles' components into rows and back.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .simd import LANES, lanes

_FLOAT, _INT32, _INT64 = ir.FloatType(), ir.IntType(32), ir.IntType(64)
_EIGHT, _FOUR = ir.VectorType(_FLOAT, 8), ir.VectorType(_FLOAT, 4)
_EIGHT_LANES = types.UniTuple(lanes, LANES)


def _order(places: list[int]) -> Any:
    return ir.Constant(ir.VectorType(_INT32, len(places)), places)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


def _exchange(builder: Any, rows: list[Any], low: list[int], high: list[int], distance: int) -> list[Any]:
    """One stage of the transpose: rows i and i + distance swap parts."""
    result = list(rows)
    for i in range(LANES):
        if i & distance == 0:
            first, second = rows[i], rows[i + distance]
            result[i] = builder.shuffle_vector(first, second, _order(low))
            result[i + distance] = builder.shuffle_vector(first, second, _order(high))
    return result


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    rows = _exchange(builder, rows, [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15], 1)
    rows = _exchange(builder, rows, [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15], 2)
    return _exchange(builder, rows, [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15], 4)


@intrinsic
def load_rows(typing_context: Any, array: Any, index: Any, stride: Any) -> Any:
    """Eight rows of eight floats, `stride` apart, as eight lanes values: value c holds column c of all rows."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = []
        for row in range(LANES):
            place = builder.add(args[1], builder.mul(args[2], _INT64(row)))
            value = builder.load(_pointer(context, builder, signature.args[0], args[0], place, _EIGHT))
            value.align = 4
            rows.append(value)
        return context.make_tuple(builder, _EIGHT_LANES, _transposed(builder, rows))

    return _EIGHT_LANES(array, types.int64, types.int64), generate


@intrinsic
def store_rows(typing_context: Any, array: Any, index: Any, stride: Any, columns: Any) -> Any:
    """Inverse of `load_rows`: eight lanes values become the columns of eight rows."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        for row, value in enumerate(_transposed(builder, cgutils.unpack_tuple(builder, args[3], LANES))):
            place = builder.add(args[1], builder.mul(args[2], _INT64(row)))
            stored = builder.store(value, _pointer(context, builder, signature.args[0], args[0], place, _EIGHT))
            stored.align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, columns), generate


@intrinsic
def store_whole(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """int32 array[index : index + 8] = lanes, cut to whole numbers."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(_INT32, LANES)
        stored = builder.store(
            builder.fptosi(args[2], kind), _pointer(context, builder, signature.args[0], args[0], args[1], kind)
        )
        stored.align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate


@intrinsic
def pair8(typing_context: Any, first: Any, second: Any) -> Any:
    """Two float32, each for one node: (a, a, a, a, b, b, b, b)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = ir.Constant(_EIGHT, ir.Undefined)
        for place, scalar in enumerate(args):
            value = builder.insert_element(value, scalar, _INT32(place))
        return builder.shuffle_vector(value, value, _order([0] * 4 + [1] * 4))

    return lanes(types.float32, types.float32), generate


@intrinsic
def twice8(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index : index + 4] for both nodes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_pointer(context, builder, signature.args[0], args[0], args[1], _FOUR))
        value.align = 4
        return builder.shuffle_vector(value, value, _order([0, 1, 2, 3] * 2))

    return lanes(array, types.int64), generate


@intrinsic
def store_folded(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index : index + 4] = sum of the two nodes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.Constant(_EIGHT, ir.Undefined)
        low = builder.shuffle_vector(args[2], nothing, _order([0, 1, 2, 3]))
        high = builder.shuffle_vector(args[2], nothing, _order([4, 5, 6, 7]))
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], _FOUR)
        stored = builder.store(builder.fadd(low, high), pointer)
        stored.align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate
