"""Plain arrays that a tape has read: they stay what they were, or the program is told that they cannot.

A derivative uses the values that were read.  A small array is copied; a large one is made read-only until the run ends,
so that a program that writes into it afterwards is refused by line and never differentiated wrongly.  An array on a
device, which cannot be made read-only, is copied there; inside `device("gpu")` one of the host is copied to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli import arrays
from gradcli.errors import OverwrittenError, UnsupportedError, with_article
from gradcli.tape.tape import Tape

LARGEST_COPY = 1 << 16  # bytes


def kept(x: Any, tape: Tape) -> Any:
    """A constant operand as a row may hold it.

    Raises:
        UnsupportedError: it is a masked array, a matrix, or another array that computes in a way of its own.
    """
    if not isinstance(x, np.ndarray):
        return x.copy() if arrays.on_device(x) else x
    if type(x) is not np.ndarray and not isinstance(x, np.memmap):
        raise UnsupportedError(
            f"{with_article(type(x).__name__)} computes in a way of its own, which is not followed",
            hint="Use np.asarray(a), or a.filled(0.0) for a masked array.",
        )
    if arrays.places():
        return arrays.placed(x)
    if not x.flags.writeable:
        return x
    if x.nbytes <= LARGEST_COPY:
        return x.copy("K")
    for array in (x, x.base):
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array.flags.writeable = False
            tape.locked.append(array)
    return x


def unlock(tape: Tape) -> None:
    """Give the arrays back as they were."""
    for array in reversed(tape.locked):  # an array before its views
        array.flags.writeable = True
    tape.locked.clear()


def refuse_write(error: ValueError, tape: Tape) -> None:
    """Name what a write into an array that was made read-only means; any other error is the program's.

    Raises:
        OverwrittenError: `error` comes of such a write.
    """
    if tape.locked and "read-only" in str(error):
        raise OverwrittenError(
            "a large plain array that the tape has read is overwritten, so that the derivative would use other values",
            hint="Write into a copy of it: a = a.copy().",
        ) from error
