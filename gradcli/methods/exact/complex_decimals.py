"""Complex numbers in many digits: pairs of decimals, with the arithmetic that object arrays need."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np


class ComplexDecimal:
    """A complex number in many digits. It combines with decimals and integers; floats are refused, being inexact."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Any, imag: Any = 0) -> None:
        self.real = Decimal(real)
        self.imag = Decimal(imag)

    def conjugate(self) -> ComplexDecimal:
        """The complex conjugate."""
        return ComplexDecimal(self.real, self.imag.copy_negate())

    def is_finite(self) -> bool:
        """Whether both parts are finite."""
        return self.real.is_finite() and self.imag.is_finite()

    def is_nan(self) -> bool:
        """Whether a part is nan."""
        return self.real.is_nan() or self.imag.is_nan()

    def __abs__(self) -> Decimal:
        return (self.real * self.real + self.imag * self.imag).sqrt()

    def __complex__(self) -> complex:
        return complex(float(self.real), float(self.imag))

    def __neg__(self) -> ComplexDecimal:
        return ComplexDecimal(self.real.copy_negate(), self.imag.copy_negate())  # -0 selects the side of a branch cut

    def __pos__(self) -> ComplexDecimal:
        return ComplexDecimal(+self.real, +self.imag)

    def __bool__(self) -> bool:
        return bool(self.real or self.imag)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PARTS) and self.real == other.real and self.imag == other.imag

    __hash__ = None  # type: ignore[assignment]

    def __pow__(self, exponent: Any) -> Any:
        """An integer power, by squaring."""
        if not isinstance(exponent, (int, Decimal)) or exponent != int(exponent):
            return NotImplemented
        if exponent < 0:
            return 1 / self ** -int(exponent)
        power: Any = ComplexDecimal(1)
        for bit in f"{int(exponent):b}":
            power = power * power * (self if bit == "1" else 1)
        return power

    def __repr__(self) -> str:
        return f"({self.real} + {self.imag}j)"


PARTS = (ComplexDecimal, Decimal, int)
"""Types with exact real and imaginary parts."""


def _product(x: Any, y: Any) -> ComplexDecimal:
    if not isinstance(y, ComplexDecimal):
        return ComplexDecimal(x.real * y, x.imag * y)
    if not isinstance(x, ComplexDecimal):
        return ComplexDecimal(x * y.real, x * y.imag)
    return ComplexDecimal(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def _quotient(x: Any, y: Any) -> ComplexDecimal:
    if not isinstance(y, ComplexDecimal):
        return ComplexDecimal(x.real / Decimal(y), x.imag / Decimal(y))
    size = y.real * y.real + y.imag * y.imag
    across = _product(x, y.conjugate())
    return ComplexDecimal(across.real / size, across.imag / size)


def _operator(compute: Callable[[Any, Any], Any], reflected: bool) -> Callable[[Any, Any], Any]:
    def method(self: ComplexDecimal, other: Any) -> Any:
        if not isinstance(other, PARTS):
            return NotImplemented
        return compute(other, self) if reflected else compute(self, other)

    return method


def _by_parts(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], ComplexDecimal]:
    return lambda x, y: ComplexDecimal(compute(x.real, y.real), compute(x.imag, y.imag))


def _in_order(compute: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """NumPy's order of complex numbers: by real parts, then by imaginary parts."""
    return lambda x, y: compute((x.real, x.imag), (y.real, y.imag))


def _install() -> None:
    arithmetic = {
        "add": _by_parts(operator.add),
        "sub": _by_parts(operator.sub),
        "mul": _product,
        "truediv": _quotient,
    }
    for name, compute in arithmetic.items():
        setattr(ComplexDecimal, f"__{name}__", _operator(compute, reflected=False))
        setattr(ComplexDecimal, f"__r{name}__", _operator(compute, reflected=True))
    for name in ("lt", "le", "gt", "ge"):
        setattr(ComplexDecimal, f"__{name}__", _operator(_in_order(getattr(operator, name)), reflected=False))


_install()


def is_complex(x: Any) -> bool:
    """Whether a number is complex, or any number of an object array."""
    if isinstance(x, np.ndarray):
        return any(isinstance(number, ComplexDecimal) for number in x.ravel())
    return isinstance(x, ComplexDecimal)


def real_part(x: Any) -> Any:
    """The real parts of a number or of an object array."""
    return np.frompyfunc(lambda number: number.real, 1, 1)(x) if isinstance(x, np.ndarray) else x.real


def imaginary_part(x: Any) -> Any:
    """The imaginary parts of a number or of an object array."""
    return np.frompyfunc(lambda number: number.imag, 1, 1)(x) if isinstance(x, np.ndarray) else x.imag


def direction(x: Any) -> Any:
    """The numbers divided by their absolute values."""

    def one(z: Any) -> Any:
        return z / (z.real * z.real + z.imag * z.imag).sqrt()

    return np.frompyfunc(one, 1, 1)(x) if isinstance(x, np.ndarray) else one(x)


def conjugate(x: Any) -> Any:
    """The complex conjugates of a number or of an object array."""
    return np.frompyfunc(lambda number: number.conjugate(), 1, 1)(x) if isinstance(x, np.ndarray) else x.conjugate()
