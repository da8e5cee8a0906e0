"""Results of functions that must return one real number, and the errors for all others."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.running.bound_call import name_of
from gradcli.engine.running.recorded_run import unwrapped
from gradcli.engine.tape.tape import Tape, foreign
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import ResultError, with_article
from gradcli.shared.pytree import is_structure, leaves


def number_of(f: Any, result: Any, tape: Tape | None = None, needed_by: str = "grad") -> Any:
    """The plain value of a result, which must be one real number; errors name the derivative that needs it.

    Raises:
        ResultError: it is not.
        ForeignTapeError: it was recorded by another gradient.
    """
    value = plain_value(result if is_recorded(result) else unwrapped(f, result))
    if is_recorded(result) and result.tape is not tape:
        foreign()
    if isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return _within_floats(f, value)
    if not hasattr(type(value), "dtype") or not hasattr(type(value), "ndim") or hasattr(type(value), "numpy"):
        raise ResultError(
            f"{name_of(f)} returned {result_description(value)}; {needed_by} needs one real number",
            hint=_way_out(value),
        )
    if value.ndim == 0 and value.dtype.kind in "fiu":
        return value[()] if isinstance(value, np.ndarray) else value
    if value.ndim == 0 or value.dtype.kind not in "fiuc":
        came = result_description(value) if value.ndim else with_article(str(value.dtype))
        raise ResultError(f"{name_of(f)} returned {came}; {needed_by} needs one real number", hint=_way_out(value))
    raise ResultError(
        f"{name_of(f)} returned an array of shape {value.shape}; {needed_by} needs one real number",
        hint=_one_of(name_of(f), value, needed_by),
    )


def _one_of(name: str, value: Any, needed_by: str) -> str:
    """What to type for one number of an array."""
    first = ", ".join("0" * value.ndim)
    if not name.isidentifier():
        return f"Type sum({name}) for one number; `jacobian` has all derivatives."
    if needed_by not in ("grad", "hessian"):
        return f"Write a function of one result, such as lambda x: {name}(x)[{first}]; `jacobian` has all derivatives."
    one = f"; to use its only element, return result[{first}]."
    rest = one if value.size == 1 else ", or return a number such as its sum."
    return "For all derivatives of all results use `jacobian`" + rest


def _within_floats(f: Any, value: int) -> int:
    try:
        float(value)
    except OverflowError:
        message = f"{name_of(f)} returned an integer of {value.bit_length()} bits, more than a float can hold"
        raise ResultError(message, hint="Return its logarithm: math.log takes integers of any size.") from None
    return value


def check_results(f: Callable[..., Any], result: Any) -> None:
    """Refuse a result that is empty, or contains something other than numbers and arrays of them.

    Raises:
        ResultError: it is such a result.
    """
    flat = leaves(result)
    wrong = [leaf for leaf in map(plain_value, flat) if not _is_number(leaf)]
    if wrong or not flat:
        came = result_description(wrong[0] if wrong else result)
        inside = " inside of its result" if wrong and is_structure(result) else ""
        raise ResultError(f"{name_of(f)} returned {came}{inside}; numbers and arrays can be differentiated")


def _is_number(value: Any) -> bool:
    if hasattr(type(value), "dtype"):
        return value.dtype.kind in "fciu"
    return isinstance(value, (complex, float, int)) and not isinstance(value, bool)


def result_description(value: Any) -> str:
    """A result that is not a number, for messages. A coroutine is closed, as nothing will await it."""
    if isinstance(value, types.CoroutineType):
        value.close()
    if value is None:
        return "None"
    if isinstance(value, types.ModuleType):
        return "a module"
    if _is_derivative(value):
        return "a function"
    if isinstance(value, np.ndarray):
        return f"an array of {KINDS.get(value.dtype.kind, value.dtype)}"
    return with_article(type(value).__name__) + (f" of {len(value)}" if isinstance(value, (list, tuple)) else "")


def _is_derivative(value: Any) -> bool:
    from gradcli.methods.transforms.picklable_derivative import DerivativeFunction

    return isinstance(value, DerivativeFunction)


KINDS = {
    **{"O": "Python objects", "c": "complex numbers", "b": "truth values"},
    **dict.fromkeys("fiu", "numbers"),
    **dict.fromkeys("US", "text"),
}  # by the kind of a dtype
OF_COMPLEX = (
    "Return its real part np.real(z), its imaginary part np.imag(z) or its size abs(z); or use `jacobian`. A power "
    "such as d ** 0.5 is complex where d is negative."
)


def _way_out(value: Any) -> str:
    if isinstance(value, complex) or getattr(value, "dtype", np.dtype(float)).kind == "c":
        return OF_COMPLEX
    if isinstance(value, np.ndarray) and value.dtype.kind == "O":
        return "Return an array of floats, such as result.astype(float)."
    if hasattr(type(value), "numpy"):
        return "It does not depend on the inputs. Return y.numpy(), or take the gradient of a tensor by a GradientTape."
    if value is None:
        return "Is a `return` missing?"
    if isinstance(value, types.CoroutineType):
        return "An `async` function has no result yet: differentiate lambda x: asyncio.run(f(x))."
    if isinstance(value, types.GeneratorType):
        return "`yield` makes a generator of the function: return one number, such as the sum of what it yields."
    if isinstance(value, (bool, np.bool_)):
        return "A comparison has no derivative; return the number that it compares."
    if isinstance(value, str) or (isinstance(value, np.ndarray) and value.dtype.kind in "US"):
        return "Return the number itself, not its text."
    if isinstance(value, dict):
        return "Return one of its values; for a list or array of results use `jacobian`."
    if isinstance(value, types.FunctionType) or _is_derivative(value):
        return "Give the returned function a name in the file, such as g = make(3), and differentiate g."
    return "Return one float; for a list or array of results use `jacobian`."
