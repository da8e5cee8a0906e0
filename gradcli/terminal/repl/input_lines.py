"""Classification of a line: nothing, a command, a definition or an expression; nothing is run."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator
from itertools import accumulate
from typing import Literal

from gradcli.errors import UsageError
from gradcli.queries.session_workspace import function_name, is_definition, is_function, is_import
from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.repl.command_descriptions import SETTINGS

Kind = Literal["nothing", "command", "definition", "function", "import", "expression"]

# The start of a line copied from a screen: the prompt of this session or of other programs.
_PROMPT = re.compile(r"\A(?:>(?= |\Z)|(?:\s*(?:>>>|gradcli>|In \[\d+\]:|\$\s+gradcli(?=\s)))+)[ \t]?")
# The start of a continuation line copied from a screen.
_MORE = re.compile(r"\A(?:\s*\.\.\.:?(?=\s|\Z)|\.(?= |\Z))[ \t]?")
# Alternative spellings of a line, replaced by the standard one.
_SPELLINGS = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"\?+|:help|help\(\s*\)", "help"),
        (r"\?+\s*([^\W\d][\w-]*)", r"help \1"),
        (r"([^\W\d][\w-]*)\s*\?+", r"help \1"),
        (r"help\(\s*([^\W\d]\w*)\s*\)", r"help \1"),
        (r"(?:quit|exit)\(\s*\)|:q|:quit|:exit", "quit"),
        (rf"({'|'.join(SETTINGS)})\s+(\w+)", r"set \1 \2"),
    )
)
_QUOTED = re.compile(r"""\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'""")
_QUOTED_OR_COMMENT = re.compile(rf"{_QUOTED.pattern}|['\"].*|#")  # after a quote that is not closed comes no comment
_CALLED = re.compile(r"gradcli\s+(?=([^\W\d]\w*)(?:\s|\Z))")
_FIRST_WORD = re.compile(r"\s*([^\W\d][\w-]*)(?=\s|\Z)\s*")
_OPERATOR = re.compile(r"(?:[-+*/%<>=!^]=?|\*\*|//)(?=\s)|[=<>!^*]|(?:if|else|and|or)\b")


class Line(Frozen):
    """A classified line.

    Args:
        kind: the kind of line.
        text: the line without prompts and comments.
        word: the command.
        rest: the text after the command.
    """

    kind: Kind
    text: str
    word: str = ""
    rest: str = ""

    def arguments(self, short_options: Collection[str] = (), are_parted: bool = False) -> list[str]:
        """The arguments of the command, split as by a shell.

        Args:
            short_options: the command's short options that take a value, such as `-o`.
            are_parted: whether spaces separate the targets.

        Raises:
            UsageError: a quote is not closed.
        """
        try:
            parts = words(self.rest)
            return parts if are_parted else joined(parts, short_options)
        except ValueError:
            raise UsageError("A quote is not closed.", hint="Type the closing quote, or leave both out.") from None


def read(text: str, commands: Collection[str]) -> Line:
    """Classify a line.

    A line is a command if its first word is one, followed by a space or the end and not by an operator or `=`. It is a
    definition if it has the form `name = …` or `name(names) = …`, and a function or an import if it is one in Python.
    Everything else is an expression.

    Raises:
        UsageError: the line redefines the name of a command.
    """
    text = meant(bare(text), commands)
    if not text:
        return Line("nothing", "")
    if is_function(text):
        refuse_command(function_name(text), text, commands)
        return Line("function", text)
    if is_import(text):
        return Line("import", text)
    if is_definition(text):
        name = re.match(r"\w+", text)
        refuse_command(name[0] if name else "", text, commands)
        return Line("definition", text)
    first = _FIRST_WORD.match(text)
    if first and first[1] in commands:
        rest = text[first.end() :]
        if not _OPERATOR.match(rest):
            return Line("command", text, first[1], rest)
    return Line("expression", text)


def refuse_command(name: str, definition: str, commands: Collection[str]) -> None:
    """Refuse to redefine the name of a command; the hint shows the definition under a free name."""
    if name in commands:
        first, _, more = re.sub(rf"\b{name}\b", f"{name}1", definition, count=1).partition("\n")
        hint = f"Type {first}{' …' if more else ''} instead. The names of commands are taken; `help` lists them."
        raise UsageError(f"{name} is a command, so it cannot be a name.", hint=hint)


def meant(text: str, commands: Collection[str]) -> str:
    """A line in standard form: `help(f)` becomes `help f`, `exit()` is `quit`, and `gradcli grad f` is `grad f`."""
    called = _CALLED.match(text)
    if called and called[1] in commands:
        return text[called.end() :]
    for pattern, spelling in _SPELLINGS:
        if match := pattern.fullmatch(text):
            return match.expand(spelling)
    return text


def bare(text: str) -> str:
    """The text of a line without copied prompts and without comments; a Python function keeps its comments."""
    whole = typed(text)
    if is_function(block := "\n".join(whole)):
        return textwrap.dedent(block).strip("\n").rstrip()
    lines = map(without_comment, whole)
    return "\n".join(line for line in lines if line.strip()).strip()


def typed(text: str) -> list[str]:
    """The lines of a text without the prompts of copied lines; inside an open bracket, a `>` is a comparison."""
    lines, depth = list[str](), 0
    for line in text.splitlines():
        mark = (None if depth else _PROMPT.match(line)) or _MORE.match(line)
        lines.append(line[mark.end() :] if mark else line)
        depth = depth_after(depth, without_comment(lines[-1]))
    return lines


def opened(line: str) -> int:
    """The number of brackets that a line opens, minus those that it closes; those in quotes do not count."""
    return sum(_steps(line))


def depth_after(depth: int, line: str) -> int:
    """The number of open brackets after a line; 0 if it closes one that is not open, which no further line mends."""
    depths = list(accumulate(_steps(line), initial=depth))
    return depths[-1] if min(depths) >= 0 else 0


def _steps(line: str) -> Iterator[int]:
    return ((sign in "([{") - (sign in ")]}") for sign in _QUOTED.sub("", line))


def without_comment(line: str) -> str:
    """A line up to its first `#` outside quotes."""
    for match in _QUOTED_OR_COMMENT.finditer(line):
        if match[0][0] == "#":
            return line[: match.start()].rstrip()
    return line


def words(text: str) -> list[str]:
    """The words of a text, split as by a shell; inside brackets, spaces do not split and quotes are kept.

    A backslash is a sign like others, but inside brackets it belongs to the sign after it, as in a quoted key.

    Raises:
        ValueError: a quote is not closed.
    """
    parts, word, depth, quote, is_escaped = [], "", 0, "", False
    for sign in text:
        if quote and depth > 0 and (is_escaped or sign == "\\"):
            is_escaped, word = not is_escaped, word + sign
        elif sign == quote:
            quote, word = "", word + sign * (depth > 0)
        elif quote:
            word += sign
        elif sign in "'\"":
            quote, word = sign, word + sign * (depth > 0)
        elif sign.isspace() and depth <= 0:
            parts.append(word)
            word = ""
        else:
            depth += (sign in "([{") - (sign in ")]}")
            word += sign
    if quote:
        raise ValueError("a quote is not closed")
    return [word for word in (*parts, word) if word]


def joined(words: list[str], short_options: Collection[str] = ()) -> list[str]:
    """The words with those between two options joined, so that `x^2 + y --at x=1, y=2` needs no quotes.

    A short option counts as one only if a value follows: in `x -o`, the o is subtracted.
    """
    parts: list[str] = []
    valued = False  # whether the last word is an option that waits for its value
    for place, word in enumerate(words):
        short = word in short_options and place + 1 < len(words)
        if word.startswith("--") or short or valued or not parts:
            parts.append(word)
        else:
            parts[-1] += f" {word}"
            continue
        valued = short or (word.startswith("--") and "=" not in word)
    return parts
