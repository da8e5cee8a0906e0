"""Translation of the errors of a failed run: the user's line, and gradcli's own error where gradcli is the cause."""

from __future__ import annotations

import opcode
import re
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import numpy as np

from gradcli.engine.code import stack_frames
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.patching.name_replacement import code_of
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.error_advice import arithmetic_advice, list_advice
from gradcli.engine.running.muted_reruns import muted, quiet
from gradcli.engine.running.program_state import without_recorded_values
from gradcli.engine.tape import concretization_hints
from gradcli.engine.tape.concretization_errors import NO_ARRAY, Leak
from gradcli.engine.tape.device_errors import explain_device, located
from gradcli.engine.tape.memory_reserve import MANY, steps, used_up
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import plain_value
from gradcli.errors import DetachedError, GradcliError, TapeError, TraceOnlyError, UserCodeError
from gradcli.shared.pytree import leaves, leaves_like, map_leaves

_AGREES = 1e-8  # relative

# Errors that plain numbers raise too, or that must not be provoked twice.
_OF_THE_PROGRAM = (ArithmeticError, GradcliError, MemoryError, OSError, RecursionError, Warning)


def leak_of(tape: Tape) -> Leak:
    """Close the tape and return the Leak for which a run was aborted.

    Raises:
        TapeError: the run failed for another reason, whose exception the user's code may have caught.
    """
    lost = tape.run.lost
    tape.close()
    if isinstance(lost, Leak):
        return lost
    assert isinstance(lost, TapeError)
    located(lost)
    try:
        raise lost
    finally:
        del lost  # otherwise the traceback refers to the error, a cycle that only the collector frees


def explain(error: BaseException, tape: Tape, plain: Callable[[], BoundCall], outer: Tape | None) -> None:
    """Close the tape of a run that raised an error, and raise another in its place, or return if there is none.

    That is gradcli's own where gradcli is the cause, and that of a run with plain numbers where it fails too: so the
    user reads about plain types, and no frame of a rule.

    Args:
        error: what the run raised.
        tape: its tape.
        plain: makes the same call with plain numbers.
        outer: the tape of the enclosing run, which this run shared.

    Raises:
        Exception: the program fails with plain numbers too.
        UnsupportedError: compiled code of SciPy rejected a recorded value.
        TraceOnlyError: the program works with plain numbers, but needs a true `float`, which no recorded value is.
        LongTapeError: the recording has exhausted the memory.
    """
    if isinstance(error, UserCodeError):
        located(error)
    if isinstance(error, MemoryError) and steps(tape) >= MANY:
        raise used_up(error, tape, code_of(plain().function))
    call = plain()
    if outer is None:
        tape.close()
    if isinstance(error, Exception):
        explain_device(error)
    if not isinstance(error, Exception) or isinstance(error, _OF_THE_PROGRAM):
        _add_advice(error, call)
        return
    of_plain = _error_of(call)
    try:
        if type(of_plain) is type(error) and (of_plain.__traceback__ is None or _is_raised_by_program(error)):
            return  # raised by a statement of the program, or by the call of it
        if of_plain is not None:
            _add_advice(of_plain, call)
            raise of_plain from None
    finally:
        del of_plain  # otherwise the traceback refers to the error, a cycle that only the collector frees
    frames = stack_frames.of_traceback(error.__traceback__)
    if stack_frames.scipys_function(frames) is not None:
        how = f"was passed to compiled code, which does not accept it ({type(error).__name__}: {error})"
        raise Leak(how, frames).refusal() from None
    raise _no_true_float(error) from error


def _is_raised_by_program(error: BaseException) -> bool:
    """Whether a statement `raise` of the program raised an error, and no operation on a recorded value."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None or not stack_frames.is_users(traceback.tb_frame):
        return False
    return traceback.tb_frame.f_code.co_code[traceback.tb_lasti] == opcode.opmap["RAISE_VARARGS"]


def _add_advice(error: BaseException, call: BoundCall) -> None:
    """Add a note to an error that a list among the arguments may have caused, or that arithmetic raised."""
    advice = (any(map(_holds_list, call.arguments)) and list_advice(error)) or arithmetic_advice(error)
    if advice and advice not in getattr(error, "__notes__", ()):
        error.add_note(advice)


def _holds_list(argument: Any) -> bool:
    return isinstance(argument, (list, tuple)) or (
        isinstance(argument, dict) and any(map(_holds_list, argument.values()))
    )


def _error_of(call: BoundCall) -> Exception | None:
    """The error that a program raises with plain numbers, if any. A refusal by a gradient inside it is raised."""
    try:
        with without_recorded_values(call), muted():
            call.function(*call.arguments)
    except DetachedError:
        raise
    except Exception as error:
        return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)  # without this frame
    return None


def differs_on_plain_numbers(plain: BoundCall, result: Any) -> bool:
    """Whether a program returns other numbers when it runs on plain ones, quietly."""
    try:
        with without_recorded_values(plain), quiet():
            return not _agree(map_leaves(plain_value, result), plain.function(*plain.arguments))
    except program_errors():  # nothing to compare with
        return False


def _agree(result: Any, other: Any) -> bool:
    """Whether two results have the same structure and the same numbers, up to rounding."""
    others = leaves_like(result, other)
    if others is None:
        return False
    pairs = zip(leaves(result), map(plain_value, others), strict=True)
    return all(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=_AGREES, atol=0, equal_nan=True) for a, b in pairs)


# The message and the hint for errors of Python or NumPy that do not explain themselves.
_SAYINGS = {
    "unhashable type": (
        "a recorded value is hashed, as a key of a dict, a member of a set, or an argument of a function that caches",
        "Look up with `gradcli.stop_gradient(x)`, and call a function that caches without its cache: "
        "`f.__wrapped__(x)`.",
    ),
    NO_ARRAY: (
        "NumPy treats an object as an array, and the object's method `__array__` returns recorded values",
        "Write `np.asarray(x)` of the object first, or give its class `__array_ufunc__`.",
    ),
}


def _no_true_float(error: Exception) -> DetachedError:
    frames = stack_frames.of_traceback(error.__traceback__)
    refused = _trace_only(f"{type(error).__name__}: {error}", [frame for frame, _ in frames])
    stack_frames.show_place(refused, frames)
    return refused


def caught(raised: tuple[str, str | None, int | None]) -> TraceOnlyError:
    """The error of a program that caught an error which plain numbers do not raise, as noted on the tape."""
    text, file, line = raised
    refused = _trace_only(text, [])
    refused.file, refused.line = file, line
    return refused


def _trace_only(text: str, frames: Iterable[FrameType]) -> TraceOnlyError:
    """The error of a program that runs on plain numbers only, from the error that it raised on recorded values."""
    what, hint = _naming_recorded(text), concretization_hints.hint(frames)
    if hint == concretization_hints.LABELS:  # the message is about arrays of pandas' or xarray's own
        what = "pandas and xarray need plain numbers here"
    else:
        what, hint = next((reason for words, reason in _SAYINGS.items() if words in text), (what, hint))
    return TraceOnlyError(
        f"{what}; this code accepts plain numbers but not recorded values, so the derivative would be lost",
        hint=f"{hint} `gradcli help G906` says more.",
    )


_OF_RECORDED = re.compile(r"(?<![\w.])(float|complex|ndarray)(?!.*(?<![\w.])(float|complex|ndarray)\b)\b", re.DOTALL)


def _naming_recorded(text: str) -> str:
    """An error as Python shows it, with the recorded value called what it is: its type has the name of a plain one.

    Messages end with the type that came, as in "expected float, got float".
    """
    return _OF_RECORDED.sub(r"recorded \1", text, count=1)
