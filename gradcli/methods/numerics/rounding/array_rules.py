"""Rounding errors of array operations: by formula for those that move or add, by trial for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.methods.numerics.rounding.arithmetic import Rounded
from gradcli.shared.float_errors import ignored_float_errors

TRIALS = 3  # random directions for an operation without a bound of its own
WIDER = 3.0  # its bound, relative to the largest change of the trials


class ArrayOperation(NamedTuple):
    """An array rule, its static arguments, recorded result and arguments, and the rounding unit.

    `unknown` is the rounding unit assumed where the rule has no bound of its own.
    """

    rule: ArrayRule
    static: Mapping[str, Any]
    v: Any
    arguments: Sequence[Rounded]
    half_ulp: float
    unknown: float

    @property
    def values(self) -> list[Any]:
        """The arguments without their errors."""
        return [x.value for x in self.arguments]

    @property
    def errors(self) -> list[Any]:
        """The errors of the arguments, each in the shape of its argument."""
        return [_like(x.error, x.value) for x in self.arguments]

    def forward(self, *arguments: Any) -> Any:
        """The forward computation on other arguments."""
        return self.rule.forward(*arguments, **self.static)

    def vjp(self, position: int, ct: Any, v: Any, arguments: Sequence[Any]) -> Any:
        """The cotangent of an argument, for these arguments of the operation."""
        return self.rule.vjp(position, np.asarray(ct), v, tuple(arguments), self.static)


def applied(done: ArrayOperation) -> Rounded:
    """The recorded result of an array rule, with a bound on its error."""
    rule, v, values, errors = done.rule, done.v, done.values, done.errors
    with ignored_float_errors():
        if rule.moves:
            narrowed = rule.casts and np.result_type(v).itemsize < np.result_type(values[0]).itemsize
            own = done.half_ulp * np.abs(v) if narrowed else 0.0
            return Rounded(v, np.real(np.asarray(done.forward(*errors))) + own)
        if rule.part:
            return Rounded(v, errors[0])
        if rule.adds_up:
            terms = done.forward(*(np.ones(np.shape(x)) for x in values))
            own = done.half_ulp * np.maximum(terms - 1.0, 0.0) * done.forward(*map(np.abs, values))
            return Rounded(v, done.forward(*errors) + own)
        if rule.extreme:
            return Rounded(v, np.max(errors[0], axis=done.static["axis"], keepdims=done.static["keepdims"]))
        if rule.sums:
            count = np.size(values[0]) / max(1, np.size(v))
            return Rounded(v, done.forward(errors[0]) + done.half_ulp * count * done.forward(np.abs(values[0])))
        if rule.bilinear:
            return Rounded(v, _products(done.forward, values, errors, v, done.half_ulp))
        return Rounded(v, _by_trial(done.forward, values, errors, v, done.unknown))


def argument_cotangent(done: ArrayOperation, position: int, ct: Rounded) -> Rounded:
    """The cotangent of one argument by the rule's vector-Jacobian product, with a bound on its error."""
    rule, values, errors = done.rule, done.values, done.errors
    wrong = _like(ct.error, ct.value)
    with ignored_float_errors():
        value = done.vjp(position, ct.value, done.v, values)
        if rule.moves or rule.sums or rule.adds_up:
            own = done.half_ulp * np.abs(value) if rule.sums else 0.0
            return Rounded(value, np.asarray(done.vjp(position, wrong, done.v, values)) + own)
        if rule.part:
            return Rounded(value, wrong)
        if rule.errors is not None:
            own = rule.errors(ct.value, done.v, values, **done.static)[position]
            return Rounded(value, own + WIDER * np.abs(done.vjp(position, wrong, done.v, values)))
        if rule.bilinear:
            other = 1 - position

            def multiply(cotangent: Any, x: Any) -> Any:
                factors = (x, values[1]) if other == 0 else (values[0], x)
                return done.vjp(position, cotangent, done.v, factors)

            pairs = (ct.value, values[other]), (wrong, errors[other])
            return Rounded(value, _products(multiply, *pairs, value, done.half_ulp))

        def again(cotangent: Any, *arguments: Any) -> Any:
            return done.vjp(position, cotangent, done.forward(*arguments), arguments)

        return Rounded(value, _by_trial(again, [ct.value, *values], [wrong, *errors], value, done.unknown))


def _like(error: Any, value: Any) -> Any:
    return np.broadcast_to(np.asarray(error, dtype=float), np.shape(value))[()]


def _products(multiply: Any, values: Sequence[Any], errors: Sequence[Any], result: Any, half_ulp: float) -> Any:
    """The error of a bilinear operation: that of each factor times the other, and the rounding of the sums."""
    x, y = np.abs(values[0]), np.abs(values[1])
    ex, ey = errors
    count = np.sqrt(np.size(x) * np.size(y) / max(1, np.size(result)))
    return multiply(x, ey) + multiply(ex, y) + multiply(ex, ey) + half_ulp * (count + 1) * multiply(x, y)


def _by_trial(function: Any, values: Sequence[Any], errors: Sequence[Any], result: Any, half_ulp: float) -> Any:
    """The error of any operation by trial. It is taken as exact for arguments a few roundings away."""
    if not all(np.all(np.isfinite(error)) for error in errors):
        return np.full(np.shape(result), np.inf)[()]
    if not half_ulp:
        return np.zeros(np.shape(result))[()]
    rng = np.random.default_rng(0)
    largest: Any = np.zeros(np.shape(result))
    for _ in range(TRIALS):
        near = [
            x + _ways(rng, x) * (e + _steps(x) * half_ulp * np.abs(x)) if np.result_type(x).kind in "fc" else x
            for x, e in zip(values, errors, strict=True)
        ]
        try:
            change = np.abs(np.asarray(function(*near)) - result)
        except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError):
            return np.full(np.shape(result), np.inf)[()]
        largest = np.maximum(largest, np.where(np.isnan(change), np.inf, change))
    return WIDER * largest


def _ways(rng: np.random.Generator, x: Any) -> Any:
    """The direction in which each number is moved: up or down, or around a circle for a complex number."""
    if np.iscomplexobj(x):
        return np.exp(1j * rng.uniform(-np.pi, np.pi, np.shape(x)))
    return rng.choice((-1.0, 1.0), np.shape(x))


def _steps(x: Any) -> float:
    """Roundings by which a backward-stable operation on an array of this size may be off."""
    return 8.0 + float(np.sqrt(np.size(x)))
