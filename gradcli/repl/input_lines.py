"""What a line is: nothing, a command, a definition or an expression; read without running anything."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection
from typing import Literal

from gradcli.errors import UsageError
from gradcli.queries.session_names import function_name, is_definition, is_function, is_import
from gradcli.record_base import Frozen

Kind = Literal["nothing", "command", "definition", "function", "import", "expression"]

# What a line begins with when it was copied from a screen: the prompt of this session, or those of others.
_PROMPT = re.compile(r"\A(?:>(?= |\Z)|(?:\s*(?:>>>|gradcli>|In \[\d+\]:|\$\s+gradcli(?=\s)))+)[ \t]?")
# What a line within a block begins with.
_MORE = re.compile(r"\A(?:\s*\.\.\.:?(?=\s|\Z)|\.(?= |\Z))[ \t]?")
# Another spelling of a line, read as that line.
_SPELLINGS = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"\?+|:help|help\(\s*\)", "help"),
        (r"\?+\s*([^\W\d][\w-]*)", r"help \1"),
        (r"([^\W\d][\w-]*)\s*\?+", r"help \1"),
        (r"help\(\s*([^\W\d]\w*)\s*\)", r"help \1"),
        (r"(?:quit|exit)\(\s*\)|:q|:quit|:exit", "quit"),
    )
)
_CALLED = re.compile(r"gradcli\s+(?=([^\W\d]\w*)(?:\s|\Z))")
_FIRST_WORD = re.compile(r"\s*([^\W\d][\w-]*)(?=\s|\Z)\s*")
_OPERATOR = re.compile(r"(?:[-+*/%<>=!^]=?|\*\*|//)(?=\s)|[=<>!^*]|(?:if|else|and|or)\b")


class Line(Frozen):
    """A line that was read.

    Args:
        kind: what it is.
        text: the line without prompts and comments.
        word: the command.
        rest: what follows the command.
    """

    kind: Kind
    text: str
    word: str = ""
    rest: str = ""

    def arguments(self, short_options: Collection[str] = (), are_parted: bool = False) -> list[str]:
        """What follows the command as a shell would take it apart.

        Args:
            short_options: those of the command that take a value, such as `-o`.
            are_parted: whether spaces part its targets.

        Raises:
            UsageError: a quote is not closed.
        """
        try:
            found = words(self.rest)
            return found if are_parted else joined(found, short_options)
        except ValueError:
            raise UsageError("A quote is not closed.", hint="Type the closing quote, or leave both out.") from None


def read(text: str, commands: Collection[str]) -> Line:
    """What a line is.

    A line is a command when its first word is one, followed by a space or the end and not by an operator or `=`; it is
    a definition when it reads `name = …` or `name(names) = …`, a function or an import when it is one of
    Python's; everything else is an expression.

    Raises:
        UsageError: it defines a command's word anew.
    """
    text = meant(bare(text), commands)
    if not text:
        return Line("nothing", "")
    if is_function(text):
        refuse_command(function_name(text), "def {}1(…)", commands)
        return Line("function", text)
    if is_import(text):
        return Line("import", text)
    if is_definition(text):
        name = re.match(r"\w+", text)
        refuse_command(name[0] if name else "", "{}1 = …", commands)
        return Line("definition", text)
    first = _FIRST_WORD.match(text)
    if first and first[1] in commands:
        rest = text[first.end() :]
        if not _OPERATOR.match(rest):
            return Line("command", text, first[1], rest)
    return Line("expression", text)


def refuse_command(name: str, instead: str, commands: Collection[str]) -> None:
    """Refuse to give the word of a command another meaning."""
    if name in commands:
        raise UsageError(f"{name} is a command, so it cannot be a name.", hint=f"Type {instead.format(name)} instead.")


def meant(text: str, commands: Collection[str]) -> str:
    """A line in the spelling of a session: `help(f)` is `help f`, `exit()` is `quit`, `gradcli grad f` is `grad f`."""
    called = _CALLED.match(text)
    if called and called[1] in commands:
        return text[called.end() :]
    for pattern, spelling in _SPELLINGS:
        if match := pattern.fullmatch(text):
            return match.expand(spelling)
    return text


def bare(text: str) -> str:
    """The text of a line without the prompts that were copied with it, and without comments; those of Python stay."""
    whole = typed(text)
    if is_function(block := "\n".join(whole)):
        return textwrap.dedent(block).strip("\n").rstrip()
    lines = map(without_comment, whole)
    return "\n".join(line for line in lines if line.strip()).strip()


def typed(text: str) -> list[str]:
    """The lines of a text without their prompts; where there are prompts, lines without one are answers and left out.

    Within an open bracket a line needs no prompt, and a `>` at its beginning compares.
    """
    found: list[str] = []
    copied, depth = False, 0
    for line in text.splitlines():
        prompt = None if depth else _PROMPT.match(line)
        if prompt and not copied:
            copied, found = True, []
        mark = prompt or _MORE.match(line)
        if copied and not (mark or depth):
            continue
        found.append(line[mark.end() :] if mark else line)
        depth = max(0, depth + opened(without_comment(found[-1])))
    return found


def is_prompted(line: str) -> bool:
    """Whether a line begins with a prompt, so that it was copied from a screen."""
    return _PROMPT.match(line) is not None


def goes_on(line: str) -> bool:
    """Whether a line begins as one within a block does, on a screen."""
    return _MORE.match(line) is not None


def opened(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    return sum((sign in "([{") - (sign in ")]}") for sign in line)


def without_comment(line: str) -> str:
    """A line up to its first `#` that is not in quotes."""
    quote = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "#":
            return line[:place].rstrip()
    return line


def words(text: str) -> list[str]:
    """Words as a shell takes them apart, but within brackets spaces join and quotes stay.

    Raises:
        ValueError: a quote is not closed.
    """
    found, word, depth, quote = [], "", 0, ""
    for sign in text:
        if sign == quote:
            quote, word = "", word + sign * (depth > 0)
        elif quote:
            word += sign
        elif sign in "'\"":
            quote, word = sign, word + sign * (depth > 0)
        elif sign.isspace() and depth <= 0:
            found.append(word)
            word = ""
        else:
            depth += (sign in "([{") - (sign in ")]}")
            word += sign
    if quote:
        raise ValueError("a quote is not closed")
    return [word for word in (*found, word) if word]


def joined(words: list[str], short_options: Collection[str] = ()) -> list[str]:
    """Each option, and all words up to the next option as one: `x^2 + y --at x=1, y=2` needs no quotes.

    A short option is one only where its value follows: in `x -o` the o is subtracted.
    """
    found: list[str] = []
    valued = False  # whether the last word is an option without its value
    for place, word in enumerate(words):
        short = word in short_options and place + 1 < len(words)
        if word.startswith("--") or short or valued or not found:
            found.append(word)
        else:
            found[-1] += f" {word}"
            continue
        valued = short or (word.startswith("--") and "=" not in word)
    return found
