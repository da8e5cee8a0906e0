"""Conversions of a recorded array to another dtype, and to Python numbers."""

from __future__ import annotations

from inspect import isclass
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import TEXT
from gradcli.engine.tape.value import outcome, record
from gradcli.engine.tape.values.in_place_writes import real_part
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.shape import CAST
from gradcli.shared import devices


def item(array: Any, *args: Any) -> Any:
    """One element as a recorded Python float or complex; a longdouble stays one, as in NumPy."""
    if args:
        place = args[0] if len(args) == 1 else args
        return (array[place] if isinstance(place, tuple) else array.reshape(-1)[place]).item()
    number = array
    if devices.is_array(array._value):
        number = array.reshape(()) if array.size == 1 else array._value.item()  # raises NumPy's error
    if array.dtype.char in "gG":
        return number[()]
    if array.dtype.kind == "c":
        from gradcli.engine.tape.values.complex import as_python

        return as_python(record(CAST, (number,), {"dtype": np.dtype(complex)}))
    return record(CAST, (number,), {"dtype": float})


def tolist(array: Any) -> Any:
    """The elements as nested lists of recorded Python floats."""
    return array.item() if array.ndim == 0 else [row.tolist() for row in array]


def view(array: Any, dtype: Any = None, type: Any = None) -> Any:
    """A view in the same dtype. Reinterpreting the bits in another dtype is refused."""
    asked = [x for x in (dtype, type) if x is not None]
    if all(x is np.ndarray or (type is None and np.dtype(x) == array.dtype) for x in asked):
        return array[...]
    for kind in asked:
        if isclass(kind) and issubclass(kind, np.ndarray):
            package = kind.__module__.partition(".")[0]
            is_own = package == "__main__" or package.startswith("gradcli_target_")
            name = f"the class {kind.__name__}" if is_own else f"{package}.{kind.__name__}"
            raise UnsupportedError(
                f"{name} has no derivative rule",
                hint="Use numpy.array, with @ for products of matrices." if kind is np.matrix else "Use numpy.array.",
            )
    raise UnsupportedError(
        "numpy.ndarray.view in another type has no derivative rule",
        hint="The nearest supported spelling is .astype(dtype); complex numbers can be made by x[0::2] + "
        "1j * x[1::2], and np.frexp and np.signbit split a number.",
    )


def astype(array: Any, dtype: Any, *_: Any, copy: bool = True, **__: Any) -> Any:
    """Cast the array. A cast to integers or booleans is an outcome; a cast from complex to real takes the real part.

    Like NumPy, it warns when it discards imaginary parts.
    """
    dtype = np.dtype(dtype)
    if dtype == array.dtype:
        return array.copy("K") if copy else array
    if dtype.kind not in "fc":
        return _as_fact(array, dtype)
    part = real_part(array) if dtype.kind == "f" != array.dtype.kind else array
    return part if part.dtype == dtype else record(CAST, (part,), {"dtype": dtype})


def _as_fact(array: Any, dtype: Any) -> Any:
    """The plain array in a dtype without derivative: integers, booleans, text."""
    if dtype.kind not in "biuSUT":
        raise UnsupportedError(
            f"numpy.ndarray.astype({dtype}) has no derivative rule",
            hint="The nearest supported spelling is .tolist(), or a list of the numbers.",
        )
    return outcome("astype" if dtype.kind in "biu" else TEXT, call_of(_astype, dtype), array)


def _astype(x: Any, dtype: Any) -> Any:
    return x.astype(dtype)
