"""Output of a command: the record to stdout or a file, the findings to stderr, and the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.temporary_settings import temporary_attributes
from gradcli.terminal.cli import garbage_collection
from gradcli.terminal.cli.streams import UnclosableStream, descriptor_1_to_stderr, write

if TYPE_CHECKING:
    from gradcli.terminal.render import Look

Record = Any


class Output(Frozen):
    """The user's choice of output format and destination.

    Args:
        as_json: whether to print one line of JSON instead of text.
        width: the width in columns; None for that of the stream.
        form: `text`, or another format of the command, such as `md` or `svg`.
        out: the output file; None for stdout.
        folder: the folder in which the file was named.
    """

    as_json: bool = False
    width: int | None = None
    form: str = "text"
    out: str | None = None
    folder: str = ""

    reads_stdin: ClassVar[bool] = True  # a session reads its own lines there

    def of(self, ask: Callable[..., Record], *args: Any, **options: Any) -> Record:
        """Call `ask` and return its record; output of the user's code goes to stderr.

        NumPy's warnings about gradcli's own lines are silenced, because a finding names the user's line instead.
        """
        own = ignored_warnings(RuntimeWarning, "gradcli.")
        aside = temporary_attributes(sys, stdout=sys.stderr and UnclosableStream(sys.stderr))
        with descriptor_1_to_stderr(), aside, own, garbage_collection.resumed(), _copies_ended():
            return ask(*args, **options)

    def show(self, record: Record, **how: Any) -> Exit:
        """Write the record and its findings, and return the record's exit code."""
        from gradcli.terminal import render

        if self.out is not None:
            self.save(record, **how)
        if self.out is None or self.as_json:
            write(sys.stdout, self.text_of(record, render.look_of(sys.stdout), **how))
        if record.findings and not self.as_json:
            write(sys.stderr, render.findings_text(record.findings, render.look_of(sys.stderr)))
        return Exit(record.exit)

    def save(self, record: Record, **how: Any) -> None:
        """Write the record to the file, and confirm it on stdout unless stdout is JSON."""
        from gradcli.terminal.cli import out_file
        from gradcli.terminal.render import Look

        assert self.out is not None
        whole = self.changed(as_json=self.form == "json")
        data = whole._written(record, Look(width=self.width), **how)
        path = os.path.expanduser(self.out)
        if os.path.realpath(os.curdir) != os.path.realpath(self.folder):  # the user's code has left the folder
            path = os.path.join(self.folder, path)
        out_file.save(path, self.form, data if isinstance(data, bytes) else data.encode())
        if not self.as_json:
            write(sys.stdout, f"wrote {self.out}\n")

    def text_of(self, record: Record, look: Look, **how: Any) -> str:
        """The record as text for a stream with this look; `how` holds options of the record's view."""
        text = self._written(record, look.changed(width=self.width) if self.width else look, **how)
        assert isinstance(text, str)  # images are written to files only
        return text

    def _written(self, record: Record, look: Look, **how: Any) -> str | bytes:
        if self.as_json:
            import json

            from gradcli.shared.records.json_form import as_json

            return json.dumps(as_json(record), allow_nan=False) + "\n"
        from gradcli.terminal import render

        if self.form == "text":
            return render.record_text(record, look, **how)
        return render.form_text(record, self.form, look, **how)


@contextmanager
def _copies_ended() -> Iterator[None]:
    """End each copy of this process that the user's code has forked inside and that returns: it has no result."""
    process = os.getpid()
    try:
        yield
    finally:
        if os.getpid() != process:
            os._exit(0)
