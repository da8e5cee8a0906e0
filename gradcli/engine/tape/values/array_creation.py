"""NumPy's functions that create arrays, for runs that write recorded values into them.

Inside a run, a new float array is a constant on the tape, so that recorded values can be written into it. Outside a
run, and for integers and booleans, these are NumPy's own functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tape.number_texts import reading_all
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.value import Value, record
from gradcli.engine.tape.values.array import constant, lies
from gradcli.engine.tape.values.array_function import apply_function, holds_recorded, nested_as_array
from gradcli.engine.tape.values.flat_and_in_place_methods import Flat
from gradcli.mathematics.rules.function_registry import FUNCTIONS as SERVED
from gradcli.mathematics.rules.shape import CAST
from gradcli.shared import devices


def array(object: Any, dtype: Any = None, *, copy: Any = True, **options: Any) -> Any:
    """`numpy.array`, also for recorded values."""
    object = _as_its_array(object)
    if not holds_recorded(object):
        reading_all(object)
        return owned_array(np.array(object, dtype, copy=copy, **options))
    if dtype is not None and np.dtype(dtype).kind == "O":
        return np.array(object, dtype)
    made = as_array(nested_as_array(object))
    made = made if dtype is None else _in_type(made, np.dtype(dtype), numbers=not hasattr(object, "dtype"))
    if made.ndim < options.get("ndmin", 0):
        made = made.reshape((1,) * (options["ndmin"] - made.ndim) + made.shape)
    copied = copy is not None and copy is not False and copy is not np._CopyMode.IF_NEEDED
    return made.copy("K") if copied and issubclass(type(object), Value) else made


def _as_its_array(x: Any) -> Any:
    """The result of the `__array__` method of an object of the program's; anything else unchanged."""
    if type(x) is Flat:
        return x.copy()
    if isinstance(x, _PLAIN) or issubclass(type(x), Value):
        return x
    if hasattr(type(x), "__array_ufunc__"):
        return devices.recorded_under_labels(x)
    made = x.__array__() if hasattr(type(x), "__array__") else x
    return made if issubclass(type(made), Value) else x


_PLAIN = (list, tuple, float, int, np.ndarray, np.generic)


def _in_type(made: Any, dtype: Any, numbers: bool) -> Any:
    """Cast an array. Complex `numbers` of Python to a real dtype are refused."""
    if numbers and made.dtype.kind == "c" and dtype.kind in "iuf":
        dtype = np.dtype(float)
        return record(CAST, (made,), {"dtype": dtype})  # raises, where `astype` would take the real part
    return made.astype(dtype)


def as_array(x: Value) -> Any:
    """A recorded value as a recorded array. Numbers become 0-d arrays."""
    if devices.is_array(x._value):
        return x
    return record(CAST, (x,), {"dtype": np.ndarray})


def asarray(a: Any, dtype: Any = None, order: Any = None, **options: Any) -> Any:
    """`numpy.asarray`, also for recorded values."""
    a = _as_its_array(a)
    if not holds_recorded(a):
        reading_all(a)
        return np.asarray(a, dtype, order, **options)
    return array(a, dtype, copy=False)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """`numpy.asarray_chkfinite`, also for recorded values. Whether they are finite is an outcome."""
    made = asarray(a, dtype, order)
    if not np.all(np.isfinite(made)):
        raise ValueError("array must not contain infs or NaNs")
    return made


def _in_order(order: str) -> Callable[..., Any]:
    original = np.ascontiguousarray if order == "C" else np.asfortranarray

    def function(a: Any, dtype: Any = None, **options: Any) -> Any:
        if not holds_recorded(a):
            return original(a, dtype, **options)
        made: Any = np.atleast_1d(array(a, dtype, copy=False))
        return made if lies(made._value, order) else made.copy(order)

    function.__name__ = function.__qualname__ = original.__name__
    function.__doc__ = f"`numpy.{original.__name__}`, of recorded values too."
    return function


def owned_array(plain: Any) -> Any:
    """A new plain array on the chosen device; a float array inside a run becomes a constant on the tape."""
    tape = active_tape()
    if type(plain) is np.ndarray:
        plain = devices.on_chosen_device(plain)
    recorded = issubclass(type(plain), Value)
    if tape is None or recorded or not devices.is_array(plain) or plain.dtype.kind not in "fc":
        return plain
    return constant(tape, plain)


def _creates(name: str) -> Callable[..., Any]:
    original, is_empty = getattr(np, name), name.startswith("empty")

    def function(*arguments: Any, **options: Any) -> Any:
        # NumPy does not search lists for recorded values.
        if name in SERVED and holds_recorded((*arguments, *options.values())):
            return apply_function(original, arguments, options)
        made = original(*arguments, **options)
        # Numbers that nobody chose would be constants of the program.
        return owned_array(np.zeros_like(made) if is_empty and made.dtype.kind in "fc" else made)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`numpy.{name}`."
    return function


def full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    """`numpy.full`, also for recorded values."""
    if not holds_recorded(fill_value):
        return owned_array(np.full(shape, fill_value, dtype, **options))
    filled = np.broadcast_to(as_array(nested_as_array(fill_value)), shape).copy()
    return filled if dtype is None else filled.astype(dtype)


def full_like(a: Any, fill_value: Any, *arguments: Any, **options: Any) -> Any:
    """`numpy.full_like`, also for recorded values."""
    made = SERVED["full_like"](a, fill_value, *arguments, **options)
    return made if issubclass(type(made), Value) else owned_array(made)


_CREATORS = (
    "zeros", "ones", "empty", "eye", "identity", "zeros_like", "ones_like", "empty_like", "arange", "linspace",
    "logspace", "geomspace", "copy", "tile", "repeat", "diag", "diagflat", "tri", "tril", "triu", "vander",
)  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _creates(name) for name in _CREATORS},
    "array": array, "asarray": asarray, "asanyarray": asarray,
    "asarray_chkfinite": asarray_chkfinite, "ascontiguousarray": _in_order("C"),
    "asfortranarray": _in_order("F"),
    "full": full, "full_like": full_like,
}  # fmt: skip
globals().update(FUNCTIONS)  # pickles name them by this module
