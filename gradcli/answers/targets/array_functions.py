"""The array functions of formulas at the prompt: lists, elements, and functions of NumPy and SciPy."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from gradcli.errors import GradcliError, PointError
from gradcli.mathematics.language.syntax import LIST
from gradcli.mathematics.language.vocabulary import MANY, Signature

Function = Callable[..., Any]

_WORDS = {
    "numpy": """
        array arange linspace logspace geomspace zeros ones eye diag diagonal trace tril triu outer inner vdot
        cross kron matmul transpose reshape ravel flip roll repeat tile cumsum cumprod trapezoid interp var std
        median sort polyval convolve correlate amax amin ptp
    """,
    "numpy.linalg": "norm det inv pinv solve cholesky eigvalsh cond matrix_power",
    "scipy.special": "logsumexp softmax log_softmax",
}
WORDS = {word: module for module, words in _WORDS.items() for word in words.split()}
_COUNTS = {
    **dict.fromkeys(("zeros", "ones", "eye"), 0),
    **dict.fromkeys(("reshape", "tile", "repeat", "roll", "matrix_power"), 1),
    **dict.fromkeys(("linspace", "logspace", "geomspace"), 2),
}
"""The positions from which on arguments are counts or shapes."""


def is_sized(name: str) -> bool:
    """Whether a number decides how large the result of an array function is."""
    return name.removeprefix("numpy.") in {"arange", *_COUNTS}


def is_array_word(name: str) -> bool:
    """Whether a function is one of NumPy or SciPy that only the prompt has."""
    return name.removeprefix("numpy.") in WORDS


def calls_in_python(names: Iterable[str]) -> dict[str, str]:
    """The array functions among some names as Python calls them; those that take counts or shapes are left out."""
    words = {name: name.removeprefix("numpy.") for name in names if is_array_word(name) and not is_sized(name)}
    modules = {"numpy": "np", "numpy.linalg": "np.linalg", "scipy.special": "special"}
    return {name: f"{modules[WORDS[word]]}.{word}" for name, word in words.items()}


class _Functions(dict[str, Function]):
    """The functions by name, each made on first use."""

    def __missing__(self, name: str) -> Function:
        if name == LIST:
            return _joined
        if name.startswith("["):
            return _element(name)
        if not is_array_word(name):
            raise KeyError(name)
        return self.setdefault(name, _in_formulas(name.removeprefix("numpy.")))


SIGNATURES: Mapping[str, Signature] = {
    name: Signature(0, MANY, may_be_input=True) for word in WORDS for name in (word, f"numpy.{word}")
}
"""The arguments of the array functions; NumPy itself refuses a wrong number."""

FUNCTIONS: Mapping[str, Function] = _Functions()
"""The array functions by name, `[]` for a list and `[0]` for an element. They accept recorded values.

Raises:
    PointError: the arguments do not fit the function.
"""


def _joined(*items: Any) -> Any:
    """A list as an array of floats."""
    import numpy as np

    from gradcli import numpy

    shapes = {np.shape(item) for item in items}
    if len(shapes) > 1:
        raise PointError(
            "The parts of a list have different lengths.", hint="Type rows of equal length: [[1,2],[3,4]]."
        )
    joined = numpy.array(items)
    return joined * 1.0 if joined.dtype.kind in "iub" else joined


def _element(name: str) -> Function:
    index = tuple(map(_place, name[1:-1].split(",")))

    def element(array: Any) -> Any:
        """The element, the row, or the slices, at the index."""
        shape = getattr(array, "shape", ())
        if len(index) > len(shape) or not all(
            isinstance(place, slice) or -n <= place < n for place, n in zip(index, shape, strict=False)
        ):
            came = f"an array of shape {shape}" if shape else "a number"
            hint = f"The last element is {[n - 1 for n in shape]}." if shape else "An array is typed [1, 2]."
            raise PointError(f"{came} has no element {name}.".capitalize(), hint=hint)
        return array[index]

    return element


def _place(text: str) -> int | slice:
    """A part of an index as typed: a whole number, or a slice such as `1:3`."""
    if ":" not in text:
        return int(text)
    return slice(*(int(part) if part.strip() else None for part in text.split(":")))


def _in_formulas(word: str) -> Function:
    """A function of NumPy or SciPy whose errors concern the values that it was given."""
    from gradcli.shared.memory_limit import a_part_of_memory

    function = _of_library(word)

    def call(*arguments: Any) -> Any:
        first = _COUNTS.get(word, len(arguments))
        try:
            with a_part_of_memory() if is_sized(word) else nullcontext():
                result = function(*arguments[:first], *map(_whole, arguments[first:]))
        except GradcliError:
            raise
        except (TypeError, ValueError, IndexError, MemoryError) as error:  # LinAlgError is a ValueError
            raise PointError(f"{word}: {str(error).rstrip('.')}.") from error
        kind = getattr(getattr(result, "dtype", None), "kind", "")
        return result * 1.0 if kind in ("i", "u", "b") else result

    return call


def _of_library(word: str) -> Function:
    from gradcli.engine.patching.shims.modules import module
    from gradcli.mathematics.language.special_functions import missing_scipy_error

    name = WORDS[word]
    try:
        plain = importlib.import_module(name)
    except ImportError:
        raise missing_scipy_error(word) from None
    function: Function = getattr(module(name) or plain, word)
    return function


def _whole(argument: Any) -> Any:
    """A count or a shape, which formulas compute in floats, as integers."""
    import numpy as np

    from gradcli.mathematics.rules.function_registry import decides, plain_value

    decides(argument)
    value = plain_value(argument)
    if isinstance(value, np.ndarray):
        return tuple(map(_whole, value.tolist()))
    return int(value) if isinstance(value, float) and value.is_integer() else value
