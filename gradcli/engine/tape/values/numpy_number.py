"""Recorded numbers of NumPy: what `x[i]` of a recorded array is, with the arithmetic of `float64` or `float32`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.tape.value import KINDS
from gradcli.engine.tape.values.installed_operators import COMPARISONS
from gradcli.engine.tape.values.number_operators import (
    BINARY,
    CLASSES,
    NumberClass,
    binary_method,
    install_operators,
    outcome_method,
    ufunc_of_float,
    unary_method,
)
from gradcli.engine.tape.values.numpy_value import NumpyValue
from gradcli.engine.tape.values.scalar import PYTHON, Scalar
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.lazy_imports import method_on_first_use


class Float64(NumpyValue):
    """A recorded `numpy.float64`."""

    __slots__ = ()


class Float32(NumpyValue):
    """A recorded `numpy.float32`."""

    __slots__ = ()


class NumberRecorders(dict[Any, Callable[..., Any]]):
    """The recorder of each ufunc for calls without options whose arguments include a number of one class.

    Args:
        numbers: the class.
    """

    def __init__(self, numbers: NumberClass) -> None:
        super().__init__()
        self.numbers = numbers
        self._own = numbers.constants[-1]

    def __missing__(self, ufunc: Any) -> Callable[..., Any]:
        from gradcli.engine.tape.values.array_ufunc import compiled_rule

        def in_general(*inputs: Any) -> Any:
            return NumpyValue.__array_ufunc__(inputs[0], ufunc, "__call__", *inputs)

        rule = compiled_rule(ufunc)
        code = np.dtype(self._own).char
        if rule is None or f"{code * ufunc.nin}->{code}" not in ufunc.types:
            self[ufunc] = in_general
        elif ufunc.nin == 1:
            self[ufunc] = unary_method(self.numbers, rule, ufunc)
        else:
            self[ufunc] = self._of_two(rule, ufunc, in_general)
        return self[ufunc]

    def _of_two(self, rule: Elementwise, ufunc: Any, in_general: Callable[..., Any]) -> Callable[..., Any]:
        own = self.numbers.own
        on_the_left = binary_method(self.numbers, rule, False, in_general, ufunc)
        on_the_right = binary_method(self.numbers, rule, True, lambda y, x: in_general(x, y), ufunc)

        def recorder(x: Any, y: Any) -> Any:
            return on_the_left(x, y) if type(x) is own else on_the_right(y, x)

        return recorder


class FloatRecorders(dict[Any, Callable[[Any], Any]]):
    """The recorder of each ufunc of one recorded Python float, for calls without options."""

    def __missing__(self, ufunc: Any) -> Callable[[Any], Any]:
        from gradcli.engine.tape.values.array_ufunc import apply_ufunc, compiled_rule

        if (rule := compiled_rule(ufunc)) is None or "d->d" not in ufunc.types:
            self[ufunc] = lambda x: apply_ufunc(ufunc, "__call__", (x,), {})
        else:
            self[ufunc] = ufunc_of_float(CLASSES[Float64], rule, ufunc)
        return self[ufunc]


OF_FLOATS = FloatRecorders()
RECORDERS: dict[type, NumberRecorders] = {}
"""The recorders of ufuncs for each class of numbers."""


def _method_of_values(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return getattr(NumpyValue, name)(self, other)

    return method


def _otherwise(rule: Elementwise, reflected: bool) -> Callable[[Any, Any], Any]:
    """The method of an operator for operands that are no numbers of the same type."""
    name = f"__{'r' if reflected else ''}{BINARY[rule.name]}__"

    def method(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind is complex and reflected and type(self) is Float64:  # a float to Python's complex numbers
            from gradcli.engine.tape.values.complex import by_python

            return by_python(rule, (other, self), PYTHON[rule.name])
        if (kind is list or kind is tuple) and rule.is_product:
            return NotImplemented  # repeated, which needs an integer
        return getattr(NumpyValue, name)(self, other)

    return method


def _array_ufunc(own: type) -> Callable[..., Any]:
    from gradcli.engine.tape.values.array_ufunc import method_of

    return method_of(RECORDERS[own])


def _install(own: type[NumpyValue], kind: type) -> None:
    numbers = NumberClass(own, (float, int, kind), _otherwise, Scalar)
    CLASSES[own] = numbers
    RECORDERS[own] = NumberRecorders(numbers)
    install_operators(numbers)
    for name, ufunc in {**COMPARISONS, "floordiv": np.floor_divide}.items():
        setattr(own, f"__{name}__", outcome_method(numbers, name, ufunc, _method_of_values(f"__{name}__")))
    method_on_first_use(own, "__array_ufunc__", partial(_array_ufunc, own))
    own.__name__ = kind.__name__  # in the messages of errors, which programs may read
    KINDS[kind] = own


_install(Float64, np.float64)
_install(Float32, np.float32)
