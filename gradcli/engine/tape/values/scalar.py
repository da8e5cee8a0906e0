"""Recorded Python floats, with Python's own arithmetic."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from numbers import Number, Rational
from typing import Any

import numpy as np

from gradcli.engine.tape.concretization_errors import is_operator, leak, refuse_hash
from gradcli.engine.tape.tape import TEXT, raise_finished
from gradcli.engine.tape.value import KINDS, Value, outcome, record
from gradcli.engine.tape.values.number_operators import BINARY, CLASSES, NumberClass, install_operators, outcome_method
from gradcli.mathematics.rules.rule_types import Elementwise, elementwise_rule
from gradcli.mathematics.rules.shape import CAST


class _FloatKind(type):
    """The metaclass of recorded floats: their class compares equal to `float` and constructs like `float`."""

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is float

    def __hash__(cls) -> int:
        return hash(float)

    def __call__(cls, *arguments: Any) -> Any:
        if len(arguments) == 1 and issubclass(type(arguments[0]), Value):
            (x,) = arguments
            return x if type(x) is cls else one_number(x).item()  # type: ignore[redundant-expr]
        return float(*arguments)

    def __repr__(cls) -> str:
        return repr(float)


class Scalar(Value, metaclass=_FloatKind):
    """A recorded Python float."""

    __slots__ = ()

    @property
    def real(self) -> Scalar:
        """The number itself."""
        return self

    @property
    def imag(self) -> float:
        """Zero, as for every float."""
        return 0.0

    def conjugate(self) -> Scalar:
        """The number itself."""
        return self

    def is_integer(self) -> bool:
        """Whether the number is integral, as an outcome."""
        return outcome("is_integer", float.is_integer, self)  # type: ignore[no-any-return]

    def as_integer_ratio(self) -> Any:
        """Refuse: a ratio of integers carries no derivative."""
        leak(self, "as_integer_ratio")

    def hex(self) -> str:
        """The number as hexadecimal text, as an outcome."""
        return outcome(TEXT, float.hex, self)  # type: ignore[no-any-return]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from gradcli.engine.tape.values.array_ufunc import apply_ufunc

        # The operator `**` with a NumPy number on the left.
        if ufunc.__name__ == "power" and is_operator(sys._getframe(1)):
            return record(elementwise_rule("pow"), inputs, {}, by_numpy=True)
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from gradcli.engine.tape.values.array_function import apply_function

        return apply_function(function, args, kwargs)


KINDS[float] = Scalar


def as_number(x: Any) -> Any:
    """`x` as Python code receives it from `float(x)`: a recorded Python float for a recorded number.

    Raises:
        ForeignTapeError: the run of the value is over.
        TypeError: it is complex, with Python's message.
    """
    if not issubclass(type(x), Value):
        return x
    if x.tape.closed:
        raise_finished()
    if type(x) is Scalar:
        return x
    if type(x) is KINDS.get(complex):
        raise TypeError("must be real number, not complex")
    number = one_number(x).item()
    return number if type(number) is Scalar else record(CAST, (number,), {"dtype": float})


def one_number(x: Any) -> Any:
    """Check that `x` has one element, and return it.

    Raises:
        TypeError: it is an array of another size, with the message that `float` gives for the plain array.
    """
    if getattr(x._value, "size", 1) != 1:
        float(x._value)
    return x


def other_kind(rule: Elementwise, left: Any, right: Any, other: Any) -> Any:
    """An operator between a recorded float and an operand that is not a plain float or int."""
    kind = type(other)
    if kind in CLASSES:
        return NotImplemented
    if isinstance(other, complex) and not hasattr(kind, "dtype"):
        from gradcli.engine.tape.values.complex import by_python

        return by_python(rule, (left, right), PYTHON[rule.name])
    if kind.__module__.partition(".")[0] in ("pandas", "scipy", "xarray") and hasattr(kind, "dtype"):
        from gradcli.engine.tape.values.array_ufunc import call

        return call(by_numpy(rule.name), left, right, compute=PYTHON[rule.name])  # keeps labels, or refuses
    if issubclass(kind, Value) or hasattr(kind, "dtype"):
        return record(rule, (left, right), {}, by_numpy=True)
    reflected = f"__r{BINARY[rule.name]}__"
    if isinstance(other, float) and getattr(kind, reflected) is not getattr(float, reflected):
        return NotImplemented  # a number of the program's own kind, which says what the operator means
    if isinstance(other, (float, Rational)):
        left, right = (float(x) if x is other else x for x in (left, right))
        return PYTHON[rule.name](left, right)
    return NotImplemented


def _other_comparison(name: str) -> Callable[[Any, Any], Any]:
    function = getattr(operator, name)

    def compare(self: Any, other: Any) -> Any:
        kind = type(other)
        if issubclass(kind, Value) or isinstance(other, Number) or hasattr(kind, "dtype"):
            return outcome(name, function, self, other)
        return NotImplemented

    return compare


PYTHON: dict[str, Callable[..., Any]] = {rule: getattr(operator, name) for rule, name in BINARY.items()}
"""Python's binary operators by the names of their rules."""


def by_numpy(name: str) -> Any:
    """NumPy's ufunc for a binary operator, by the name of its rule."""
    return getattr(np, {"sub": "subtract", "mul": "multiply", "div": "divide", "pow": "power"}.get(name, name))


def _otherwise(rule: Elementwise, reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Scalar, other: Any) -> Any:
        return other_kind(rule, other, self, other) if reflected else other_kind(rule, self, other, other)

    return method


FLOATS = NumberClass(Scalar, (float, int), _otherwise, is_python=True)


def _install() -> None:
    install_operators(FLOATS)
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Scalar, f"__{name}__", outcome_method(FLOATS, name, getattr(operator, name), _other_comparison(name)))
    Scalar.__hash__ = refuse_hash  # type: ignore[assignment]
    Scalar.__name__ = "float"  # in the messages of errors, which programs may read


_install()
