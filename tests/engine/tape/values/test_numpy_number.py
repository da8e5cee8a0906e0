"""An element of a recorded array behaves as NumPy's number in all that a program can see."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.tape.value import plain_value

NUMBERS = (np.float64(1.5), np.float64(-0.75), np.float64(0.0), np.float32(1.5), np.float32(0.0))
OTHERS: dict[str, Any] = {
    "float": 2.5, "zero": 0.0, "int": 3, "int 0": 0, "bool": True, "huge": 1e308, "infinity": math.inf, "nan": math.nan,
    "float64": np.float64(0.7), "float32": np.float32(0.7), "int64": np.int64(2), "int8": np.int8(2), "bool_": np.True_,
    "complex": 1 + 2j, "complex128": np.complex128(1 + 2j), "complex64": np.complex64(1 + 2j),
    "fraction": Fraction(1, 2),
    "0-d": np.array(0.5), "0-d of float32": np.array(0.5, np.float32), "1-d": np.array([1.0, -2.0]),
    "1-d of float32": np.array([1.0, -2.0], np.float32), "1-d of int": np.array([1, -2]), "list": [1.0, 2.0],
    "text": "a", "none": None, "dict": {}, "float16": np.float16(0.5), "longdouble": np.longdouble(0.5),
}  # fmt: skip
BINARY = ("add", "sub", "mul", "truediv", "pow", "mod", "floordiv", "lt", "le", "gt", "ge", "eq", "ne", "iadd", "imul")
MATH = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "floor", "frexp", "gamma", "isfinite", "isinf", "isnan", "lgamma", "log", "log10", "log1p",
    "log2", "modf", "radians", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip
UFUNCS = (
    "sin", "cos", "exp", "log", "sqrt", "square", "tanh", "arcsin", "arctan", "abs", "negative", "reciprocal", "sign",
    "log1p", "expm1", "floor", "ceil", "rint", "isnan", "isfinite", "cbrt", "exp2", "log2", "positive", "conjugate",
    "deg2rad", "signbit", "spacing", "trunc",
)  # fmt: skip
UFUNCS_OF_TWO = (
    "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "fmax", "hypot", "arctan2", "remainder",
    "copysign", "logaddexp", "greater", "equal", "floor_divide", "float_power", "heaviside",
)  # fmt: skip
ONE: dict[str, Callable[[Any], Any]] = {
    "type": lambda x: type(x) is np.float64, "isinstance float": lambda x: isinstance(x, float),
    "isinstance float64": lambda x: isinstance(x, np.float64), "class": lambda x: x.__class__.__name__,
    "isinstance generic": lambda x: isinstance(x, np.generic), "isinstance array": lambda x: isinstance(x, np.ndarray),
    "repr": repr, "str": str, "format": lambda x: f"{x:.3f}|{x}|{x!r}", "percent": lambda x: "%.2f" % x,  # noqa: UP031 - the text that is meant

    "dtype": lambda x: x.dtype, "shape": lambda x: x.shape, "ndim": lambda x: x.ndim, "size": lambda x: x.size,
    "itemsize": lambda x: x.itemsize, "nbytes": lambda x: x.nbytes, "strides": lambda x: x.strides,
    "real": lambda x: x.real, "imag": lambda x: x.imag, "T": lambda x: x.T, "flat": lambda x: list(x.flat),
    "item": lambda x: x.item(), "tolist": lambda x: x.tolist(), "sum": lambda x: x.sum(), "mean": lambda x: x.mean(),
    "max": lambda x: x.max(), "min": lambda x: x.min(), "prod": lambda x: x.prod(), "var": lambda x: x.var(),
    "copy": lambda x: x.copy(), "conj": lambda x: x.conj(), "clip": lambda x: x.clip(0.1, 0.9),
    "round": lambda x: x.round(1), "ravel": lambda x: x.ravel(), "flatten": lambda x: x.flatten(),
    "reshape": lambda x: x.reshape(1, 1), "squeeze": lambda x: x.squeeze(), "transpose": lambda x: x.transpose(),
    "astype float32": lambda x: x.astype(np.float32), "astype int": lambda x: x.astype(int),
    "astype complex": lambda x: x.astype(complex), "any": lambda x: x.any(), "argmax": lambda x: x.argmax(),
    "is_integer": lambda x: x.is_integer(), "cumsum": lambda x: x.cumsum(),
    "int": int, "bool": bool, "round()": round, "round(1)": lambda x: round(x, 1), "abs": abs, "neg": operator.neg,
    "pos": operator.pos, "float": float, "complex": complex, "len": len, "iter": iter, "index": lambda x: [1, 2][x],
    "read": lambda x: x[0], "read ()": lambda x: x[()], "read ...": lambda x: x[...].shape, "call": lambda x: x(),
    "read None": lambda x: x[None], "invert": operator.invert, "unknown": lambda x: x.unknown,
    "ceil": math.ceil, "trunc": math.trunc, "divmod": lambda x: divmod(x, 0.4),
    "rdivmod": lambda x: divmod(2.0, x + 3.0),
    "sum()": lambda x: sum([x, x]), "max()": lambda x: max(x, 0.3), "min()": lambda x: min(0.3, x),
    "sorted": lambda x: sorted([x, 0.2, -3.0]), "in": lambda x: x in [0.3, 1.5], "array": lambda x: np.array(x),
    "array of two": lambda x: np.array([x, 2.0]), "asarray": lambda x: np.asarray(x).dtype,
    "chain": lambda x: 0 < x < 1,
    "float64": lambda x: np.float64(x), "float32": lambda x: np.float32(x), "where": lambda x: np.where(x > 0, x, 0.0),
    "np.sum": np.sum, "np.clip": lambda x: np.clip(x, 0.1, 0.9), "isclose": lambda x: np.isclose(x, 1.5),
    "isscalar": np.isscalar, "ndim()": np.ndim, "shape()": np.shape, "result_type": lambda x: np.result_type(x),
    "atan2": lambda x: math.atan2(x, 2.0), "hypot": lambda x: math.hypot(x, 2.0), "pow": lambda x: math.pow(x, 2.0),
    "fsum": lambda x: math.fsum([x, 1.0]), "prod()": lambda x: math.prod([x, 2.0]),
    "log of two": lambda x: math.log(2, x),
    "dist": lambda x: math.dist([x], [0.0]), "fmod": lambda x: math.fmod(x, 0.4), "isqrt": lambda x: math.isqrt(x),
    "copysign": lambda x: math.copysign(2.0, x), "in place": lambda x: np.multiply(x, 2.0, out=np.zeros(1)),
    "write": lambda x: operator.setitem(x, 0, 1.0), "del": lambda x: operator.delitem(x, 0),
    "matmul": lambda x: x @ np.ones(1), "shift": lambda x: x << 1, "hex": lambda x: x.hex(),
    "string of it": lambda x: f"{x:>10}" + str(x), "join": lambda x: ",".join([str(x)]), "range": lambda x: range(x),
}  # fmt: skip


# What a recorded number is refused for, by name and line, or shows in another type on purpose.
REFUSED = {
    *((name, left) for name in ("lt", "le", "gt", "ge", "eq", "ne") for left in ("fraction reflected", "fraction")),
    *((f"i{name}", f"{other} reflected") for name in ("add", "mul") for other in OTHERS if "-d" in other),
    *((name, f"text{side}") for name in ("eq", "ne") for side in ("", " reflected")),
    *((name, f"fraction{side}") for name in ("maximum", "minimum", "fmax") for side in ("", " reflected")),
    *((name, "complex reflected") for name in ("eq", "ne")),
}
FUNCTIONS_OF_TWO = [*(getattr(operator, name) for name in BINARY), *(getattr(np, name) for name in UFUNCS_OF_TWO)]


def program_of(functions: list[Callable[[Any], Any]], results: list[Any]) -> Callable[[Any], Any]:
    """A program that collects what the functions give at an element of its argument."""

    def program(array: Any) -> Any:
        results.extend(result_of(function, array[1]) for function in functions)
        return 0.0 * array[0]

    return program


def result_of(function: Callable[[Any], Any], x: Any) -> tuple[Any, ...]:
    """What a function gives at a number: the type and text of its result, or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = described(function(x))
        except (TypeError, ValueError, ArithmeticError, AttributeError, IndexError) as error:
            given = next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")
    # NumPy says "scalar divide" of its own operators, and "divide" where the other number is NumPy's and on the left.
    return given, {(warning.category, str(warning.message).replace("scalar ", "")) for warning in caught}


def described(given: Any) -> Any:
    """The type and the text of a result, without its record."""
    if type(given) in (tuple, list):
        return type(given).__name__, *map(described, given)
    value = plain_value(given)
    value = complex(value) if isinstance(value, complex) else value  # a recorded one holds NumPy's
    return type(value), getattr(value, "dtype", None), getattr(value, "shape", ()), repr(value)


def differences(functions: dict[Any, Callable[[Any], Any]], x: Any) -> list[Any]:
    """The probes whose results for an element of a recorded array differ from those for the plain number."""
    plain = [result_of(function, x) for function in functions.values()]
    differing = []
    for run in (
        lambda program, at: gradcli.trace(program, at, names=False),
        lambda program, at: gradcli.grad(program)(at),
    ):
        results: list[Any] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(program_of(list(functions.values()), results), np.array([1.0, x], x.dtype))
        pairs = zip(functions, plain, results, strict=True)
        differing += [(name, expected, actual) for name, expected, actual in pairs if actual != expected]
    return differing


def of_one(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: function(x)


def of_two(function: Callable[[Any, Any], Any]) -> dict[str, Callable[[Any], Any]]:
    """The function of a number and of each other operand, on either side."""
    name = function.__name__
    numbers = {
        key: x for key, x in OTHERS.items() if key not in ("text", "none", "dict") or not isinstance(function, np.ufunc)
    }
    sides = {key: (lambda x, other=other: function(x, other)) for key, other in numbers.items()}
    sides |= {f"{key} reflected": (lambda x, other=other: function(other, x)) for key, other in numbers.items()}
    return {key: probe for key, probe in sides.items() if (name, key) not in REFUSED}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", NUMBERS, ids=repr)
def test_an_element_converts_shows_and_acts_as_the_plain_number(x: Any) -> None:
    assert differences(ONE, x) == []


@pytest.mark.parametrize("x", NUMBERS, ids=repr)
@pytest.mark.parametrize("module", [math, np], ids=["math", "numpy"])
def test_functions_of_an_element_give_what_they_give_for_the_plain_number(module: Any, x: Any) -> None:
    names = MATH if module is math else UFUNCS

    assert differences({name: of_one(getattr(module, name)) for name in names}, x) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", NUMBERS[::2], ids=repr)
@pytest.mark.parametrize("function", FUNCTIONS_OF_TWO, ids=repr)
def test_operators_of_an_element_and_any_operand_act_as_with_the_plain_number(
    function: Callable[[Any, Any], Any], x: Any
) -> None:
    assert differences(of_two(function), x) == []


PLAIN = np.ones(2)


def test_a_plain_array_is_not_written_in_place() -> None:
    def f(x: Any) -> Any:
        PLAIN.__iadd__(x[0])
        return x[0]

    with pytest.raises(gradcli.errors.DetachedError, match="is written into an array of plain numbers"):
        gradcli.grad(f)(np.array([1.0, 2.0]))
