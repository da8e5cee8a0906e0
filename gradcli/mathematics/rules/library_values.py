"""The library's own values for NumPy and SciPy functions that are recorded in other steps.

The recorded steps give the derivatives, but their result differs from the library's in the last digits. A gradient must
come with the value that the program computes without gradcli.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np

from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.shared import devices
from gradcli.shared.float_errors import ignored_float_errors

OVERWRITES = frozenset(("overwrite_input", "overwrite_a", "overwrite_b", "overwrite_ab", "overwrite_x"))

Call = tuple[tuple[Any, ...], dict[str, Any]]


def with_value_of(original: str | Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of recorded values so that its result has the values of the library's function, given by name."""
    of_scipy = isinstance(original, str) and original.startswith("scipy.")
    out = _place_of_out(function) if of_scipy else None

    @wraps(function)
    def served(*arguments: Any, **options: Any) -> Any:
        values = [_plain(x, of_scipy) for x in arguments]
        if any(devices.on_device(x) or callable(x) for x in values):
            return function(*arguments, **options)
        choices = {key: _plain(x, of_scipy) for key, x in options.items() if key not in OVERWRITES}
        before = [_row(x) for x in arguments]
        with ignored_float_errors():
            result = function(*arguments, **options)
        room = _room(values, choices, out, result) if out is not None else None
        value = (_by_name(original) if isinstance(original, str) else original)(*values, **choices)
        for argument, row, written in zip(arguments, before, values, strict=True):
            if _row(argument) != row:
                argument.restate(written)
        return _restated(result, value if room is None else room, before)

    return served


def _place_of_out(function: Callable[..., Any]) -> int | None:
    names = list(inspect.signature(function).parameters)
    return names.index("out") if "out" in names else None


def _room(values: list[Any], choices: dict[str, Any], out: int, result: Any) -> Any:
    """An array for the result, inserted among the arguments, as functions in C need one."""
    room = np.empty_like(getattr(result, "_value", result), subok=False)
    if len(values) > out:
        values[out] = room
    else:
        choices["out"] = room
    return room


@cache
def _by_name(name: str) -> Callable[..., Any]:
    """NumPy's function of that name, or SciPy's with the run suspended."""
    library, _, rest = name.partition(".")
    function: Callable[..., Any] = (
        operator.attrgetter(rest)(SCIPY) if library == "scipy" else operator.attrgetter(name)(np)
    )
    return function


def _plain(x: Any, copied: bool) -> Any:
    """An argument without recorded values. For SciPy, arrays are copied, so that they may be overwritten."""
    if type(x) in (list, tuple):
        return type(x)(_plain(item, copied) for item in x)
    value = getattr(x, "_value", x)
    return value.copy("K") if copied and isinstance(value, np.ndarray) else value


def _row(x: Any) -> int | None:
    """The row index of a recorded value, else None."""
    return x.index if hasattr(type(x), "restate") else None


def _restated(result: Any, value: Any, before: list[int | None]) -> Any:
    """A result, or a structure of results, with the numbers of `value`; `before` are the rows that existed already."""
    if isinstance(result, (list, tuple)):
        parts = [_restated(*pair, before) for pair in zip(result, value, strict=True)]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if hasattr(type(result), "tell"):  # a data outcome, which a replay computes anew
        same = np.asarray(result._value).dtype == np.asarray(value).dtype
        return result if same and np.array_equal(result._value, value, equal_nan=True) else value
    if not hasattr(type(result), "restate"):
        return value
    if type(value) in (float, complex):  # returned by BLAS
        result = result.item()
        result.restate(np.complex128(value) if type(value) is complex else value)
        return result
    handed_on = result.index in before
    if handed_on or value.base is not None:  # an array of the program, or a view of one, keeps its identity
        if type(result._value) is type(value) and np.array_equal(result._value, value, equal_nan=True):
            return result
        result = +result if handed_on else result
    result.restate(value)
    return result
