"""A session without a terminal: it answers lines and keeps the names, the point and the results between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradcli import queries
from gradcli.errors import GradcliError, ResultError, UsageError
from gradcli.queries.session_workspace import Definitions, Workspace, is_function, is_import
from gradcli.shared.records.derivatives import Gradient
from gradcli.shared.records.tapes import TapeListing
from gradcli.terminal.repl import help_pages
from gradcli.terminal.repl.answers import Answer, Commands
from gradcli.terminal.repl.command_descriptions import SETTINGS
from gradcli.terminal.repl.input_blocks import ScriptLine, read_lines
from gradcli.terminal.repl.input_lines import Line, bare, meant, read
from gradcli.terminal.repl.written_files import save_script

_FUNCTION_OF_FILE = re.compile(r"([^\s:]+\.py):([^\W\d]\w*)")
_ASSIGNED = re.compile(r"([^\W\d]\w*)\s*=\s*([^=].*)")
GREETING = "gradcli: type a definition, an expression or a command, or help; Ctrl-D leaves\n"
MOST_TOLD = 8  # names listed after an import
LONGEST_TYPED = 200  # characters of a typed point that are shown
SAVED = "session.gradcli"  # the default file of `save`
MOST_NESTED = 20  # levels of scripts that run scripts
HELP = ("--help", "-h")
SCRIPT = "# Lines of a gradcli session, written by `save`; `gradcli run` and `run` answer them again.\n"
NOT_KEPT = (
    "step",
    "help",
    "save",
)  # commands that a script does not need: they wait for keys, or compute nothing


class Session:
    """The state of a session.

    Args:
        shell: gradcli's commands, applied here to the names of the session.

    Attributes:
        workspace: the names and the current point.
        entered: the lines that ran without an error, in order.
        answers: the answers to these lines.
    """

    def __init__(self, shell: Commands) -> None:
        self.shell = shell
        self.workspace = Workspace()
        self.entered: list[str] = []
        self.answers: list[Answer] = []
        self.results = 0
        self.settings = {name: values[0] for name, values in SETTINGS.items()}
        self._running = 0
        self._before: Definitions | None = None  # the names before the present line, in a script that line of it
        self.own: dict[str, Callable[[str], Answer]] = {
            "load": self._load,
            "names": self._names,
            "at": self._at,
            "forget": self._forget,
            "save": self._save,
            "run": self._run,
            "set": self._set,
            "quit": self._quit,
            "exit": self._quit,
        }

    @property
    def commands(self) -> tuple[str, ...]:
        """All command names: those of gradcli and those of the session."""
        return (*self.shell.commands(), *self.own)

    def run(self, text: str) -> Answer:
        """The answer to a line; errors are part of the answer.

        Raises:
            KeyboardInterrupt: Ctrl-C came. It holds what the line has recorded, which takes seconds to free.
        """
        answer = self._answer(text)
        if answer.error is None and answer.line and not answer.quits:
            self.entered.append(answer.whole or answer.line)
            self.answers.append(answer)
        return answer

    def _answer(self, text: str) -> Answer:
        origin = (text.file, text.line) if isinstance(text, ScriptLine) else None
        self._before = None
        try:
            notes = self.workspace.refresh()
            self._before = self.workspace.state()
            line = read(text, self.commands)
            answer = self._asked(line)
            answer = self._remember(answer.changed(line=line.text, notes=(*notes, *answer.notes), origin=origin))
            self._before = None
            return answer
        except BaseException as raised:  # the user's code may raise anything
            if self._before is not None:  # a refused line defines nothing; `grad` asks next about what it asked about
                self.workspace.restore(self._before.changed(latest=self.workspace.latest))
            if isinstance(raised, KeyboardInterrupt):
                raise
            error = self._error(raised, text)
            return Answer(bare(text), error=error, exit=error.exit, origin=origin)

    def _error(self, raised: BaseException, text: str) -> GradcliError:
        """The error for a line, replaced by a hint if the line is in the syntax of another tool."""
        error = self.shell.error(raised)
        is_of_values = isinstance(error, ResultError) or isinstance(error.__cause__, (ValueError, IndexError))
        if not isinstance(error, UsageError) or is_of_values or is_import(bare(text)):
            return error
        from gradcli.terminal.repl.line_hints import advice

        return advice(meant(bare(text), self.commands), self.workspace, self.commands) or error

    def _asked(self, line: Line) -> Answer:
        if line.kind == "nothing":
            return Answer("")
        if line.kind == "function":
            return Answer(line.text, known=(self.workspace.define(line.text),))
        if line.kind == "import":
            return self._import(line.text)
        if line.kind == "definition":
            known = self.workspace.define(line.text)
            return Answer(line.text, known=(known,), remark=self.workspace.replaced_constant(known))
        if line.kind == "expression":
            return self._expression(line.text)
        rest = line.rest.strip()
        if line.word == "help" and (not rest or rest in help_pages.WORDS):
            return Answer("", text=help_pages.text(rest), pages=True)
        if line.word == "help" and (answer := self._help_on(rest)):
            return answer
        if line.word in self.own:
            return Answer("", text=help_pages.text(line.word)) if rest in HELP else self.own[line.word](rest)
        return self._command(line)

    def _command(self, line: Line) -> Answer:
        arguments = line.arguments(self.shell.short_options(line.word), self.shell.takes_several(line.word))
        answer = self.shell.run(line.word, arguments, self.workspace)
        return answer.changed(notes=(*answer.notes, *self._of_value(line.rest.strip().partition(" ")[0])))

    def _of_value(self, name: str) -> Iterator[str]:
        """A note on a name that holds a number, where a function of others was computed: how it is defined."""
        assigned = [match for line in self.entered if (match := _ASSIGNED.fullmatch(line)) and match[1] == name]
        if name in self.workspace.names.values and assigned:
            formula = assigned[-1][2]
            inputs = self.workspace.inputs(formula)
            if inputs and name not in inputs:
                yield f"{name} holds a number; {name}({', '.join(inputs)}) = {formula} defines a function"

    def _import(self, text: str) -> Answer:
        names = self.workspace.take(text)
        more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
        return Answer(text, text=f"{', '.join(names[:MOST_TOLD])}{more}: for functions typed with def\n")

    def _expression(self, text: str) -> Answer:
        """The value of an expression at the current point, with its gradient if it has inputs."""
        if match := _FUNCTION_OF_FILE.fullmatch(text):
            return self._of_file(text, *match.groups())
        if self.workspace.means_function(text) or self.workspace.with_file(text) != text:
            self.workspace.latest = text
            return self._meaning(text, text)
        if not self.workspace.inputs(text):
            value = self.workspace.value(text)
            self.workspace.turn_to_call(text)
            return Answer(text, value=value)
        if not text.isidentifier():
            self.workspace.latest = text
        self.workspace.refuse_unknown(text)
        if text in self.workspace.names.values:
            return self._meaning(text, text)
        target = self.workspace.target(text)
        try:
            return Answer(text, record=queries.gradient(target, self.workspace.point(target)))
        except ResultError as refused:
            value, remark = queries.without_gradient(self.workspace, text, refused)
            return Answer(text, value=value, remark=remark)

    def _of_file(self, text: str, path: str, name: str) -> Answer:
        """A function of a file, named in full: the file is loaded, and the next commands ask about the function."""
        self.workspace.target(text)
        self.workspace.load(path)
        self.workspace.latest = name
        return self._meaning(text, name)

    def _remember(self, answer: Answer) -> Answer:
        """Let `_`, `_3` and `%7` refer to an answer; returns the answer with its number."""
        value = answer.record.value if isinstance(answer.record, (Gradient, TapeListing)) else answer.value
        if not is_numeric(value):
            value = None
        if value is not None:
            self.results += 1
            self.workspace.refer({"_": value, f"_{self.results}": value})
        if isinstance(answer.record, TapeListing):
            numbers = {f"%{node.index}": node.value for node in answer.record.nodes if isinstance(node.value, float)}
            self.workspace.refer(numbers, instead_of="%")
        digits = self.settings["digits"]
        shown = answer.changed(digits=int(digits)) if digits.isdecimal() else answer
        return shown if value is None else shown.changed(number=self.results)

    # Session commands

    def _load(self, rest: str) -> Answer:
        if not rest:
            raise UsageError("load needs a file, and none came.", hint="Type load file.py")
        path = unquoted(rest)
        known = tuple(self.workspace.load(path))
        nothing = f"There is no function in {path}. Write one, def f(x): return x * x, and type load {path}\n"
        return Answer("", known=known, text="" if known else nothing)

    def _names(self, rest: str) -> Answer:
        known = self.workspace.known()
        return Answer(
            "", known=tuple(known), text="" if known else "There are no names yet. Type x = 3 or load file.py.\n"
        )

    def _at(self, rest: str) -> Answer:
        if rest:
            known = tuple(self.workspace.move(rest))
            return Answer("", known=known, text=f"at {abridged(self.workspace.at)}\n" if self.workspace.at else "")
        values = tuple(known for known in self.workspace.known() if known.kind == "value")
        in_order = f"at {abridged(self.workspace.at)}\n" if self.workspace.at else ""
        nothing = "" if values or in_order else "There is no point yet. Type at x=1,y=2 or at 1,2,3,4.\n"
        return Answer("", known=values, text=in_order or nothing)

    def _forget(self, rest: str) -> Answer:
        names = rest.replace(",", " ").split()
        if not names:
            raise UsageError("forget needs a name, and none came.", hint="Type forget x")
        known = {definition.name for definition in self.workspace.known()}
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"There is no name {unknown[0]!r}.", hint="`names` lists what there is.")
        for name in names:
            self.workspace.forget(name)
        return Answer("")

    def _save(self, rest: str) -> Answer:
        path = unquoted(rest) or SAVED
        if path.endswith(".py"):
            raise UsageError(
                f"save writes lines of a session, no Python: not {path}.", hint=f"Type save {path[:-3]}.gradcli"
            )
        kept = [line for line in self.entered if line.split()[0] not in NOT_KEPT]
        blocks = (f"{line}\n\n" if "\n" in line and is_function(line) else f"{line}\n" for line in kept)
        notes = save_script(path, SCRIPT + "".join(blocks))
        lines = f"{len(kept)} line{'s' * (len(kept) != 1)}"
        return Answer("", text=f"{lines} in {path}; `run {path}` runs them again.\n", notes=notes)

    def _set(self, rest: str) -> Answer:
        name, _, value = rest.replace("=", " ").partition(" ")
        value = value.strip()
        if rest and name not in SETTINGS:
            known = ", ".join(f"{setting} {allowed(setting)}" for setting in SETTINGS)
            raise UsageError(f"There is no setting {name!r}.", hint=f"The settings are {known}.")
        if not value:
            shown = [name] if rest else self.settings
            return Answer("", text="".join(f"set {setting} {self.settings[setting]}\n" for setting in shown))
        if value not in SETTINGS[name]:
            hint = f"Type set {name} {SETTINGS[name][-1]}, for example."
            raise UsageError(f"{name} is {allowed(name)}, not {value}.", hint=hint)
        self.settings[name] = value
        return Answer("")

    def _help_on(self, name: str) -> Answer | None:
        """The help on a name or on a function of the formula language; None for other words."""
        if any(name == known.name for known in self.workspace.known()):
            return self._meaning("", name, help_pages.applicable_commands(name, self.workspace))
        text = "" if name in self.commands else help_pages.of_language(name)
        return Answer("", text=text) if text else None

    def _meaning(self, line: str, name: str, more: str = "") -> Answer:
        """The meaning of a name, with the source of a Python function."""
        text = help_pages.source(name, self.workspace) + more
        return Answer(line, known=(self.workspace.meaning(name),), text=text)

    def _run(self, rest: str) -> Answer:
        if not rest:
            raise UsageError("run needs a file, and none came.", hint="Type run session.gradcli")
        if self._running > MOST_NESTED:
            raise UsageError(f"Scripts run one another more than {MOST_NESTED} deep.")
        self._running += 1
        try:
            return Answer("", inner=tuple(self.play(read_lines(unquoted(rest)))))
        finally:
            self._running -= 1

    def play(self, lines: Iterable[str]) -> Iterator[Answer]:
        """The answers to lines up to the first error; blank lines and comments are skipped."""
        for answer in map(self._answer, filter(bare, lines)):
            yield answer
            if answer.error is not None or answer.quits:
                return

    def _quit(self, rest: str) -> Answer:
        if rest:
            raise UsageError(f"quit takes no argument, and {abridged(rest)} came.", hint="Type quit.")
        return Answer("", quits=True)


def is_numeric(value: Any) -> bool:
    """Whether a value is a number, or an array of numbers as nested lists."""
    return all(map(is_numeric, value)) if isinstance(value, list) else isinstance(value, float)


def allowed(setting: str) -> str:
    """The values of a setting: `emacs or vi`, `all or 2 to 16`."""
    first, second, *further = SETTINGS[setting]
    return f"{first} or {second}" + (f" to {further[-1]}" if further else "")


def unquoted(text: str) -> str:
    """A path without surrounding quotes."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def abridged(text: str) -> str:
    """A text with its middle left out if it is long."""
    return text if len(text) <= LONGEST_TYPED else f"{text[: LONGEST_TYPED // 2]} ... {text[-LONGEST_TYPED // 4 :]}"
