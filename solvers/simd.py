"""Eight float32 lanes as one value inside kernels.

LLVM does not turn loops over a handful of neighbours into packed instructions by itself, and that is where most
of the time goes. `load8(array, i)` reads eight consecutive numbers of a flat float32 array (which must have room
for them), `+ - * /` work lane by lane (a float32 beside lanes counts for every lane), `sum8` adds the lanes in a fixed
order. On machines with narrower vectors LLVM splits the lanes; the result stays the same.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANES = 8
_FLAGS = ("contract", "reassoc", "nsz", "arcp")
_FLOAT = ir.FloatType()
_INT32 = ir.IntType(32)
_LANES_TYPE = ir.VectorType(_FLOAT, LANES)


class LanesType(types.Type):
    """The numba type of eight float32 lanes."""

    def __init__(self) -> None:
        super().__init__(name="f32x8")


lanes = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _LANES_TYPE)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _LANES_TYPE.as_pointer())


def _shuffled(builder: Any, value: Any, order: list[int]) -> Any:
    indices = ir.Constant(ir.VectorType(_INT32, len(order)), order)
    return builder.shuffle_vector(value, ir.Constant(value.type, ir.Undefined), indices)


@intrinsic
def load8(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index : index + 8] as lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_address(context, builder, signature.args[0], args[0], args[1]))
        value.align = 4
        return value

    return lanes(array, types.int64), generate


@intrinsic
def store8(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index : index + 8] = lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        stored = builder.store(args[2], _address(context, builder, signature.args[0], args[0], args[1]))
        stored.align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate


def _short_address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), ir.VectorType(ir.IntType(16), LANES).as_pointer())


@intrinsic
def load_short8(typing_context: Any, array: Any, index: Any) -> Any:
    """array[index : index + 8] of a flat uint16 array as lanes: 0.0 … 65535.0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_short_address(context, builder, signature.args[0], args[0], args[1]))
        value.align = 2
        return builder.sitofp(builder.zext(value, ir.VectorType(_INT32, LANES)), _LANES_TYPE)

    return lanes(array, types.int64), generate


@intrinsic
def store_short8(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """array[index : index + 8] = lanes of 0 … 65535, cut to whole numbers, for a flat uint16 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = builder.fptosi(args[2], ir.VectorType(_INT32, LANES))
        short = builder.trunc(whole, ir.VectorType(ir.IntType(16), LANES))
        stored = builder.store(short, _short_address(context, builder, signature.args[0], args[0], args[1]))
        stored.align = 2
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), generate


@intrinsic
def splat8(typing_context: Any, scalar: Any) -> Any:
    """The same float32 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one = builder.insert_element(ir.Constant(_LANES_TYPE, ir.Undefined), args[0], _INT32(0))
        return _shuffled(builder, one, [0] * LANES)

    return lanes(types.float32), generate


def _binary(instruction: str) -> Any:
    @intrinsic
    def operation(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1], flags=_FLAGS)

        return lanes(lanes, lanes), generate

    return operation


def _overload(symbol: Any, operation: Any) -> None:
    def typed(a, b):  # numba wants the same signature here and in the implementation, so no annotations
        if isinstance(a, LanesType) and isinstance(b, LanesType):
            return lambda a, b: operation(a, b)
        if isinstance(a, LanesType) and b == types.float32:
            return lambda a, b: operation(a, splat8(b))
        if a == types.float32 and isinstance(b, LanesType):
            return lambda a, b: operation(splat8(a), b)
        return None

    overload(symbol)(typed)


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.iadd, "fadd"),
    (operator.sub, "fsub"),
    (operator.isub, "fsub"),
    (operator.mul, "fmul"),
    (operator.imul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _overload(_symbol, _binary(_instruction))


def _library(name: str, count: int) -> Any:
    function_type = ir.FunctionType(_LANES_TYPE, [_LANES_TYPE] * count)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, function_type, f"llvm.{name}.v{LANES}f32")
        return builder.call(function, args)

    if count == 1:

        @intrinsic
        def unary(typing_context: Any, a: Any) -> Any:
            return lanes(lanes), generate

        return unary

    @intrinsic
    def binary(typing_context: Any, a: Any, b: Any) -> Any:
        return lanes(lanes, lanes), generate

    return binary


sqrt8 = _library("sqrt", 1)
max8 = _library("maxnum", 2)
min8 = _library("minnum", 2)


@intrinsic
def sum8(typing_context: Any, value: Any) -> Any:
    """Sum of the lanes, always in the same order: ((0+4)+(2+6)) + ((1+5)+(3+7))."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        width, total = LANES, args[0]
        while width > 1:
            half = width // 2
            low = _shuffled(builder, total, list(range(half)))
            high = _shuffled(builder, total, list(range(half, width)))
            total, width = builder.fadd(low, high), half
        return builder.extract_element(total, _INT32(0))

    return types.float32(lanes), generate


@intrinsic
def less8(typing_context: Any, a: Any, b: Any) -> Any:
    """Bit l of the answer is set where lane l of a is less than that of b."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered("<", args[0], args[1]), ir.IntType(LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.int64(lanes, lanes), generate
