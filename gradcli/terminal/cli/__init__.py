"""The command line: each command reads its options, runs one query and passes the record to a writer."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself makes enumerations, at every start
import atexit
import os
import sys

from gradcli.terminal.cli.command_names import COMMANDS, IN_THIS_PROCESS

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

INTERRUPTED = 130  # `Exit.INTERRUPTED`, before anything is imported


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on `arguments` (default: those of the process) and return the exit code."""
    typed = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is not None:
        return _exit_code(typed)
    from gradcli.shared import module_finder
    from gradcli.terminal.cli import garbage_collection

    module_finder.install()
    garbage_collection.wait()
    if not _runs_user_code(typed):
        return _whole_run(typed, os._exit)
    from gradcli.terminal.cli import command_process

    def work() -> int:
        return _whole_run(typed, command_process.leave)

    try:
        return command_process.run(work, lambda *end: _explain_end(typed, *end))
    except OSError as error:  # of a system that allows no further process
        from gradcli.errors import UsageError

        return _answer(UsageError(f"No process can be started for the code: {error.strerror}."), typed)


def _runs_user_code(typed: Sequence[str]) -> bool:
    """Whether a command runs the user's code and ends with an exit code for a script."""
    word = typed[0] if typed else "repl"
    return (word in COMMANDS and word not in IN_THIS_PROCESS) or (word == "repl" and not os.isatty(0))


def _whole_run(typed: list[str], end: Callable[[int], None]) -> int:
    """Run the command line in a process that ends with it, and return the exit code; `end` ends the process at once."""
    from gradcli.terminal.cli import garbage_collection

    # The threads of OpenBLAS, which NumPy starts, spin for 2**26 cycles before they sleep. After 2**16, one product of
    # matrices still finds them awake after another.
    os.putenv("OPENBLAS_THREAD_TIMEOUT", os.environ.get("OPENBLAS_THREAD_TIMEOUT", "16"))
    atexit.register(garbage_collection.keep_libraries)  # the first one, so it runs last
    code = _exit_code(typed, end)
    garbage_collection.resume()
    _end_at_interrupt(code, end)
    return code


def _explain_end(typed: list[str], end: int | str, dump: str, seconds: float) -> int:
    """Say that the process of a command has ended without a result, and return the exit code for that."""
    from gradcli.terminal.cli.exit_errors import ended_process

    return _answer(ended_process(end, dump, seconds), typed)


def _answer(raised: BaseException, typed: list[str]) -> int:
    from gradcli.terminal.cli.exit_errors import answer

    return answer(raised, as_json=json_asked(typed))


def _exit_code(typed: list[str], end: Callable[[int], None] | None = None) -> int:
    """Run the command line, and return the exit code; `end` ends the process at once if Ctrl-C comes twice."""
    try:
        if typed[:1] == ["__complete"]:  # a shell calls this at every Tab, so nothing more is imported
            from gradcli.terminal.cli.shell_completion import answer as complete

            return complete(typed[1:])
        from gradcli.terminal.cli.root_command import run

        return run(list(typed))
    except BaseException as raised:  # every exception has an exit code, including Ctrl-C and internal errors
        if end is not None and isinstance(raised, KeyboardInterrupt):
            _end_at_interrupt(INTERRUPTED, end)
        return _answer(raised, typed)


# CPython keeps frames in chunks of 16 KB. While the stack ends at the edge of a chunk, each call maps a new one and
# each return unmaps it, thousands of times in a short command. A chunk is as large as the frame that opens it needs,
# rounded up to a power of two: this frame opens one of 512 KB and leaves half of it to those above. Unused memory
# costs nothing.
_exit_code.__code__ = _exit_code.__code__.replace(co_stacksize=33_000)


def _end_at_interrupt(code: int, end: Callable[[int], None]) -> None:
    """Let Ctrl-C end the process at once with this exit code; from Python's exit functions on, ignore it.

    Before those, Python waits for the threads of the user's code, which may never end.
    """
    import threading

    def interrupt(number: int, frame: FrameType | None) -> None:
        end(code)

    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


def json_asked(typed: Sequence[str]) -> bool:
    """Whether `--json` is among the options; found without parsing, so that usage errors can be JSON as well."""
    from itertools import pairwise

    return any(word == "--json" and before != "--" for before, word in pairwise(["", *typed]))
