"""Claims about functions that ask for the type of what they are given: a plain run decides which branch is theirs."""

import builtins
import functools
import math
import numbers
import operator
from collections.abc import Callable, Sequence, Sized
from typing import Any

import numpy as np

from tests.corpus.claim import Claim, claims

ARRAY = np.array([1.3, -0.4])
kind_of = builtins.type


def line(x):
    return 3.0 * np.sum(x)


def square(x):
    return np.sum(x * x)


def matched(x):
    """By a class pattern."""
    match x:
        case float():
            return square(x)
        case np.ndarray():
            return line(x)
    return 0.0


def scalar_matched(x):
    """By a class pattern, for a float."""
    match x:
        case np.ndarray() | np.generic():
            return x * x
        case float():
            return 3.0 * x
    return 0.0


@functools.singledispatch
def dispatched(x):
    return square(x)


@dispatched.register(np.ndarray)
def _(x):
    return line(x)


@functools.singledispatch
def scalar_dispatched(x):
    """By the type of the argument, for numbers."""
    return x * x


@scalar_dispatched.register(float)
def _(x):
    return 3.0 * x


@scalar_dispatched.register(np.float64)
def _(x):
    return 5.0 * x


def helper(x):
    """Asks where the function that is differentiated does not."""
    return type(x) is np.ndarray


class Model:
    """A method that asks, and one that is chosen by type."""

    scale = 3.0

    def loss(self, x):
        return self.scale * np.sum(x) if type(x) is np.ndarray else square(x)

    @functools.singledispatchmethod
    def energy(self, x):
        return square(x)

    @energy.register(np.ndarray)
    def _(self, x):
        return self.scale * np.sum(x)


class Guarded:
    """A class that keeps its argument and asks about it later."""

    def __init__(self, x):
        self.x = x

    def __call__(self):
        return line(self.x) if isinstance(self.x, np.ndarray) and type(self.x).__name__ == "ndarray" else square(self.x)


def no_append(x):
    """An array has no `append`."""
    try:
        x.append
    except AttributeError:
        return line(x)
    return square(x)


def no_length(x):
    """A float has no length."""
    try:
        len(x)
    except TypeError:
        return 3.0 * x
    return x * x


def no_index(x):
    try:
        return x[0] ** 2
    except TypeError:
        return 3.0 * x


def with_default(x, kind=type):
    return line(x) if kind(x) is np.ndarray else square(x)


def by_closure():
    kind, array = type, np.ndarray
    return lambda x: line(x) if kind(x) is array else square(x)


def nested(x):
    """Asks in an inner function, about a slice of what the outer one was given."""

    def inner(y):
        return 3.0 * y if type(y) is np.float64 else y * y

    return inner(x[0]) + inner(x[1])


def listed(x):
    return line(x) if [type(c) for c in x] == [np.float64, np.float64] else square(x)


TABLE: dict[type, Callable[..., Any]] = {np.ndarray: line, float: square}

ARRAYS: dict[str, Callable[..., Any]] = {
    "type(x) is np.ndarray": lambda x: line(x) if type(x) is np.ndarray else square(x),
    "type(x) == np.ndarray": lambda x: line(x) if type(x) == np.ndarray else square(x),  # noqa: E721
    "type(x) is not np.ndarray": lambda x: square(x) if type(x) is not np.ndarray else line(x),
    "type(x) in a tuple": lambda x: line(x) if type(x) in (list, np.ndarray) else square(x),
    "the class by its attribute": lambda x: line(x) if x.__class__ is np.ndarray else square(x),
    "the name of the type": lambda x: line(x) if type(x).__name__ == "ndarray" else square(x),
    "the module of the type": lambda x: line(x) if type(x).__module__ == "numpy" else square(x),
    "a table of types": lambda x: TABLE.get(type(x), square)(x),
    "the type of an item": lambda x: line(x) if type(x[0]) is np.float64 else square(x),
    "the type of a sum": lambda x: line(x) if type(np.sum(x)) is np.float64 else square(x),
    "the type of a row": lambda x: line(x) if type(np.stack([x, x])[0]) is np.ndarray else square(x),
    "the type of another array": lambda x: line(x) if type(x) is type(ARRAY) else square(x),
    "type under another name": lambda x: line(x) if kind_of(x) is np.ndarray else square(x),
    "type as a default": with_default,
    "type in a cell": by_closure(),
    "types of all items": listed,
    "types of slices": nested,
    "a set of types": lambda x: line(x) if set(map(type, (x,))) == {np.ndarray} else square(x),
    "operator.is_": lambda x: line(x) if operator.is_(type(x), np.ndarray) else square(x),
    "issubclass": lambda x: line(x) if issubclass(type(x), np.ndarray) else square(x),
    "isinstance of Sequence": lambda x: square(x) if isinstance(x, Sequence) else line(x),
    "isinstance of Sized": lambda x: line(x) if isinstance(x, Sized) else square(x),
    "isinstance of items": lambda x: line(x) if all(isinstance(c, float) for c in x) else square(x),
    "asarray gives the same": lambda x: line(x) if np.asarray(x) is x else square(x),
    "an attribute of other libraries": lambda x: square(x) if hasattr(x, "requires_grad") else line(x),
    "no append": no_append,
    "the dtype is float64": lambda x: line(x) if x.dtype is np.dtype("float64") else square(x),
    "the dtype by its text": lambda x: line(x) if x.dtype == "float64" and x.dtype.kind == "f" else square(x),
    "the type of the dtype": lambda x: line(x) if x.dtype.type is np.float64 else square(x),
    "a class pattern": matched,
    "singledispatch": dispatched,
    "in a helper": lambda x: line(x) if helper(x) else square(x),
    "in a method": Model().loss,
    "singledispatchmethod": lambda x: Model().energy(x),
    "of what an object keeps": lambda x: Guarded(x)(),
}

FLOATS: dict[str, Callable[..., Any]] = {
    "type(x) is float": lambda x: 3.0 * x if type(x) is float else x * x,
    "type(x) in (int, float)": lambda x: 3.0 * x if type(x) in (int, float) else x * x,
    "the class is float": lambda x: 3.0 * x if x.__class__ is float else x * x,
    "a float that is not NumPy's": lambda x: x * x if isinstance(x, np.floating) else 3.0 * x,
    "the type of math.sin": lambda x: 3.0 * x if type(math.sin(x)) is float else x * x,
    "the type of np.sin": lambda x: 3.0 * x if type(np.sin(x)) is np.float64 else x * x,
    "the type of a product": lambda x: 3.0 * x if type(x * 2) is float else x * x,
    "the type of a comparison": lambda x: 3.0 * x if type(x > 0) is bool else x * x,
    "a comparison that is True": lambda x: 3.0 * x if (x > 0) is True else x * x,
    "isinstance of Real": lambda x: 3.0 * x if isinstance(x, numbers.Real) else x * x,
    "no dtype": lambda x: x * x if hasattr(x, "dtype") else 3.0 * x,
    "a type called": lambda x: type(x)(3) * x,
    "a type as text": lambda x: 3.0 * x if str(type(x)) == "<class 'float'>" else x * x,
    "a type in a format": lambda x: 3.0 * x if f"{type(x).__name__}" == "float" else x * x,
    "the type of a whole part": lambda x: 3.0 * x if type(round(x)) is int else x * x,
    "a class pattern for a float": scalar_matched,
    "singledispatch for a float": scalar_dispatched,
    "no length": no_length,
    "no items": no_index,
}

SCALARS: dict[str, Callable[..., Any]] = {
    "type(x) is np.float64": lambda x: 3.0 * x if type(x) is np.float64 else x * x,
    "isinstance of np.generic": lambda x: 3.0 * x if isinstance(x, np.generic) else x * x,
    "the type of an item of a scalar": lambda x: 3.0 * x if type(x.item()) is float else x * x,
    "the type of a scalar's comparison": lambda x: 3.0 * x if type(x > 0) is np.bool_ else x * x,
    "not a plain float": lambda x: x * x if type(x) is float else 3.0 * x,
    "a scalar is a float": lambda x: 3.0 * x if isinstance(x, float) and np.isscalar(x) else x * x,
}

WHY = "the branch that a plain run takes has the slope 3"


def _arrays(name: str, f: Callable[..., Any]) -> list[Claim]:
    wrong = {"the other branch": lambda x: 2.0 * x}
    return claims(f"by type: {name}", f, ARRAY, lambda x: np.full(2, 3.0), WHY, wrong=wrong)


def _numbers(name: str, f: Callable[..., Any], at: Any) -> list[Claim]:
    wrong = {"the other branch": lambda x: 2.0 * x, "a millionth": lambda x: 3.000003}
    return claims(f"by type: {name}", f, at, lambda x: 3.0, WHY, wrong=wrong)


CLAIMS = [
    *(claim for name, f in ARRAYS.items() for claim in _arrays(name, f)),
    *(claim for name, f in FLOATS.items() for claim in _numbers(name, f, 1.7)),
    *(claim for name, f in SCALARS.items() for claim in _numbers(name, f, np.float64(1.7))),
    *claims("by type: singledispatch between two floats", scalar_dispatched, np.float64(1.7), lambda x: 5.0,
        "np.float64 has a branch of its own",
        wrong={"the branch of float": lambda x: 3.0, "the branch of neither": lambda x: 2 * x}),
    *claims("by type: single precision", lambda x: 3 * np.sum(x) if x.dtype == np.float32 else np.sum(x * x),
        np.array([1.5, -0.25], np.float32), lambda x: np.full(2, 3.0, np.float32), WHY,
        wrong={"the other branch": lambda x: 2 * x}),
]  # fmt: skip
