"""The functions of the library as their callers see them: what leaves them has no frames of gradcli's."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar, cast

from gradcli.engine.code.stack_frames import is_ours
from gradcli.errors import GradcliError
from gradcli.run_stack import call as run_on_tape
from gradcli.run_stack import depth
from gradcli.shared.message_wording import unknown_argument

Call = TypeVar("Call", bound=Callable[..., Any])


def without_own_frames(error: BaseException) -> None:
    """Drop gradcli's frames from the traceback of an exception that leaves a call of the library.

    Those of an error in gradcli's own code stay, and all within the run of another function. A call with wrong
    arguments, of a function of the library or the user's, is an error of the user's code.
    """
    entries, last = [], error.__traceback__
    while last is not None:
        entries.append(last)
        last = last.tb_next
    innermost = entries[-1].tb_frame
    is_users = not is_ours(innermost) or innermost.f_code in _CALLING or _is_of_an_operation(error, entries)
    if not depth() and (is_users or isinstance(error, (GradcliError, AssertionError))):
        kept = [entry for entry in entries if not is_ours(entry.tb_frame)]
        for entry, following in zip(kept, [*kept, None][1:], strict=True):
            entry.tb_next = following
        error.__traceback__ = kept[0] if kept else None


def _is_of_an_operation(error: BaseException, entries: list[TracebackType]) -> bool:
    """Whether Python's arithmetic raised it in an operation of the program, as it does on plain numbers."""
    own = [is_ours(entry.tb_frame) for entry in entries]
    return isinstance(error, ArithmeticError) and True in own and not all(own[own.index(True) :])


_CALLING = {run_on_tape.__code__}  # what calls functions of the user's, and those of the library


def library_call(function: Call) -> Call:
    """A public function: exceptions leave it without frames of gradcli's, and unknown keywords are named.

    Raises:
        TypeError: a keyword is unknown; the message names the most similar one.
    """
    code = function.__code__
    names = [name for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if name != "self"]
    public = f"gradcli.{function.__qualname__.removesuffix('.__init__')}"
    takes_all = code.co_flags & 0x08  # the flag of **options

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            for name in () if takes_all else options:
                if name not in names:
                    raise TypeError(unknown_argument(public, name, names))
            return function(*arguments, **options)
        except Exception as error:
            without_own_frames(error)
            raise

    _CALLING.add(call.__code__)
    return cast(Call, wraps(function)(call))
