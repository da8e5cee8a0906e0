"""The answer to a line of a session, and the commands that answer lines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from gradcli.errors import Exit, GradcliError
from gradcli.queries.session_workspace import Binding, Workspace
from gradcli.shared.frozen_record import Frozen


class Answer(Frozen):
    """The answer to a line.

    Args:
        line: the line without prompts and comments.
        record: the record of a query, or None.
        known: names with their meanings that the line defined or asked for.
        value: the value of an expression without a gradient: a number without inputs, an array or a truth value.
        remark: a remark below the value.
        text: a text to show verbatim, such as a help page.
        notes: events beside the answer, such as a reloaded file.
        error: the error, if there is one.
        exit: the exit code that the shell command would have.
        quits: whether the line ends the session.
        inner: the answers to the lines of a script.
        number: the number by which `_3` refers to the value later; 0 for none.
        draw: renders the record as the command does, for a look; None for the session's own view.
        digits: the number of significant digits shown; None for all.
        as_json: whether the record is rendered as JSON, with its findings.
        as_table: whether the record is rendered as Markdown or CSV, as a table only.
        has_options: whether options of the command change what is drawn.
        whole: the line completed with the default target and point; empty if nothing was left out.
        pages: whether the text is help, to be shown through a pager.
        origin: the script and the line in it from which the line was read; None if it was typed.
    """

    line: str
    record: Any = None
    known: tuple[Binding, ...] = ()
    value: Any = None
    remark: str = ""
    text: str = ""
    notes: tuple[str, ...] = ()
    error: GradcliError | None = None
    exit: Exit = Exit.PASS
    quits: bool = False
    inner: tuple[Answer, ...] = ()
    number: int = 0
    draw: Callable[[Any, Any], str] | None = None
    digits: int | None = None
    as_json: bool = False
    as_table: bool = False
    has_options: bool = False
    whole: str = ""
    pages: bool = False
    origin: tuple[str, int] | None = None

    @property
    def worst(self) -> Exit:
        """The first exit code that is not 0, of this answer or its inner answers."""
        return self.exit or next((inner.worst for inner in self.inner if inner.worst), Exit.PASS)


class Commands(Protocol):
    """The interface of gradcli's commands as used by a session."""

    def commands(self) -> Collection[str]:
        """The names of the commands."""

    def described(self) -> Mapping[str, str]:
        """The names of the commands with their descriptions."""

    def options(self, word: str) -> Mapping[str, str]:
        """The options of a command with their descriptions."""

    def short_options(self, word: str) -> Collection[str]:
        """The short forms of a command's options that take a value."""

    def takes_several(self, word: str) -> bool:
        """Whether the command takes several targets, separated by spaces."""

    def choices(self, word: str, option: str) -> Collection[str]:
        """The allowed values of an option; empty if any value is allowed."""

    def run(self, word: str, arguments: list[str], workspace: Workspace) -> Answer:
        """Run a command on the names and the point of a workspace."""

    def error(self, raised: BaseException) -> GradcliError:
        """The gradcli error for an exception."""
