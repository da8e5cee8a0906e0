"""Texts that a run makes of recorded numbers, and the places that may read such a text back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import Place, is_ours, is_users, place_to_show
from gradcli.run_stack import frames, stack

_COARSEST = 1e7


class Texts:
    """The texts of one run.

    Args:
        change: the relative change applied to the numbers before they are written, increased until the text changes.
        repeats: whether the run repeats another one.

    Attributes:
        made: the lines that make texts.
        read: the lines that may read one, by the lines of the whole call stack.
        contents: the texts read there.
    """

    def __init__(self, change: float = 0.0, *, repeats: bool = False) -> None:
        self.change = change
        self.repeats = repeats
        self.made: set[Place | tuple[None, None]] = set()
        self.read: dict[tuple[Any, ...], Place | tuple[None, None]] = {}
        self.contents: set[Any] = set()
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
            self.note(frame, text.tobytes())
        return text

    def note(self, frame: FrameType | None, content: Any) -> None:
        """Note that a frame reads `content`."""
        self.contents.add(content)
        self.read[tuple((running.f_code, running.f_lineno) for running in frames(frame))] = _place(frame)


def _first_of_others(frame: FrameType) -> FrameType:
    """The innermost frame outside gradcli."""
    while frame.f_back is not None and is_ours(frame):
        frame = frame.f_back
    return frame


def _place(frame: FrameType | None) -> Place | tuple[None, None]:
    return place_to_show((running, running.f_lineno) for running in frames(frame))


def changed_text(function: Callable[..., Any], changes: list[float], *values: Any) -> Any:
    """The text that `function` makes of values after these relative changes, increased until the text changes."""
    text, factor = function(*values), 1.0
    while any(changes) and factor < _COARSEST:
        other = function(*(_moved(value, factor * change) for value, change in zip(values, changes, strict=True)))
        if not np.array_equal(other, text):
            return other
        factor *= 4
    return text


def _moved(value: Any, step: float) -> Any:
    """A number or an array after a relative change (absolute at 0); anything else unchanged."""
    if isinstance(value, (float, complex)) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c"):
        moved = value * (1 + step) + np.where(np.equal(value, 0), step, 0.0)
        return type(value)(moved) if isinstance(value, (float, complex)) else np.asarray(moved, value.dtype)[()]
    return value


def reading(x: Any) -> None:
    """Note that the caller's caller converts the text `x` to a number, if it is not a constant of its code."""
    texts = _texts()
    frame = sys._getframe(2)
    if texts is not None and not any(x is constant for constant in frame.f_code.co_consts):
        texts.note(frame, bytes(x) if type(x) is bytearray else x)


def reading_all(x: Any) -> None:
    """Note that the caller's caller converts `x` to an array, if `x` consists of texts."""
    texts = _texts()
    if texts is not None and (made := np.asarray(x)).dtype.kind in "SUT":
        texts.note(sys._getframe(2), str(made))


def _texts() -> Texts | None:
    """The texts of this thread's innermost run."""
    return stack.tapes[-1].run.texts if stack.tapes else None
