"""The inputs of a run: numbers, arrays and structures of them, entered on a tape as its first rows."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli.engine.code.stack_frames import frames_of_ours
from gradcli.engine.tape.memory.stored_operands import LARGEST_COPY, stored_operand
from gradcli.engine.tape.tape import ALIAS, INPUT, Tape, foreign
from gradcli.engine.tape.value import KINDS, Value, make_handle
from gradcli.engine.tape.values.scalar import Scalar
from gradcli.errors import FindingWarning, PointError, with_article
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from gradcli.shared import devices
from gradcli.shared.pytree import WholeNumber, is_structure, map_leaves


def _array_kind() -> type[Value]:
    from gradcli.engine.tape.values.array import Array

    return Array


KINDS.array = _array_kind


def enter_all(tape: Tape, structure: Any) -> tuple[Any, Any]:
    """`structure` with its numbers and arrays entered on `tape`, and a second one for the function to write into.

    A function may change its argument; the rows and the structure of the inputs are unaffected.
    """
    if type(structure) is not list:
        if type(structure) is ndarray or not is_structure(structure):
            handle = enter(tape, structure)
            return handle, handle.to_write_into()
        entered = map_leaves(partial(enter, tape), structure)
        return entered, map_leaves(_to_write_into, entered)
    rows, handles, flat = tape.rows, [], True
    new, operation, index = type.__call__.__get__(Scalar), INPUT, len(rows)
    for item in structure:
        if type(item) is float:  # written out, because every input pays for it
            handle = new()
            handle.tape = tape
            handle.index = index
            handle._value = item
            rows.append((operation, item))
            handles.append(handle)
            index += 1
        else:
            flat = False
            handles.append(item if item is None else enter_all(tape, item)[0])
            index = len(rows)
    if flat and tape.entered + len(handles) == len(rows):
        tape.entered = len(rows)
    return handles, handles.copy() if flat else map_leaves(_to_write_into, handles)


def are_floats(entered: list[Any]) -> bool:
    """Whether a list is one of the handles of floats that the rows of their tape begin with, one after another."""
    return bool(entered) and type(first := entered[0]) is Scalar and first.index + len(entered) <= first.tape.entered


def _to_write_into(leaf: Value) -> Value:
    return leaf.to_write_into()


def enter(tape: Tape, value: Any) -> Any:
    """Enter a number or an array on `tape`. A recorded value becomes an alias.

    Integers and booleans become float64.

    Raises:
        PointError: the value is neither.
    """
    kind = type(value)
    if kind is float:
        return append_input(Scalar, tape, value)
    if issubclass(kind, Value):
        if value.tape is not tape:
            foreign()
        inner = value._value  # a view may have to read its array again
        return append_input(KINDS[type(inner)], tape, inner, value)
    if kind is not ndarray or value.dtype.kind != "f":
        if isinstance(value, complex) and not isinstance(value, np.generic):
            from gradcli.engine.tape.values.complex import Complex

            return append_input(Complex, tape, np.complex128(value))
        if isinstance(value, (int, float)) and not isinstance(value, np.generic):
            return value if kind is WholeNumber else append_input(Scalar, tape, _as_float(value))
        value = _of_floats(value)
    value = devices.on_chosen_device(value)
    is_copied = isinstance(value, ndarray) and not (tape.releases and value.nbytes > LARGEST_COPY)
    value = copy_with_layout(value) if is_copied else stored_operand(value, tape)
    return append_input(KINDS[type(value)], tape, value)


def append_input(kind: type[Value], tape: Tape, value: Any, outer: Value | None = None) -> Any:
    """A handle for a value that is appended to a tape, as an input or as an alias of a value already there."""
    handle = make_handle(kind, tape, value)
    tape.rows.append((INPUT, value) if outer is None else (ALIAS, value, outer.index, value))
    if kind is not Scalar:
        tape.has_arrays = True
        tape.has_complex = tape.has_complex or value.dtype.kind == "c"
    return handle


def _as_float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise PointError(f"an integer of {int(value).bit_length()} bits is too large for a float64") from None


def _of_floats(value: Any) -> Any:
    """Convert an array or a NumPy scalar to real or complex floats.

    Raises:
        PointError: it is neither.
    """
    if hasattr(type(value), "numpy"):  # tensors of TensorFlow, PyTorch and gradcli
        raise PointError(
            f"a {type(value).__name__} is not a point of plain numbers",
            hint="Pass its numbers, x.numpy(); by a tensor a GradientTape takes gradients.",
        )
    dtype = getattr(value, "dtype", None)
    if dtype is None or dtype.kind not in "fciub":
        raise PointError(
            f"{_described(value)} cannot be an input: a number or an array of numbers is needed",
            hint="Pass floats, or lists, tuples, dicts, dataclasses or arrays of them; a field of a dataclass that is "
            'none is declared field(metadata={"static": True}).',
        )
    if isinstance(value, ndarray) and type(value) is not ndarray:
        raise PointError(
            f"{with_article(type(value).__name__)} has arithmetic of its own, which is not supported",
            hint="Pass np.asarray(x).",
        )
    if dtype.kind in "fc":
        return value
    if isinstance(value, ndarray):
        warnings.warn(_TAKEN_AS_FLOATS.format(dtype), FindingWarning, stacklevel=frames_of_ours())
    return value.astype(np.float64)


_TAKEN_AS_FLOATS = (
    "G501: an array of {} is differentiated by; it is taken as float64, and its gradient is one of floats"
)


def _described(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return "None" if value is None else with_article(type(value).__name__)
    return f"an array of {dtype}" if getattr(value, "ndim", 0) else with_article(str(dtype))
