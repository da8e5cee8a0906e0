"""Retention of freed memory in the process, so that the next gradient can reuse it."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

LARGEST = (32 << 20) - 8192  # bytes; the allocator of glibc ignores larger blocks


def keep_freed_memory() -> None:
    """Let the process keep up to 64 MiB of freed memory, as if it had freed a large array before.

    A gradient frees its whole tape at once. glibc returns free memory at the end of the heap to the system from 128 KiB
    on, and the next gradient gets it back page by page, at a higher cost than the arithmetic on it. Both limits grow
    with the largest block ever freed (mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD). The block freed here is never
    written to, so it takes no memory. With another C library nothing happens.
    """
    with suppress(MemoryError):  # then there is nothing to keep
        np.empty(LARGEST, np.uint8)
