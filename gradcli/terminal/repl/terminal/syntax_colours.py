"""Syntax colours for the input line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from gradcli import queries

if TYPE_CHECKING:
    from gradcli.terminal.repl.session import Session

# Blue is too dark on black, and bright black is the background of some themes: neither is for what has to be read.
STYLE = Style.from_dict(
    {
        "prompt": "bold",
        "command": "bold ansicyan",
        "option": "ansicyan",
        "function": "bold ansigreen",
        "known": "ansigreen",
        "number": "ansimagenta",
        "string": "ansiyellow",
        "comment": "ansibrightblack",
        "bottom-toolbar": "noreverse",
        "auto-suggestion": "ansibrightblack",
    }
)

_WORD = re.compile(
    r"""
      (?P<comment>\#.*)
    | (?P<string>'[^']*'?|"[^"]*"?)
    | (?P<option>(?<!\S)--[\w-]*)
    | (?P<number>(?<![\w.])(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<name>[%_]\d+|[^\W\d]\w*)
    | (?P<other>.)
    """,
    re.VERBOSE,
)
LONGEST = 5000  # characters; colouring a longer line would delay the next key
_FIRST = re.compile(r"\s*([^\W\d][\w-]*)(?=\s|\Z)")


def coloured(line: str, session: Session, *, first: bool = True) -> Iterator[tuple[str, str]]:
    """The parts of a line with their style names; joined, they are the line."""
    word = _FIRST.match(line) if first else None
    command = word if word and word[1] in session.commands else None
    if command:
        yield "class:command", command[0]
    names = session.workspace.names
    functions = {*names.formulas, *names.loaded, *queries.prompt_functions()}
    known = {*names.values, *names.references}
    for match in _WORD.finditer(line, command.end() if command else 0):
        yield style_of(match, functions, known), match[0]


def style_of(match: re.Match[str], functions: Collection[str], known: Collection[str]) -> str:
    """The style name of a word."""
    kind = match.lastgroup
    if kind == "name":
        return "class:function" if match[0] in functions else "class:known" if match[0] in known else ""
    return "" if kind == "other" else f"class:{kind}"


class Words(Lexer):
    """The lexer of the prompt."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """A function from a line number to the styled parts of that line."""

        def line(number: int) -> StyleAndTextTuples:
            if number >= len(document.lines):
                return []
            if len(document.lines[number]) > LONGEST:
                return [("", document.lines[number])]
            return list(coloured(document.lines[number], self.session, first=number == 0))

        return line
