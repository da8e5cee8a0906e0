"""The intermediate form of a function: one operation a statement, loops and branches, and every exit at an end.

A statement's operands are names and constants.  Expressions are Python's own syntax trees.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeAlias

from gradcli.derivation.intermediate.operation_derivatives import Differentiated
from gradcli.derivation.reading.value_kinds import NUMBER, ValueKind


@dataclass(eq=False)
class Let:
    """`target = value`; the operation says how it is differentiated, None where it carries no derivative.

    Written by the user as `target *= value`, an array is written into in place.
    """

    target: str
    value: ast.expr
    operation: Differentiated | None = None
    line: int = 0
    in_place: bool = False


@dataclass(eq=False)
class Accumulate:
    """`target += value`, or -=: the operand is a name or a constant."""

    target: str
    value: ast.expr
    sign: int = 1
    operation: Differentiated | None = None
    line: int = 0
    in_place: bool = False


@dataclass(eq=False)
class Unpack:
    """`a, b, c = source`."""

    targets: tuple[str, ...]
    source: ast.expr
    is_active: bool = False
    line: int = 0


@dataclass(eq=False)
class Store:
    """`place = value`, where a place is `target[index]`; with `adds` 1 or -1 it is += or -=.

    With `scatters` it adds to a place as often as the index names it.
    """

    target: str
    place: ast.expr
    value: ast.expr
    adds: int = 0
    kind: ValueKind = NUMBER
    operation: Differentiated | None = None
    line: int = 0
    scatters: bool = False


@dataclass(eq=False)
class Append:
    """`target.append(value)`."""

    target: str
    value: ast.expr
    operation: Differentiated | None = None
    line: int = 0


@dataclass(eq=False)
class Pop:
    """`target = source.pop()`."""

    target: str
    source: str
    kind: ValueKind = NUMBER
    is_active: bool = False
    line: int = 0


@dataclass(eq=False)
class Invoke:
    """`target = function(*arguments)`, of a function of the user's that is derived too."""

    target: str
    function: str
    arguments: tuple[ast.expr, ...]
    kept: str
    active: tuple[int, ...]
    line: int = 0


@dataclass(eq=False)
class Branch:
    """An `if`."""

    test: ast.expr
    body: list[Statement]
    orelse: list[Statement]
    line: int = 0


@dataclass(eq=False)
class LoopStatement:
    """A `for` over values without a derivative, or a `while` where there is a test.

    Args:
        target: what the loop binds, of a `for`.
        items: what it runs over.
        test: the condition, of a `while`.
        trips: the name that counts how often the body was begun; empty where all items are taken.
    """

    body: list[Statement]
    target: ast.expr | None = None
    items: ast.expr | None = None
    test: ast.expr | None = None
    trips: str = ""
    line: int = 0


@dataclass(eq=False)
class Leave:
    """A `break`, the last statement on its path through the body."""

    line: int = 0


@dataclass(eq=False)
class Keep:
    """A statement without a derivative that is kept as it is, such as an assertion."""

    statement: ast.stmt
    line: int = 0


Statement: TypeAlias = Let | Accumulate | Unpack | Store | Append | Pop | Invoke | Branch | LoopStatement | Leave | Keep


@dataclass(eq=False)
class Routine:
    """A function in the intermediate form.

    Attributes:
        name: what the user calls it.
        parameters: in order.
        active: those of them that carry a derivative.
        result: the name that holds the result at the end.
        result_kind: what it is.
        kinds: by name what a variable is.
        varied: the names that depend on an active parameter and reach the result.
        made: the names that lowering made up.
        copied: the parameters that are written to, and so copied first.
    """

    name: str
    parameters: tuple[str, ...]
    active: tuple[str, ...]
    result: str
    result_kind: ValueKind
    body: list[Statement] = field(default_factory=list)
    kinds: dict[str, ValueKind] = field(default_factory=dict)
    varied: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    copied: tuple[str, ...] = ()
