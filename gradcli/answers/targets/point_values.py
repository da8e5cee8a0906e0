"""Numbers of a point: atoms are read, lists of numbers become arrays, and errors name the component."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import ModuleType
from typing import Any

from gradcli.answers.targets.point_lexer import DEEPEST, Atom
from gradcli.errors import ExpressionError, GradcliError, NotFiniteError, PointError
from gradcli.shared.message_wording import first_items, quoted, shortened
from gradcli.shared.pytree import fields, shallow_copy

Path = tuple[str | int, ...]
"""The path of a component: the input's name, then keys and indices."""

_OF_NUMBERS = frozenset("0123456789+-._eE")
# Rarely needed patterns: most atoms are numbers.
_NOT_FINITE = r"[-+]?(?:nan|inf|infinity)"


def structure(given: Any, path: Path, typed: bool = True) -> Any:
    """The value of an input, or of a part of one: a number, an array, or dictionaries, lists and tuples of them.

    `typed` tells a point that was typed or read from a file from a Python object. In a typed point, a list of numbers,
    or of such lists of equal length, becomes an array. In a Python object it stays a list, and booleans are numbers.

    Raises:
        PointError: a part is not numeric, empty, ragged or nested too deeply.
        NotFiniteError: a number is NaN or infinite.
    """
    if len(path) > DEEPEST + 1:
        raise PointError(f"The value of {path[0]} is nested deeper than {DEEPEST}.")
    if isinstance(given, (Mapping, list, tuple)) and not given:
        raise PointError(f"The value of {component(path)} is empty.")
    if isinstance(given, Mapping):
        return {key: structure(value, (*path, _key(key)), typed) for key, value in given.items()}
    if hasattr(type(given), "__dataclass_fields__") and not isinstance(given, type):
        return _object(given, path, typed)
    if isinstance(given, tuple):
        items = _items(given, path, typed)
        return type(given)(*items) if hasattr(given, "_fields") else tuple(items)
    if isinstance(given, list):
        return joined(given, path) if typed else _items(given, path, typed)
    if hasattr(given, "dtype") and isinstance(getattr(given, "shape", None), tuple):  # NumPy itself has functions there
        return array(given, path, typed)
    return number(given, path, typed)


def _object(given: Any, path: Path, typed: bool) -> Any:
    """A copy of a dataclass instance with its numbers read as in a structure; strings, booleans and None are kept."""
    changed = shallow_copy(given)
    for name in fields(given):
        part = getattr(given, name)
        if not isinstance(part, (str, bytes, bool, type(None))):
            object.__setattr__(changed, name, structure(part, (*path, name), typed))
    return changed


def refuse_objects(values: Mapping[str, Any]) -> None:
    """Refuse objects with fields, and lists that contain them, as values of names in a formula.

    Raises:
        PointError: a value is, or contains, such an object.
    """
    for name, value in values.items():
        if (fields := _first_object(value)) is not None:
            came = f"an object with {', '.join(map(str, fields)) or 'no fields'}"
            came = came if fields is value else f"a list that contains {came}"
            message = f"An expression takes a number or an array for {name}, not {came}."
            raise PointError(message, hint=f"Type {name}=1, or {name}=[1,2].")


def _first_object(value: Any) -> Mapping[Any, Any] | None:
    if isinstance(value, (list, tuple)):
        nested = (_first_object(item) for item in value if isinstance(item, (list, tuple, dict)))
        return next((inner for inner in nested if inner is not None), None)
    return value if isinstance(value, Mapping) else None


def component(path: Path) -> str:
    """The name of a component: `x`, `x[0,1]`, `params.w[2]`."""
    name = str(path[0])
    for before, step in pairwise(path):
        if isinstance(step, str):
            name += f".{shortened(step)}"
        elif isinstance(before, int):
            name = f"{name[:-1]},{step}]"
        else:
            name += f"[{step}]"
    return name


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise PointError(f"The name of a value must be text, not {quoted(str(key))}.")
    return key


def _items(given: Iterable[Any], path: Path, typed: bool) -> list[Any]:
    return [structure(item, (*path, place), typed) for place, item in enumerate(given)]


def joined(given: list[Any], path: Path) -> Any:
    """Join a list of numbers, or of such lists of equal length, to an array; other lists stay lists.

    Raises:
        PointError: the lists differ in length, or `structure` refuses an item.
    """
    items = given if all(type(item) is float for item in given) else _items(given, path, typed=True)
    if not all(isinstance(item, list) or is_number(item) for item in given) or any(map(_is_nested, items)):
        return items
    import numpy as np

    shapes = {np.shape(item) for item in items}
    if len(shapes) > 1:
        raise PointError(f"The parts of {component(path)} have different lengths.", hint=_lengths(items))
    return _finite(np.array(items, dtype=_common(items)), path)


def _is_nested(item: Any) -> bool:
    return isinstance(item, (dict, list, tuple))


def _common(items: list[Any]) -> Any:
    """The dtype for a list of numbers: complex128 if an item is complex, else float64."""
    import numpy as np

    return complex if any(map(np.iscomplexobj, items)) else float


def _lengths(items: list[Any]) -> str:
    import numpy as np

    shown = ["a number" if np.ndim(item) == 0 else f"a list of {len(item)}" for item in items]
    return f"They are {first_items(shown, 4)}; an array needs equal ones: [[1,2],[3,4]]."


def is_number(given: Any) -> bool:
    """Whether a part of a point is a single number, or text that stands for one."""
    return isinstance(given, (Atom, numbers.Number))


def array(given: Any, path: Path, typed: bool = True) -> Any:
    """Prepare an array of a point: integers and booleans become float64, and a typed array of no dimension a number.

    Raises:
        PointError: the array is empty or not numeric.
        NotFiniteError: a number is NaN or infinite.
    """
    import numpy as np

    if hasattr(type(given), "numpy"):
        raise PointError(
            f"The value of {component(path)} is a {type(given).__name__}.", hint="Pass its numbers, x.numpy()."
        )
    kind = getattr(given.dtype, "kind", "O")
    if kind not in tuple("fciu" if typed else "fciub"):
        raise PointError(f"The value of {component(path)} is not made of numbers: its type is {given.dtype}.")
    if math.prod(given.shape) == 0:
        raise PointError(f"The value of {component(path)} is empty: its shape is {given.shape}.")
    if kind in "iub":
        given = given.astype(np.float64)
    elif not given.dtype.isnative:
        given = given.astype(given.dtype.newbyteorder("="))
    _finite(given, path)
    if given.shape or not typed:
        return given
    single = given[()]
    return single.item() if type(single) in (np.float64, np.complex128) else single


def _finite(values: Any, path: Path) -> Any:
    import numpy as np

    finite = np.isfinite(values)
    if finite.all():
        return values
    place = tuple(int(index[0]) for index in np.nonzero(~finite)) if finite.shape else ()
    raise _not_finite((*path, *place), float(abs(values[place])))


def number(given: Any, path: Path, typed: bool = True) -> Any:
    """A single number as a float or complex number.

    Raises:
        PointError: the value is not a number, or too large for one.
        NotFiniteError: the number is NaN or infinite.
    """
    if isinstance(given, Atom):
        return _atom(given, path)
    if isinstance(given, bool) and typed:
        raise _no_number(path, f"{str(given).lower()}, ", "a boolean")
    if isinstance(given, str):
        raise _no_number(path, f"{quoted(given)}, ", "a string", given)
    if not isinstance(given, numbers.Number):
        of_type = "a module" if isinstance(given, ModuleType) else f"of type {type(given).__name__}"
        raise _no_number(path, "", "null" if given is None else of_type)
    try:
        value = complex(given) if isinstance(given, complex) else float(given)  # type: ignore[arg-type]
    except (OverflowError, ValueError, TypeError) as error:
        raise PointError(f"The value of {component(path)} is not a floating-point number: {error}.") from None
    return _finite_number(value, path)


def _finite_number(value: Any, path: Path) -> Any:
    import cmath

    if not cmath.isfinite(value):
        raise _not_finite(path, abs(value) if isinstance(value, complex) else value)
    return value


def _not_finite(path: Path, value: float) -> NotFiniteError:
    what = "NaN" if math.isnan(value) else "infinite"
    return NotFiniteError(f"The value of {component(path)} is {what}; a gradient needs a finite point.")


def _no_number(path: Path, shown: str, what: str, text: str = "") -> PointError:
    """The error for a value that is no number; for a text, the hint says how a function gets one."""
    hint = f"Write a function of the numbers alone that passes {text[:40]!r}, and name that." if text else None
    return PointError(f"The value of {component(path)} is {shown}{what}; a number is needed.", hint=hint)


def _atom(text: Atom, path: Path) -> float:
    from gradcli.mathematics.language.vocabulary import CONSTANTS

    if not text:
        raise PointError(f"The value of {component(path)} is missing; a number is needed.")
    if _OF_NUMBERS.issuperset(text) and (value := plain_number(text)) is not None:
        return value
    if re.fullmatch(_NOT_FINITE, text, re.IGNORECASE):
        return float(_finite_number(float(text), path))
    if text[0] in "\"'":
        raise _no_number(path, f"{quoted(text[1:-1])}, ", "a string", text[1:-1])
    if text.isidentifier() and text not in CONSTANTS:
        raise _no_number(path, f"{quoted(text)}, ", "a word", text)
    return _constant(text, path)


def plain_number(text: str) -> float | None:
    """A number in Python's or JSON's spelling, or None if the text is not a number.

    Raises:
        PointError: the number is too large for a float64.
    """
    try:
        value = float(text)
    except ValueError:
        return None
    if math.isinf(value):
        raise PointError(f"The number {quoted(text)} is too large: the largest float64 is 1.8e308.")
    return value


def _constant(text: str, path: Path) -> float:
    """The value of an expression without inputs, such as `pi/4`, under IEEE 754."""
    from gradcli.mathematics import rules
    from gradcli.mathematics.language import input_names, parse
    from gradcli.mathematics.language.evaluation import evaluate
    from gradcli.mathematics.language.vocabulary import CONSTANTS

    try:
        tree = parse(text)
    except ExpressionError as error:
        message = f"In the value of {component(path)}: {error.message}"
        hint = "Numbers are typed 1,2 and an array [1,2]."
        raise ExpressionError(message, text, error.start, error.end, hint=hint) from None
    if unknown := [name for name in input_names(tree) if name not in CONSTANTS]:
        raise _no_number(path, f"{quoted(text)}, but ", f"{quoted(unknown[0])} has no value")
    try:
        value = evaluate(tree, CONSTANTS, rules.functions(), number=float)
    except GradcliError:
        raise
    except Exception as error:
        raise _no_number(path, f"{quoted(text)}, ", f"which has no value ({error})") from None
    return float(number(value, path))
