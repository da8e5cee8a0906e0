"""What happens where a recorded value reaches code that would take its bare number: the run is given up, by name."""

from __future__ import annotations

import opcode
from types import FrameType
from typing import Any, Never

_BINARY_OP = opcode.opmap["BINARY_OP"]
_REMAINDERS = (6, 19)  # `%` and `%=` among the arguments of BINARY_OP


class Leak(BaseException):
    """A recorded value was asked for its bare number by `frame`; not an Exception, so that no user code catches it."""

    def __init__(self, asked: str, frame: FrameType) -> None:
        super().__init__(asked)
        self.asked = asked
        self.frame = frame


def leak(value: Any, asked: str) -> Never:
    """Give the run up at the frame that called the caller of this function."""
    import sys

    raise Leak(asked, sys._getframe(2))


def asked_for_text(frame: FrameType) -> bool:
    """Whether the number is wanted by `"%g" % x`, which makes text and loses nothing."""
    code = frame.f_code.co_code
    at = frame.f_lasti
    return code[at] == _BINARY_OP and code[at + 1] in _REMAINDERS
