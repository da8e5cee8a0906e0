"""The memory that one gradient gives back stays with the process, for the next gradient to use."""

from __future__ import annotations

import numpy as np

LARGEST = (32 << 20) - 8192  # bytes; of no larger block does the C library of Linux take notice


def keep() -> None:
    """Let the process keep up to 64 MiB that arrays have given back, as if it had freed a large array before.

    A gradient frees its tape at once.  The C library hands what is free at the end of its heap to the system, from
    128 KiB on, and the next gradient gets it back page by page, which costs more than the arithmetic on it.  Both
    limits grow with the largest block that was ever freed (mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD); this one
    is never written to, so that it takes no memory.  With another C library nothing happens.
    """
    np.empty(LARGEST, np.uint8)
