"""Dispatch of NumPy functions on recorded values to the rules, and writing of results to `out=`."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from itertools import takewhile, zip_longest
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import NUMPY_CODES, is_ours
from gradcli.engine.tape.concretization_errors import WRITTEN, is_operator, leak
from gradcli.engine.tape.data_outcome_handle import called_by_name
from gradcli.engine.tape.tape import TEXT
from gradcli.engine.tape.value import Value, outcome, plain_value
from gradcli.mathematics.rules.function_registry import FUNCTIONS, INNER, SEQUENCES, unsupported
from gradcli.mathematics.rules.nondifferentiable import LENGTHS, NUMPY, SHAPES, TEXTS
from gradcli.shared import devices


def list_as_array(x: Any) -> Any:
    """A list or tuple with recorded values as one recorded array; anything else unchanged."""
    return nested_as_array(x) if issubclass(type(x), (list, tuple)) and holds_recorded(x) else x


def holds_recorded(x: Any) -> bool:
    """Whether nested lists and tuples contain a recorded value."""
    if issubclass(type(x), (list, tuple)):
        return any(map(holds_recorded, x))
    return issubclass(type(x), Value)


def nested_as_array(x: Any) -> Any:
    """Nested lists and tuples of recorded and plain numbers as one recorded array."""
    if issubclass(type(x), Value):
        return x
    if holds_recorded(x):
        return np.stack([nested_as_array(item) for item in x])
    made = np.asarray(x)
    return made if made.dtype.kind == "c" else made.astype(float, copy=False)


def operand(x: Any) -> Any:
    """An operand of a ufunc: lists, tuples and sparse arrays become arrays, recorded if they contain recorded values.

    Raises:
        UnsupportedError: it is a sparse matrix, by whose operator `*` another operation is meant.
    """
    kind = type(x)
    if issubclass(kind, (list, tuple)):
        return nested_as_array(x) if holds_recorded(x) else np.asarray(x)
    if kind.__module__.startswith("scipy.sparse."):
        if not kind.__name__.endswith("_array"):
            raise unsupported(f"scipy.sparse.{kind.__name__}")
        return x.toarray()
    return x


def write(out: Any, result: Any, name: str) -> Any:
    """Write a result into the array `out`, as NumPy does, and return that array."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    check_target(target, result, name)
    shape = np.shape(target)
    if np.broadcast_shapes(np.shape(result), shape) != shape:
        raise ValueError(f"out= has the shape {shape}, the result of numpy.{name} {np.shape(result)}")
    if np.iscomplexobj(result) and not np.iscomplexobj(target):
        raise TypeError(f"cannot cast the complex result of numpy.{name} to out= of {target.dtype}")
    target[...] = result
    return target


def to_write(target: Any, inputs: Iterable[Any], references: int) -> Any:
    """What takes the place of a plain array in `target += x`; the array itself if nothing can, and in calls.

    Args:
        target: the array.
        inputs: the operands.
        references: to the tuple that holds the array.
    """
    tape = next((x.tape for x in inputs if issubclass(type(x), Value)), None)
    if tape is None or type(target) is not np.ndarray:
        return target
    frame = sys._getframe(1)
    way: list[Any] = [references]  # by which it came here
    while is_ours(frame) and frame.f_back is not None:
        way.append(frame.f_code.co_qualname)
        frame = frame.f_back
    taken = tape.run.array_to_write(tape, target, ("operator", *way)) if is_operator(frame) else None
    return target if taken is None else taken


def check_target(target: Any, result: Any, name: str) -> None:
    """Refuse a target whose change the tape would not see."""
    if issubclass(type(result), Value) and not issubclass(type(target), Value):
        leak(result, WRITTEN)
    if not devices.is_array(plain_value(target)):
        raise unsupported(f"numpy.{name} with out= a number")


def apply_function(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Apply a NumPy function to arguments that contain a recorded value."""
    if devices.THREAD.chosen:
        args, options = _placed(args), {key: _placed(item) for key, item in options.items()}
    plainly, most, names = _direct(function)
    if len(args) <= most and options.keys() <= names and LISTS.isdisjoint(map(type, (*args, *options.values()))):
        return plainly(*args, **options)
    name = name_of(function)
    if name in SHAPES:
        for x in args if name in LENGTHS else ():
            if issubclass(type(x), Value) and x.tape.run.data is not None:
                x.tape.run.data.tell_shape(x)
        return function(*map(_deep_bare, args), **{key: _deep_bare(item) for key, item in options.items()})
    if name in FUNCTIONS:
        return _call_served(function, name, args, options)
    if name in NUMPY:
        operands = map(list_as_array, (*args, *options.values()))  # an outcome that a replay can recompute
        return outcome(TEXT if name in TEXTS else name, called_by_name(function, tuple(options)), *operands)
    if str(function.__module__).startswith("numpy.polynomial."):
        return function._implementation(*args, **options)  # written in Python, with the names it uses patched
    raise unsupported(full_name(name))


NUMPY_CODES.add(apply_function.__code__)


LISTS = frozenset((list, tuple))


@cache
def _direct(function: Any) -> tuple[Callable[..., Any], float, frozenset[str]]:
    """The implementation of a function, and the positional arguments and names it accepts without `out=`."""
    name = name_of(function)
    if name not in FUNCTIONS or name in SHAPES:
        return unsupported, -1, frozenset()
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    names = frozenset(parameter.name for parameter in parameters) - {"out"}
    places = [parameter.name for parameter in parameters if parameter.kind in _BY_PLACE]
    most = math.inf if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters) else len(places)
    return FUNCTIONS[name], places.index("out") if "out" in places else most, names


_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _call_served(function: Any, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Call the implementation of a function, with lists of recorded numbers as arrays; write the result to `out=`.

    Raises:
        UnsupportedError: an option has no derivative rule.
        TypeError: the function itself has no such option.
    """
    parameters, out_at, takes_all = _parameters(name)
    for option in options.keys() - set(parameters) - {"out"}:
        with suppress(ValueError):  # a function in C may have no signature
            inspect.signature(function).bind_partial(**{option: None})  # which refuses an option that it has not
        if not takes_all:
            raise unsupported(f"{full_name(name)} with {option}=")
    out = options.pop("out", None)
    if out_at is not None and len(args) > out_at:
        out, args = args[out_at], (*args[:out_at], None, *args[out_at + 1 :])
    if (lists := SEQUENCES[name]) is not None:
        args = tuple(
            _items(x) if p in lists else list_as_array(x) for p, x in zip_longest(parameters[: len(args)], args)
        )
        options = {key: _items(x) if key in lists else list_as_array(x) for key, x in options.items()}
    result = FUNCTIONS[name](*args, **options)
    return result if out is None or out is np._NoValue else write(out, result, name)


def _items(x: Any) -> Any:
    """A list or tuple of arrays, with its lists of recorded numbers converted to arrays; anything else unchanged."""
    if issubclass(type(x), tuple):
        return tuple(map(list_as_array, x))
    return list(map(list_as_array, x)) if issubclass(type(x), list) else x


def _placed(x: Any) -> Any:
    """Plain arrays among arguments, copied to the chosen device; not integer arrays, which may be indices or counts."""
    if type(x) in (list, tuple):
        return type(x)(map(_placed, x))
    return devices.on_chosen_device(x) if devices.is_array(x) and x.dtype.kind in "fcb" else x


@cache
def _parameters(name: str) -> tuple[tuple[str, ...], int | None, bool]:
    """The parameter names of an implementation, the position of `out`, and whether it accepts other names."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    names = tuple(parameters)
    return names, names.index("out") if "out" in names and parameters["out"].kind is not _BY_NAME else None, takes_all


_BY_NAME = inspect.Parameter.KEYWORD_ONLY


def name_of(function: Any) -> str:
    """The name of a function within `numpy`, such as `linalg.norm` or `add.outer`, or its full name in SciPy."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{owner.__name__}.{function.__name__}"
    module = getattr(function, "__module__", "numpy") or "numpy"
    library, _, inner = module.partition(".")
    if module in INNER:
        return f"{module}.{function.__name__}"
    if library == "scipy":
        public = takewhile(lambda part: not part.startswith("_"), inner.split("."))
        return ".".join(("scipy", *public, function.__name__))
    if inner == "lib.scimath":
        return f"emath.{function.__name__}"
    return f"{inner}.{function.__name__}" if inner in ("linalg", "fft") else str(function.__name__)


def full_name(name: str) -> str:
    """A function's name for messages, with its library."""
    return name if name.startswith("scipy.") else f"numpy.{name}"


def _deep_bare(x: Any) -> Any:
    return type(x)(map(_deep_bare, x)) if issubclass(type(x), (list, tuple)) else plain_value(x)
