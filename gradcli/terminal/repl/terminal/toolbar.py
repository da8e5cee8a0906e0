"""The line below the prompt, computed in a separate thread so that typing never waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from gradcli import queries
from gradcli.terminal.repl.preview import preview

if TYPE_CHECKING:
    from gradcli.terminal.repl.session import Session


class Toolbar:
    """The content of the line below the prompt.

    Args:
        session: the session whose names have the values.
        shown: called when there is new content.
    """

    def __init__(self, session: Session, shown: Callable[[], None] = lambda: None) -> None:
        self.session = session
        self.shown = shown
        self._wanted = ""
        self._found = ("", "")
        self._closed = False
        self._changed = threading.Condition()
        self._working = threading.Lock()
        self._thread: threading.Thread | None = None

    def text(self, typed: str) -> str:
        """The preview of the typed text; empty until it is computed."""
        if self.session.settings["preview"] == "off":
            return ""
        with self._changed:
            if typed != self._wanted:
                self._wanted = typed
                self._changed.notify()
            return self._found[1] if self._found[0] == typed else ""

    def start(self) -> None:
        """Start the thread, which first loads what it needs."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gradcli-preview", daemon=True)
            self._thread.start()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Pause the computation while the session runs a line."""
        with self._working:
            yield
        with self._changed:
            self._found = ("", "")  # the names may have new values
            self._wanted = ""

    def _work(self) -> None:
        # Errors of loading appear when a line needs the module. A line waits meanwhile, because two threads that import
        # parts of a package in different orders can deadlock.
        with suppress(Exception), self._working:
            queries.warm()
            self.session.shell.described()  # so that the first Tab need not wait for imports
        symbolic = threading.Thread(
            target=queries.warm_symbolic, args=[self._working], name="gradcli-sympy", daemon=True
        )
        symbolic.start()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._wanted != self._found[0])
                if self._closed:
                    return
                typed = self._wanted
            with self._working:  # held until the result is stored, because a line may change the names
                text = ""
                with suppress(Exception):  # a preview reports no errors
                    text = preview(typed, self.session)
                with self._changed:
                    self._found = (typed, text)
            with suppress(Exception):  # between two prompts, there is no screen; the next prompt asks again
                self.shown()
