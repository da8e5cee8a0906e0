"""Notes on the places where a run may read back a text that it has made of a recorded number."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from gradcli.tape.number_texts import TEXT_TYPES
from gradcli.tape.tape import active_tape


def reading(x: Any) -> None:
    """Note that the caller's caller converts `x` to a number, if `x` is a text that is not a constant of its code."""
    if type(x) not in TEXT_TYPES:
        return
    tape = active_tape()
    if tape is None or tape.texts is None:
        return
    frame = sys._getframe(2)
    if not any(x is constant for constant in frame.f_code.co_consts):
        tape.texts.note(frame, bytes(x) if type(x) is bytearray else x)


def reading_all(x: Any) -> None:
    """Note that the caller's caller converts `x` to an array, if `x` consists of texts."""
    tape = active_tape()
    if tape is not None and tape.texts is not None and (made := np.asarray(x)).dtype.kind in "SUT":
        tape.texts.note(sys._getframe(2), str(made))
