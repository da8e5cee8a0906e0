"""Errors that the user's program raises at a point or on a path of gradcli's choice, where it may raise anything."""

from __future__ import annotations

import signal
import sys
from opcode import opmap
from types import TracebackType

from gradcli.engine.code.stack_frames import is_users


def program_errors() -> type[BaseException]:
    """What an `except` clause is to catch: whatever was raised, but for Ctrl-C and what gradcli raises to end a run.

    It is called by the clause, `except program_errors():`, and costs nothing where nothing is raised.
    """
    error = sys.exception()
    is_ours = type(error).__module__.startswith("gradcli.")
    return Exception if is_ours or _is_ctrl_c(error) else BaseException


def _is_ctrl_c(error: BaseException | None) -> bool:
    """Whether an exception is an interrupt, or was raised while one was handled.

    A KeyboardInterrupt that a `raise` of the program raises is none.
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt) and not _is_raised_by_program(error.__traceback__):
            return True
        error = error.__context__
    return False


def _is_raised_by_program(traceback: TracebackType | None) -> bool:
    """Whether an exception comes from a `raise` of the program, and not of a function that handles the signal."""
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or not is_users(traceback.tb_frame):
        return False
    code = traceback.tb_frame.f_code
    is_handler = getattr(signal.getsignal(signal.SIGINT), "__code__", None) is code
    return not is_handler and code.co_code[traceback.tb_lasti] == opmap["RAISE_VARARGS"]
