"""The line of an outcome, found in the program's code, because the tape of a plain gradient stores no lines."""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from gradcli.code.reachable_objects import reachable_objects, under

Place = tuple[str, int]

_COMPARISONS = {
    "<": ("lt", "gt", "less", "greater"),  # Python evaluates `1 < x` as `x > 1`
    "<=": ("le", "ge", "less_equal", "greater_equal"),
    "==": ("eq", "equal"),
    "!=": ("ne", "not_equal"),
}
_COMPARISONS[">"], _COMPARISONS[">="] = _COMPARISONS["<"], _COMPARISONS["<="]
# Functions that compare internally.
_ORDERING = ("max", "min", "sorted", "sort", "bisect", "bisect_left", "bisect_right")


def place_of(function: Callable[..., Any], name: str) -> Place | None:
    """The line where a function receives the outcome `name`, if only one can; else the head of the function.

    None if there is no Python code to search.
    """
    own = under(function)
    functions = sorted(reachable_objects(own).functions, key=lambda each: each is not own)
    if not functions:
        return None
    head = functions[0].__code__ if functions[0] is own else _head(own, functions)
    for group in ([head], [each.__code__ for each in functions]):
        lines = {place for code in group for place in _asking(code, name)}
        if len(lines) == 1:
            return lines.pop()
        if lines:
            break
    return head.co_filename, head.co_firstlineno


def _head(own: Any, functions: Iterable[FunctionType]) -> CodeType:
    """The code that a callable object runs first; else, of the functions it reaches, the first in its file."""
    codes = [each.__code__ for each in functions]
    return getattr(vars(type(own)).get("__call__"), "__code__", None) or min(
        codes, key=lambda code: (code.co_filename, code.co_firstlineno)
    )


def _asking(code: CodeType, name: str) -> Iterator[Place]:
    """Yield the lines of a code, and of codes nested in it, that may ask for an outcome."""
    line = code.co_firstlineno
    for each in dis.get_instructions(code):
        line = each.positions.lineno or line if each.positions else line
        if _asks(each, name):
            yield code.co_filename, line
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _asking(inner, name)


def _asks(instruction: dis.Instruction, name: str) -> bool:
    operation, argument = instruction.opname, str(instruction.argrepr)
    if operation == "COMPARE_OP":
        return name in _COMPARISONS.get(argument.removeprefix("bool(").rstrip(")"), ())
    if operation == "BINARY_OP":
        return argument.startswith("//") and name in ("floordiv", "floor_divide")
    if operation.startswith(("POP_JUMP", "UNARY_NOT", "TO_BOOL")):
        return name == "bool"
    if instruction.opcode in dis.hasname:
        called = str(instruction.argval)
        return called == name or (called in _ORDERING and name in ("lt", "gt"))
    return name == "index" and (operation == "BINARY_SUBSCR" or argument == "[]")
