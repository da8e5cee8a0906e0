"""gradcli's commands within a session: the same commands and options, applied to the names of the session."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TextIO

import click
from click.core import ParameterSource

from gradcli.errors import Exit, GradcliError, PointError, UsageError
from gradcli.queries.session_workspace import Workspace
from gradcli.shared.temporary_settings import temporary_attributes
from gradcli.terminal.cli.exit_errors import as_error
from gradcli.terminal.cli.options import takes_value
from gradcli.terminal.cli.output import Output
from gradcli.terminal.repl.answers import Answer

ELSEWHERE = (
    "repl",
    "verify",
    "run",
    "watch",
    "completion",
)  # commands that make no sense within a session, or mean something else there

_EXAMPLE = re.compile(r"For example: .*")
MOST_NAMED = 8  # functions listed in a hint


class Shell:
    """gradcli's commands for use in a session.

    Args:
        program: the group of all commands.
    """

    def __init__(self, program: click.Group) -> None:
        self._program = program
        self._words = tuple(word for word in program.list_commands(click.Context(program)) if word not in ELSEWHERE)
        self._called = re.compile(rf"\bgradcli\s+(?=(?:{'|'.join(self._words)})\b)")

    def commands(self) -> Collection[str]:
        return self._words

    def described(self) -> Mapping[str, str]:
        return {word: self._command(word).get_short_help_str(200) for word in self.commands()}

    def options(self, word: str) -> Mapping[str, str]:
        """The options of a command that the prompt takes, with their descriptions."""
        if word not in self.commands():
            return {}
        refused = {"--workers", "--scheduler", *(() if word == "check" else ("--points-file",))}  # rows are for a shell
        parameters = self._command(word).params
        options = [
            option for option in parameters if isinstance(option, click.Option) and refused.isdisjoint(option.opts)
        ]
        return {**{max(option.opts, key=len): option.help or "" for option in options}, "--help": "Show the options."}

    def short_options(self, word: str) -> Collection[str]:
        options = filter(takes_value, self._command(word).params)
        return [name for option in options for name in option.opts if not name.startswith("--")]

    def takes_several(self, word: str) -> bool:
        return sum(isinstance(parameter, click.Argument) for parameter in self._command(word).params) > 1

    def choices(self, word: str, option: str) -> Collection[str]:
        if word not in self.commands():
            return ()
        options = [parameter for parameter in self._command(word).params if option in parameter.opts]
        if option == "--device" and options:
            return ("cpu", "gpu")
        return tuple(str(choice) for parameter in options for choice in getattr(parameter.type, "choices", ()))

    def _command(self, word: str) -> click.Command:
        command = self._program.get_command(click.Context(self._program), word)
        assert command is not None
        return command

    def run(self, word: str, arguments: list[str], workspace: Workspace) -> Answer:
        """Run a command on the names and the point of a workspace, and return its output as an answer."""
        command = self._command(word)
        shown = AnswerCapture(workspace)
        printed = CapturedStream(sys.stdout)
        latest = workspace.latest
        default = {word: {"target": latest}} if latest else {}
        root = click.Context(
            self._program, info_name="gradcli", obj=shown.output, default_map=default, **self._program.context_settings
        )
        with temporary_attributes(sys, stdout=printed):
            try:
                with command.make_context(word, list(arguments), parent=root) as context:
                    by_default = context.get_parameter_source("target") is ParameterSource.DEFAULT_MAP
                    target, at = context.params.get("target") or "", context.params.get("at")
                    if by_default or workspace.last_point(target):
                        typed = [f"'{argument}'" for argument in arguments] if self.takes_several(word) else arguments
                        words = [latest, *typed] if by_default else typed
                        shown.complete(word, words, workspace.last_point(target) if at is None else None)
                    command.invoke(context)
            except click.exceptions.Exit:  # after --help
                return Answer("", text=self._called.sub("", printed.getvalue()), pages=True)
            except click.MissingParameter as missing:
                if missing.param is None or missing.param.name != "target":
                    raise
                raise untargeted(word, workspace) from None
        text = printed.getvalue()
        if word == "help":
            return shown.answer.changed(text=self._called.sub("", text), pages=True)
        return shown.answer.changed(text=text)

    def error(self, raised: BaseException) -> GradcliError:
        """The gradcli error for an exception, with session syntax: `grad`, not `gradcli grad`."""
        error = as_error(raised)
        error.message = self._called.sub("", error.message)
        bare = partial(_EXAMPLE.sub, lambda match: match[0].replace("'", "").replace("file.py:", ""))
        error.hint = error.hint and bare(self._called.sub("", error.hint))
        return error


def untargeted(word: str, workspace: Workspace) -> UsageError:
    """The error for a command without a target when the session has no last target."""
    functions = [*workspace.names.formulas, *workspace.names.loaded]
    if functions:
        others = f"; there are {', '.join(functions[:MOST_NAMED])}" if len(functions) > 1 else ""
        return UsageError(f"Which function does {word} ask about?", hint=f"Type {word} {functions[0]}{others}.")
    return UsageError(
        f"{word} needs a function or an expression, and none came.",
        hint=f"Type {word} x^2 --at x=3, or first f(x) = x^2 and x = 3.",
    )


class CapturedStream(io.StringIO):
    """Captured output of a command, which reports the terminal properties of the stream where it will be shown.

    Args:
        stream: the stream where the output will be shown, or None.
    """

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    def isatty(self) -> bool:
        from gradcli.terminal.render.layout.stream_style import is_terminal

        return is_terminal(self._stream)

    def fileno(self) -> int:
        """The file descriptor of the stream, for the terminal size."""
        return self._stream.fileno() if self._stream else super().fileno()


class AnswerCapture:
    """The answer of a command, captured instead of shown."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.at: str | None = None  # the point of a target from an earlier line
        self.answer = Answer("")

    def complete(self, word: str, arguments: list[str], at: str | None) -> None:
        """Complete a command with the point of an earlier line; the first argument is the target."""
        self.at = at
        point = ["--at", at] if at else []
        self.answer = Answer("", whole=" ".join((word, arguments[0], *point, *arguments[1:])))

    def output(self, *how: Any) -> Output:
        return SessionOutput(**vars(Output(*how)), shown=self)


class SessionOutput(Output):
    """An output that returns the answer to the session instead of writing it."""

    shown: AnswerCapture  # type: ignore[misc]  # a Frozen allows it after fields with defaults
    reads_stdin = False

    def of(self, ask: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Run a query with names of the session as targets and the current point, and return its record.

        Every query about a target takes it first, as text, and the point second.
        """
        args = self._in_session(ask, *args) if args and isinstance(args[0], str) else args
        return super().of(ask, *args, **options)

    def _in_session(self, ask: Callable[..., Any], text: str, at: str | None, *others: Any) -> tuple[Any, ...]:
        """The arguments of a query, with the target and the point of the session, which remembers them."""
        workspace = self.shown.workspace
        target = workspace.target(text)
        at = self.shown.at if at is None else at
        workspace.latest = text
        point = self._point(ask, target, at)
        workspace.remember(target, text, at)
        return target, point, *(self._known(other, target) for other in others)

    def _known(self, argument: Any, target: Any) -> Any:
        """A further target of a query, or the gradient in a request, with names of the session."""
        if isinstance(argument, str):
            return self.shown.workspace.target(argument)
        claimed = getattr(argument, "against", None)
        if not isinstance(claimed, str):
            return argument
        return argument.changed(against=self.shown.workspace.claimed(claimed, target))

    def _point(self, ask: Callable[..., Any], target: Any, at: str | None) -> Any:
        from gradcli import queries

        try:
            return self.shown.workspace.point(target, at)
        except PointError:
            one = target.reading is not None and len(target.parameters) == 1
            if at is None and (ask is queries.symbolic or (ask is queries.plot and one)):  # these need no point
                return at
            raise

    def show(self, record: Any, **how: Any) -> Exit:
        """Return the record and its rendering to the session."""
        code: Exit = record.exit
        if self.out is not None and not self.as_json:
            return super().show(record, **how)
        if self.out is not None:
            self.save(record, **how)
        draw = partial(self.text_of, **how)
        self.shown.answer = self.shown.answer.changed(
            record=record,
            exit=code,
            draw=draw,
            as_json=self.as_json,
            as_table=self.form != "text",
            has_options=any(how.values()),
        )
        return code
