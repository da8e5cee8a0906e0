"""Exit codes and texts of exceptions that end a command: errors, Ctrl-C and internal errors."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

import click

from gradcli.errors import (
    EndedProcessError,
    Exit,
    GradcliError,
    InternalError,
    InterruptedByUserError,
    OutOfTimeError,
    UsageError,
    UserCodeError,
)
from gradcli.shared.message_wording import nearest_name, shortened
from gradcli.shared.records.json_form import error_as_json
from gradcli.terminal.cli.help_option import CommandWithHelp
from gradcli.terminal.cli.streams import silence, write

LEAST_RECURSION = 1000  # Python's default; the user's code may set a lower limit


def answer(raised: BaseException, *, as_json: bool) -> int:
    """Write an exception to stderr and return its exit code."""
    if isinstance(raised, BrokenPipeError):
        silence(sys.stdout)
        return Exit.PASS
    if os.environ.get("GRADCLI_DEBUG") and not isinstance(raised, click.ClickException):
        import traceback

        write(sys.stderr, "".join(traceback.format_exception(raised)))
    error = as_error(raised)
    if as_json:
        import json

        write(sys.stderr, json.dumps(error_as_json(error), allow_nan=False) + "\n")
    else:
        write(sys.stderr, text_of(error))
    return int(error.exit)


def as_error(raised: BaseException) -> GradcliError:
    """The gradcli error for any exception."""
    if isinstance(raised, GradcliError):
        return raised
    if isinstance(raised, click.ClickException):
        return explained(raised)
    if isinstance(raised, (KeyboardInterrupt, click.Abort)):
        return InterruptedByUserError("interrupted")
    if isinstance(raised, RecursionError) and (limit := sys.getrecursionlimit()) < LEAST_RECURSION:
        sys.setrecursionlimit(LEAST_RECURSION)  # rendering the error needs it
        message = f"Python's recursion limit is {limit}, which is too low for gradcli"
        return UserCodeError(message, hint=f"Leave it at {LEAST_RECURSION} or more: sys.setrecursionlimit.")
    message_of_error = f": {raised}" if str(raised) else ""
    return InternalError(
        f"This is a bug in gradcli: {type(raised).__name__}{message_of_error}",
        hint=None if os.environ.get("GRADCLI_DEBUG") else "Set GRADCLI_DEBUG=1 and run it again to see the traceback.",
    )


def ended_process(code: int | str, dump: str, seconds: float) -> GradcliError:
    """The error for a command whose process ended without a result.

    Args:
        code: its exit code, its signal as a negative number, or why it was ended: "interrupted" or "out of time".
        dump: the interpreter's stack dump after a crash, or before the process was ended.
        seconds: its time limit.
    """
    from gradcli.shared.process_endings import reason, user_frames

    frames = user_frames(dump)[::-1]
    file, line = frames[-1][:2] if frames else (None, None)
    if code == "interrupted":
        return InterruptedByUserError("interrupted", file=file, line=line)
    if isinstance(code, str):
        return OutOfTimeError.of_check(seconds, file, line)
    hint = None if frames else _ENDS.get(code, _ENDS[0] if code >= 0 else None)
    message = f"the interpreter ended without a result: {reason(code)}"
    return EndedProcessError(message, hint=hint, file=file, line=line, frames=frames)


_ENDS = {
    0: "Remove the call that ends the process, such as os._exit or exit of a C library.",
    -9: "The system ends a process so when the memory runs out.",
}
"""Hints for an exit code, and for SIGKILL."""


def text_of(error: GradcliError) -> str:
    """An error as text; for Ctrl-C, one word on its own line, below the terminal's ^C."""
    from gradcli.terminal import render

    look = render.look_of(sys.stderr)
    if isinstance(error, InterruptedByUserError):
        return ("\n" if look.terminal else "") + "interrupted\n"
    return render.error_text(error, look)


# Click names its own types.
_NO_NUMBER = re.compile(r"is not a valid (?:float|(integer))(?: range)?(?=\.?$)")


def explained(error: click.ClickException) -> UsageError:
    """The gradcli error for a click error."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command if context else None
    examples = command.examples if isinstance(command, CommandWithHelp) else ()
    called = f"gradcli {command.name}" if command and examples else "gradcli"
    message, hint = message_and_hint(error, called)
    if hint.startswith("Type "):  # the hint is complete
        return UsageError(message, hint=hint)
    example = f"For example: {examples[0]}" if examples else "`gradcli --help` lists what there is."
    return UsageError(message, hint=" ".join(part for part in (hint, example) if part))


def message_and_hint(error: click.ClickException, called: str) -> tuple[str, str]:
    """The message and the hint for a click error."""
    if isinstance(error, click.NoSuchOption):
        near = nearest(error.option_name, error.possibilities or ())
        return f"{called} has no option {shortened(error.option_name)}.", f"Did you mean {near}?" if near else ""
    if isinstance(error, click.MissingParameter) and error.param:
        needed = "second TARGET" if error.param.name == "other" else (error.param.name or "").upper()
        return f"{called} needs a {needed}, and none came.", ""
    if isinstance(error, click.BadParameter) and error.param:
        message = _NO_NUMBER.sub(lambda match: "is no whole number" if match[1] else "is no number", error.message)
        return f"{'/'.join(error.param.opts)}: {sentence(message)}", ""
    if isinstance(error, click.BadOptionUsage):
        return value_of(error, called), ""
    return sentence(error.format_message()), ""


def nearest(typed: str, options: Iterable[str]) -> str | None:
    """The option most similar to the typed text, ignoring dashes; None if no option is similar."""
    names = {option.lstrip("-"): option for option in options}
    near = nearest_name(typed.lstrip("-"), names)
    return names[near] if near else None


def value_of(error: click.BadOptionUsage, called: str) -> str:
    """The message for an option whose value is missing or not allowed."""
    flags = [option for option in error.ctx.command.params if getattr(option, "is_flag", False)] if error.ctx else []
    if any(error.option_name in flag.opts for flag in flags):
        return f"The option {error.option_name} of {called} takes no value."
    return f"The option {error.option_name} of {called} needs a value, and none came."


def sentence(text: str) -> str:
    """`text`, ended by a full stop if it has no final punctuation."""
    return text if text.endswith((".", "?", "!")) else text + "."
