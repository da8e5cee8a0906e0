"""In-place writes into recorded arrays for programs that fill an array piece by piece.

Rows of a tape never change, so each write would create a new version of the array, and a loop that fills it would copy
the whole array each time. Once overwritten, only the shape of a version is needed, unless a row, another handle or a
view still uses its numbers. Each of these holds a reference to the array that owns the memory; if the handle being
written has the only one, the array can be overwritten unnoticed. Reads must then not keep the whole array alive: a
small part is copied, and a large one is looked up again when it is used.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import frames_of_ours
from gradcli.engine.tape.memory.reference_counts import is_alone
from gradcli.engine.tape.memory.released_arrays import LARGE, placeholder
from gradcli.engine.tape.memory.stored_operands import stored_operand
from gradcli.engine.tape.pullbacks import array_operation
from gradcli.engine.tape.tape import CONSTANT
from gradcli.engine.tape.value import common_tape, is_recorded
from gradcli.engine.tape.values.array_function import list_as_array
from gradcli.mathematics.rules.indexing import INDEX, PUT, Views, view_through, write
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from gradcli.mathematics.rules.shape import RESHAPE, TRANSPOSE
from gradcli.shared import devices

PIECE = 8  # a part smaller than the array by this factor is copied, however large it is
VIEWS = frozenset((INDEX, RESHAPE, TRANSPOSE))  # writes to real and imaginary parts are not supported here


def written_item(item: Any) -> Any:
    """An item as it is written into an array: lists, tuples and array-like objects as arrays, recorded or plain."""
    item = list_as_array(item)
    return np.asarray(item) if isinstance(item, (list, tuple)) else devices.wrapped_array(item)


def real_part(x: Any) -> Any:
    """The real part of a complex value written into a real one, with NumPy's warning at the user's line."""
    message = "Casting complex values to real discards the imaginary part"
    warnings.warn(message, np.exceptions.ComplexWarning, stacklevel=frames_of_ours())
    return x.real


def accepts_writes(array: Any) -> bool:
    """Whether writes into a recorded array or view go through `write_item`."""
    through = array.through
    return _is_buffer(array.owner) and (not through or all(rule in VIEWS for rule, _ in through))


def _is_buffer(owner: Any) -> bool:
    return owner.tape.releases and owner._value.size > LARGE and type(owner._value) is np.ndarray


def write_item(array: Any, item: Any, key: Any) -> None:
    """Write `item` at `key` of an array that `accepts_writes`, at a cost proportional to what is written.

    If anything else refers to the numbers, the whole array is copied first.
    """
    owner, through = array.owner, array.through
    tape = common_tape((owner, item))
    # Reading `index` makes a view read its array again if necessary.
    source = item.index if is_recorded(item) else CONSTANT
    # Before any variable here refers to the array: `is_alone` counts references, and each would have it copied.
    if not is_alone([owner._value], 0):
        owner._value = copy_with_layout(owner._value)
    whole, held = owner._value, item._value if is_recorded(item) else stored_operand(item, tape, is_read=False)
    # The row needs the shape of a plain item alone, so `held` may be a placeholder without numbers: `item` is written.
    # Only an item that is recorded, or wraps an array, has another type than `held`, which then has its numbers.
    new = item if type(item) is type(held) else held
    # An item read from this array is copied, as it changes while it is written.
    write(view_through(whole, through), new.copy() if getattr(new, "base", None) is whole else new, key)
    done = array_operation(PUT, (0,) if source == CONSTANT else (0, 1), _place(key, through))
    shape = placeholder(whole)
    tape.rows.append((done, shape, owner.index, shape, source, placeholder(held)))
    owner.index = len(tape.rows) - 1
    tape.run.written = True  # from now on, the rows of reads must not hold the array: see `shrink_read_row`


def _place(key: Any, through: Views) -> dict[str, Any]:
    return {"key": key, "through": through} if through else {"key": key}


def shrink_read_row(array: Any, part: Any, is_view: bool) -> None:
    """Make the last row, which read `part` from an array that is written in place, hold no more than the part."""
    rows, owner = array.tape.rows, array.owner
    if rows[owner.index][0].rule is not PUT or not _is_buffer(owner):
        return
    operation, value, index, whole = rows[-1]
    if is_view and value.size > max(LARGE, owner._value.size // PIECE):
        part._value, value = None, placeholder(value)
    elif is_view:
        part._value = copy_with_layout(part._value)
        value = placeholder(part._value)
    rows[-1] = operation, value, index, placeholder(whole)
