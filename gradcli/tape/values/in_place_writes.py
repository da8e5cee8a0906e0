"""Arrays that a program fills piece by piece: on a lean tape a write goes into the numbers themselves.

A row of a tape never changes, so that a write makes another version of the array: a copy.  A program that fills an
array in a loop would copy all of it each time.  Yet of a version that was written over nothing is needed but its shape,
unless a row holds its numbers, or another handle, or a view of them; and each of these is a reference to the array that
owns them.  Where the handle that is written to has the only reference, nobody can tell a copy from the array itself.

So that what was read before does not hold the whole: of an array that was written into a small part is read as a copy,
and a handle of a large one looks it up again.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from gradcli.rules.indexing import INDEX, PUT, Views, within, write
from gradcli.rules.memory_layout import copied
from gradcli.rules.shape import RESHAPE, TRANSPOSE
from gradcli.tape.captured_arrays import kept
from gradcli.tape.pullbacks import array_operation
from gradcli.tape.released_arrays import LARGE, ghost
from gradcli.tape.tape import CONSTANT
from gradcli.tape.value import common_tape, is_recorded

WHOLE = 1 << 9  # numbers; below, a copy costs less than the look at who holds the array
PIECE = 8  # a part so many times smaller than its array is copied, however large it is
VIEWS = frozenset((INDEX, RESHAPE, TRANSPOSE))  # of real and imaginary parts the cotangents are not


def takes(array: Any) -> bool:
    """Whether what is written into a recorded array, or a view of one, is written by `put`."""
    through = array.through
    return _is_buffer(array.owner) and (not through or all(rule in VIEWS for rule, _ in through))


def _is_buffer(owner: Any) -> bool:
    return owner.tape.lean and owner._value.size > WHOLE and type(owner._value) is np.ndarray


def put(array: Any, item: Any, key: Any) -> None:
    """Write `item` at the place `key` of an array or a view that `takes` it, at the cost of what is written.

    Where another one holds the numbers, all of them are copied first.
    """
    owner, through = array.owner, array.through
    tape = common_tape((owner, item))
    source = item.index if is_recorded(item) else CONSTANT  # a view looks at its array again here, if it has to
    if not _is_alone(owner):
        owner._value = copied(owner._value)
    whole, new = owner._value, item._value if is_recorded(item) else kept(item, tape)
    write(within(whole, through), new.copy() if getattr(new, "base", None) is whole else new, key)
    done = array_operation(PUT, (0,) if source == CONSTANT else (0, 1), _place(key, through))
    shape = ghost(whole, WHOLE)
    tape.rows.append((done, shape, owner.index, shape, source, new if source == CONSTANT else ghost(new)))
    owner.index = len(tape.rows) - 1
    tape.written = True


def _place(key: Any, through: Views) -> dict[str, Any]:
    return {"key": key, "through": through} if through else {"key": key}


def read(array: Any, part: Any, is_view: bool) -> None:
    """Let the last row, by which `part` was read of an array that is being written into, hold no more than the part."""
    rows, owner = array.tape.rows, array.owner
    if rows[owner.index][0].rule is not PUT or not _is_buffer(owner):
        return
    operation, value, index, whole = rows[-1]
    if is_view and value.size > max(LARGE, owner._value.size // PIECE):
        part._value, value = None, ghost(value, WHOLE)
    elif is_view:
        part._value = copied(part._value)
        value = ghost(part._value)
    rows[-1] = operation, value, index, ghost(whole, WHOLE)


def _references(array: Any) -> int:
    return sys.getrefcount(array._value)


class _Sample:
    """A handle of an array that nobody else holds."""

    def __init__(self) -> None:
        self._value = np.empty(0)


ALONE = _references(_Sample())


def _is_alone(array: Any) -> bool:
    """Whether a handle has the only reference to its numbers: no row holds them, no other handle and no view."""
    if _references(array) != ALONE:
        return False
    flags = array._value.flags  # which is a reference too
    return bool(flags.owndata and flags.writeable)
