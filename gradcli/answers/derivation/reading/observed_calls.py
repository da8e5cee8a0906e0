"""Observed calls of NumPy and SciPy functions, with their arguments."""

from __future__ import annotations

import copy
from itertools import combinations
from types import FunctionType, MethodType
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.user_functions import Closure, is_users
from gradcli.answers.derivation.reading.value_kind import MOST_FIELDS, PLAIN, SEQUENCES, fields_of, kind_of, shape_of

MOST_EXAMPLES = 10  # of one call


class ObservedCall(NamedTuple):
    """An observed call of an array function.

    Attributes:
        function: the called function.
        owner: the array whose method it is; None for a function.
        arguments: the positional arguments.
        keywords: the keyword arguments.
    """

    function: Any
    owner: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


def library_call(examples: dict[Any, ObservedCall], function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call an array function, and keep its arguments as an example."""
    key = tuple(map(_shapes_in, (*arguments, *keywords.values())))
    if key in examples or len(examples) >= MOST_EXAMPLES:
        return function(*arguments, **keywords)
    given = getattr(function, "__self__", None)
    try:
        copied = copy.deepcopy((given if isinstance(given, np.ndarray) else None, arguments, keywords))
    except Exception:  # the arguments cannot be copied
        return function(*arguments, **keywords)
    result = function(*arguments, **keywords)
    own = function if copied[0] is None else getattr(copied[0], function.__name__)  # refers to no array of theirs
    examples[key] = ObservedCall(own, *copied)
    return result


def counted_call(given: set[tuple[int, tuple[str, ...]]], function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call a function, and note how many arguments it gets by position, and the names of the others."""
    given.add((len(arguments), tuple(keywords)))
    return function(*arguments, **keywords)


def user_call(user: UserFunction, function: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call a copy of a user's function, and note the parameters of which it returns an array, list or record.

    Those that it writes into are left out, as it returns them to be bound again. Of several values, it is noted which
    have an array, list or record in common.
    """
    result = function(*arguments, **keywords)
    if owners := _owners_in(result):
        given = user.bound(arguments, keywords, tuple, dict)
        shared = {name for name, value in given.items() if not owners.isdisjoint(_owners_in(value))}
        user.returned |= shared.difference(user.effects.written)
        parts = enumerate(map(_owners_in, result)) if type(result) is tuple and len(result) <= MOST_FIELDS else ()
        user.shared |= {(n, other) for (n, one), (other, two) in combinations(parts, 2) if one & two}
    return result


def _owners_in(value: Any) -> set[int]:
    """The arrays that own the memory of those in a value, the lists and the records, by identity."""
    if isinstance(value, np.ndarray):
        return _owners_in(value.base) if isinstance(value.base, np.ndarray) else {id(value)}
    fields = fields_of(value)
    items = value if isinstance(value, SEQUENCES) else () if fields is None else fields.values()
    own = {id(value)} if isinstance(value, list) or fields is not None else set[int]()
    return own.union(*map(_owners_in, items)) if not set(map(type, items)) <= PLAIN else own


def of_arrays(function: Any) -> bool:
    """Whether a function is a NumPy or SciPy function, or an array method, that is not elementwise."""
    if isinstance(getattr(function, "__self__", None), np.ndarray):
        return True
    module = getattr(function, "__module__", "") or ""
    return module.split(".")[0] in ("numpy", "scipy") and not isinstance(function, (type, np.ufunc))


def _shapes_in(value: Any) -> Any:
    return tuple(map(_shapes_in, value)) if isinstance(value, (list, tuple)) else shape_of(value)


def function_of_closure(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """The function of a closure, and the values that it captures; any other function, and none."""
    return (function.function, function.captured) if isinstance(function, Closure) else (function, ())


def method_of_record(function: Any) -> FunctionType | None:
    """The function of a method of a record, or of a record that is called; None for other functions."""
    method = function if isinstance(function, (MethodType, type)) else getattr(function, "__call__", None)  # noqa: B004
    if not isinstance(method, MethodType) or kind_of(method.__self__).name != "record":
        return None
    function = method.__func__
    return function if isinstance(function, FunctionType) and is_users(function) else None


def same_method(one: Any, other: Any) -> bool:
    """Whether two methods are those of one name of objects of one class."""
    owners = getattr(one, "__self__", None), getattr(other, "__self__", None)
    names = getattr(one, "__name__", one), getattr(other, "__name__", other)
    return type(owners[0]) is type(owners[1]) and names[0] == names[1] and owners[0] is not None
