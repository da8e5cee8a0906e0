"""The line below the prompt: a thread of its own computes it, so that typing waits for nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from gradcli import queries
from gradcli.repl.preview import preview

if TYPE_CHECKING:
    from gradcli.repl.session import Session


class Toolbar:
    """What is shown below the prompt for the text that is being typed.

    Args:
        session: whose names have the values.
        shown: called when there is something new to show.
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
        """The preview of what is typed, empty as long as it is not known."""
        if self.session.settings["preview"] == "off":
            return ""
        with self._changed:
            if typed != self._wanted:
                self._wanted = typed
                self._changed.notify()
            return self._found[1] if self._found[0] == typed else ""

    def start(self) -> None:
        """Begin to compute; what is needed for it is loaded first."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="gradcli-preview", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Compute no more."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Nothing is computed inside: the session runs a line."""
        with self._working:
            yield
        with self._changed:
            self._found = ("", "")  # the names may have other values now
            self._wanted = ""

    def _work(self) -> None:
        # What cannot be loaded is said when it is asked for.  A line waits meanwhile: two threads that import parts of
        # one package in another order can stop each other.
        with suppress(Exception), self._working:
            queries.warm()
            self.session.shell.described()  # so that the first Tab waits for no import
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
            with self._working:  # until it is kept: the names have other values after a line
                found = self._preview(typed)
                with self._changed:
                    self._found = (typed, found)
            with suppress(Exception):  # between two prompts there is nothing to draw on; the next one asks again
                self.shown()

    def _preview(self, typed: str) -> str:
        try:
            return preview(typed, self.session)
        except Exception:  # a preview is silent
            return ""
