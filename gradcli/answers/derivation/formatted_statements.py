"""Expressions and values as source text, in the style of `ruff format`."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

LARGEST_CONSTANT = 2000  # numbers in an array constant
WIDTH = 88
INDENT = "    "


def literal(value: Any) -> str | None:
    """The source text of a value; None if it has none."""
    if value is None or isinstance(value, (bool, int, str)):
        return plain(ast.Constant(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return repr(number) if np.isfinite(number) else f'float("{number}")'
    if isinstance(value, (np.integer, np.bool_)):
        return repr(value.item())
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        kind = "" if value.dtype == float else f", dtype=np.{value.dtype}"
        if value.size > 1 and not value.any() and not np.signbit(value).any():
            return f"np.zeros({value.shape if value.ndim > 1 else value.size}{kind})"
        if value.size <= LARGEST_CONSTANT:
            return f"np.array({value.tolist()!r}{'' if value.dtype == int else kind})"
    if type(value) is dict and len(value) <= LARGEST_CONSTANT:
        pairs = [(literal(key), literal(element)) for key, element in value.items()]
        if any(None in pair for pair in pairs):
            return None
        return "{" + ", ".join(f"{key}: {text}" for key, text in pairs) + "}"
    if type(value) in (list, tuple) and len(value) <= LARGEST_CONSTANT:
        parts = [literal(element) for element in value]
        if all(part is not None for part in parts):
            inner = ", ".join(part for part in parts if part is not None)
            if isinstance(value, tuple):
                return f"({inner},)" if len(parts) == 1 else f"({inner})"
            return f"[{inner}]"
    return None


def plain(node: ast.expr) -> str:
    """The source text of an expression."""
    return styled(ast.unparse(ast.fix_missing_locations(node)))


def styled(text: str) -> str:
    """A statement from `ast.unparse` in the style of `ruff format`: quotes, powers and slices."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    changes: list[tuple[int, int, str]] = []
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    place = [(starts[t.start[0] - 1] + t.start[1], starts[t.end[0] - 1] + t.end[1]) for t in tokens]
    for n, token in enumerate(tokens):
        if token.type == tokenize.STRING and token.string.startswith("'") and '"' not in token.string:
            changes.append((*place[n], f'"{token.string[1:-1]}"'))
        elif token.string == "**" and _is_simple_power(tokens, n):
            changes.append((place[n - 1][1], place[n + 1][0], "**"))
    changes += _slices(tokens, place)
    for start, end, made in sorted(changes, reverse=True):
        text = text[:start] + made + text[end:]
    return text


def _is_simple_power(tokens: list[tokenize.TokenInfo], at: int) -> bool:
    """Whether both operands of a power are names, numbers or attributes of names."""
    before, after, following = tokens[at - 1], tokens[at + 1], tokens[at + 2]
    if before.type not in (tokenize.NAME, tokenize.NUMBER):
        return False
    if after.string == "-":
        after, following = tokens[at + 2], tokens[at + 3]
    if after.type not in (tokenize.NAME, tokenize.NUMBER):
        return False
    return following.string not in ("(", "[", ".")


def _slices(tokens: list[tokenize.TokenInfo], place: list[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """The spaces to insert around the colons of slices with complex bounds."""
    opened: list[tuple[str, int]] = []
    for n, token in enumerate(tokens):
        if token.string in "([{" and token.string:
            opened.append((token.string, n))
        elif token.string in ")]}" and token.string:
            opened.pop()
        elif token.string == ":" and opened and opened[-1][0] == "[":
            before, after = _bound(tokens, n, -1), _bound(tokens, n, 1)
            if len(before) > 1 + (before[:1] == ["-"]) or len(after) > 1 + (after[:1] == ["-"]):
                left, right = (" " if before else ""), (" " if after else "")
                yield place[n][0], place[n][1], f"{left}:{right}"


def _bound(tokens: list[tokenize.TokenInfo], at: int, step: int) -> list[str]:
    """The tokens of a slice bound."""
    written: list[str] = []
    depth = 0
    place = at + step
    while True:
        text = tokens[place].string
        if depth == 0 and text in ("[,:" if step < 0 else "],:"):
            return written
        depth += (text in ("(", "[", "{")) * step - (text in (")", "]", "}")) * step
        written.append(text)
        place += step


STRING = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' """, re.VERBOSE)


def wrapped(text: str, indent: str) -> list[str]:
    """A statement wrapped to the line width."""
    strings = iter(STRING.findall(text))  # they may contain brackets and commas
    lines = _wrapped(STRING.sub(lambda string: "\0" * len(string[0]), text), indent)
    return [re.sub("\0+", lambda _: next(strings), line) for line in lines]


def _wrapped(text: str, indent: str) -> list[str]:
    if len(indent) + len(text) <= WIDTH or "\n" in text:
        return [f"{indent}{line}" for line in text.split("\n")]
    if match := re.match(r"(\w[\w.\[\], ]* [+\-*/]?= )(.*)", text):
        head, value = match.groups()
        return _wrapped_value(head, value, indent)
    if text.startswith("return "):
        return _wrapped_value("return ", text[7:], indent)
    return _split(text, indent)


def _wrapped_value(head: str, value: str, indent: str) -> list[str]:
    operators, inner = _operators(value), indent + INDENT
    if len(items := _arguments(value)) > 1 and len(inner) + len(value) > WIDTH:
        return [f"{indent}{head}(", *(line for item in items for line in _split(f"{item},", inner)), f"{indent})"]
    if not operators:
        return _split(f"{head}{value}", indent)
    if len(inner) + len(value) <= WIDTH:
        return [f"{indent}{head}(", f"{inner}{value}", f"{indent})"]
    parts = [value[start:end].strip() for start, end in zip([0, *operators], [*operators, len(value)], strict=True)]
    lines = [line for part in parts for line in _split(part, inner)]
    return [f"{indent}{head}(", *lines, f"{indent})"]


def _operators(text: str) -> list[int]:
    """The positions of the operators with the lowest precedence outside of brackets."""
    for symbols in ((" + ", " - "), (" * ", " / ", " @ ", " // ", " % ")):
        if positions := [n + 1 for n in _outside_brackets(text) if text.startswith(symbols, n)]:
            return positions
    return []


def _outside_brackets(text: str) -> Iterator[int]:
    """The positions outside of brackets."""
    depth = 0
    for n, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            yield n


def _split(text: str, indent: str) -> list[str]:
    """A line broken inside its last outermost bracket."""
    if len(indent) + len(text) <= WIDTH:
        return [f"{indent}{text}"]
    depth, start, end = 0, -1, -1
    for n, sign in enumerate(text):
        if sign in "([{":
            if depth == 0:
                start = n
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                end = n
    if start < 0 or end < start or end == start + 1:
        return [f"{indent}{text}"]
    inner = text[start + 1 : end]
    head, tail = f"{indent}{text[: start + 1]}", f"{indent}{text[end:]}"
    if len(indent) + len(INDENT) + len(inner) <= WIDTH:
        return [head, f"{indent}{INDENT}{inner}", tail]
    clauses = _clauses(inner)
    if len(clauses) > 1:
        return [head, *(line for part in clauses for line in _split(part, indent + INDENT)), tail]
    parts = _arguments(inner)
    if len(parts) == 1:
        return [head, *_split(inner, indent + INDENT), tail]
    return [head, *(line for part in parts for line in _split(f"{part},", indent + INDENT)), tail]


def _clauses(text: str) -> list[str]:
    """The element and the clauses of a comprehension; any other text as one part."""
    starts = [0]
    for n in _outside_brackets(text):
        if text.startswith(" for ", n) or (len(starts) > 1 and text.startswith(" if ", n)):
            starts.append(n)
    return [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _arguments(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    commas = [n for n in _outside_brackets(text) if text[n] == ","]
    parts = [text[start + 1 : end].strip() for start, end in pairwise([-1, *commas, len(text)])]
    return parts if parts[-1] else parts[:-1]
