"""Functions of arrays with a derivative of their own: `custom_vjp` and `custom_jvp`, with JAX's signatures.

In a run, a call of such a function is one step, whose derivative is the user's. Where the function itself is to be
judged, as by the references of a check, it computes by its own code: see `own_code`.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import accumulate, islice
from types import MethodType
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.engine.traces.straight_line_program import Constant
from gradcli.errors import FindingWarning, ResultError, RuleError, UnsupportedError, UsageError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.methods.numerics.coordinates import copied
from gradcli.methods.transforms.products import vjp
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.message_wording import count_text
from gradcli.shared.pytree import is_structure, leaves, leaves_like, map_leaves

Function = Callable[..., Any]
Arguments = tuple[Any, ...]
Calls = dict["CustomFunction", Arguments]

MOST_STEPS = 64  # kinds of calls that a function remembers, such as those with other labels

_own_code: ContextVar[tuple[int, Calls] | None] = ContextVar("own_code", default=None)


@contextmanager
def own_code(calls: Calls) -> Iterator[None]:
    """A context in which custom functions compute by their own code, as if they had no derivative of their own.

    Those that a transform inside the program differentiates keep it, as the value depends on it. `calls` takes the
    arguments of the first call of each.
    """
    token = _own_code.set((run_stack.depth(), calls))
    try:
        yield
    finally:
        _own_code.reset(token)


class CustomFunction:
    """A function that is one step of a run, with a derivative of its own.

    Args:
        function: takes and returns numbers, arrays, and structures of them.
        nondiff_argnums: the positions of arguments that are no numbers to differentiate by.

    Attributes:
        has_own_code: whether the function itself can be followed.
        errors: like `pull`, the errors of the cotangents; None for those that are exact up to rounding.
    """

    __name__: str
    __qualname__: str
    has_own_code = True
    errors: Callable[[Arguments, Any, Any], Arguments] | None = None

    def __init__(self, function: Function, nondiff_argnums: int | Sequence[int] = ()) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.nondiff_argnums = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        self._steps: dict[Constant, _Step] = {}

    def __call__(self, /, *arguments: Any, **options: Any) -> Any:
        given = _in_order(self.function, arguments, options)
        judged = _own_code.get()
        if self.has_own_code and judged is not None and judged[0] == run_stack.depth():
            judged[1].setdefault(self, map_leaves(plain_value, given))
            return self.function(*given)
        if not any(map(is_recorded, leaves(given))):
            return self.function(*given)
        self.require_derivative()
        shape = tuple(self._without_numbers(n, argument) for n, argument in enumerate(given))
        if len(self._steps) >= MOST_STEPS:
            self._steps.clear()
        return self._steps.setdefault(Constant(shape), _Step(self, shape))(given)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled by name, as functions are

    def _without_numbers(self, position: int, argument: Any) -> Any:
        """An argument with a mark in place of each number to differentiate by, and copies of other arrays."""
        if position in self.nondiff_argnums:
            return copied(map_leaves(plain_value, argument))
        return copied(map_leaves(lambda leaf: NUMBER if _is_number(leaf) else plain_value(leaf), argument))

    def parted(self, given: Arguments) -> tuple[Arguments, Arguments]:
        """The arguments that are no numbers, and the others.

        Raises:
            UsageError: there is no argument at a position of `nondiff_argnums`.
        """
        if missing := [n for n in self.nondiff_argnums if not 0 <= n < len(given)]:
            call = f"{self.__name__} was called with {count_text(given, 'argument')}"
            raise UsageError(f"nondiff_argnums has {missing[0]}, but {call}", hint="Arguments are counted from 0.")
        fixed = tuple(given[n] for n in self.nondiff_argnums)
        return fixed, tuple(x for n, x in enumerate(given) if n not in self.nondiff_argnums)

    @abstractmethod
    def require_derivative(self) -> None:
        """Refuse a function whose derivative is not defined yet.

        Raises:
            RuleError: it is not.
        """

    def forward(self, given: Arguments) -> tuple[Any, Any]:
        """The value, and what the pullback needs besides the arguments."""
        return self.function(*given), None

    @abstractmethod
    def pull(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The cotangent of each argument that is differentiated by."""

    @abstractmethod
    def push(self, given: Arguments, kept: Any, tangents: Arguments) -> Any:
        """The tangent of the value."""


class CustomVjp(CustomFunction):
    """A function with a vector-Jacobian product of its own."""

    _parts: tuple[Function, Function] | None = None

    @property
    def parts(self) -> tuple[Function, Function]:
        """The functions `fwd` and `bwd`."""
        self.require_derivative()
        assert self._parts is not None
        return self._parts

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Define the derivative.

        Args:
            fwd: takes the arguments of the function, and returns its value and what `bwd` needs, in any structure.
            bwd: takes the arguments at `nondiff_argnums`, what `fwd` kept, and the cotangent of the value; returns a
                tuple with the cotangent of each other argument, or None for zeros.
        """
        self._parts = fwd, bwd

    def require_derivative(self) -> None:
        """Refuse a function without `defvjp`."""
        if self._parts is None:
            raise _undefined(self, "custom_vjp", "defvjp(fwd, bwd)")

    def forward(self, given: Arguments) -> tuple[Any, Any]:
        """The value and the residuals, by `fwd`."""
        returned = self.parts[0](*given)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise ResultError(
                f"fwd of {self.__name__} returned no pair", hint="Return the value, and what bwd needs: (value, kept)."
            )
        value, kept = returned
        return value, kept

    def pull(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The cotangents by `bwd`, with zeros in place of None."""
        fixed, free = self.parted(given)
        cotangents = self.parts[1](*fixed, kept, cotangent)
        if not isinstance(cotangents, tuple) or len(cotangents) != len(free):
            raise ResultError(
                f"bwd of {self.__name__} did not return a tuple of {len(free)}",
                hint="Return a tuple with one cotangent for each argument, or None: (cotangent,).",
            )
        return tuple(_zeros(x) if ct is None else ct for x, ct in zip(free, cotangents, strict=True))

    def push(self, given: Arguments, kept: Any, tangents: Arguments) -> Any:
        """The transpose of `bwd`, which is linear in its cotangent."""
        value = map_leaves(plain_value, self.function(*map_leaves(plain_value, given)))
        return _transposed(lambda ct: self.pull(given, kept, ct), (_zeros(value),), tangents)[0]


class CustomJvp(CustomFunction):
    """A function with a Jacobian-vector product of its own."""

    _jvp: Function | None = None

    def defjvp(self, jvp: Function) -> Function:
        """Define the derivative.

        Args:
            jvp: takes the arguments at `nondiff_argnums`, then a tuple of the other arguments and one of their
                tangents, and returns the value and its tangent. It has to be linear in the tangents.
        """
        self._jvp = jvp
        return jvp

    def defjvps(self, *jvps: Function | None) -> None:
        """Define the derivative by each argument: `jvp(tangent, value, *arguments)`, or None for zero."""

        def jvp(primals: Arguments, tangents: Arguments) -> tuple[Any, Any]:
            if len(jvps) != len(primals):
                counts = f"{count_text(jvps, 'function')} for {count_text(primals, 'argument')}"
                hint = "Give one for each argument, or None for zero."
                raise RuleError(f"defjvps of {self.__name__} has {counts}", hint=hint)
            value = self(*primals)
            parts = [part(t, value, *primals) for part, t in zip(jvps, tangents, strict=True) if part is not None]
            return value, functools.reduce(operator.add, parts) if parts else _zeros(value)

        self._jvp = jvp

    def require_derivative(self) -> None:
        """Refuse a function without `defjvp`."""
        if self._jvp is None:
            raise _undefined(self, "custom_jvp", "defjvp(jvp)")

    def pull(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The transpose of the tangent, which is linear in the tangents."""
        zeros = map_leaves(_zeros, self.parted(given)[1])
        cotangents: Arguments = _transposed(lambda *tangents: self.push(given, kept, tangents), zeros, cotangent)
        return cotangents

    def push(self, given: Arguments, kept: Any, tangents: Arguments) -> Any:
        """The tangent by the user's `jvp`."""
        assert self._jvp is not None
        fixed, free = self.parted(given)
        returned = self._jvp(*fixed, free, tangents)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise ResultError(f"jvp of {self.__name__} returned no pair", hint="Return the value and its tangent.")
        return returned[1]


def custom_vjp(f: Function, nondiff_argnums: int | Sequence[int] = ()) -> CustomVjp:
    """A function of arrays whose vector-Jacobian product is the user's, as `jax.custom_vjp`.

    Args:
        f: a plain function of numbers, arrays, and structures of them.
        nondiff_argnums: the positions of arguments that are not differentiated by.

    Returns:
        The function. `defvjp(fwd, bwd)` defines its derivative: `fwd(*arguments)` returns the value and what `bwd`
        needs, and `bwd(kept, cotangent)` a tuple of the cotangents of the arguments.

    Transforms use the user's derivative, in forward mode its transpose. `check` judges it by the function's own code.
    """
    return CustomVjp(f, nondiff_argnums)


def custom_jvp(f: Function, nondiff_argnums: int | Sequence[int] = ()) -> CustomJvp:
    """A function of arrays whose Jacobian-vector product is the user's, as `jax.custom_jvp`.

    Args:
        f: a plain function of numbers, arrays, and structures of them.
        nondiff_argnums: the positions of arguments that are not differentiated by.

    Returns:
        The function. `defjvp(jvp)` defines its derivative: `jvp(primals, tangents)` returns the value and its tangent.
        `defjvps(*jvps)` defines it by argument: `jvp(tangent, value, *arguments)`.

    Transforms use the user's derivative, in reverse mode its transpose. `check` judges it by the function's own code.
    """
    return CustomJvp(f, nondiff_argnums)


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


class _Step:
    """Calls with arguments of one structure, as an operation on the numbers in it.

    Args:
        custom: the function.
        arguments: its arguments, with NUMBER in place of each number.
    """

    def __init__(self, custom: CustomFunction, arguments: Arguments) -> None:
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
        every = self._filled([tangents.get(n, _zeros(x)) for n, x in enumerate(numbers)])
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


def _in_order(function: Function, arguments: Arguments, options: dict[str, Any]) -> Arguments:
    """The arguments by position, with defaults.

    Raises:
        UsageError: an argument has no position.
    """
    if not options and not getattr(function, "__defaults__", None):
        return arguments
    bound = inspect.signature(function).bind(*arguments, **options)
    bound.apply_defaults()
    if without := [name for name in options if name in bound.kwargs]:
        raise UsageError(
            f"the argument {without[0]} has no position", hint=f"Name {without[0]} before any * of the def."
        )
    return bound.args


def _is_number(x: Any) -> bool:
    return is_recorded(x) or type(x) is float or (hasattr(x, "dtype") and x.dtype.kind == "f")


def _as_float(x: Any) -> Any:
    return x if type(x) is float or hasattr(x, "dtype") else np.asarray(x, float)[()]


def _zeros(x: Any) -> Any:
    return map_leaves(lambda leaf: 0.0 if type(plain_value(leaf)) is float else np.zeros_like(plain_value(leaf)), x)


def _transposed(linear: Function, zeros: Arguments, cotangent: Any) -> Any:
    """The transpose of a linear function, applied to a cotangent of its result."""
    with ignored_warnings(FindingWarning):
        return vjp(linear, *zeros)[1](cotangent)


def _undefined(custom: CustomFunction, kind: str, missing: str) -> RuleError:
    return RuleError(f"the {kind} function {custom.__name__} has no derivative", hint=f"Call its {missing} first.")
