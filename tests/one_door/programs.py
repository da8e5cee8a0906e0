"""Programs that look at the type of their argument: each takes the branch `2.0 * x` on plain numbers, else `3.0 * x`.

A run that lets a recorded value answer for another type than its number has takes the other branch, so that its
gradient is 3.
"""

import builtins
import functools
from builtins import type as kind_of

import numpy as np
from numpy import ndarray

FLOAT = float
NUMBERS = (float, int)
FACTORS = {float: 2.0, np.float64: 2.0, np.ndarray: 2.0}
POINTS = {
    "float": 1.5,
    "float64": np.float64(1.5),
    "array": np.array([1.5, 2.5]),
    "list": [1.5, 2.5],
    "dict": {"a": 1.5, "b": 2.5},
}


def total(x):
    """The sum of the numbers of a point."""
    return sum(x.values()) if isinstance(x, dict) else sum(x) if isinstance(x, (list, np.ndarray)) else x


def scaled(asked, x):
    return (2.0 if asked else 3.0) * total(x)


class Square:
    """Looks at the type in methods of all kinds."""

    def method(self, x):
        return scaled(type(x) is float, x)

    @staticmethod
    def static(x):
        return scaled(type(x) is float, x)

    @classmethod
    def of_class(cls, x):
        return scaled(type(x) is float, x)

    def __call__(self, x):
        return scaled(type(x) is float, x)

    @property
    def asks(self):
        return lambda x: scaled(type(x) is float, x)


class Holder:
    """Holds the object whose method looks."""

    def __init__(self):
        self.inner = Square()

    def method(self, x):
        return self.inner.method(x)


SQUARE, HOLDER = Square(), Holder()


def is_float(x):
    return type(x) is float


def in_helper(x):
    return scaled(is_float(x), x)


@functools.singledispatch
def dispatched(x):
    return scaled(False, x)


@dispatched.register(float)
@dispatched.register(np.ndarray)
@dispatched.register(list)
@dispatched.register(dict)
def _(x):
    return scaled(True, x)


def matched(x):
    match x:
        case float() | np.ndarray() | list() | dict():
            return scaled(True, x)
    return scaled(False, x)


def matched_with_name(x):
    match x:
        case float(number):
            return scaled(True, number)
    return scaled(False, x)


def matched_type(x):
    match type(x):
        case builtins.float | np.ndarray:
            return scaled(True, x)
    return scaled(False, x)


def enclosing():
    """A function that encloses the type and another function that looks."""
    kind, look = float, is_float

    def f(x):
        return scaled(type(x) is kind and look(x), x)

    return f


def converts_too(x):
    return scaled(type(x) is float, float(x))


def class_converts_too(x):
    return scaled(x.__class__ is float, float(x))


def numpy_converts_too(x):
    return scaled(type(x) is np.float64, np.float64(x))


def class_numpy_converts_too(x):
    return scaled(x.__class__ is np.float64, np.float64(x))


def dtype_type(x):
    return scaled(x.dtype.type is np.float64, x)


def dtype_type_and_zeros(x):
    made = np.zeros(2)
    made[:] = x
    return scaled(x.dtype.type is np.float64, made)


def item_of_array(x):
    return scaled(type(x[0]) is np.float64, x)


def item_of_list(x):
    return scaled(type(x[0]) is float, x)


def value_of_dict(x):
    return scaled(type(x["a"]) is float, x)


def sum_of_array(x):
    return scaled(type(np.sum(x)) is np.float64, x)


def product_of_floats(x):
    return scaled(type(2.0 * x) is float, x)


def made_again(x):
    return scaled(type(type(x)(1.0)) is float, x)


def default_kind(x, kind=float):
    return scaled(type(x) is kind, x)


def by_key(x):
    return FACTORS.get(type(x), 3.0) * total(x)


def in_comprehension(x):
    return scaled(all(type(number) is float for number in x), x)


def imports_inside(x):
    from builtins import type as kind

    return scaled(kind(x) is float, x)


def counted(f):
    """A decorator without `functools.wraps`."""

    def inner(x):
        return f(x)

    return inner


@counted
def decorated(x):
    return scaled(type(x) is float, x)


PROGRAMS = {
    "is float": ("float", lambda x: scaled(type(x) is float, x)),
    "is not float": ("float", lambda x: scaled(not type(x) is not float, x)),
    "equals float": ("float", lambda x: scaled(type(x) == float, x)),  # noqa: E721
    "is a global": ("float", lambda x: scaled(type(x) is FLOAT, x)),
    "is builtins.float": ("float", lambda x: scaled(type(x) is builtins.float, x)),
    "builtins.type": ("float", lambda x: scaled(builtins.type(x) is float, x)),
    "type by another name": ("float", lambda x: scaled(kind_of(x) is float, x)),
    "in a tuple": ("float", lambda x: scaled(type(x) in (float, int), x)),
    "in a set": ("float", lambda x: scaled(type(x) in {float, int}, x)),
    "in a global tuple": ("float", lambda x: scaled(type(x) in NUMBERS, x)),
    "name of the type": ("float", lambda x: scaled(type(x).__name__ == "float", x)),
    "issubclass": ("float", lambda x: scaled(issubclass(type(x), float), x)),
    "isinstance": ("float", lambda x: scaled(isinstance(x, float), x)),
    "isinstance of many": ("float", lambda x: scaled(isinstance(x, (int, float)), x)),
    "isinstance of a union": ("float", lambda x: scaled(isinstance(x, int | float), x)),
    "class": ("float", lambda x: scaled(x.__class__ is float, x)),
    "class in a tuple": ("float", lambda x: scaled(x.__class__ in (float, int), x)),
    "name of the class": ("float", lambda x: scaled(x.__class__.__name__ == "float", x)),
    "key of a table": ("float", by_key),
    "singledispatch": ("float", dispatched),
    "match": ("float", matched),
    "match with a name": ("float", matched_with_name),
    "match of the type": ("float", matched_type),
    "helper": ("float", in_helper),
    "method": ("float", SQUARE.method),
    "static method": ("float", SQUARE.static),
    "class method": ("float", SQUARE.of_class),
    "callable object": ("float", SQUARE),
    "property": ("float", SQUARE.asks),
    "method of an attribute": ("float", HOLDER.method),
    "calls a method": ("float", lambda x: SQUARE.method(x)),
    "partial": ("float", functools.partial(SQUARE.method)),
    "enclosed": ("float", enclosing()),
    "decorated": ("float", decorated),
    "import in the body": ("float", imports_inside),
    "default value": ("float", lambda x: default_kind(x)),
    "a result": ("float", product_of_floats),
    "made by the type": ("float", made_again),
    "type and float()": ("float", converts_too),
    "class and float()": ("float", class_converts_too),
    "float64 is float64": ("float64", lambda x: scaled(type(x) is np.float64, x)),
    "float64 is a float": ("float64", lambda x: scaled(isinstance(x, float), x)),
    "float64 is no array": ("float64", lambda x: scaled(type(x) is not np.ndarray, x)),
    "float64 by key": ("float64", by_key),
    "type and np.float64()": ("float64", numpy_converts_too),
    "class and np.float64()": ("float64", class_numpy_converts_too),
    "dtype of a float64": ("float64", dtype_type),
    "is ndarray": ("array", lambda x: scaled(type(x) is np.ndarray, x)),
    "is ndarray by name": ("array", lambda x: scaled(type(x) is ndarray, x)),
    "array by key": ("array", by_key),
    "array by match": ("array", matched),
    "array by match of the type": ("array", matched_type),
    "array by singledispatch": ("array", dispatched),
    "array by isinstance": ("array", lambda x: scaled(isinstance(x, np.ndarray), x)),
    "array by class": ("array", lambda x: scaled(x.__class__ is np.ndarray, x)),
    "array is no list": ("array", lambda x: scaled(type(x) not in (list, tuple), x)),
    "number of an array": ("array", item_of_array),
    "sum of an array": ("array", sum_of_array),
    "dtype of an array": ("array", dtype_type),
    "dtype beside zeros": ("array", dtype_type_and_zeros),
    "is list": ("list", lambda x: scaled(type(x) is list, x)),
    "list by singledispatch": ("list", dispatched),
    "list by match": ("list", matched),
    "number of a list": ("list", item_of_list),
    "each of a list": ("list", in_comprehension),
    "is dict": ("dict", lambda x: scaled(type(x) is dict, x)),
    "dict by match": ("dict", matched),
    "value of a dict": ("dict", value_of_dict),
}
"""By name the kind of the point, and the program."""
