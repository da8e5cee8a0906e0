"""The magics `%gradcli` and `%%gradcli`: the prompt in a notebook, with the notebook's functions as targets."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

from gradcli.queries.session_workspace import Workspace
from gradcli.terminal.cli.repl_commands import Shell
from gradcli.terminal.cli.root_command import program
from gradcli.terminal.render import Look
from gradcli.terminal.repl.answers import Answer
from gradcli.terminal.repl.input_blocks import whole_lines
from gradcli.terminal.repl.session import Session
from gradcli.terminal.repl.text_output import shown

WIDTH = 100


class Magics:
    """The magics of one notebook, with the state of a session.

    Args:
        ipython: the shell of the notebook.
    """

    def __init__(self, ipython: Any) -> None:
        self._ipython = ipython
        self._session = Session(Shell(program))
        self._shared: set[str] = set()

    def gradcli(self, line: str, cell: str | None = None) -> None:
        """Answer a line as the prompt of gradcli does, or each line of a cell."""
        self._share(self._session.workspace)
        try:
            for text in filter(str.strip, whole_lines(line if cell is None else f"{line}\n{cell}")):
                self._show(self._session.run(text))
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")

    def _share(self, workspace: Workspace) -> None:
        """Make the notebook's functions targets, and forget functions that no longer exist."""
        hidden = self._ipython.user_ns_hidden
        functions = {
            name: value
            for name, value in list(self._ipython.user_ns.items())
            if type(value) is FunctionType and not name.startswith("_") and name not in hidden
        }
        for name in self._shared - functions.keys():
            workspace.forget(name)
        for name, function in functions.items():
            if workspace.names.loaded.get(name) is not function:
                workspace.names.forget(name)
                workspace.names.loaded[name] = function
        self._shared = set(functions)
        workspace.written.share(workspace.names)

    def _show(self, answer: Answer) -> None:
        """Show an answer: a record without drawing options as HTML, anything else as text."""
        texts, answer = shown(answer, self._session.shell.error, Look(width=WIDTH))
        if (
            answer.error is None
            and answer.record is not None
            and not (answer.as_json or answer.as_table or answer.has_options)
        ):
            from IPython.display import display

            display(answer.record)  # type: ignore[no-untyped-call]
            return
        for out, aside in texts:
            sys.stdout.write(out)
            sys.stderr.write(aside)


def load(ipython: Any) -> None:
    """Register the magics with the shell of a notebook."""
    ipython.register_magic_function(Magics(ipython).gradcli, "line_cell", "gradcli")
