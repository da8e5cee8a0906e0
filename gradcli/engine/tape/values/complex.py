"""Recorded Python complex numbers, with Python's own arithmetic and its exceptions.

Rows hold NumPy's complex128, a subclass of Python's complex, so that sweeps handle only one type.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Never

import numpy as np

from gradcli.engine.tape.concretization_errors import refuse_hash
from gradcli.engine.tape.pullbacks import array_operation, operation
from gradcli.engine.tape.tape import CONSTANT
from gradcli.engine.tape.value import (
    KINDS,
    Value,
    append,
    as_text,
    common_tape,
    make_handle,
    outcome,
    plain_value,
    record,
)
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.complex_parts import CONJ, IMAG, REAL
from gradcli.mathematics.rules.complex_rules import for_complex
from gradcli.mathematics.rules.rule_types import Rule, elementwise_rule
from gradcli.mathematics.rules.shape import CAST


class Complex(Value):
    """A recorded Python complex number."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return complex

    @property
    def real(self) -> Any:
        """The real part, a recorded float."""
        return by_python(REAL, (self,), lambda z: z.real)

    @property
    def imag(self) -> Any:
        """The imaginary part, a recorded float."""
        return by_python(IMAG, (self,), lambda z: z.imag)

    def conjugate(self) -> Any:
        """The complex conjugate."""
        return by_python(CONJ, (self,), complex.conjugate)

    def __repr__(self) -> str:
        return as_text(self, lambda value: repr(complex(value)))

    def __float__(self) -> Never:
        raise TypeError("float() argument must be a string or a real number, not 'complex'")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from gradcli.engine.tape.values.array_ufunc import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from gradcli.engine.tape.values.array_function import apply_function

        return apply_function(function, args, kwargs)


def as_python(number: Any) -> Any:
    """A NumPy complex number, plain or recorded, as a Python complex number."""
    if not issubclass(type(number), Value):
        return complex(number)
    handle: Complex = make_handle(Complex, number.tape, number._value)
    handle.index = number.index
    return handle


def python_number(x: Any) -> Any:
    """The plain Python number behind a value."""
    value = plain_value(x)
    return complex(value) if isinstance(value, complex) else value


def as_row(x: Any) -> Any:
    """A plain Python number as a row stores it."""
    return np.complex128(x) if isinstance(x, complex) else x


def by_python(rule: Rule, arguments: tuple[Any, ...], compute: Callable[..., Any]) -> Any:
    """Record `rule` with the value that `compute` returns for plain Python numbers. It may raise, as Python does."""
    value = compute(*map(python_number, arguments))
    tape = common_tape(arguments)
    recorded = tuple(n for n, x in enumerate(arguments) if issubclass(type(x), Value))
    values = tuple(as_row(plain_value(x)) for x in arguments)
    if isinstance(value, complex):
        tape.has_complex = True
    rule = for_complex(rule, values)
    done = (
        array_operation(rule, recorded, {}) if isinstance(rule, ArrayRule) else operation(rule, recorded, arrays=True)
    )
    indices = (x.index if issubclass(type(x), Value) else CONSTANT for x in arguments)
    places = [item for pair in zip(indices, values, strict=True) for item in pair]
    handle = append(tape, done, as_row(value), places)
    return as_python(handle) if isinstance(value, complex) else handle


def complex_power(x: Any, y: Any) -> Any:
    """A power of a negative number, recorded or not, which Python evaluates in complex arithmetic."""
    return as_complex(x) ** y


def as_complex(x: Any) -> Any:
    """A number as a complex number, recorded if the number is."""
    if not issubclass(type(x), Value):
        return complex(x)
    return x if type(x) is Complex else as_python(record(CAST, (x,), {"dtype": np.dtype(complex)}))


def complex_of(real: Any = 0, imag: Any = 0) -> Any:
    """`complex(real, imag)` where at least one argument is recorded."""
    number = as_complex(real)
    return number + 1j * as_complex(imag) if issubclass(type(imag), Value) or imag else number


def _binary(rule: Rule, compute: Callable[..., Any], reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: Complex, other: Any) -> Any:
        kind = type(other)
        left, right = (other, self) if reflected else (self, other)
        if hasattr(kind, "dtype"):
            return record(rule, (left, right), {}, by_numpy=True)
        if issubclass(kind, Value) or isinstance(other, (complex, float, int)):
            return by_python(rule, (left, right), compute)
        return NotImplemented

    return method


def _comparison(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: Complex, other: Any) -> Any:
        return outcome(compute.__name__, compute, self, other)

    return method


def _install() -> None:
    for name in ("add", "sub", "mul", "truediv", "pow"):
        compute, rule = getattr(operator, name), elementwise_rule(name.removeprefix("true"))
        setattr(Complex, f"__{name}__", _binary(rule, compute, reflected=False))
        setattr(Complex, f"__r{name}__", _binary(rule, compute, reflected=True))
    for name in ("neg", "pos", "abs"):
        compute, rule = getattr(operator, name), elementwise_rule(name)
        setattr(Complex, f"__{name}__", lambda self, rule=rule, compute=compute: by_python(rule, (self,), compute))
    for name in ("eq", "ne"):
        setattr(Complex, f"__{name}__", _comparison(getattr(operator, name)))
    for name in ("floordiv", "rfloordiv", "divmod", "rdivmod"):
        setattr(Complex, f"__{name}__", lambda self, other: NotImplemented)  # raises as Python's complex does
    Complex.__hash__ = refuse_hash  # type: ignore[assignment]
    Complex.__name__ = "complex"  # in the messages of errors, which programs may read


_install()
KINDS[complex] = Complex
