"""The functions of the formula language for arrays of any library that uses NumPy's names."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from gradcli.errors import UnsupportedError
from gradcli.mathematics.language import float_functions
from gradcli.mathematics.language.special_functions import missing_scipy_error

Function = Callable[..., Any]

_SAME = """
    add mod abs sign maximum minimum fmax fmin clip where square hypot
    exp exp2 expm1 log2 log10 log1p logaddexp logaddexp2 sqrt cbrt
    sin cos tan sinh cosh tanh sinc degrees radians
    copysign fmod heaviside floor ceil trunc
    logical_and logical_or logical_not sum mean prod dot
"""

NUMPY_NAMES: dict[str, str] = {
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

SPECIAL_NAMES = {"erf": "erf", "erfc": "erfc", "gamma": "gamma", "lgamma": "gammaln", "digamma": "digamma"}


def special(name: str, definition: Function | None = None) -> Function:
    """SciPy's special function called `name`; `name:1` is the second result of a function with several.

    On arrays of a device it is the function of the device's library, or `definition` if the library lacks a function
    that is internal to SciPy. It is looked up on the first call, so that a program without special functions does not
    import SciPy.
    """
    name, _, part = name.partition(":")

    @cache
    def scipys() -> Function:
        theirs = _special_module("scipy.special")
        if theirs is None:
            raise missing_scipy_error(f"scipy.special.{name}")
        return getattr(theirs, name, None) or getattr(theirs._ufuncs, name)  # type: ignore[no-any-return]

    def function(*arguments: Any) -> Any:
        return (_of_device(name, arguments, definition) or scipys())(*arguments)

    return (lambda *arguments: function(*arguments)[int(part)]) if part else function


def special_of_numbers(name: str) -> Function:
    """The same for Python floats. It never warns and never raises."""
    function = special(name)
    return lambda *arguments: float(function(*arguments))


def _of_device(name: str, arguments: tuple[Any, ...], definition: Function | None = None) -> Function | None:
    """The special function `name` of the device library that owns an argument; None if all arguments are on the host.

    Raises:
        UnsupportedError: the library does not have the function.
    """
    from gradcli.shared import devices as arrays

    module = arrays.special(arguments)
    if module is None:
        return None
    inner = definition if name.startswith("_") else None
    function: Function | None = getattr(importlib.import_module(module), name.lstrip("_"), inner)
    if function is None:
        raise UnsupportedError(f"{module} has no {name}", hint=arrays.ELSEWHERE)
    return function


_SPECIAL_MODULES = {"numpy": "scipy.special", "cupy": "cupyx.scipy.special"}


def functions(namespace: Any) -> dict[str, Function]:
    """The functions for arrays of `namespace`, by canonical name.

    A function that the namespace lacks comes from SciPy if it is installed; else it runs element by element on the
    host.
    """
    table = {name: getattr(namespace, theirs) for name, theirs in NUMPY_NAMES.items()}
    table["pow"] = operator.pow  # `numpy.power` and `**` round powers of NumPy scalars differently
    table["log"] = _log(namespace)
    table["where"] = _where(namespace)
    table["reciprocal"] = lambda x: namespace.true_divide(1, x)
    table["remainder"] = _remainder(namespace)
    module = _SPECIAL_MODULES.get(getattr(namespace, "__name__", ""), "")
    for name in (*SPECIAL_NAMES, "polygamma"):
        table[name] = _special(name, module, namespace)
    return table


def _special(name: str, module: str, namespace: Any) -> Function:
    """A special function, looked up on the first call, so that a program without one does not import SciPy."""

    def special(*arguments: Any) -> Any:
        theirs = _of_device(SPECIAL_NAMES.get(name, name), arguments)
        if theirs is not None and name == "polygamma":
            theirs = _polygamma(theirs)
        return (theirs or _of_module(name, module, namespace))(*arguments)

    return special


@cache
def _of_module(name: str, module: str, namespace: Any) -> Function:
    """The special function of a module if it is installed, else one that runs element by element."""
    theirs = _special_module(module)
    if name == "polygamma" and theirs is not None:
        return _polygamma(theirs.polygamma)
    return getattr(theirs, SPECIAL_NAMES.get(name, name), None) or elementwise(float_functions.IEEE[name], namespace)


@cache
def _special_module(name: str) -> ModuleType | None:
    """The module of special functions, or None if it is not installed."""
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
    def where(condition: Any, x: Any, y: Any, *names: Any) -> Any:
        """The selected elements. An operand that a single condition selects is not copied if it is the whole result.

        With `names`, the operands are functions of these.
        """
        if names:
            if isinstance(condition, (bool, namespace.bool_)):
                return (x if condition else y)(*names)
            is_plain = all(type(name).__module__ in ("builtins", "numpy") for name in (condition, *names))
            if is_plain and namespace.size(condition) >= MANY:
                return _by_sides(namespace, condition, (x, y), names)
            x, y = x(*names), y(*names)
        if condition is True or condition is False:
            taken, other = (x, y) if condition else (y, x)
            if _is_whole(taken, other):
                return taken
            condition = namespace.bool_(condition)  # CuPy takes a NumPy scalar, and no bool of Python's
        return namespace.where(condition, x, y)

    return where


MANY = 256  # elements, for which two functions take longer than the choice between them


def _by_sides(namespace: Any, condition: Any, sides: tuple[Function, Function], names: tuple[Any, ...]) -> Any:
    """A choice between the results of two functions of `names`, each of which runs on the elements that choose it."""
    count = namespace.count_nonzero(condition)
    if count in (0, condition.size):
        return sides[0 if count else 1](*names)
    shape = namespace.broadcast_shapes(*map(namespace.shape, (condition, *names)))
    condition, *flat = (
        namespace.broadcast_to(x, shape).ravel() if namespace.ndim(x) else x for x in (condition, *names)
    )
    places = [namespace.flatnonzero(chosen) for chosen in (condition, ~condition)]
    parts = [side(*(x[at] if namespace.ndim(x) else x for x in flat)) for side, at in zip(sides, places, strict=True)]
    chosen = namespace.empty(condition.size, namespace.result_type(*parts))
    for part, at in zip(parts, places, strict=True):
        chosen[at] = part
    return chosen.reshape(shape)


def _is_whole(taken: Any, other: Any) -> bool:
    """Whether an operand has the shape and the dtype of a selection between it and the other one."""
    dtype = getattr(taken, "dtype", None)
    if dtype is None:
        return type(taken) is type(other)
    if hasattr(other, "dtype"):
        return bool(other.dtype == dtype and other.shape in (taken.shape, ()))
    return dtype.kind in "fc" and type(other) in (float, int, bool)


def _remainder(namespace: Any) -> Function:
    def remainder(x: Any, y: Any) -> Any:
        """The difference between x and the nearest multiple of y, exact, by the remainder of 2y as in fdlibm."""
        size = namespace.absolute(y)
        rest = namespace.fmod(namespace.absolute(x), 2 * size)
        # Halving a tiny number rounds, and doubling a large one overflows: compare doubles for one, halves for the
        # other.
        tiny = size < 1
        half, doubled = 0.5 * size, rest + rest
        over = namespace.where(tiny, doubled > size, rest > half)
        rest = rest - namespace.where(over, size, 0)
        over = over & namespace.where(tiny, rest + rest >= size, rest >= half)
        rest = rest - namespace.where(over, size, 0)
        return namespace.where(rest == 0, namespace.copysign(rest, x), namespace.where(x < 0, -rest, rest))[()]

    return remainder


def _polygamma(theirs: Function) -> Function:
    def polygamma(order: Any, x: Any) -> Any:
        """The derivative of digamma of the given order, with the dtype of x. SciPy's returns float64 arrays only."""
        result, dtype = theirs(order, x), getattr(x, "dtype", None)
        return (result.astype(dtype) if dtype is not None and dtype.kind == "f" else result)[()]

    return polygamma


def elementwise(function: Function, namespace: Any) -> Function:
    """Apply a function of floats to each element, on the host. float32 stays float32, and integers become float64."""

    def mapped(*arguments: Any) -> Any:
        dtype = namespace.result_type(*arguments)
        if dtype.kind != "f":
            dtype = namespace.result_type(dtype, namespace.float32)
        arrays = namespace.broadcast_arrays(*(namespace.asarray(argument) for argument in arguments))
        columns = [array.ravel().tolist() for array in arrays]
        values = [function(*map(float, row)) for row in zip(*columns, strict=True)]
        return namespace.asarray(values, dtype=dtype).reshape(arrays[0].shape)[()]

    return mapped
