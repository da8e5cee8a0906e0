"""A gradcli session in a pseudo-terminal, which receives keys and whose output can be awaited."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[4]
CODE = "import sys; sys.argv[1:] = []; from gradcli.terminal.cli import main; sys.exit(main())"
CURSOR = b"\x1b[6n"  # the query for the cursor position, which a terminal answers
ESCAPES = re.compile(r"\x1b\[[\d;?]*[ -/]*[@-~]|\x1b[()=>]\w?|[\r\x08]")
ASKS = "\x1b[?2004h"  # bracketed paste is switched on: the line editor is ready
PATIENCE = 30.0  # seconds


class Screen:
    """A process that draws on a pseudo-terminal.

    Args:
        folder: its working folder, which also holds its history.
        columns: the width of the terminal.
        environ: its environment variables.
    """

    def __init__(self, folder: Path, columns: int = 80, **environ: str) -> None:
        self.folder = folder
        self.columns = columns
        self.environ = environ
        self.drawn = ""

    def __enter__(self) -> Screen:
        import pty

        self.child, self.terminal = pty.fork()
        if self.child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background shell ignores it
            os.chdir(self.folder)
            own = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
            kept = {f"GRADCLI_{word.upper()}": str(self.folder / word) for word in ("history", "settings")}
            own |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), **kept}
            os.execve(sys.executable, [sys.executable, "-c", CODE], own | self.environ)
        self.resize(self.columns)
        self.before = termios.tcgetattr(self.terminal)
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: object, trace: TracebackType | None) -> None:
        try:
            self.kill()
        except ProcessLookupError:  # it has already ended
            return
        finally:
            os.close(self.terminal)

    def kill(self) -> None:
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)

    def ended(self) -> int:
        """The exit code, once the process has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self._read(0.05)
            done, status = os.waitpid(self.child, os.WNOHANG)
            if done:
                self.child = 2**22 + 1  # no process has this number
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"it goes on; on its screen stands {self.drawn[-300:]!r}")

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, keys: str) -> None:
        self.drawn = ""
        os.write(self.terminal, keys.encode())

    def wait_for(self, *texts: str) -> str:
        """Wait until texts are drawn; returns the output since the last key, without cursor movements."""
        end = time.monotonic() + PATIENCE
        while not all(text in self.drawn or text in self.text() for text in texts):
            if time.monotonic() > end or not (self._read(1.0) or self._alive()):
                raise AssertionError(f"{texts} are not drawn, but {self.text()[-600:]!r}")
        return self.text()

    def text(self) -> str:
        return ESCAPES.sub("", self.drawn)

    def prompt(self) -> None:
        self.wait_for(ASKS)

    def answer(self, line: str, text: str) -> str:
        """Type a line, and wait for a text in its answer and for the next prompt; returns the output."""
        self.type(line + "\r")
        return self.wait_for(text, ASKS)

    def _alive(self) -> bool:
        return os.waitpid(self.child, os.WNOHANG) == (0, 0)

    def _read(self, seconds: float) -> bool:
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # the terminal is closed
            return False
        if CURSOR in data:
            os.write(self.terminal, b"\x1b[1;1R")
        self.drawn += data.decode("utf-8", "replace")
        return True
