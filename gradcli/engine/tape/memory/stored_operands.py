"""Plain operands as the rows of a tape store them: a small array as a copy, a large one itself, made read-only.

An array on a device cannot be made read-only and is copied there; inside `device("gpu")` an array on the host is copied
to the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from gradcli.engine.tape.memory.released_arrays import LARGE, PLACEHOLDERS
from gradcli.engine.tape.tape import Tape, foreign
from gradcli.errors import UnsupportedError, with_article
from gradcli.shared import devices
from gradcli.shared.devices import THREAD

LARGEST_COPY = 1 << 16  # bytes


def stored_operand(x: Any, tape: Tape, is_read: bool = True) -> Any:
    """A constant operand as a row stores it, with `is_read` if a pullback may read its value.

    An object that contains a recorded array is replaced by that array.

    Raises:
        UnsupportedError: it is a masked array, a matrix, or another array with arithmetic of its own.
    """
    if type(x) is ndarray and not THREAD.chosen:
        if not is_read and tape.releases and x.size > LARGE:
            return PLACEHOLDERS[x.dtype][x.shape]
        if x.nbytes <= LARGEST_COPY:
            return x.copy("K")  # a copy is faster than checking whether the array can change
    if not isinstance(x, np.ndarray):
        if hasattr(type(x), "_operand"):
            return _held(x._operand(), tape)
        if devices.on_device(x):
            return x.copy()
        wrapped = devices.wrapped_array(x)
        return wrapped if wrapped is x or hasattr(type(wrapped), "apply_rule") else _held(wrapped, tape)
    if type(x) is not np.ndarray and not isinstance(x, np.memmap):
        raise UnsupportedError(
            f"{with_article(type(x).__name__)} has arithmetic of its own, which is not supported",
            hint="Use np.asarray(a), or a.filled(0.0) for a masked array.",
        )
    if devices.has_chosen_device():
        return devices.on_chosen_device(x)
    if not x.flags.writeable and not _shows_what_may_change(x):
        return x
    if x.nbytes <= LARGEST_COPY:
        return x.copy("K")
    from gradcli.engine.tape.memory.read_only_operands import lock

    lock(x, tape)
    return x


def _held(x: Any, tape: Tape) -> Any:
    """The contents of a tensor or another wrapper as a row stores them. A value recorded on another tape is refused."""
    if hasattr(type(x), "apply_rule"):
        foreign()
    return stored_operand(x, tape)


def _shows_what_may_change(x: Any) -> bool:
    """Whether a read-only array is a view of a writeable one, as `np.broadcast_to` returns."""
    from gradcli.engine.tape.memory.reachable_views import bases

    return any(array.flags.writeable for array in bases(x))
