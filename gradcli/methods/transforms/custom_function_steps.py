"""Calls of a function with a derivative of its own, as steps of a run on the numbers of their arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, islice
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import ResultError, UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.shared.pytree import is_structure, leaves, leaves_like, map_leaves

Function = Callable[..., Any]
Arguments = tuple[Any, ...]

NUMBER = "<number>"  # in place of a number in the structure of the arguments


class _Kept:
    """What the pullback of one step needs, for the arguments of the run that computed it.

    All are equal, as a replay at other arguments computes its own.
    """

    def __init__(self) -> None:
        self.numbers: Sequence[Any] = ()
        self.kept: Any = None
        self.result: Any = None  # the structure of the result, and the shape of each part
        self.shapes: list[tuple[int, ...]] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Kept)

    def __hash__(self) -> int:
        return 0


class CustomStep:
    """Calls with arguments of one structure, as an operation on the numbers in it.

    Args:
        custom: the function, a `CustomFunction`.
        arguments: its arguments, with NUMBER in place of each number.
    """

    def __init__(self, custom: Any, arguments: Arguments) -> None:
        self.custom = custom
        self.arguments = arguments
        self.rule = ArrayRule(
            custom.__name__,
            self._forward,
            (self._vjp,),
            parts=partial(self._parts, custom.pull),
            errors=partial(self._parts, custom.errors) if custom.errors else None,
            jvp=self._jvp,
            variadic=True,
            folds=True,
        )

    def __call__(self, given: Arguments) -> Any:
        numbers = [x for x, mark in zip(leaves(given), leaves(self.arguments), strict=True) if mark is NUMBER]
        text = (f"{self.custom.__name__}(", *[part for n in range(len(numbers)) for part in (", ", n)][1:], ")")
        kept = _Kept()
        return _shaped(kept, self.rule(*numbers, kept=kept, call=text, numpys=""))

    def _filled(self, numbers: Sequence[Any]) -> Arguments:
        remaining = iter(numbers)
        return map_leaves(lambda mark: next(remaining) if mark is NUMBER else mark, self.arguments)  # type: ignore[no-any-return]

    def _forward(self, *numbers: Any, kept: _Kept, **_: Any) -> Any:
        if any(np.asarray(x).dtype == object for x in numbers):
            raise NotImplementedError(f"{self.custom.__name__} computes with floats only")
        with run_stack.suspended():
            value, kept.kept = self.custom.forward(self._filled(numbers))
        kept.numbers = numbers
        if any(map(is_recorded, leaves(value))):
            message = f"{self.custom.__name__} reads a number of the program that is not among its arguments"
            raise UnsupportedError(message, hint="Pass it as an argument.")
        form = map_leaves(lambda _: 0, value), list(map(np.shape, leaves(value)))
        if kept.result is not None and form != (kept.result, kept.shapes):
            raise UnsupportedError(f"the result of {self.custom.__name__} has another structure than in the first run")
        kept.result, kept.shapes = form
        return _joined(map_leaves(_as_float, value))

    def _parts(self, pull: Function, ct: Any, v: Any, numbers: Sequence[Any], *, kept: _Kept, **_: Any) -> list[Any]:
        """The cotangents of all numbers, or their errors."""
        given = self._filled(numbers)
        residuals = self._residuals(kept, numbers, given)
        free, cts = self.custom.parted(given)[1], pull(given, residuals, _shaped(kept, ct))
        paired = leaves_like(free, cts)
        marks = leaves(self.custom.parted(self.arguments)[1])
        if paired is None:
            raise ResultError(f"the cotangents of {self.custom.__name__} do not have the structure of its arguments")
        chosen = [part for part, mark in zip(paired, marks, strict=True) if mark is NUMBER]
        return [self._fitting("cotangent", part, x) for part, x in zip(chosen, numbers, strict=True)]

    def _residuals(self, kept: _Kept, numbers: Sequence[Any], given: Arguments) -> Any:
        same = len(kept.numbers) == len(numbers) and all(x is y for x, y in zip(kept.numbers, numbers, strict=True))
        return kept.kept if same else self.custom.forward(given)[1]

    def _fitting(self, kind: str, moved: Any, x: Any) -> Any:
        """A cotangent of an argument, or a tangent of the result.

        Raises:
            ResultError: it has another shape, or is no real number.
        """
        if np.shape(moved) != np.shape(x):
            shapes = f"the shape {np.shape(moved)} for a number of shape {np.shape(x)}"
            raise ResultError(f"a {kind} of {self.custom.__name__} has {shapes}")
        if not is_recorded(moved) and np.asarray(moved).dtype.kind not in "fiub":
            raise ResultError(f"a {kind} of {self.custom.__name__} consists of no real numbers")
        return float(moved) if type(x) is float and not is_recorded(moved) else moved

    def _vjp(self, ct: Any, v: Any, *numbers: Any, position: int, **static: Any) -> Any:
        return self._parts(self.custom.pull, ct, v, numbers, **static)[position]

    def _jvp(self, tangents: dict[int, Any], v: Any, *numbers: Any, kept: _Kept, **_: Any) -> Any:
        given = self._filled(numbers)
        every = self._filled([tangents.get(n, zeros_like(x)) for n, x in enumerate(numbers)])
        residuals = self._residuals(kept, numbers, given)
        tangent = _joined(self.custom.push(given, residuals, self.custom.parted(every)[1]))
        return self._fitting("tangent", tangent, v)


def _joined(value: Any) -> Any:
    """A result, or a tangent of it, as one number or array."""
    return np.concatenate(list(map(np.ravel, leaves(value)))) if is_structure(value) else value


def _shaped(kept: _Kept, numbers: Any) -> Any:
    """The result of a call, or a cotangent of it, in its structure."""
    if not is_structure(kept.result):
        return numbers
    ends = accumulate(map(math.prod, kept.shapes), initial=0)
    pieces = (
        numbers[end - math.prod(shape) : end] for end, shape in zip(islice(ends, 1, None), kept.shapes, strict=True)
    )
    parts = (part.reshape(shape) if shape else part[0] for part, shape in zip(pieces, kept.shapes, strict=True))
    return map_leaves(lambda _: next(parts), kept.result)


def is_number(x: Any) -> bool:
    """Whether a leaf of the arguments is differentiated by: a float, or floats."""
    return is_recorded(x) or type(x) is float or (hasattr(x, "dtype") and x.dtype.kind == "f")


def _as_float(x: Any) -> Any:
    return x if type(x) is float or hasattr(x, "dtype") else np.asarray(x, float)[()]


def zeros_like(x: Any) -> Any:
    """Zeros in the structure of some numbers."""
    return map_leaves(lambda leaf: 0.0 if type(plain_value(leaf)) is float else np.zeros_like(plain_value(leaf)), x)
