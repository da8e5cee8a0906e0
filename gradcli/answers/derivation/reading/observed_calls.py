"""Observed calls of NumPy and SciPy functions, with their arguments."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.reading.value_kind import shape_of

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


def of_arrays(function: Any) -> bool:
    """Whether a function is a NumPy or SciPy function, or an array method, that is not elementwise."""
    if isinstance(getattr(function, "__self__", None), np.ndarray):
        return True
    module = getattr(function, "__module__", "") or ""
    return module.split(".")[0] in ("numpy", "scipy") and not isinstance(function, (type, np.ufunc))


def _shapes_in(value: Any) -> Any:
    return tuple(map(_shapes_in, value)) if isinstance(value, (list, tuple)) else shape_of(value)
