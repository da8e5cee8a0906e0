"""How NumPy's own protocols reach the rules: a ufunc or a NumPy function called on a recorded value."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from typing import Any

import numpy as np

from gradcli import arrays
from gradcli.rules.complex import CONJ
from gradcli.rules.constant import NUMPY, SHAPES
from gradcli.rules.numpy_functions import FUNCTIONS, ufunc_rule, unsupported
from gradcli.rules.numpy_functions.serving import SEQUENCES, numeric
from gradcli.rules.products import MATMUL
from gradcli.rules.table import RULES
from gradcli.tape.leak import WRITTEN, leak
from gradcli.tape.number import Scalar
from gradcli.tape.value import NUMBER_TYPES, Value, bare, outcome, record

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.sum,
    "multiply": np.prod,
    "maximum": np.max,
    "minimum": np.min,
    "logical_and": np.all,
    "logical_or": np.any,
}
VECTORS = frozenset({"vecdot", "matvec", "vecmat"})  # ufuncs of vectors and matrices
NUMBERS = frozenset((Scalar, *NUMBER_TYPES))
HARMLESS = frozenset({"casting", "order", "subok"})  # options of ufuncs that change no value


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A ufunc, or `ufunc.reduce`, on arguments of which one is recorded."""
    name = ufunc.__name__
    if method == "reduce" and name in REDUCTIONS:
        return REDUCTIONS[name](*inputs, **{"axis": 0, **options})
    if method != "__call__":
        raise unsupported(f"numpy.{name}.{method}")
    inputs = tuple(map(_operand, inputs))
    if name in VECTORS:
        _refuse_options(name, {key: x for key, x in options.items() if key not in _parameters(name)[0]})
        return FUNCTIONS[name](*inputs, **options)
    return _with_options(name, ufunc, inputs, options) if options else _call_ufunc(name, ufunc, inputs)


def _with_options(name: str, ufunc: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    out, dtype = options.pop("out", None), options.pop("dtype", None)
    _refuse_options(name, options)
    recorded = any(issubclass(type(x), Value) for x in inputs)
    result = _call_ufunc(name, ufunc, inputs) if recorded else ufunc(*inputs)
    if dtype is not None and dtype != getattr(result, "dtype", None):
        raise unsupported(f"numpy.{name} with dtype={np.dtype(dtype).name}")
    return result if out is None else _write(out, result, name)


def _refuse_options(name: str, options: dict[str, Any]) -> None:
    for option, value in options.items():
        if option not in HARMLESS and not (option == "where" and value is True):
            raise unsupported(f"numpy.{name} with {option}=")


def _operand(x: Any) -> Any:
    """An operand of a ufunc: a list or tuple as an array, recorded if it holds recorded values."""
    if issubclass(type(x), (list, tuple)):
        return stacked(x) if holds_recorded(x) else np.asarray(x)
    return x


def _call_ufunc(name: str, ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    if name in NUMPY:
        return outcome(name, ufunc, *inputs)
    if name == "divmod":
        return outcome("floor_divide", np.floor_divide, *inputs), np.remainder(*inputs)
    if name == "float_power":
        inputs = tuple(numeric(x, float) for x in inputs)
    rule: Any = MATMUL if name == "matmul" else ufunc_rule(name)
    if rule is CONJ:
        rule = CONJ if np.iscomplexobj(inputs[0]) else RULES["pos"]
    elif rule is not None and rule is not MATMUL and rule.special:
        inputs = rule.decided(inputs)
    if rule is None:
        return _call_special(ufunc, inputs)
    return as_numpy(rule, inputs)


def _call_special(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    name = ufunc_name(ufunc)
    if name not in FUNCTIONS:
        raise unsupported(name)
    return FUNCTIONS[name](*inputs)


def ufunc_name(ufunc: Any) -> str:
    """The full name of a ufunc: NumPy's own is found in NumPy, any other is SciPy's."""
    name = ufunc.__name__
    return f"numpy.{name}" if getattr(np, name, None) is ufunc else f"scipy.special.{name.lstrip('_')}"


def as_numpy(rule: Any, inputs: tuple[Any, ...]) -> Any:
    """Record a rule as NumPy computes it: of Python floats alone the result is a NumPy float, never an error."""
    if all(type(x) in NUMBERS for x in inputs):
        inputs = tuple(map(numeric, inputs))
    return record(rule, inputs, {}, by_numpy=True)


def listed(x: Any) -> Any:
    """A list or tuple that holds recorded values as one recorded array; anything else as it is."""
    return stacked(x) if issubclass(type(x), (list, tuple)) and holds_recorded(x) else x


def holds_recorded(x: Any) -> bool:
    """Whether a recorded value is somewhere in nested lists and tuples."""
    if issubclass(type(x), (list, tuple)):
        return any(map(holds_recorded, x))
    return issubclass(type(x), Value)


def stacked(x: Any) -> Any:
    """Nested lists and tuples of recorded and plain numbers as one recorded array."""
    if issubclass(type(x), Value):
        return x
    return np.stack([stacked(item) for item in x]) if holds_recorded(x) else np.asarray(x, dtype=float)


def _write(out: Any, result: Any, name: str) -> Any:
    """Make a recorded array hold a result: what NumPy's `out=` means."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if type(target) is np.ndarray or arrays.on_device(target):
        leak(result, WRITTEN)
    if not hasattr(type(target), "replace") or not arrays.is_array(target._value):
        raise unsupported(f"numpy.{name} with out= a plain array")
    if np.shape(result) != target.shape:
        raise ValueError(f"out= has the shape {target.shape}, the result of numpy.{name} {np.shape(result)}")
    if np.iscomplexobj(result) and not np.iscomplexobj(target):
        raise TypeError(f"cannot cast the complex result of numpy.{name} to out= of {target.dtype}")
    target[...] = result
    return target


def apply_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A NumPy function on arguments of which one is recorded, or holds one."""
    name = name_of(function)
    if arrays.places():
        args, options = _placed(args), {key: _placed(item) for key, item in options.items()}
    if name in SHAPES:
        return function(*map(_deep_bare, args), **{key: _deep_bare(item) for key, item in options.items()})
    if (served := FUNCTIONS.get(name)) is not None:
        return _call_served(name, served, args, options)
    if name in NUMPY:
        return _fact(name, function, tuple(map(listed, args)), {key: listed(x) for key, x in options.items()})
    raise unsupported(f"numpy.{name}")


def _call_served(name: str, served: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call what serves a function, lists of recorded numbers made arrays; write the result where `out=` says."""
    parameters, out_at, takes_all = _parameters(name)
    if not takes_all:
        for option in options.keys() - set(parameters) - {"out"}:
            raise unsupported(f"numpy.{name} with {option}=")
    out = options.pop("out", None)
    if out_at is not None and len(args) > out_at:
        out, args = args[out_at], (*args[:out_at], None, *args[out_at + 1 :])
    if (lists := SEQUENCES[name]) is not None:
        args = tuple(_items(x) if p in lists else listed(x) for p, x in zip_longest(parameters[: len(args)], args))
        options = {key: _items(x) if key in lists else listed(x) for key, x in options.items()}
    result = served(*args, **options)
    return result if out is None else _write(out, result, name)


def _items(x: Any) -> Any:
    """A list of arrays, those that are lists of recorded numbers made arrays; anything else as it is."""
    return list(map(listed, x)) if issubclass(type(x), (list, tuple)) else x


def _placed(x: Any) -> Any:
    """The plain arrays among arguments on the device that is chosen; those of integers may say where, or how many."""
    if type(x) in (list, tuple):
        return type(x)(map(_placed, x))
    return arrays.placed(x) if arrays.is_array(x) and x.dtype.kind in "fcb" else x


@cache
def _parameters(name: str) -> tuple[tuple[str, ...], int | None, bool]:
    """The names that a served function takes, the place of `out` among them, and whether it takes any others."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    names = tuple(parameters)
    return names, names.index("out") if "out" in names and parameters["out"].kind is not _BY_NAME else None, takes_all


_BY_NAME = inspect.Parameter.KEYWORD_ONLY


def _fact(name: str, function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The plain result of a function that is zero by declaration: an outcome that a replay can ask for again."""

    def compute(*values: Any) -> Any:
        return function(*values[: len(args)], **dict(zip(options, values[len(args) :], strict=True)))

    return outcome(name, compute, *args, *options.values())


def name_of(function: Any) -> str:
    """The name of a NumPy function below `numpy`, such as `linalg.norm`."""
    module = getattr(function, "__module__", "numpy") or "numpy"
    inner = module.removeprefix("numpy").lstrip(".")
    return f"{inner}.{function.__name__}" if inner in ("linalg", "fft") else str(function.__name__)


def _deep_bare(x: Any) -> Any:
    return type(x)(map(_deep_bare, x)) if issubclass(type(x), (list, tuple)) else bare(x)


__all__ = ["apply_function", "apply_ufunc", "as_numpy", "holds_recorded", "listed", "stacked"]
