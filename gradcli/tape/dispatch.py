"""How NumPy's own protocols reach the rules: a ufunc or a NumPy function called on a recorded value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.rules.constant import NUMPY, SHAPES
from gradcli.rules.numpy_functions import FUNCTIONS, ufunc_rule
from gradcli.rules.products import MATMUL
from gradcli.tape.leak import Leak
from gradcli.tape.value import Value, bare, outcome, record

REDUCTIONS: dict[str, Callable[..., Any]] = {"add": np.sum, "multiply": np.prod, "maximum": np.max, "minimum": np.min}


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A ufunc, or `ufunc.reduce`, on arguments of which one is recorded."""
    name = ufunc.__name__
    if method == "reduce" and name in REDUCTIONS:
        return REDUCTIONS[name](*inputs, **{"axis": 0, **options})
    if method != "__call__":
        raise unsupported(f"{name}.{method}")
    out = options.pop("out", None)
    if options.get("where") is True:
        del options["where"]
    result = _call_ufunc(name, ufunc, inputs, options)
    return result if out is None else _write(out, result, name)


def _call_ufunc(name: str, ufunc: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if name in NUMPY:
        return outcome(name, ufunc, *inputs)
    if name == "floor_divide":
        return outcome("floordiv", ufunc, *inputs)
    if name == "divmod":
        return outcome("floordiv", np.floor_divide, *inputs), np.remainder(*inputs)
    rule = MATMUL if name == "matmul" else ufunc_rule(name)
    if rule is None or not set(options) <= {"dtype", "casting", "order", "subok"}:
        raise unsupported(f"numpy.{name}" if rule is None else f"numpy.{name} with {', '.join(options)}")
    return as_numpy(rule, inputs)


def as_numpy(rule: Any, inputs: tuple[Any, ...]) -> Any:
    """Record a rule as NumPy computes it: on recorded Python floats the result is a NumPy float."""
    return record(rule, tuple(listed(x) for x in inputs), {}, by_numpy=True)


def listed(x: Any) -> Any:
    """A list or tuple that holds recorded values as one recorded array; anything else as it is."""
    if isinstance(x, (list, tuple)) and holds_recorded(x):
        return stacked(x)
    return x


def holds_recorded(x: Any) -> bool:
    """Whether a recorded value is somewhere in nested lists and tuples."""
    if isinstance(x, (list, tuple)) and not issubclass(type(x), Value):
        return any(holds_recorded(item) for item in x)
    return issubclass(type(x), Value)


def stacked(x: Any) -> Any:
    """Nested lists and tuples of recorded and plain numbers as one recorded array."""
    if issubclass(type(x), Value) or not holds_recorded(x):
        return x if issubclass(type(x), Value) else np.asarray(x, dtype=float)
    return np.stack([stacked(item) for item in x])


def _write(out: Any, result: Any, name: str) -> Any:
    target = out[0] if isinstance(out, tuple) else out
    if type(target) is not type(result) or not hasattr(target, "replace"):
        raise unsupported(f"numpy.{name} with out= a plain array")
    return target.replace(result)


def apply_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A NumPy function on arguments of which one is recorded, or holds one."""
    name = name_of(function)
    served = FUNCTIONS.get(name)
    if served is not None:
        return served(*map(listed, args), **options) if name not in ("stack", "concatenate") else served(*args, **options)
    if name in SHAPES:
        return function(*map(_deep_bare, args), **{key: _deep_bare(item) for key, item in options.items()})
    if name in NUMPY:
        recorded = tuple(arg for arg in args if issubclass(type(arg), Value))
        plain = tuple(map(_deep_bare, args))
        return outcome(name, lambda *_: function(*plain, **options), *recorded)
    raise unsupported(f"numpy.{name}")


def name_of(function: Any) -> str:
    """The name of a NumPy function below `numpy`, such as `linalg.norm`."""
    module = getattr(function, "__module__", "numpy") or "numpy"
    inner = module.removeprefix("numpy").lstrip(".")
    return f"{inner}.{function.__name__}" if inner in ("linalg", "fft") else str(function.__name__)


def _deep_bare(x: Any) -> Any:
    if isinstance(x, (list, tuple)) and not issubclass(type(x), Value):
        return type(x)(map(_deep_bare, x))
    return bare(x)


def unsupported(name: str) -> UnsupportedError:
    """The refusal of an operation without a rule, with the nearest supported spelling."""
    import difflib

    known = [f"numpy.{word}" for word in FUNCTIONS] + [f"numpy.{word}" for word in ("sin", "exp", "log", "sqrt", "where")]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"The nearest supported spelling is {near[0]}. " if near else ""
    return UnsupportedError(
        f"{name} has no derivative rule", hint=f"{hint}`gradcli.rule` adds an elementwise one; `gradcli help G404` says more."
    )


__all__ = ["Leak", "apply_function", "apply_ufunc", "as_numpy", "holds_recorded", "listed", "stacked", "unsupported"]
