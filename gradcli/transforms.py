"""Gradients of plain Python functions: grad, value_and_grad, jacobian, trace, stop_gradient."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.errors import PointError, ResultError, UsageError, with_article
from gradcli.tape import active, lend
from gradcli.tape.accumulate import UNTOUCHED, Buffer, plain
from gradcli.tape.number import Scalar
from gradcli.tape.recording import Recording, recorded
from gradcli.tape.run import run
from gradcli.tape.structure import CONTAINERS, leaves, map_leaves
from gradcli.tape.sweep import reverse, reverse_recorded
from gradcli.tape.tape import Tape
from gradcli.tape.value import Value, bare, foreign, is_recorded

Argnums = int | tuple[int, ...]

LEAN = functools.partial(Tape, lean=True)


def grad(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The gradient of `f` by the arguments `argnums`, as a function of the same arguments.

    Args:
        f: a plain Python function that returns one real number.
        argnums: which positional arguments to differentiate by; a tuple gives a tuple of gradients.

    Returns:
        A function whose result has the structure of the argument: a float for a number, an array of the same shape
        and type for an array, a list, tuple or dict of these for a list, tuple or dict.  Units: those of the result
        by those of the argument.

    Raises:
        UsageError: `argnums` is no int or tuple of ints.
        ResultError: the result of `f` is not one number.
        PointError: an argument to differentiate by is missing, or holds something that is no number.
        TapeError: the program cannot be followed; the message names the line.

    The program is recorded anew at each call.  Exact but for rounding; the cost is a small multiple of that of `f`,
    whatever the number of arguments (Speelpenning, 1980).
    """
    f, argnums = lend.followed(f), checked_argnums(argnums)

    @functools.wraps(f, updated=())
    def gradient(*arguments: Any, **options: Any) -> Any:
        return _value_and_gradient(f, argnums, arguments, options)[1]

    return gradient


def value_and_grad(f: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The value of `f` and its gradient from one run; arguments, results and errors as for `grad`."""
    f, argnums = lend.followed(f), checked_argnums(argnums)

    @functools.wraps(f, updated=())
    def value_and_gradient(*arguments: Any, **options: Any) -> Any:
        return _value_and_gradient(f, argnums, arguments, options)

    return value_and_gradient


def _value_and_gradient(
    f: Any, argnums: Argnums, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, Any]:
    outer = active.tape()
    single = type(argnums) is int
    places: tuple[int, ...] = (argnums,) if single else argnums  # type: ignore[assignment]
    for n in places:
        if n >= len(arguments) or n < 0:
            refuse_argnum(f, n, arguments)
    f = functools.partial(f, **options) if options else f
    tape, start, entered, result = run(f, arguments, places, outer, new_tape=LEAN)
    value = result._value if type(result) is Scalar and result.tape is tape else number_of(f, result, tape)
    cts = cotangents(tape, start, result, outer is not None) if is_recorded(result) else []
    gradients = [derivatives(entered[n], cts, outer is not None) for n in places]
    if outer is None:
        tape.close()
    return (value if outer is None else result), (gradients[0] if single else tuple(gradients))


def checked_argnums(argnums: Any) -> Argnums:
    """`argnums` as an int or a tuple of ints.

    Raises:
        UsageError: it is neither.
    """
    try:
        return tuple(map(operator.index, argnums)) if isinstance(argnums, (tuple, list)) else operator.index(argnums)
    except TypeError:
        hint = "Arguments are counted from 0: argnums=1 is the second one, argnums=(0, 1) both."
        raise UsageError(f"argnums is {argnums!r}; it has to be an int or a tuple of ints", hint=hint) from None


def refuse_argnum(f: Any, n: int, arguments: tuple[Any, ...]) -> None:
    """Refuse to differentiate by an argument that there is not; one that counts from the end is there.

    Raises:
        PointError: it is not there.
    """
    if not -len(arguments) <= n < len(arguments):
        raise PointError(
            f"argnums asks for argument {n}, but {name_of(f)} was called with {len(arguments)} positional ones",
            hint="Arguments are counted from 0; pass the one to differentiate by positionally.",
        )


def name_of(f: Any) -> str:
    """The name of a function, for messages."""
    name = getattr(f, "__name__", None) or getattr(f, "name", None)  # a rule has the latter
    return name if isinstance(name, str) else type(f).__name__


def number_of(f: Any, result: Any, tape: Tape) -> Any:
    """The plain value of a result, which has to be one real number.

    Raises:
        ResultError: it is not.
        ForeignTapeError: it is recorded, by another gradient.
    """
    value = bare(result)
    if is_recorded(result) and result.tape is not tape:
        foreign()
    if isinstance(value, (float, int)) and not isinstance(value, bool):
        return value
    if not hasattr(value, "dtype") or not hasattr(value, "ndim"):
        raise ResultError(f"{name_of(f)} returned {described(value)}; grad needs one real number", hint=_way_out(value))
    if value.ndim == 0 and value.dtype.kind in "fiu":
        return value[()] if isinstance(value, np.ndarray) else value
    if value.ndim == 0:
        raise ResultError(f"{name_of(f)} returned {with_article(str(value.dtype))}; grad needs one real number")
    hint = "For all derivatives of all results use `jacobian`"
    one = f"; to take its one number, return result[{', '.join('0' * value.ndim)}]."
    hint += one if value.size == 1 else ", or return a number such as its sum."
    raise ResultError(f"{name_of(f)} returned an array of shape {value.shape}; grad needs one real number", hint=hint)


def described(value: Any) -> str:
    """A result that is no number, for messages."""
    if value is None:
        return "None"
    return with_article(type(value).__name__) + (f" of {len(value)}" if isinstance(value, (list, tuple)) else "")


def _way_out(value: Any) -> str:
    if value is None:
        return "Is a `return` missing?"
    if isinstance(value, bool):
        return "A comparison has no derivative; return the number that it compares."
    return "Return one float; for a list or array of results use `jacobian`."


def cotangents(tape: Tape, start: int, result: Value, nested: bool) -> list[Any]:
    """The cotangents of all rows when the result's is 1; recorded themselves inside another transform."""
    if result.index < start:
        return []  # a value from outside, which the inputs do not touch
    value = result._value
    one = 1.0 if type(value) is float else np.ones_like(value)[()]
    return (reverse_recorded if nested else reverse)(tape, result.index, one, start)


def derivatives(entered: Any, cts: list[Any], nested: bool) -> Any:
    """The derivatives by each recorded input in a structure, in the same structure."""
    if type(entered) is list:
        return [
            cts[leaf.index] if type(leaf) is Scalar and leaf.index < len(cts) else derivatives(leaf, cts, nested)
            for leaf in entered
        ]
    return map_leaves(lambda leaf: derivative(leaf, cts, nested), entered)


def derivative(leaf: Value, cts: list[Any], nested: bool) -> Any:
    """The derivative by one recorded input, in its shape and type; zero where the result does not depend on it."""
    found = cts[leaf.index] if leaf.index < len(cts) else UNTOUCHED
    value = leaf._value
    if type(leaf) is Scalar:
        return found
    if found is UNTOUCHED:
        return np.zeros_like(value)[()]
    if nested or not isinstance(value, np.ndarray):
        return plain(found)
    return found.array if type(found) is Buffer else np.array(found)


def trace(f: Callable[..., Any], *arguments: Any, names: bool = True) -> Recording:
    """Record one run of `f` with every argument an input.

    Args:
        f: a plain Python function of any result.
        arguments: numbers, arrays, and lists, tuples and dicts of them.
        names: watch the user's variable names and source lines too, which makes the run several times slower.

    Returns:
        The tape, with `.value`, `.nodes`, `.outcomes`, `.sensitivities()` and `.replay(*arguments)`.
    """
    return recorded(f, arguments, names=names)


def replay(tape: Recording, *arguments: Any) -> Recording:
    """The run at other arguments: the same as `tape.replay(*arguments)`."""
    return tape.replay(*arguments)


def jacobian(f: Callable[..., Any], argnums: Argnums = 0, *, with_value: bool = False) -> Callable[..., Any]:
    """All partial derivatives of all results of `f`, as a function of the same arguments.

    Args:
        f: a plain Python function that returns a number, an array, or a list, tuple or dict of them.
        argnums: which positional arguments to differentiate by; a tuple gives a tuple of Jacobians.
        with_value: return the pair of value and Jacobian.

    Returns:
        A function whose result has the structure of the result of `f`; in place of each number or array of shape
        `out` it has the structure of the argument, with arrays of shape `out + in`.

    The cost is one reverse sweep for each number of the result.
    """
    f, argnums = lend.followed(f), checked_argnums(argnums)
    places = (argnums,) if isinstance(argnums, int) else argnums

    @functools.wraps(f, updated=())
    def jacobian_of_f(*arguments: Any, **options: Any) -> Any:
        outer = active.tape()
        for n in places:
            refuse_argnum(f, n, arguments)
        bound = functools.partial(f, **options) if options else f
        tape, start, entered, result = run(bound, arguments, places, outer)
        check_results(f, result)
        found = [_jacobian(tape, start, entered[n], result, outer is not None) for n in places]
        derivative = found[0] if isinstance(argnums, int) else tuple(found)
        value = map_leaves(bare, result) if outer is None else result
        if outer is None:
            tape.close()
        return (value, derivative) if with_value else derivative

    return jacobian_of_f


def check_results(f: Callable[..., Any], result: Any) -> None:
    """Refuse a result in which something is no real number or array of them, or which is empty.

    Raises:
        ResultError: it is.
    """
    found = leaves(result)
    wrong = [leaf for leaf in map(bare, found) if not _is_real(leaf)]
    if wrong or not found:
        came = described(wrong[0] if wrong else result)
        inside = " inside of its result" if wrong and isinstance(result, CONTAINERS) else ""
        raise ResultError(f"{name_of(f)} returned {came}{inside}; numbers and arrays can be differentiated")


def _is_real(value: Any) -> bool:
    if hasattr(value, "dtype"):
        return value.dtype.kind in "fiu"
    return isinstance(value, (float, int)) and not isinstance(value, bool)


def _jacobian(tape: Tape, start: int, entered: Any, result: Any, nested: bool) -> Any:
    return map_leaves(lambda leaf: _rows_of(tape, start, entered, leaf, nested), result)


def _rows_of(tape: Tape, start: int, entered: Any, result: Any, nested: bool) -> Any:
    """The Jacobian of one number or array of the result: its sweeps stacked, for each input by itself."""
    value = bare(result)
    shape = np.shape(value)
    sweeps = [
        _sweep_from(tape, start, result, place, nested) if is_recorded(result) else [] for place in np.ndindex(shape)
    ]
    if shape == ():
        return derivatives(entered, sweeps[0], nested)
    return map_leaves(lambda leaf: _stacked([derivative(leaf, cts, nested) for cts in sweeps], shape, leaf), entered)


def _sweep_from(tape: Tape, start: int, result: Value, place: tuple[int, ...], nested: bool) -> list[Any]:
    if result.tape is not tape:
        foreign()
    if result.index < start:
        return []
    seed = 1.0 if type(result._value) is float else np.zeros_like(result._value)
    if place:
        seed[place] = 1.0  # type: ignore[index]
    elif type(result._value) is not float:
        seed = np.ones_like(result._value)[()]
    return (reverse_recorded if nested else reverse)(tape, result.index, seed, start)


def _stacked(rows: list[Any], shape: tuple[int, ...], leaf: Value) -> Any:
    inner = np.shape(leaf._value)
    return np.reshape(np.stack(rows), (*shape, *inner)) if rows else np.zeros((*shape, *inner))


def stop_gradient(x: Any) -> Any:
    """`x` as a plain constant, in the structure it came in: no derivative flows through it."""
    return map_leaves(lambda leaf: leaf.stopped() if hasattr(type(leaf), "stopped") else leaf, x)
