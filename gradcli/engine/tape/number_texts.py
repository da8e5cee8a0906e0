"""Texts that a run makes of recorded numbers, and the places that may read such a text back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import Place, is_ours, is_users, place_to_show
from gradcli.run_stack import frames, stack


class Texts:
    """The texts of one run.

    Attributes:
        made: the lines that make texts.
        read: the lines that read numbers from texts afterwards.
    """

    def __init__(self) -> None:
        self.made: set[Place | tuple[None, None]] = set()
        self.read: set[Place | tuple[None, None]] = set()
        self._seen: set[Any] = set()

    def write(self, function: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        """The text that `function` makes of plain values."""
        frame = _first_of_others(sys._getframe(2))
        if (line := (frame.f_code, frame.f_lineno)) not in self._seen:
            self.made.add(_place(frame))
            if is_users(frame):
                self._seen.add(line)
        text = function(*values)
        if isinstance(text, (np.ndarray, np.generic)):  # an array of texts is made to be read, not printed
            self.read.add(_place(frame))
        return text


def _first_of_others(frame: FrameType) -> FrameType:
    """The innermost frame outside gradcli."""
    while frame.f_back is not None and is_ours(frame):
        frame = frame.f_back
    return frame


def _place(frame: FrameType) -> Place | tuple[None, None]:
    return place_to_show((running, running.f_lineno) for running in frames(frame))


def reading(x: Any) -> None:
    """Note that the caller's caller converts the text `x` to a number, if it is not a constant of its code."""
    texts = _texts()
    frame = sys._getframe(2)
    if texts is not None and not any(x is constant for constant in frame.f_code.co_consts):
        texts.read.add(_place(frame))


def reading_all(x: Any) -> None:
    """Note that the caller's caller converts `x` to an array, if `x` consists of texts."""
    texts = _texts()
    if texts is not None and np.asarray(x).dtype.kind in "SUT":
        texts.read.add(_place(sys._getframe(2)))


def _texts() -> Texts | None:
    """The texts of this thread's innermost run."""
    return stack.tapes[-1].run.texts if stack.tapes else None
