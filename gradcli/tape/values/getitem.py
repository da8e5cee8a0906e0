"""Recording of `x[key]`: a specialised copy of `record`, because it dominates the time of loops."""

from __future__ import annotations

from sys import getrefcount
from typing import Any

from numpy import float32, float64, ndarray

from gradcli import devices
from gradcli.rules.indexing import INDEX
from gradcli.tape.accumulation import owned_cotangent
from gradcli.tape.memory.reference_counts import HELD_ONCE
from gradcli.tape.memory.released_arrays import LARGE, without_unread
from gradcli.tape.pullbacks import Pull, array_operation
from gradcli.tape.tape import DataHandle, Row, RowOperation
from gradcli.tape.value import KINDS, Value, outcome

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
    handle = object.__new__(KINDS[kind])
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


def is_index(key: Any) -> bool:
    """Whether a key is an int, or a tuple of ints."""
    return type(key) is int or (type(key) is tuple and bool(key) and set(map(type, key)) == _INT)


_INT = {int}


def _operation(key: Any) -> RowOperation:
    if not is_index(key):
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
        from gradcli.rules.comparable_calls import identity

        return outcome("index", identity, key)
    if isinstance(key, list):
        from gradcli.tape.values.array_function import list_as_array

        return devices.array_on_device_of(list_as_array(key), value)
    return devices.array_on_device_of(key, value).copy() if devices.is_array(key) else key
