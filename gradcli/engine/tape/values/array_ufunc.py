"""Dispatch of ufuncs on recorded values to the rules, with the options `out=`, `where=` and `dtype=`.

A call without options goes through a recorder, compiled for the ufunc on first use. Any other call goes through
`apply_ufunc`, which distinguishes the cases one by one.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Never

import numpy as np

from gradcli.engine.tape.concretization_errors import WRITTEN, is_operator, leak
from gradcli.engine.tape.value import NUMBER_TYPES, Value, outcome, peek, record
from gradcli.engine.tape.values.array_function import check_target, operand, to_write, write
from gradcli.engine.tape.values.compiled_operators import array_function, function_of_two, matrix_code
from gradcli.engine.tape.values.labelled_arrays import first_labelled, under_labels, without_labels
from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.complex_parts import CONJ
from gradcli.mathematics.rules.function_registry import FUNCTIONS, numeric, unsupported
from gradcli.mathematics.rules.indexing import PUT
from gradcli.mathematics.rules.nondifferentiable import NUMPY
from gradcli.mathematics.rules.numpy.ufunc_methods import UFUNC_METHODS
from gradcli.mathematics.rules.numpy.ufuncs import ufunc_function, ufunc_rule
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared import devices

HARMLESS = frozenset({"casting", "order", "subok"})  # options of ufuncs that do not change the value


class Recorders(dict[Any, Callable[..., Any]]):
    """The recorder of each ufunc for calls without options. Recorders of elementwise rows are compiled on first use."""

    def __missing__(self, ufunc: Any) -> Callable[..., Any]:
        long_way = partial(call, ufunc)
        if is_foreign(ufunc):
            self[ufunc] = long_way if _has_rule_of_users(ufunc) else partial(_refuse, ufunc)
            return self[ufunc]
        rule = compiled_rule(ufunc)
        if ufunc is np.matmul:
            self[ufunc] = function_of_two(matrix_code, long_way)
        else:
            self[ufunc] = array_function(rule, long_way, ufunc) if rule else long_way
        return self[ufunc]


def compiled_rule(ufunc: Any) -> Elementwise | None:
    """The rule from which the recorder of a ufunc is compiled, or None.

    A custom rule may be replaced by another one of its name, so it is never compiled in.
    """
    rule = ufunc_rule(ufunc.__name__)
    compiled = isinstance(rule, Elementwise) and not rule.custom and not rule.special and ufunc.nin <= 2
    return rule if compiled and ufunc_function(ufunc.__name__) is None and not is_foreign(ufunc) else None


RECORDERS = Recorders()


def method_of(recorders: Mapping[Any, Callable[..., Any]]) -> Callable[..., Any]:
    """The `__array_ufunc__` method of recorded values with these recorders."""

    def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "__call__" and not options:
            if ufunc is np.power and isinstance(inputs[0], np.generic) and is_operator(sys._getframe(1)):
                # The operator `2.0 ** x` with a NumPy scalar calls the ufunc.
                return call(ufunc, *inputs, compute=operator.pow)
            return recorders[ufunc](*inputs)
        return apply_ufunc(ufunc, method, inputs, options)

    return array_ufunc


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Apply a ufunc, or a method of it such as `reduce`, to arguments that include a recorded one."""
    if is_foreign(ufunc) and not _has_rule_of_users(ufunc):
        _refuse(ufunc)
    if options.get("out") is not None:
        # Part of the key by which `written_arrays` finds the sample write whose references it has counted: the tuple
        # has more of them where the caller keeps it. So nothing here may refer to the tuple before.
        given = sys.getrefcount(options["out"])
        options["out"] = tuple(to_write(x, inputs, given) for x in options["out"])
    if method == "__call__":
        return _with_options(ufunc, inputs, options) if options else call(ufunc, *inputs)
    name = ufunc.__name__
    if method not in UFUNC_METHODS:
        raise unsupported(f"numpy.{name}.{method}")
    inputs = tuple(map(operand, inputs)) if method != "at" else inputs
    if method == "at":
        return _at(ufunc, *inputs)
    out = options.pop("out", None)
    result = UFUNC_METHODS[method](ufunc, *inputs, **options)
    return result if out is None else write(out, result, f"{name}.{method}")


def call(ufunc: Any, *inputs: Any, compute: Callable[..., Any] | None = None, **own: Any) -> Any:
    """Apply a ufunc without general options. `compute` replaces it where an operator was used."""
    name = ufunc.__name__
    if (like := first_labelled(inputs)) is not None:
        return under_labels(call(ufunc, *without_labels(inputs), compute=compute, **own), like, ufunc)
    inputs = tuple(map(operand, inputs))
    if not any(issubclass(type(x), Value) for x in inputs):
        return ufunc(*inputs, **own)
    if name in NUMPY:
        return outcome(name, ufunc, *inputs)
    if (function := ufunc_function(name)) is not None:
        return function(*inputs_of(inputs), **own)
    rule = ufunc_rule(name)
    if rule is None:
        return _call_special(ufunc, inputs)
    if rule is CONJ and not np.iscomplexobj(inputs[0]):
        rule = RULES["pos"]
    return as_numpy(rule, rule.decided(inputs) if getattr(rule, "special", None) else inputs, compute or ufunc)


def inputs_of(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Convert recorded Python numbers to NumPy's if there are no arrays; beside arrays they adopt the arrays' dtype."""
    return inputs if any(hasattr(x, "dtype") for x in inputs) else tuple(map(numeric, inputs))


def _call_special(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    name = ufunc_name(ufunc)
    if name not in FUNCTIONS:
        raise unsupported(name)
    return FUNCTIONS[name](*inputs)


def ufunc_name(ufunc: Any) -> str:
    """The qualified name of a ufunc, by the module that contains it; unqualified if none does."""
    name = ufunc.__name__
    inner = f"scipy.special._ufuncs.{name}"
    home = _home(ufunc)
    if home == "scipy":
        return inner if name.startswith("_") and inner in FUNCTIONS else f"scipy.special.{name.lstrip('_')}"
    own = name.removesuffix(_VECTORIZED)
    if own == "<lambda>":
        return "numpy.frompyfunc"
    return (f"{home}.{own}" if home else own) + (" (numpy.frompyfunc)" if own != name else "")


def is_foreign(ufunc: Any) -> bool:
    """Whether a ufunc belongs to neither NumPy nor SciPy, so that its name does not say what it computes."""
    return _home(ufunc) not in ("numpy", "scipy")


@cache
def _home(ufunc: Any) -> str | None:
    """`numpy` or `scipy` for their ufuncs, the module name for others; None if no module contains the ufunc."""
    name = ufunc.__name__
    if ufunc in (getattr(np, name, None), getattr(sys.modules["numpy._core.umath"], name, None)):
        return "numpy"
    own = name.removesuffix(_VECTORIZED)
    held = ((module, getattr(module, "__dict__", {}).get(own)) for module in list(sys.modules.values()))
    # During a run the name may stand for the ufunc's replacement.
    modules = [module for module, item in held if item is ufunc or getattr(item, "__wrapped__", None) is ufunc]
    names = sorted((module.__name__ for module in modules), key=lambda module: not module.startswith("scipy."))
    return "scipy" if names and names[0].startswith("scipy.") else next(iter(names), None)


_VECTORIZED = " (vectorized)"  # suffix of the names that `numpy.frompyfunc` gives


def _has_rule_of_users(ufunc: Any) -> bool:
    rule = ufunc_rule(ufunc.__name__)
    return isinstance(rule, Elementwise) and rule.custom


def _refuse(ufunc: Any, *_: Any) -> Never:
    raise unsupported(ufunc_name(ufunc))


def as_numpy(rule: Any, inputs: tuple[Any, ...], compute: Callable[..., Any]) -> Any:
    """Record a rule computed by a ufunc. Python floats give a NumPy float and never raise."""
    if all(type(x._value if issubclass(type(x), Value) else x) in NUMBER_TYPES for x in inputs):
        inputs = tuple(map(numeric, inputs))
    on_host = not any(devices.on_device(peek(x)) for x in inputs)
    return record(rule, inputs, {}, by_numpy=True, compute=compute if on_host else None)


def _with_options(ufunc: Any, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    name = ufunc.__name__
    given, where, dtype = (options.pop(option, default) for option, default in _DEFAULTS.items())
    own = {option: options.pop(option) for option in _own_options(name) & options.keys()}
    for option in options.keys() - HARMLESS:
        raise unsupported(f"numpy.{name} with {option}=")
    out = (None,) * ufunc.nout if given is None else given
    inputs = tuple(map(operand, inputs))
    function = _in_type(partial(call, ufunc, **own), ufunc, dtype, options)
    if where is not True:
        return _where(function, inputs, where, out, name)
    result = function(*inputs)
    results = (result,) if ufunc.nout == 1 else result
    written = tuple(one if to is None else write(to, one, name) for to, one in zip(out, results, strict=True))
    return written[0] if ufunc.nout == 1 else written


# In the order in which `_with_options` unpacks them.
_DEFAULTS: dict[str, Any] = {"out": None, "where": True, "dtype": None}


@cache
def _own_options(name: str) -> frozenset[str]:
    """The options specific to a ufunc, such as the axis of `vecdot`."""
    function = ufunc_function(name)
    parameters = inspect.signature(function).parameters.values() if function else ()
    return frozenset(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)


def _in_type(call: Callable[..., Any], ufunc: Any, dtype: Any, options: dict[str, Any]) -> Callable[..., Any]:
    """The ufunc computed in another dtype: for floats the arguments are cast, else NumPy's result is an outcome."""
    if dtype is None or ufunc.__name__ in NUMPY:
        return call
    dtype = np.dtype(dtype)
    if dtype.kind in "fc":
        return lambda *inputs: call(*(numeric(x, dtype) for x in inputs))
    exact = call_of(ufunc, dtype=dtype, casting=options.get("casting", "same_kind"))
    return lambda *inputs: outcome(ufunc.__name__, exact, *inputs)


def _where(function: Callable[..., Any], inputs: tuple[Any, ...], where: Any, out: tuple[Any, ...], name: str) -> Any:
    """Apply a function where a mask is True. Other elements keep the value of `out`, or are nan without it."""
    if len(out) != 1:
        raise unsupported(f"numpy.{name} with where=")
    shape = np.broadcast_shapes(*map(np.shape, (*inputs, where)), *(np.shape(x) for x in out if x is not None))
    mask = np.broadcast_to(where, shape)
    lanes = function(*(np.broadcast_to(x, shape)[mask] if np.ndim(x) else x for x in inputs))
    (target,) = out
    if target is None:
        lanes = np.broadcast_to(lanes, (int(np.count_nonzero(mask)),))
        return PUT(np.full_like(mask, np.nan, dtype=lanes.dtype), lanes, key=mask)[()]
    check_target(target, lanes, name)
    target[mask] = lanes
    return target


def _at(ufunc: Any, array: Any, indices: Any, *operands: Any) -> None:
    """`ufunc.at`: in place, once for each occurrence of an index."""
    if not issubclass(type(array), Value):
        leak(next(x for x in operands if issubclass(type(x), Value)), WRITTEN)
    operands = tuple(map(operand, operands))
    array.replace(UFUNC_METHODS["at"](ufunc, array, indices, *operands))
