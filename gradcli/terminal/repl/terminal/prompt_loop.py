"""The loop of the prompt, which reads and answers lines until the session ends; no input and no exception ends it."""

from __future__ import annotations

import shutil
import sys

from prompt_toolkit import PromptSession
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.patch_stdout import patch_stdout

from gradcli.terminal import render
from gradcli.terminal.repl.answers import Answer, Commands
from gradcli.terminal.repl.input_blocks import entered, is_unfinished
from gradcli.terminal.repl.session import GREETING, Session
from gradcli.terminal.repl.settings_file import keep_settings, kept_settings
from gradcli.terminal.repl.terminal.editor import MORE, editor
from gradcli.terminal.repl.terminal.terminal_state import restored_when_ended
from gradcli.terminal.repl.terminal.toolbar import Toolbar
from gradcli.terminal.repl.text_output import shown

MODES = {"vi": EditingMode.VI, "emacs": EditingMode.EMACS}


def converse(session: Session) -> int:
    """Read and answer lines; returns the exit code, which is 0."""
    session.settings |= kept_settings()
    toolbar = Toolbar(session)
    keyboard = editor(session, toolbar)
    write(GREETING)
    try:
        while True:
            text = asked(session, keyboard)
            if text is None or not answered(session, toolbar, text):
                return 0
    finally:
        toolbar.close()


def asked(session: Session, keyboard: PromptSession[str]) -> str | None:
    """The next input; empty after Ctrl-C, None after Ctrl-D."""
    keyboard.editing_mode = MODES[session.settings["keys"]]
    try:
        with restored_when_ended(), patch_stdout(raw=True):
            return keyboard.prompt()
    except KeyboardInterrupt:
        return ""
    except EOFError:
        return None


def answered(session: Session, toolbar: Toolbar, text: str) -> bool:
    """Answer the lines of a text up to the first error; returns whether the session goes on."""
    lines, before = entered(text), dict(session.settings)
    try:
        with toolbar.resting():
            for line in lines:
                answer = session.run(line)
                if len(lines) > 1 and answer.line:  # the editor has erased the input
                    write("> " + answer.line.replace("\n", f"\n{MORE}") + "\n")
                answer = show(answer, session.shell)
                if answer.quits or any(inner.quits for inner in answer.inner):
                    return False
                if answer.error is not None and not is_unfinished(line):
                    return True
    except KeyboardInterrupt:  # told of before the tape is freed
        write("interrupted\n")
    finally:
        if session.settings != before and (why := keep_settings(session.settings)):
            write(f"the settings hold for this session only: {why}\n")
    return True


def show(answer: Answer, shell: Commands) -> Answer:
    """Write an answer below its line; returns the answer, with the error if rendering failed."""
    drawn, answer = shown(answer, shell.error, render.look_of(sys.stdout))
    for texts in drawn:
        (page if answer.pages else write)("".join(texts))
    return answer


def page(text: str) -> None:
    """Write help, through the system's pager if it is longer than the screen."""
    if text.count("\n") < shutil.get_terminal_size().lines:
        write(text)
        return
    import click

    click.echo_via_pager(text)


def write(text: str) -> None:
    """Write to the terminal, with escapes for characters outside its encoding."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()
