"""The operators and methods of recorded arrays: compiled if a rule's row defines them, else NumPy's functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np

from gradcli.engine.tape.value import KINDS, record
from gradcli.mathematics.rules.rule_types import Elementwise, elementwise_rule
from gradcli.shared import devices
from gradcli.shared.lazy_imports import method_on_first_use


def power(x: Any, y: Any) -> Any:
    """`x ** y`, which may round differently from `numpy.power`."""
    from gradcli.engine.tape.values.array_ufunc import call

    return call(np.power, x, y, compute=operator.pow)


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "mod": np.remainder,
    "pow": power, "floordiv": np.floor_divide, "matmul": np.matmul,
}  # fmt: skip
_COMPILED = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow"}
COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_DELEGATED = (
    "sum", "mean", "prod", "max", "min", "dot", "ravel", "squeeze", "swapaxes", "take", "clip", "argmax", "argmin",
    "argsort", "all", "any", "nonzero", "repeat", "diagonal", "trace", "round",
    "searchsorted", "argpartition", "put", "cumsum", "cumprod", "var", "std",
)  # fmt: skip
FEW_USES = 16
_BY_MODULE = {
    "conversion_methods": ("item", "tolist", "view", "astype"),
    "flat_and_in_place_methods": ("fill", "sort", "partition"),
}


def install(kind: type, array: type) -> None:
    """Give `kind`, the class of NumPy's values, NumPy's operators and methods, and `array` those in place."""
    for name, ufunc in _BINARY.items():
        for reflected in (False, True):
            full, method = f"__{'r' if reflected else ''}{name}__", _ufunc_method(ufunc, name, reflected)
            if name in _COMPILED:
                _compile_later(kind, full, elementwise_rule(_COMPILED[name]), reflected, method)
            elif name == "matmul":
                method_on_first_use(kind, full, partial(_compiled, None, reflected, method))
            else:
                setattr(kind, full, method)
        setattr(array, f"__i{name}__", _in_place(ufunc))
    for name, ufunc in COMPARISONS.items():
        setattr(kind, f"__{name}__", _ufunc_method(ufunc, name, reflected=False))
    for name in ("neg", "pos", "abs"):
        rule = elementwise_rule(name)
        method_on_first_use(kind, f"__{name}__", partial(_compiled_unary, rule))
    for name in _DELEGATED:
        setattr(kind, name, _delegate(name))
    for module, names in _BY_MODULE.items():
        for name in names:
            method_on_first_use(kind, name, partial(_imported, module, name))


def _compile_later(
    owner: type, name: str, rule: Elementwise, reflected: bool, other_kind: Callable[[Any, Any], Any]
) -> None:
    """Add an operator that is compiled when it has been used a few times, as compiling takes as long as 100 uses."""
    uses = count(1)
    compute = getattr(operator, name.replace("r", "", 1) if reflected else name)

    def first(self: Any, other: Any) -> Any:
        kind = type(other)
        is_usual = kind is KINDS[np.ndarray] or kind is KINDS.view or kind is float or kind is int
        if is_usual and not rule.constants and not self.tape.has_complex and next(uses) <= FEW_USES:
            return record(rule, (other, self) if reflected else (self, other), {}, by_numpy=True, compute=compute)
        method = _compiled(rule, reflected, other_kind)
        setattr(owner, name, method)
        return method(self, other)

    setattr(owner, name, first)


def _compiled(
    rule: Elementwise | None, reflected: bool, other_kind: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """The compiled operator of a rule; of `@` if there is none."""
    from gradcli.engine.tape.values import compiled_operators as of

    code = of.elementwise_code(rule, reflected) if rule else of.matrix_code(reflected)
    return of.operator_method(code, other_kind)


def _compiled_unary(rule: Elementwise) -> Callable[[Any], Any]:
    from gradcli.engine.tape.values.compiled_operators import array_function

    return array_function(rule, lambda x: record(rule, (x,), {}))


def _imported(module: str, name: str) -> Callable[..., Any]:
    return getattr(import_module(f"gradcli.engine.tape.values.{module}"), name)  # type: ignore[no-any-return]


def _delegate(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(self, *args, **kwargs)

    method.__doc__ = f"`numpy.{name}` of this array."
    return method


def _ufunc_method(ufunc: Callable[[Any, Any], Any], name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if other is None or isinstance(other, (str, dict, set)) or _goes_first(other, name):
            return NotImplemented
        return ufunc(other, self) if reflected else ufunc(self, other)

    return method


def _goes_first(other: Any, name: str) -> bool:
    """Whether NumPy defers an operator to the class of the other operand: a sparse matrix, a unit, a value with one."""
    if hasattr(type(other), "__array_ufunc__"):
        return type(other).__array_ufunc__ is None or devices.has_unit(other)
    return hasattr(type(other), f"__r{name}__") and bool(getattr(other, "__array_priority__", 0.0) > 0.0)


def _in_place(ufunc: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        result = ufunc(self, other)
        return self.replace(result) if devices.is_array(self._value) else result

    return method
