"""Latency of the prompt: the time until it is drawn, and until it previews the input."""

from __future__ import annotations

import os
import select
import signal
import sys
from itertools import count
from types import TracebackType

from benchmarks.timing import ROOT, Call, medians, process

CODE = "import sys; sys.argv[1:] = []; from gradcli.terminal.cli import main; sys.exit(main())"
IMPORTS = "prompt_toolkit, click, numpy"
ALONE = "these imports alone"
NOT_PASSED_ON = ("PYTHONDONTWRITEBYTECODE", "NO_COLOR")
PROMPT = b"m>"  # the prompt after its colour code
WHERE = b"\x1b[6n"  # the query for the cursor position, which a terminal answers
CLEAR = "\x15"  # Ctrl-U
PATIENCE = 60.0  # seconds without output


class Terminal:
    """A gradcli session in a pseudo-terminal."""

    def __enter__(self) -> Terminal:
        import pty

        self.child, self.screen = pty.fork()
        if self.child == 0:
            os.chdir(ROOT)
            own = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
            own |= {"TERM": "xterm-256color", "GRADCLI_HISTORY": os.devnull}
            os.execve(sys.executable, [sys.executable, "-c", CODE], own)
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: object, trace: TracebackType | None) -> None:
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.screen)

    def type(self, text: str) -> None:
        """Type a text."""
        os.write(self.screen, text.encode())

    def wait_for(self, text: bytes) -> None:
        """Read until a text is drawn."""
        seen = b""
        while text not in seen:
            if not select.select([self.screen], [], [], PATIENCE)[0]:
                raise AssertionError(f"the terminal shows no {text!r}, but {seen[-200:]!r}")
            seen += os.read(self.screen, 65536)
            if WHERE in seen:
                seen = seen.replace(WHERE, b"")
                self.type("\x1b[1;1R")


def why_not() -> str | None:
    """The reason why this cannot be measured here, or None."""
    return None if os.name == "posix" else "a terminal of its own needs a POSIX system"


def first_prompt(repeats: int, slice_s: float) -> dict[str, float]:
    """Seconds from `gradcli` to the drawn prompt, compared with the necessary imports."""

    def start() -> None:
        with Terminal() as terminal:
            terminal.wait_for(PROMPT)

    return medians({"gradcli": start, ALONE: process(f"import {IMPORTS}")}, repeats, slice_s)


def previewed(repeats: int, slice_s: float) -> float:
    """Seconds from the last key of f4 as a formula to its drawn value and four partial derivatives."""
    with Terminal() as terminal:
        terminal.wait_for(PROMPT)
        terminal.type("at a=1,b=2,c=3,d=4\r")
        terminal.wait_for(b" = 4.0")
        terminal.wait_for(PROMPT)
        return medians({"preview": typing(terminal)}, repeats, slice_s)["preview"]


def typing(terminal: Terminal) -> Call:
    """A call that replaces the input by f4, each time with another formula, and waits for its partial derivatives."""
    numbers = count()

    def run() -> None:
        terminal.type(f"{CLEAR}2 * (a*b*c + a*b*d + a*c*d + b*c*d) + {next(numbers)}")
        terminal.wait_for("∂d 22".encode())

    return run
