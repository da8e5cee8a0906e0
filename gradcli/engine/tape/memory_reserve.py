"""The memory of the process: freed memory is kept for the next gradient, and some is reserved for reporting errors.

Without any memory left, CPython 3.11 loops forever when it enters an exception handler, because it cannot allocate the
number that gives the handler's position in a long function.
"""

from __future__ import annotations

from contextlib import suppress
from types import CodeType
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.code.stack_frames import is_ours_file
from gradcli.engine.tape.device_errors import explain_device, located
from gradcli.engine.tape.tape import Tape
from gradcli.errors import LongTapeError

MANY = 1000  # recorded steps; a shorter tape did not exhaust the memory
LARGEST = (32 << 20) - 8192  # bytes; the allocator of glibc ignores larger blocks
SIZE = 8 << 20  # bytes, never written to, so that they reserve addresses but no memory


def hold() -> None:
    """Reserve the memory. A short function releases it, by setting it to None, which allocates nothing."""
    with suppress(MemoryError):
        run_stack.reserve = np.empty(SIZE, np.uint8)


def keep_freed_memory() -> None:
    """Let the process keep up to 64 MiB of freed memory, as if it had freed a large array before.

    A gradient frees its whole tape at once. glibc returns free memory at the end of the heap to the system from 128 KiB
    on, and the next gradient gets it back page by page, at a higher cost than the arithmetic on it. Both limits grow
    with the largest block ever freed (mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD). The block freed here is never
    written to, so it takes no memory. With another C library nothing happens.
    """
    with suppress(MemoryError):  # then there is nothing to keep
        np.empty(LARGEST, np.uint8)


def steps(tape: Tape) -> int:
    """The number of recorded steps, comparisons and the like included."""
    return len(tape.rows) + len(tape.outcomes)


def used_up(error: MemoryError, tape: Tape, code: Any = None) -> LongTapeError:
    """Release the memory of the tape and return the error to show. A device's own error is translated and raised.

    `code` is that of the function, whose first line is shown if the line that took the memory is not known: without
    memory Python adds no frames to a traceback.
    """
    from gradcli.shared.memory_limit import resident_memory  # here, as an error alone needs it

    explain_device(error)
    length, size = steps(tape), resident_memory()
    tape.close()
    hold()
    held = f": the process uses {size / 1e9:.1f} GB" if size else ", each of which the tape keeps"
    ours = LongTapeError(f"out of memory after {length:,} recorded steps{held}")
    ours.__cause__ = error
    located(ours)
    loop = "the loop at this line ends" if ours.file else "the loops of the function end"
    if ours.file is None and isinstance(code, CodeType) and not is_ours_file(code.co_filename):
        ours.file, ours.line = code.co_filename, code.co_firstlineno
    ours.hint = (
        f"Check that {loop}, or compute on whole NumPy arrays: one step of the tape then does the work of a loop. "
        "`gradcli help G909` says more."
    )
    return ours


hold()
