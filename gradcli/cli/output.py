"""Where a command's answer goes: the record to stdout, as text or JSON, the findings to stderr, the exit code out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, ClassVar

from gradcli import records
from gradcli.cli import garbage_collection
from gradcli.cli.streams import Lent, write
from gradcli.errors import Exit, UsageError
from gradcli.record_base import Frozen

if TYPE_CHECKING:
    from gradcli.render import Look

Record = Any

PATIENCE = 2.0  # seconds without a sign of life


class Output(Frozen):
    """How the user wants the answer.

    Args:
        as_json: one line of JSON in place of text.
        width: columns to draw, whatever the stream would take.
        form: `text`, or another form that the command writes, such as `md` or `svg`.
        out: the file that the answer goes into; None for stdout.
    """

    as_json: bool = False
    width: int | None = None
    form: str = "text"
    out: str | None = None

    reads_stdin: ClassVar[bool] = True  # a session reads its own lines there

    def quiet(self) -> Output:
        """The same for answers that only a program reads."""
        return self.changed(as_json=True)

    def of(self, ask: Callable[..., Record], *args: Any, **options: Any) -> Record:
        """The record that `ask` returns; what the user's code prints meanwhile goes to stderr.

        NumPy's warnings about our own lines are silenced: a finding names the user's line instead.
        """
        garbage_collection.resume()
        life = sign_of_life(self.as_json, options.get("listener"))
        with redirect_stdout(sys.stderr and Lent(sys.stderr)), warnings.catch_warnings(), life:
            warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradcli\.")
            return ask(*args, **options)

    def show(self, record: Record, **how: Any) -> Exit:
        """Write the record and its findings; returns the exit code that the record stands for."""
        from gradcli import render

        if self.out is not None:
            self.save(record, **how)
        if self.out is None or self.as_json:
            write(sys.stdout, self.text_of(record, render.look_of(sys.stdout), **how))
        if record.findings and not self.as_json:
            write(sys.stderr, render.findings_text(record.findings, render.look_of(sys.stderr)))
        return Exit(record.exit)

    def save(self, record: Record, **how: Any) -> None:
        """Write the record into the file, and say so; as JSON the record itself goes to stdout."""
        from gradcli.cli import out_file
        from gradcli.render import Look

        assert self.out is not None
        whole = self.changed(as_json=self.form == "json")
        data = whole._written(record, Look(width=self.width), **how)
        out_file.save(self.out, self.form, data if isinstance(data, bytes) else data.encode())
        if not self.as_json:
            write(sys.stdout, f"wrote {self.out}\n")

    def text_of(self, record: Record, look: Look, **how: Any) -> str:
        """The record as the user wants it on a stream that looks so; `how` is for the view of its kind."""
        text = self._written(record, look.changed(width=self.width) if self.width else look, **how)
        assert isinstance(text, str)  # a picture goes into a file
        return text

    def _written(self, record: Record, look: Look, **how: Any) -> str | bytes:
        if self.as_json:
            import json

            return json.dumps(records.as_json(record), allow_nan=False) + "\n"
        from gradcli import render

        if self.form == "text":
            return render.record_text(record, look, **how)
        if how.get("part"):
            raise UsageError(f"{self.form} has the whole tape, not --{how['part']}.", hint="Leave out one of the two.")
        return render.form_text(record, self.form, look, **how)


@contextmanager
def sign_of_life(quiet: bool, listener: Any = None) -> Iterator[None]:
    """Say after a while, to a person who watches, that the work goes on, unless a listener has given a sign of it."""
    from gradcli import render

    if quiet or not render.look_of(sys.stderr).terminal:
        yield
        return
    from threading import Timer

    def say() -> None:
        if not getattr(listener, "is_seen", False):
            write(stream, f"still computing after {PATIENCE:g} s; Ctrl-C stops\n")

    stream = sys.stderr
    timer = Timer(PATIENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
