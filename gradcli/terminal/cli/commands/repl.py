"""`gradcli repl`: an interactive session, from a prompt in a terminal or from the lines of stdin."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

import click

from gradcli.errors import Exit
from gradcli.terminal.cli import garbage_collection
from gradcli.terminal.cli.help_option import ALL_EXITS, CommandWithHelp
from gradcli.terminal.cli.streams import UnclosableStream, descriptor_1_to_stderr, write

if TYPE_CHECKING:
    from gradcli.terminal.repl.answers import Answer, Commands


class Guided(CommandWithHelp):
    """A command whose help ends with the help page on the session."""

    def get_help(self, ctx: click.Context) -> str:
        """The help of the command, followed by the page on the session."""
        from gradcli.terminal import render
        from gradcli.terminal.render.topics import view
        from gradcli.terminal.repl.help_pages import PAGE

        look = render.look_of(sys.stdout)
        return super().get_help(ctx) + "\n\n" + render.as_text(view(PAGE, look), look).rstrip("\n")


@click.command(
    "repl",
    cls=Guided,
    short_help="Start the interactive prompt (the default).",
    examples=("gradcli repl",),
    exits=ALL_EXITS,
)
@click.pass_context
def command(context: click.Context) -> int:
    """Start a session of definitions, expressions and commands: a prompt in a terminal, otherwise lines from stdin."""
    return start(program_of(context))


def program_of(context: click.Context) -> click.Group:
    """The root group of a context."""
    program = context.find_root().command
    assert isinstance(program, click.Group)
    return program


def start(program: click.Group) -> int:
    """Run a session with the commands of `program`, at a prompt or from stdin.

    Returns:
        The first exit code of an answer that is not 0, otherwise 0.
    """
    garbage_collection.resume()
    if at_a_terminal():
        from gradcli.terminal.cli.repl_commands import Shell
        from gradcli.terminal.repl.session import Session
        from gradcli.terminal.repl.terminal.prompt_loop import converse

        return converse(Session(Shell(program)))
    return answer_all(typed(sys.stdin), program)


def at_a_terminal() -> bool:
    """Whether stdin and stdout are a terminal that can move its cursor."""
    from gradcli.terminal.render.layout.stream_style import is_terminal

    return is_terminal(sys.stdin) and is_terminal(sys.stdout) and not is_dumb()


def is_dumb() -> bool:
    """Whether the terminal cannot move its cursor, as in an editor's window."""
    return os.environ.get("TERM", "dumb") in {"", "dumb", "unknown"} and os.name != "nt"


def typed(stream: TextIO | None) -> Iterator[str]:
    """The input blocks of a stream as they arrive, with a plain prompt if the stream is a terminal."""
    from gradcli.terminal.render.layout.stream_style import is_terminal

    if stream is None:
        return
    if is_terminal(stream):
        yield from asked(stream)
        return
    from gradcli.terminal.repl.input_blocks import as_they_come

    yield from as_they_come(iter(stream.readline, ""))


def asked(stream: TextIO) -> Iterator[str]:
    """The input blocks typed at a terminal that cannot move its cursor; Ctrl-C discards an incomplete block."""
    from gradcli.terminal.render.layout.stream_style import is_terminal
    from gradcli.terminal.repl.input_blocks import entered, is_open
    from gradcli.terminal.repl.session import GREETING

    aside = sys.stdout if is_terminal(sys.stdout) else sys.stderr
    write(aside, GREETING)
    whole, line = "", "\n"
    while line:
        write(aside, ". " if whole else "> ")
        try:
            line = stream.readline()
        except KeyboardInterrupt:
            write(aside, "\n")
            whole = ""
            continue
        whole += line
        if whole and not (line and is_open(whole.removesuffix("\n"))):
            yield from entered(whole)
            whole = ""
    write(aside, "\n")  # ends the line of the last prompt, at Ctrl-D


def answer_all(lines: Iterable[str], program: click.Group, *, to_the_end: bool = True, as_json: bool = False) -> int:
    """Answer each line as it arrives, and return the first exit code that is not 0.

    Args:
        lines: the input blocks.
        program: the group with the available commands.
        to_the_end: whether to continue after an error.
        as_json: whether to write each answer as JSON.
    """
    from gradcli.shared.temporary_settings import temporary_attributes
    from gradcli.terminal.cli.repl_commands import Shell
    from gradcli.terminal.render.layout.stream_style import is_terminal
    from gradcli.terminal.repl.session import Session

    session, code = Session(Shell(program)), Exit.PASS
    for line in lines:
        aside = sys.stdout and sys.stderr and UnclosableStream(sys.stderr, sys.stdout)
        with descriptor_1_to_stderr(), temporary_attributes(sys, stdout=aside):
            try:
                answer = session.run(line)
            except KeyboardInterrupt:
                if not is_terminal(sys.stdin):
                    raise
                write(sys.stderr, "interrupted\n")
                code = code or Exit.INTERRUPTED
                continue
        answer = tell(answer, session.shell) if as_json else show(answer, session.shell)
        code = code or answer.worst
        if answer.quits or (answer.error and not to_the_end):
            break
    return int(code)


def show(answer: Answer, shell: Commands) -> Answer:
    """Write an answer as text; returns the answer, with the error if rendering failed."""
    from gradcli.terminal import render
    from gradcli.terminal.repl.text_output import shown

    texts, answer = shown(answer, shell.error, render.look_of(sys.stdout), render.look_of(sys.stderr))
    for out, err in texts:
        write(sys.stdout, out)
        write(sys.stderr, err)
    return answer


def tell(answer: Answer, shell: Commands) -> Answer:
    """Write an answer as lines of JSON, errors to stderr; returns the answer, with the error if encoding failed."""
    import json

    from gradcli.terminal.repl.text_output import answer_objects

    try:
        lines = [
            ("error" in object_, json.dumps(object_, allow_nan=False) + "\n") for object_ in answer_objects(answer)
        ]
    except Exception as raised:
        error = shell.error(raised)
        return tell(answer.changed(error=error, exit=error.exit, inner=()), shell)
    for is_error, text in lines:
        write(sys.stderr if is_error else sys.stdout, text)
    return answer
