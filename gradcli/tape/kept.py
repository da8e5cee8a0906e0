"""Plain arrays that a tape has read: kept as they were, whatever the program writes into them later."""

from __future__ import annotations

from typing import Any

import numpy as np

LARGEST_COPY = 1 << 16  # bytes; a larger array is locked for the time of the run in place of being copied


def kept(array: Any) -> Any:
    """`array` as a row may hold it: a copy of a small one, so that a later write does not reach the tape."""
    if not array.flags.writeable:
        return array
    return array.copy() if array.nbytes <= LARGEST_COPY else array


__all__ = ["kept", "np"]
