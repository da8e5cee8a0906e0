"""Functions of arrays with a derivative of their own: `custom_vjp` and `custom_jvp`, with JAX's signatures.

In a run, a call of such a function is one step, whose derivative is the user's. Where the function itself is to be
judged, as by the references of a check, it computes by its own code: see `own_code`.
"""

from __future__ import annotations

import functools
import inspect
import operator
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MethodType
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.engine.traces.straight_line_program import Constant
from gradcli.errors import FindingWarning, ResultError, RuleError, UsageError
from gradcli.methods.numerics.coordinates import copied
from gradcli.methods.transforms.custom_function_steps import (
    NUMBER,
    Arguments,
    CustomStep,
    Function,
    is_number,
    zeros_like,
)
from gradcli.methods.transforms.products import vjp
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.message_wording import count_text
from gradcli.shared.pytree import leaves, map_leaves

Calls = dict["CustomFunction", Arguments]

FACTOR = -2.0  # of the directions that show whether a product is linear
NEARLY = 1e-3  # relative difference that differences in a product may have
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
        kind, definition: the name of its decorator, and the call that defines its derivative.
        derivative: the functions `fwd` and `bwd`, or the function `jvp`; None if it is not defined.
        directions: the numbers that the user's product multiplies.
        errors: like `pull`, the errors of the cotangents; None for those that are exact up to rounding.
    """

    __name__: str
    __qualname__: str
    has_own_code = True
    kind = definition = ""
    derivative: Any = None
    directions = "tangents"
    _is_known = False  # whether the user's product has been found linear
    errors: Callable[[Arguments, Any, Any], Arguments] | None = None

    def __init__(self, function: Function, nondiff_argnums: int | Sequence[int] = ()) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.nondiff_argnums = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        self._steps: dict[Constant, CustomStep] = {}

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
        return self._steps.setdefault(Constant(shape), CustomStep(self, shape))(given)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled by name, as functions are

    def _without_numbers(self, position: int, argument: Any) -> Any:
        """An argument with a mark in place of each number to differentiate by, and copies of other arrays."""
        if position in self.nondiff_argnums:
            return copied(map_leaves(plain_value, argument))
        return copied(map_leaves(lambda leaf: NUMBER if is_number(leaf) else plain_value(leaf), argument))

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

    def require_derivative(self) -> None:
        """Refuse a function whose derivative is not defined yet.

        Raises:
            RuleError: it is not.
        """
        if self.derivative is None:
            message = f"the {self.kind} function {self.__name__} has no derivative"
            raise RuleError(message, hint=f"Call its {self.definition} first.")

    def _transposed(self, product: Function, zeros: Arguments, cotangent: Any) -> Any:
        """The transpose of the user's product, applied to a cotangent of its result."""
        self._require_linear(product, zeros)
        with ignored_warnings(FindingWarning):
            return vjp(product, *zeros)[1](cotangent)

    def _require_linear(self, product: Function, like: Arguments) -> None:
        """Refuse a product that is not linear where it is first used: its transpose would be none.

        Raises:
            RuleError: it is not.
        """
        if not (self._is_known or is_linear(product, like)):
            message = f"the derivative given for {self.__name__} is not linear in its {self.directions}"
            hint = f"Multiply by the {self.directions}: use no power, abs or branch of them."
            raise RuleError(message, hint=hint)
        self._is_known = True

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

    directions = "cotangents"
    kind, definition = "custom_vjp", "defvjp(fwd, bwd)"

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Define the derivative.

        Args:
            fwd: takes the arguments of the function, and returns its value and what `bwd` needs, in any structure.
            bwd: takes the arguments at `nondiff_argnums`, what `fwd` kept, and the cotangent of the value; returns a
                tuple with the cotangent of each other argument, or None for zeros.
        """
        self.derivative, self._is_known = (fwd, bwd), False

    def forward(self, given: Arguments) -> tuple[Any, Any]:
        """The value and the residuals, by `fwd`."""
        returned = self.derivative[0](*given)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise ResultError(
                f"fwd of {self.__name__} returned no pair", hint="Return the value, and what bwd needs: (value, kept)."
            )
        value, kept = returned
        return value, kept

    def pull(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The cotangents by `bwd`, with zeros in place of None."""
        fixed, free = self.parted(given)
        cotangents = self.derivative[1](*fixed, kept, cotangent)
        if not isinstance(cotangents, tuple) or len(cotangents) != len(free):
            raise ResultError(
                f"bwd of {self.__name__} did not return a tuple of {len(free)}",
                hint="Return a tuple with one cotangent for each argument, or None: (cotangent,).",
            )
        return tuple(zeros_like(x) if ct is None else ct for x, ct in zip(free, cotangents, strict=True))

    def push(self, given: Arguments, kept: Any, tangents: Arguments) -> Any:
        """The transpose of `bwd`, which must be linear in its cotangent."""
        value = map_leaves(plain_value, self.function(*map_leaves(plain_value, given)))
        return self._transposed(lambda ct: self.pull(given, kept, ct), (zeros_like(value),), tangents)[0]

    def is_linear_at(self, given: Arguments) -> bool:
        """Whether `bwd` is linear in its cotangent, as that of a derivative is."""
        value, kept = self.forward(given)
        return is_linear(lambda ct: self.pull(given, kept, ct), (value,))


class CustomJvp(CustomFunction):
    """A function with a Jacobian-vector product of its own.

    Attributes:
        jvps: the functions that `defjvps` took; None if the derivative is not defined by it.
    """

    kind, definition = "custom_jvp", "defjvp(jvp)"
    jvps: tuple[Function | None, ...] | None = None

    def defjvp(self, jvp: Function) -> Function:
        """Define the derivative.

        Args:
            jvp: takes the arguments at `nondiff_argnums`, then a tuple of the other arguments and one of their
                tangents, and returns the value and its tangent. It has to be linear in the tangents.
        """
        self.derivative, self.jvps, self._is_known = jvp, None, False
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
            return value, functools.reduce(operator.add, parts) if parts else zeros_like(value)

        self.derivative, self.jvps, self._is_known = jvp, jvps, False

    def pull(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The transpose of the tangent, which must be linear in the tangents."""
        along, numbers = self._along_numbers(given)
        pulled = iter(self._transposed(along, tuple(map(zeros_like, numbers)), cotangent))
        return tuple(map_leaves(lambda x: next(pulled) if is_number(x) else x, self.parted(given)[1]))

    def push(self, given: Arguments, kept: Any, tangents: Arguments) -> Any:
        """The tangent by the user's `jvp`."""
        self._require_linear(*self._along_numbers(given))
        return self._tangent(given, tangents)

    def _along_numbers(self, given: Arguments) -> tuple[Function, Arguments]:
        """The tangent as a function of those of the numbers alone, and the numbers. Other arguments are their own."""
        free = self.parted(given)[1]

        def along(*tangents: Any) -> Any:
            remaining = iter(tangents)
            return self._tangent(given, map_leaves(lambda x: next(remaining) if is_number(x) else x, free))

        return along, tuple(filter(is_number, leaves(free)))

    def _tangent(self, given: Arguments, tangents: Arguments) -> Any:
        fixed, free = self.parted(given)
        returned = self.derivative(*fixed, free, tangents)
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


def is_linear(product: Function, like: Arguments) -> bool:
    """Whether the numbers that a function returns grow with its arguments, which have the structure of `like`."""
    generator = np.random.default_rng(0)

    def random(x: Any) -> Any:
        numbers = generator.uniform(0.5, 1.0, np.shape(x))
        return (float(numbers) if type(x) is float else numbers.astype(x.dtype)) if is_number(x) else x

    def along(factor: float) -> Any:
        parts = leaves(product(*map_leaves(lambda x: factor * x, directions)))
        return np.hstack([np.ravel(plain_value(x)) for x in parts])

    directions = map_leaves(lambda x: random(plain_value(x)), like)
    one, other = along(1.0), along(FACTOR)
    if one.dtype.kind not in "fiu" or one.shape != other.shape:  # no derivative, which the step refuses
        return True
    return not np.any(np.abs(other - FACTOR * one) > NEARLY * np.max(np.abs(one), initial=0.0))
