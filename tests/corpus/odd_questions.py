"""Claims about functions that ask odd things of their argument, and of the program: a plain run has the answer."""

import builtins
import copy
import inspect
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.corpus.claim import Claim, claims

ARRAY = np.array([1.3, -0.4])


def line(x):
    return 3.0 * np.sum(x)


def square(x):
    return np.sum(x * x)


def by_locals(x):
    return 3.0 * x if {name: type(value) for name, value in locals().items()} == {"x": float} else x * x


def raised(x):
    """By the message of an error."""
    try:
        x.no_such_attribute
    except AttributeError as error:
        return 3.0 * x if "'float' object" in str(error) else x * x
    return 0.0


class Checked:
    """A descriptor that takes plain floats alone."""

    def __set__(self, holder, value):
        holder.__dict__["kept"] = 3.0 * value if value.__class__ is float else value * value

    def __get__(self, holder, kind=None):
        return holder.__dict__["kept"]


class Holder:
    """Has a checked attribute."""

    value = Checked()

    def __init__(self, value):
        self.value = value


class Meters(float):
    """A float of the user's own."""

    def doubled(self):
        return 2.0 * float(self)


def own_float(x):
    """Made into a number of the user's own class."""
    length = Meters(x)
    return length.doubled() + length * 1.0 if isinstance(length, Meters) else length * length


def unpacked(x):
    a, b = x
    return 3.0 * a + 3.0 * b if type(a) is type(b) is np.float64 else a * a + b * b


class Tagged(np.ndarray):
    """An array of the user's own."""


FLOATS: dict[str, Callable[..., Any]] = {
    "by eval": lambda x: 3.0 * x if eval("type(x) is float") else x * x,
    "by the frame": lambda x: 3.0 * x if type(inspect.currentframe().f_locals["x"]) is float else x * x,
    "by locals": by_locals,
    "by an error's message": raised,
    "by a descriptor": lambda x: Holder(x).value,
    "by getattr of builtins": lambda x: 3.0 * x if getattr(builtins, "type")(x) is float else x * x,  # noqa: B009
    "by globals": lambda x: 3.0 * x if globals()["__builtins__"] and type(x) is builtins.float else x * x,
    "by text": lambda x: 3.0 * x if repr(x)[0].isdigit() else x * x,
    "by the start of text": lambda x: 3.0 * x if f"{x:.3f}".startswith("1.") else x * x,
    "by the hash": lambda x: 3.0 * x if hash(x) == hash(float(x)) and x in {x} else x * x,
    "by float giving the same": lambda x: 3.0 * x if float(x) is x else x * x,
    "by copies being the same": lambda x: 3.0 * x if copy.copy(x) is x and copy.deepcopy(x) is x else x * x,
    "by the attributes": lambda x: 3.0 * x if "hex" in dir(x) and not hasattr(x, "__dict__") else x * x,
    "by the method's class": lambda x: 3.0 * x if x.__add__.__self__ is x else x * x,
    "by float's own method": lambda x: 3.0 * x if float.__add__(x, 1.0) > 2.0 else x * x,
    "by is_integer": lambda x: x * x if (x * 10).is_integer() is None else 3.0 * x,
    "by a ratio": lambda x: 3.0 * x if x.as_integer_ratio()[1] > 1 else x * x,
    "by hex": lambda x: 3.0 * x if x.hex().startswith("0x1.b") else x * x,
    "by NotImplemented": lambda x: 3.0 * x if x.__add__("a") is NotImplemented else x * x,
    "by a class of the user's own": own_float,
    "by math's answer": lambda x: 3.0 * x if isinstance(math.floor(x), int) and math.isclose(x, 1.7) else x * x,
}

BEYOND: dict[str, Callable[..., Any]] = {
    "by the size in bytes": lambda x: 3.0 * x if sys.getsizeof(x) == sys.getsizeof(1.0) else x * x,
}

ARRAYS: dict[str, Callable[..., Any]] = {
    "by its base": lambda x: line(x) if x[:1].base is x else square(x),
    "by shared memory": lambda x: line(x) if np.shares_memory(x, x[1:]) else square(x),
    "by its bytes": lambda x: line(x) if len(x.tobytes()) == 16 else square(x),
    "by a list of its numbers": lambda x: line(x) if type(x.tolist()[0]) is float else square(x),
    "by its flags": lambda x: line(x) if x.flags.writeable and x.flags["C_CONTIGUOUS"] else square(x),
    "by its strides": lambda x: line(x) if x.strides == (8,) and x.nbytes == 16 else square(x),
    "by a view of the user's own": lambda x: line(x.view(Tagged)) if isinstance(x.view(Tagged), Tagged) else square(x),
    "by the type of its rows": lambda x: line(x) if all(type(row) is np.ndarray for row in x[:, None]) else square(x),
    "by the type of a comparison of it": lambda x: line(x) if type(x > 0) is np.ndarray else square(x),
    "by the type of any": lambda x: line(x) if type(np.any(x > 0)) is np.bool_ else square(x),
    "by the type of argmax": lambda x: line(x) if type(np.argmax(x)) is np.int64 else square(x),
    "by the type of a product": lambda x: line(x) if type(x @ x) is np.float64 else square(x),
    "by an ndarray's own method": lambda x: line(x) if np.ndarray.sum(x) == np.sum(x) else square(x),
    "by iteration": lambda x: line(x) if next(iter(x)).__class__ is np.float64 else square(x),
    "by unpacking": unpacked,
    "by item": lambda x: line(x) if type(x[0].item()) is float and type(x.item(1)) is float else square(x),
    "by result_type": lambda x: line(x) if np.result_type(x, 1.0) is np.dtype("float64") else square(x),
    "by a buffer": lambda x: line(x) if memoryview(x).format == "d" else square(x),
    "by ndim of a scalar": lambda x: line(x) if np.ndim(x[0]) == 0 and np.isscalar(x[0]) else square(x),
    "by str": lambda x: line(x) if repr(x).startswith("array([") else square(x),
}

WHY = "the branch that a plain run takes has the slope 3"


def _odd(name: str, f: Callable[..., Any], at: Any, right: Callable[..., Any]) -> list[Claim]:
    return claims(f"odd: {name}", f, at, right, WHY, own=None, wrong={"the other branch": lambda x: 2.0 * x})


def _beyond(name: str, f: Callable[..., Any]) -> list[Claim]:
    """What no tape can answer as a plain run does: nothing passes and nothing fails."""
    why = "a recorded run gives another number than a plain one"
    return [
        *claims(f"odd: {name}", f, 1.7, lambda x: 3.0, why, own=None, truth="undecidable"),
        *claims(f"odd: {name}, the other branch", f, 1.7, lambda x: 2.0 * x, why, own=None, truth="undecidable"),
    ]


CLAIMS = [
    *(claim for name, f in FLOATS.items() for claim in _odd(name, f, 1.7, lambda x: 3.0)),
    *(claim for name, f in ARRAYS.items() for claim in _odd(name, f, ARRAY, lambda x: np.full(2, 3.0))),
    *(claim for name, f in BEYOND.items() for claim in _beyond(name, f)),
]
