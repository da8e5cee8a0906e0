"""Completion at the prompt: a function of the text, the cursor and the session, which runs no user code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Literal

from gradcli import queries
from gradcli.errors import GradcliError, UsageError
from gradcli.queries.session_workspace import is_function
from gradcli.shared.file_completion import functions_in, paths
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.tapes import TapeListing
from gradcli.terminal.repl.command_descriptions import OWN, SETTINGS
from gradcli.terminal.repl.input_lines import read

if TYPE_CHECKING:
    from gradcli.terminal.repl.session import Session

Kind = Literal["command", "name", "function", "option", "file", "setting", "topic"]

MOST_FILES = 500
CONSTANTS = ("pi", "tau", "e", "inf", "nan")

_WORD = re.compile(r"[^\W\d]\w*\Z")
_LAST = re.compile(r"\S*\Z")
_IN_FILE = re.compile(r"([^\s:]+\.pyw?)::?(\w*)\Z")
_COMMAND = re.compile(r"\s*([^\W\d][\w-]*)\s+")


class Suggestion(Frozen):
    """A completion of the word at the cursor.

    Args:
        text: the whole word.
        start: the position of the word in the text.
        kind: what the word names.
        meaning: a description: a value, a signature or a help text.
    """

    text: str
    start: int
    kind: Kind
    meaning: str = ""


def suggestions(text: str, cursor: int, session: Session) -> list[Suggestion]:
    """The completions at the cursor, most specific first."""
    before = text[:cursor]
    line_start = before.rfind("\n") + 1
    line = before[line_start:]
    if "#" in line and read(line, ()).text == read(line.partition("#")[0], ()).text:
        return []
    if is_function(text):
        possible = _operands(line, session)
    else:
        possible = _in_command(line, session) if _COMMAND.match(line) else _first(line, session)
    return [suggestion.changed(start=suggestion.start + line_start) for suggestion in possible]


def _first(line: str, session: Session) -> list[Suggestion]:
    typed = line.lstrip()
    start = len(line) - len(typed)
    commands = {**session.shell.described(), **{word: own.help for word, own in OWN.items()}} if typed else {}
    words = [Suggestion(word, start, "command", help) for word, help in commands.items()]
    return [*_beginning(typed, words), *_operands(line, session)]


def _in_command(line: str, session: Session) -> list[Suggestion]:
    match = _COMMAND.match(line)
    assert match is not None
    word, rest = match[1], line[match.end() :]
    if not _is_command(line, session):
        return _operands(line, session)
    if word in OWN:
        return _after_own(word, line, session)
    if word == "help":
        return _last_word(line, _topics(session))
    last = _LAST.search(line)
    assert last is not None
    if last[0].startswith("--"):
        options = session.shell.options(word).items()
        return _beginning(last[0], [Suggestion(name, last.start(), "option", help) for name, help in options])
    previous = line[: last.start()].split()[-1:]
    if previous in (["--wrt"], ["--along"]):
        return _inputs(rest, line, session)
    if previous in (["--node"], ["--perturb"]):
        return _last_word(line, [(name, "name", "a quantity") for name in _quantities(session)])
    if previous and (choices := session.shell.choices(word, previous[0])):
        return _last_word(line, [(choice, "option", "") for choice in choices])
    if in_file := _functions_in_file(line):
        return in_file
    own = _own(last.start(), session) if not last[0] and previous in ([word], ["--against"]) else []
    return [*own, *_operands(line, session), *_paths(last[0], last.start(), files_of(word, previous))]


def _own(start: int, session: Session) -> list[Suggestion]:
    """The session's functions and values, offered where a target is expected and nothing has been typed."""
    functions = [Suggestion(name, start, "function", meaning) for name, meaning in _functions(session)]
    return [*functions, *(Suggestion(name, start, "name", meaning) for name, meaning in _names(session))]


def _quantities(session: Session) -> list[str]:
    """The names in the last tape shown; empty if there is none."""
    for answer in reversed(session.answers):
        if isinstance(answer.record, TapeListing):
            return list(dict.fromkeys(node.name for node in answer.record.nodes if node.name))
    return []


def _is_command(line: str, session: Session) -> bool:
    """Whether an unfinished line is a command; `tape = 3` and `tape * 2` are not."""
    try:
        return read(line + "x", session.commands).kind == "command"
    except UsageError:
        return False


def files_of(word: str, previous: list[str]) -> tuple[str, ...]:
    """The endings of the files to offer."""
    if previous == ["--at"]:
        return (".json", ".npy")
    return (".py",) if previous in ([word], ["--against"]) else ()


def _after_own(word: str, line: str, session: Session) -> list[Suggestion]:
    match OWN[word].takes:
        case "file":
            start = _COMMAND.match(line).end()  # type: ignore[union-attr]
            return _paths(line[start:], start, (".py",) if word == "load" else ("",))
        case "name":
            return _last_word(line, [(known, "name", meaning) for known, meaning in _names(session)])
        case "setting":
            words = line.split()[1:]
            known = SETTINGS.get(words[0]) if words and (len(words) > 1 or line[-1].isspace()) else None
            return _last_word(line, [(name, "setting", "") for name in (known or SETTINGS)])
        case "point":
            return _last_word(line, [(f"{known}=", "name", meaning) for known, meaning in _names(session)], r"\w*\Z")
    return []


def _last_word(line: str, words: Iterable[tuple[str, Kind, str]], pattern: str = r"\S*\Z") -> list[Suggestion]:
    last = re.search(pattern, line)
    assert last is not None
    return _beginning(last[0], [Suggestion(word, last.start(), kind, meaning) for word, kind, meaning in words])


def _beginning(typed: str, words: Iterable[Suggestion]) -> list[Suggestion]:
    return [word for word in words if word.text.startswith(typed)]


def _operands(line: str, session: Session) -> list[Suggestion]:
    if in_file := _functions_in_file(line):
        return in_file
    word = _WORD.search(line)
    if word is None or (word.start() and line[word.start() - 1] in "./%@-"):
        return []
    known: list[tuple[str, Kind, str]] = [
        *((name, "name", meaning) for name, meaning in _names(session)),
        *((name, "function", meaning) for name, meaning in _functions(session)),
        *((name, "function", name + signature) for name, signature in queries.prompt_functions().items()),
        *((name, "name", "a constant") for name in CONSTANTS),
    ]
    return _beginning(word[0], [Suggestion(name, word.start(), kind, meaning) for name, kind, meaning in known])


def _names(session: Session) -> Iterator[tuple[str, str]]:
    for name, value in session.workspace.names.values.items():
        yield name, f"{value:.6g}" if isinstance(value, float) else "values"


def _functions(session: Session) -> Iterator[tuple[str, str]]:
    names = session.workspace.names
    for name in (*names.formulas, *names.loaded):
        yield name, str(session.workspace.meaning(name).meaning)


def _topics(session: Session) -> Iterator[tuple[str, Kind, str]]:
    from gradcli.terminal.render import topics

    yield from ((word, "command", help) for word, help in session.shell.described().items())
    yield from ((word, "command", own.help) for word, own in OWN.items())
    yield from ((word, "topic", page.title) for word, page in topics.PAGES.items())
    yield from ((code, "topic", "a finding") for code in topics.codes())


def _inputs(rest: str, line: str, session: Session) -> list[Suggestion]:
    """Completions of an input of the target, for `--wrt` and `--along`."""
    target = rest.partition("--")[0].strip()
    return _last_word(line, [(name, "name", "an input") for name in inputs_of(target, session)], r"[^\s,]*\Z")


def inputs_of(target: str, session: Session) -> list[str]:
    """The names of the inputs of a target as typed, without running a file."""
    if match := _IN_FILE.fullmatch(target):
        return functions_in(match[1]).get(match[2], [])
    try:
        if session.workspace.means_function(target):
            return [parameter.name for parameter in session.workspace.target(target).parameters]
        return list(session.workspace.inputs(target))
    except GradcliError:
        return []


def _functions_in_file(line: str) -> list[Suggestion]:
    """Completions of a function after `file.py:`."""
    match = _IN_FILE.search(line)
    if match is None:
        return []
    functions = [
        Suggestion(name, match.start(2), "function", f"{name}({', '.join(names)})")
        for name, names in functions_in(match[1]).items()
    ]
    return _beginning(match[2], functions)


def _paths(typed: str, start: int, endings: tuple[str, ...]) -> list[Suggestion]:
    """Files with one of the endings, and folders, that complete a path; after `@`, files with a point."""
    at = typed.rfind("@") + 1
    start, typed = start + at, typed[at:]
    if not endings or any(sign in typed for sign in "()*+ "):
        return []
    return [Suggestion(path, start, "file") for path in islice(paths(typed, *endings), MOST_FILES)]
