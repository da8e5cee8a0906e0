"""The lexer for points: text to nested lists, dictionaries and atoms, with numbers still unread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from gradcli.errors import PointError
from gradcli.mathematics.language.tokens import NAME, normalised
from gradcli.shared.message_wording import quoted, shortened

LONGEST = 200_000
DEEPEST = 32

_PLAIN = re.compile(r"""[^,:=\[\]{}()"']*""")

# Patterns that numbers in order do not need; `re` compiles and caches them on first use.
_ENTRY_NAME = rf"\s*({NAME}(?:\[\d+\])?)\s*=(?!=)"
_QUOTED = r"""(?s:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_KEY = rf"\s*({_QUOTED}|{NAME})\s*:"

_CLOSING = {"[": "]", "{": "}", "(": ")"}


class Atom(str):
    """A piece of text that stands for a number, an expression of numbers, or `@` and a file."""

    __slots__ = ()


class Given:
    """The values of a point, given in order and by name.

    Attributes:
        is_typed: whether the values are typed, and not objects of Python.
    """

    def __init__(
        self,
        positional: Iterable[Any] = (),
        named: Mapping[str, Any] = MappingProxyType({}),
        *,
        is_typed: bool = True,
    ) -> None:
        self.positional = list(positional)
        self.named = dict(named)
        self.is_typed = is_typed


def scan(text: str, what: str = "point") -> Given:
    """Scan the text of a point: `1,[2,3]` gives values in order, `x=[1,2],y=3` or `{"x": [1, 2]}` by name.

    `what` is the noun for the text in messages.

    Raises:
        PointError: the text is empty or too long, brackets or commas are wrong, or a name occurs twice.
    """
    if len(text) > LONGEST:
        message = f"A {what} of {len(text):,} characters is too long; at most {LONGEST:,} are read."
        raise PointError(message, hint="Put it into a file: --at @point.json or --at @point.npy.")
    if not text.strip():
        raise PointError(f"The {what} is empty.", hint=spelling(what))
    given = _Scanner(text, what).entries()
    if not given.named and len(given.positional) == 1 and isinstance(given.positional[0], dict):
        named, given = given.positional[0], Given()
        for name, value in named.items():
            add(given.named, name, value)
    return given


def add(named: dict[str, Any], name: str, value: Any) -> None:
    """Add a value under a name, in Python's normalised spelling.

    Raises:
        PointError: the name already has a value.
    """
    name = normalised(name)
    refuse_twice(named, name)
    named[name] = value


def refuse_twice(named: Mapping[str, Any], name: str) -> None:
    """Refuse a name that already has a value.

    Raises:
        PointError: it has.
    """
    if name in named:
        raise PointError(f"The point gives {shortened(name)} twice.")


def spelling(what: str) -> str:
    """The hint that says how a point, or another such text, is typed."""
    return "A value is typed [1,2]." if what == "value" else f"A {what} is typed 1,2 or x=[1,2],y=3."


class _Scanner:
    """One pass over a text; `position` is the current position, `what` the noun for messages."""

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        self.position = 0
        self.may_have_names = "=" in text

    def entries(self) -> Given:
        given = Given()
        while True:
            if self.may_have_names and (match := re.compile(_ENTRY_NAME).match(self.text, self.position)):
                self.position = match.end()
                add(given.named, match[1], self.value(0))
            else:
                given.positional.append(self.value(0))
                self.refuse_after_name(given)
            if self.position >= len(self.text):
                return given
            self.expect_comma()

    def refuse_after_name(self, given: Given) -> None:
        if given.named:
            name = next(reversed(given.named))
            message = f"A value without a name comes after {name}."
            raise PointError(message, hint=f"Name it too; several numbers for {name} are typed {name}=[1,2].")

    def value(self, depth: int) -> Any:
        """Read the value at the current position, and advance past it."""
        if depth > DEEPEST:
            raise PointError(f"The {self.what} is nested deeper than {DEEPEST}.")
        self.skip_space()
        match self.peek():
            case "[":
                return [self.value(depth + 1) for _ in self.until("]")]
            case "{":
                return self.values_by_name(depth)
            case _:
                return self.atom()

    def values_by_name(self, depth: int) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for _ in self.until("}"):
            key = self.key()
            refuse_twice(named, key)
            named[key] = self.value(depth + 1)
        return named

    def until(self, bracket: str) -> Iterator[None]:
        """Advance past an opening bracket, and yield before each item until `bracket` closes it."""
        start = self.step()
        is_closed = self.closes(bracket, start)
        while not is_closed:
            yield
            is_closed = self.closes(bracket, start)
            if not is_closed:
                self.expect_comma()

    def key(self) -> str:
        """Read the key at the current position and its colon: a name, or any text in quotes."""
        match = re.compile(_KEY).match(self.text, self.position)
        if match is None:
            hint = 'An object is typed {"x": [1, 2], "y": 3}.'
            raise PointError(f"A name and a colon are missing {self.here()}.", hint=hint)
        start, self.position = match.start(1), match.end()
        return self.unquoted(match[1], start) if match[1][0] in "\"'" else normalised(match[1])

    def unquoted(self, text: str, start: int) -> str:
        """The text in quotes, whose backslashes are those of JSON."""
        import json

        inner = text[1:-1]
        if text[0] == "'":
            inner = re.sub(r"""(\\.)|(")""", lambda match: "'" if match[1] == r"\'" else match[1] or r"\"", inner)
        try:
            return str(json.loads(f'"{inner}"', strict=False))
        except ValueError:
            self.position = start
            hint = r"A backslash is typed \\, a quote \", a new line \n."
            raise PointError(f"A backslash has no meaning {self.here()}.", hint=hint) from None

    def atom(self) -> Atom:
        start = self.position
        while True:
            self.position = self.matched(_PLAIN)
            match self.peek():
                case "(":
                    self.skip_brackets()
                case '"' | "'":
                    self.skip_quoted()
                case ":" if self.text[start : self.position].lstrip().startswith("@"):  # @cases.py:make
                    self.position += 1
                case ":" | "=" | "[" | "{" as sign:
                    raise PointError(f"The character {sign} is not allowed {self.here()}.", hint=spelling(self.what))
                case _:
                    break
        atom = Atom(self.text[start : self.position].strip())
        if not atom:
            raise PointError(f"A value is missing {self.here()}.", hint=spelling(self.what))
        return atom

    def skip_quoted(self) -> None:
        end = self.matched(re.compile(_QUOTED))
        if end == self.position:
            raise PointError(f"A quote is not closed {self.here()}.")
        self.position = end

    def skip_brackets(self) -> None:
        """Advance past the bracket that matches the one at the current position."""
        start, depth = self.position, 0
        for match in re.compile(r"[()]").finditer(self.text, start):
            depth += 1 if match[0] == "(" else -1
            if depth == 0:
                self.position = match.end()
                return
        raise self.unclosed(start)

    def step(self) -> int:
        """Advance past one character and the spaces after it; return the character's position."""
        start = self.position
        self.position += 1
        self.skip_space()
        return start

    def closes(self, bracket: str, start: int) -> bool:
        """Whether the bracket opened at `start` is closed here; if so, advance past it."""
        self.skip_space()
        if self.position >= len(self.text):
            raise self.unclosed(start)
        if self.peek() != bracket:
            return False
        self.step()
        return True

    def expect_comma(self) -> None:
        self.skip_space()
        sign = self.peek()
        if sign and sign in ")]}":
            raise PointError(f"There is no opening bracket for the one {self.here()}.")
        if sign != ",":
            raise PointError(f"A comma is missing {self.here()}.", hint=spelling(self.what))
        self.position += 1

    def skip_space(self) -> None:
        while self.peek().isspace():
            self.position += 1

    def matched(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self.text, self.position)
        return match.end() if match else self.position

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def unclosed(self, start: int) -> PointError:
        bracket = self.text[start]
        message = f"The bracket {bracket} in column {start + 1} of the {self.what} is not closed."
        return PointError(message, hint=f"Add {_CLOSING[bracket]}.")

    def here(self) -> str:
        """Describe the current position in a message."""
        if self.position >= len(self.text):
            return f"at the end of the {self.what}"
        rest = self.text[self.position : self.position + 20]
        return f"in column {self.position + 1} of the {self.what}, at {quoted(rest)}"
