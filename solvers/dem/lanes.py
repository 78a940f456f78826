"""Rows of many particles as lanes: eight rows of a table become one value per column, and back.

Contacts touch particles in no order that vectors like, but every particle's numbers lie together in a row. Eight rows
are read whole and transposed in registers: column c of the answer holds number c of the eight particles.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..simd import LANES, lanes

_FLOAT = ir.FloatType()
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_EIGHT, _FOUR = ir.VectorType(_FLOAT, 8), ir.VectorType(_FLOAT, 4)


def _order(places: list[int]) -> Any:
    return ir.Constant(ir.VectorType(_INT32, len(places)), places)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


def _row_address(context: Any, builder: Any, signature: Any, args: Any, lane: int, width: int) -> Any:
    """Address of row index[k + lane] of a flat table with rows of `width` numbers; args: table, index, k, …"""
    place = _pointer(context, builder, signature.args[1], args[1], builder.add(args[2], _INT64(lane)))
    row = builder.sext(builder.load(place), _INT64)
    vector = _EIGHT if width == 8 else _FOUR
    at = _pointer(context, builder, signature.args[0], args[0], builder.mul(row, _INT64(width)))
    return builder.bitcast(at, vector.as_pointer())


def _swapped(builder: Any, rows: list[Any], low: list[int], high: list[int], pairs: list[tuple[int, int]]) -> list[Any]:
    result: list[Any] = [None] * len(rows)
    for a, b in pairs:
        result[a] = builder.shuffle_vector(rows[a], rows[b], _order(low))
        result[b] = builder.shuffle_vector(rows[a], rows[b], _order(high))
    return result


def _transposed8(builder: Any, rows: list[Any]) -> list[Any]:
    """The 8 × 8 transpose in three rounds of pairwise exchanges."""
    one = [(0, 1), (2, 3), (4, 5), (6, 7)]
    rows = _swapped(builder, rows, [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15], one)
    two = [(0, 2), (1, 3), (4, 6), (5, 7)]
    rows = _swapped(builder, rows, [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15], two)
    four = [(0, 4), (1, 5), (2, 6), (3, 7)]
    return _swapped(builder, rows, [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15], four)


def _transposed4(builder: Any, rows: list[Any]) -> list[Any]:
    """Two 4 × 4 transposes side by side: row l holds rows l and l + 4 in its halves. Its own inverse."""
    low, high = [0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]
    a, b = (builder.shuffle_vector(rows[0], rows[1], _order(part)) for part in (low, high))
    c, d = (builder.shuffle_vector(rows[2], rows[3], _order(part)) for part in (low, high))
    low, high = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
    return [builder.shuffle_vector(*pair, _order(part)) for pair in ((a, c), (b, d)) for part in (low, high)]


@intrinsic
def rows8(typing_context: Any, table: Any, index: Any, k: Any) -> Any:
    """Columns of the rows index[k : k + 8] of a flat float32 table with rows of eight."""
    answer = types.UniTuple(lanes, 8)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = []
        for lane in range(LANES):
            row = builder.load(_row_address(context, builder, signature, args, lane, 8))
            row.align = 4
            rows.append(row)
        return context.make_tuple(builder, answer, _transposed8(builder, rows))

    return answer(table, index, types.int64), generate


@intrinsic
def rows4(typing_context: Any, table: Any, index: Any, k: Any) -> Any:
    """Columns of the rows index[k : k + 8] of a flat float32 table with rows of four."""
    answer = types.UniTuple(lanes, 4)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        halves = []
        for lane in range(LANES):
            row = builder.load(_row_address(context, builder, signature, args, lane, 4))
            row.align = 4
            halves.append(row)
        joined = [builder.shuffle_vector(halves[lane], halves[lane + 4], _order(list(range(8)))) for lane in range(4)]
        return context.make_tuple(builder, answer, _transposed4(builder, joined))

    return answer(table, index, types.int64), generate


@intrinsic
def put_rows4(typing_context: Any, table: Any, index: Any, k: Any, columns: Any) -> Any:
    """The inverse of `rows4`: write four columns back to their rows."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _transposed4(builder, cgutils.unpack_tuple(builder, args[3], 4))
        undefined = ir.Constant(_EIGHT, ir.Undefined)
        for lane in range(LANES):
            half = _order([0, 1, 2, 3] if lane < 4 else [4, 5, 6, 7])
            row = builder.shuffle_vector(rows[lane & 3], undefined, half)
            stored = builder.store(row, _row_address(context, builder, signature, args, lane, 4))
            stored.align = 4
        return context.get_dummy_value()

    return types.void(table, index, types.int64, columns), generate


@intrinsic
def spread_rows8(typing_context: Any, table: Any, start: Any, columns: Any) -> Any:
    """Write eight columns as eight consecutive rows of eight, from table[start] on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _transposed8(builder, cgutils.unpack_tuple(builder, args[2], 8))
        for lane in range(LANES):
            place = builder.add(args[1], _INT64(8 * lane))
            at = _pointer(context, builder, signature.args[0], args[0], place)
            stored = builder.store(rows[lane], builder.bitcast(at, _EIGHT.as_pointer()))
            stored.align = 4
        return context.get_dummy_value()

    return types.void(table, types.int64, columns), generate


@intrinsic
def pick_less8(typing_context: Any, a: Any, b: Any, x: Any, y: Any) -> Any:
    """Lane by lane: x where a < b, else y."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[2], args[3])

    return lanes(lanes, lanes, lanes, lanes), generate


@intrinsic
def abs8(typing_context: Any, a: Any) -> Any:
    """|a| lane by lane."""
    kind = ir.FunctionType(_EIGHT, [_EIGHT])

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.fabs.v8f32"), args)

    return lanes(lanes), generate


@intrinsic
def join8(typing_context: Any, low: Any, high: Any) -> Any:
    """[low low low low high high high high] of two float32."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.insert_element(ir.Constant(_EIGHT, ir.Undefined), args[0], _INT32(0))
        value = builder.insert_element(value, args[1], _INT32(1))
        return builder.shuffle_vector(value, ir.Constant(_EIGHT, ir.Undefined), _order([0] * 4 + [1] * 4))

    return lanes(types.float32, types.float32), generate
