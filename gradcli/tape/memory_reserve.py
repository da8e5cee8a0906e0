"""Memory that is given back where a run has used up all there is, for what has to be said of it.

CPython 3.11 tries for ever to enter the handler of an error where there is no memory left, not even for the number that
tells the handler's place in a long function.
"""

from __future__ import annotations

import os
from contextlib import suppress

import numpy as np

from gradcli.errors import LongTapeError
from gradcli.tape.device_errors import explain_device, located
from gradcli.tape.tape import Tape

MANY = 1000  # recorded steps: a shorter tape is not what the memory was needed for
PROCESS = "/proc/self/statm"
SIZE = 8 << 20  # bytes, which are never written to, so that they take addresses and no memory

held: np.ndarray | None = None  # to be set to None in a short function, which takes no memory


def hold() -> None:
    """Reserve it."""
    global held  # noqa: PLW0603 - the memory is the process's too
    with suppress(MemoryError):
        held = np.empty(SIZE, np.uint8)


def used_up(error: MemoryError, tape: Tape) -> LongTapeError:
    """The error that says so, once the memory is given back that the tape took; one of a device is raised."""
    explain_device(error)
    length, size = len(tape.rows), taken()
    tape.close()
    hold()
    held = f": the process takes {size / 1e9:.1f} GB" if size else ", each of which the tape keeps"
    ours = LongTapeError(
        f"the memory is used up after {length:,} recorded steps{held}",
        hint="Let the loop at this line end, or compute on whole NumPy arrays: one step of the tape then does the work "
        "of a loop. `gradcli help G909` says more.",
    )
    ours.__cause__ = error
    located(ours)
    return ours


def taken() -> int | None:
    """The bytes of memory that this process has; None where the system does not tell."""
    with suppress(OSError, ValueError, IndexError), open(PROCESS, encoding="ascii") as stream:
        return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


hold()
