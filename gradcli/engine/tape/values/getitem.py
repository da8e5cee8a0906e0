"""Recording of `x[key]` and of numbers written at an index: copies of `record`, as they dominate the time of loops."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

from numpy import float32, float64, ndarray

from gradcli.engine.tape.accumulation import UNTOUCHED, hand_over, owned_cotangent
from gradcli.engine.tape.memory import released_arrays
from gradcli.engine.tape.memory.reference_counts import HELD_ONCE, owned_copy
from gradcli.engine.tape.memory.released_arrays import LARGE, without_unread
from gradcli.engine.tape.pullbacks import Pull, array_operation
from gradcli.engine.tape.tape import CONSTANT, DataHandle, Row, RowOperation
from gradcli.engine.tape.value import KINDS, Value, outcome
from gradcli.mathematics.rules.indexing import INDEX, PUT
from gradcli.shared import devices

MOST = 1 << 12  # the most integer indices whose operation is cached


def read_number(array: Any, key: Any) -> Any:
    """The recorded number at an index in a recorded array; None if `read_item` must read there.

    The key is an int or a tuple of ints, one per axis.
    """
    tape = array.tape
    if tape.run.data is not None or tape.run.written:
        return None
    whole = array._value
    value = whole[key]
    kind = type(value)
    if kind is not float64 and kind is not float32:
        return None
    handle: Any = KINDS[kind]()
    rows = tape.rows
    handle.tape = tape
    handle.index = len(rows)
    handle._value = value
    rows.append((_by_number.get(key) or _operation(key), value, array.index, whole))
    return handle


def read_item(array: Any, key: Any) -> Any:
    """The recorded array or number at `key` in a recorded array."""
    whole, tape = array._value, array.tape
    value = whole[key]
    if tape.run.data is not None:
        tape.run.data.read(tape, key)
    row = (_operation(key), value, array.index, whole)
    if tape.releases and value.size > LARGE:
        row = without_unread(row, tape.rows)
    handle = object.__new__(KINDS[type(value)])
    rows = tape.rows
    handle.tape, handle.index, handle._value = tape, len(rows), value
    rows.append(row)
    return handle


_by_number: dict[Any, RowOperation] = {}


def write_number(array: Any, key: Any, item: Any) -> bool:
    """Write a number at an index of an array in double precision that owns its memory; False if that needs another way.

    The key is an int or a tuple of ints, one per axis.
    """
    tape, whole, kind = array.tape, array._value, type(item)
    run, is_float = tape.run, kind is KINDS[float]
    is_recorded = is_float or kind is KINDS[float64]
    if (is_recorded and item.tape is not tape) or not (is_recorded or kind is float or kind is int):
        return False
    if type(whole) is not ndarray or whole.dtype.char != "d" or run.data is not None or run.exported:
        return False
    new = whole.copy("K")
    if new.strides != whole.strides or (tape.releases and whole.size > released_arrays.LARGE):
        return False
    new[key] = value = item._value if is_recorded else item
    row = (_write_operation(key, is_recorded, is_float), new, array.index, whole)
    rows = tape.rows
    rows.append((*row, item.index if is_recorded else CONSTANT, value))
    array.index, array._value = len(rows) - 1, new
    return True


_writes: dict[Any, RowOperation] = {}


def _write_operation(key: Any, is_recorded: bool, is_float: bool) -> RowOperation:
    known = _writes.get((key, is_recorded, is_float))
    if known is None:
        known = array_operation(PUT, (0, 1) if is_recorded else (0,), {"key": key})
        known.pull = known.pull_large = _pull_written_at(key, is_recorded, is_float)
        if len(_writes) < MOST:
            _writes[key, is_recorded, is_float] = known
    return known


def _pull_written_at(key: Any, is_recorded: bool, is_float: bool) -> Callable[..., None]:
    """The pullback of a number, recorded or not, of NumPy or a Python float, written at an index."""

    def pull(ct: Any, cts: list[Any], row: Row, is_own: bool = False) -> None:
        if is_recorded:
            part, present = ct[key], cts[row[4]]
            part = float(part) if is_float else part
            cts[row[4]] = part if present is UNTOUCHED else present + part
        left = ct if is_own else owned_copy(ct)
        left[key] = 0.0
        hand_over(cts, row[2], left)

    return pull


def axes_of_index(key: Any) -> int:
    """The number of axes of a key that is an int or a tuple of ints; 0 for any other."""
    if type(key) is int:
        return 1
    return len(key) if type(key) is tuple and set(map(type, key)) == _INT else 0


_INT = {int}


def _operation(key: Any) -> RowOperation:
    if not axes_of_index(key):
        return array_operation(INDEX, (0,), {"key": key})
    known = _by_number.get(key)
    if known is None:
        known = array_operation(INDEX, (0,), {"key": key})
        known.pull = _pull_at(key)
        if len(_by_number) < MOST:
            _by_number[key] = known
    return known


def _pull_at(key: Any) -> Pull:
    """The pullback of a read at an index: an addition into the cotangent of the array."""

    def pull(ct: Any, cts: list[Any], row: Row) -> None:
        whole = cts[row[2]]
        if type(whole) is not ndarray or getrefcount(whole) > HELD_ONCE or whole.base is not None:
            whole = owned_cotangent(cts, row[2], row[3])
        whole[key] += ct

    return pull


def plain_key(key: Any, array: Any) -> Any:
    """An index as a row stores it: recorded numbers become outcomes, and arrays, which may change later, are copied.

    Data outcomes become references to their steps.
    """
    if type(key) is int:
        return key
    plain = _plain(key, array._value)
    return plain if array.tape.run.data is None else array.tape.run.data.key_for_row(array.tape, plain)


def _plain(key: Any, value: Any) -> Any:
    if type(key) is slice or issubclass(type(key), DataHandle):
        return key
    if isinstance(key, tuple):
        return tuple(_plain(part, value) for part in key)
    if issubclass(type(key), Value):
        from gradcli.mathematics.rules.comparable_calls import identity

        return outcome("index", identity, key)
    if isinstance(key, list):
        from gradcli.engine.tape.values.array_function import list_as_array

        return devices.array_on_device_of(list_as_array(key), value)
    return devices.array_on_device_of(key, value).copy() if devices.is_array(key) else key
