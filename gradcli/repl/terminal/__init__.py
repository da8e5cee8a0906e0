"""The prompt on a terminal: the only place that knows prompt_toolkit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.repl.session import Answer, Shell


def prompt(shell: Shell) -> int:
    """Ask for lines and answer them until the session is over; returns the exit code."""
    from prompt_toolkit import PromptSession

    from gradcli.repl.session import Session

    session, keyboard = Session(shell), PromptSession[str]("> ")
    while True:
        try:
            answer = session.run(keyboard.prompt())
        except KeyboardInterrupt:
            continue
        except EOFError:
            return 0
        show(answer)
        if answer.quits:
            return 0


def show(answer: Answer) -> None:
    """Write an answer below the line that asked for it."""
    from gradcli import render
    from gradcli.repl.showing import shown

    look = render.look_of(sys.stdout)
    for text in shown(answer, look):
        sys.stdout.write(text)
    sys.stdout.flush()
