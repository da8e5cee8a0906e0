"""The functions of the language on arrays, from any namespace with NumPy's names."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from gradcli.errors import UnsupportedError
from gradcli.language import float_functions
from gradcli.language.special_functions import missing

Function = Callable[..., Any]

_SAME = """
    add mod abs sign maximum minimum fmax fmin clip where square hypot
    exp exp2 expm1 log2 log10 log1p logaddexp logaddexp2 sqrt cbrt
    sin cos tan sinh cosh tanh sinc degrees radians
    copysign fmod heaviside floor ceil trunc
    logical_and logical_or logical_not sum mean prod dot
"""

_NAMES: dict[str, str] = {
    **{name: name for name in _SAME.split()},
    "neg": "negative",
    "pos": "positive",
    "sub": "subtract",
    "mul": "multiply",
    "div": "true_divide",
    "floordiv": "floor_divide",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "round": "rint",
}

_SPECIAL = {"erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln", "digamma": "digamma"}


def special(name: str) -> Function:
    """SciPy's function of that name, `name:1` for the second of the results of one that has several.

    On a device's arrays it is the same of the device's library.  It is looked for when it is first called, so that a
    program without one does not import SciPy.
    """
    name, _, part = name.partition(":")

    @cache
    def found() -> Function:
        theirs = _special_module("scipy.special")
        if theirs is None:
            raise missing(f"scipy.special.{name}")
        return getattr(theirs, name, None) or getattr(theirs._ufuncs, name)  # type: ignore[no-any-return]

    def function(*arguments: Any) -> Any:
        return (_of_device(name, arguments) or found())(*arguments)

    return (lambda *arguments: function(*arguments)[int(part)]) if part else function


def special_of_numbers(name: str) -> Function:
    """The same on Python floats, without a warning or an error for any of them."""
    function = special(name)
    return lambda *arguments: float(function(*arguments))


def _of_device(name: str, arguments: tuple[Any, ...]) -> Function | None:
    """The special function of that name of the library whose device holds an argument; None where all are on the host.

    Raises:
        UnsupportedError: the library has none.
    """
    from gradcli import devices as arrays

    module = arrays.special(arguments)
    if module is None:
        return None
    found: Function | None = getattr(importlib.import_module(module), name.lstrip("_"), None)
    if found is None:
        raise UnsupportedError(f"{module} has no {name}", hint=arrays.ELSEWHERE)
    return found


_SPECIAL_MODULES = {"numpy": "scipy.special", "cupy": "cupyx.scipy.special"}


def functions(namespace: Any) -> dict[str, Function]:
    """Canonical name to function for arrays of `namespace`.

    What the namespace lacks comes from SciPy where that is installed, and else runs element by element on the host.
    """
    table = {name: getattr(namespace, theirs) for name, theirs in _NAMES.items()}
    table["pow"] = operator.pow  # NumPy rounds a power of its scalars otherwise than `numpy.power` does
    table["log"] = _log(namespace)
    table["where"] = _where(namespace)
    table["reciprocal"] = lambda x: namespace.true_divide(1, x)
    table["remainder"] = _remainder(namespace)
    module = _SPECIAL_MODULES.get(getattr(namespace, "__name__", ""), "")
    for name in (*_SPECIAL, "polygamma"):
        table[name] = _special(name, module, namespace)
    return table


def _special(name: str, module: str, namespace: Any) -> Function:
    """A special function, looked for when it is first called, so that a program without one does not import SciPy."""

    @cache
    def found() -> Function:
        theirs = _special_module(module)
        if name == "polygamma" and theirs is not None:
            return _polygamma(theirs)
        return getattr(theirs, _SPECIAL.get(name, name), None) or elementwise(float_functions.IEEE[name], namespace)

    def special(*arguments: Any) -> Any:
        theirs = _of_device(_SPECIAL.get(name, name), arguments)
        return (theirs or found())(*arguments)

    return special


@cache
def _special_module(name: str) -> ModuleType | None:
    """SciPy's special functions for the namespace, or None where they are not installed."""
    try:
        return importlib.import_module(name) if name else None
    except ImportError:
        return None


def _log(namespace: Any) -> Function:
    def log(x: Any, base: Any = None) -> Any:
        """The logarithm, natural or to the given base."""
        return namespace.log(x) if base is None else namespace.log(x) / namespace.log(base)

    return log


def _where(namespace: Any) -> Function:
    def where(condition: Any, x: Any, y: Any) -> Any:
        """The chosen lanes; a single condition chooses a whole side, without a copy."""
        if condition is True or condition is False:
            return x if condition else y
        return namespace.where(condition, x, y)

    return where


def _remainder(namespace: Any) -> Function:
    def remainder(x: Any, y: Any) -> Any:
        """The difference of x from the nearest multiple of y, exactly, by way of the remainder of 2y as in fdlibm."""
        size = namespace.absolute(y)
        rest = namespace.fmod(namespace.absolute(x), 2 * size)
        # Halves of tiny numbers round: compare doubles there, and halves where a double would overflow.
        tiny = size < 1
        half, doubled = 0.5 * size, rest + rest
        over = namespace.where(tiny, doubled > size, rest > half)
        rest = rest - namespace.where(over, size, 0)
        over = over & namespace.where(tiny, rest + rest >= size, rest >= half)
        rest = rest - namespace.where(over, size, 0)
        return namespace.where(rest == 0, namespace.copysign(rest, x), namespace.where(x < 0, -rest, rest))[()]

    return remainder


def _polygamma(special: Any) -> Function:
    def polygamma(order: Any, x: Any) -> Any:
        """The derivative of the given order of digamma; SciPy alone would make float64 and arrays of everything."""
        result, dtype = special.polygamma(order, x), getattr(x, "dtype", None)
        return (result.astype(dtype) if dtype is not None and dtype.kind == "f" else result)[()]

    return polygamma


def elementwise(function: Function, namespace: Any) -> Function:
    """A function of floats applied to each element, on the host; float32 stays float32, integers become float64."""

    def mapped(*arguments: Any) -> Any:
        dtype = namespace.result_type(*arguments)
        if dtype.kind != "f":
            dtype = namespace.result_type(dtype, namespace.float32)
        arrays = namespace.broadcast_arrays(*(namespace.asarray(argument) for argument in arguments))
        columns = [array.ravel().tolist() for array in arrays]
        values = [function(*map(float, row)) for row in zip(*columns, strict=True)]
        return namespace.asarray(values, dtype=dtype).reshape(arrays[0].shape)[()]

    return mapped
