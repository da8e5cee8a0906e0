"""`gradcli tape`: a line for every node, in the order of execution, and every outcome that shaped the run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from gradcli.records import Node, Outcome, Structure, TapeListing
from gradcli.render.drawing import Row, Stack
from gradcli.render.heading import heading, value
from gradcli.render.look import Look
from gradcli.render.numbers import WHOLE_UP_TO, aligned, count, short, size
from gradcli.render.sheet import Column, Sheet
from gradcli.render.text import clean, line
from gradcli.render.theme import ELLIPSIS, NAME, NOTHING, OPERATION, PLAIN, QUIET, RESULT, TITLE

NODES_ON_A_TERMINAL = 400


def view(record: TapeListing, look: Look) -> Stack:
    """A tape as it is shown."""
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        nodes(record, look),
        *rest(record, look),
        *outcomes(record.outcomes),
    )


def nodes(record: TapeListing, look: Look) -> Sheet:
    """One row a node."""
    shown = record.nodes[:NODES_ON_A_TERMINAL] if look.terminal else record.nodes
    names = {node.index: node.name for node in record.nodes if node.name}
    return Sheet(
        [
            Column("node", [handle(node.index) for node in shown], QUIET, right=True),
            Column("name", [clean(node.name or "") for node in shown], NAME),
            Column("operation", [clean(operation(node, names)) for node in shown], OPERATION, rank=1),
            numbers("value", [node.value for node in shown], PLAIN),
            numbers("sensitivity", [node.sensitivity for node in shown], RESULT),
            Column("line", [clean(place(node.file, node.line)) for node in shown], QUIET, rank=2),
            Column("source", [clean((node.source or "").strip()) for node in shown], QUIET, rank=3),
        ]
    )


def numbers(title: str, structures: Sequence[Structure], style: str) -> Column:
    """A column of numbers and arrays; arrays by their size where the whole does not fit."""
    brief = None
    if any(isinstance(structure, (list, tuple)) for structure in structures):
        brief = aligned([size(structure) for structure in structures])
    return Column(title, aligned([short(structure) for structure in structures]), style, brief=brief)


def handle(index: int) -> str:
    """How a node is referred to where it has no name."""
    return f"%{index}"


def operation(node: Node, names: dict[int, str]) -> str:
    """The formula, or else the operation and the nodes it took, by name where they have one: `mul t_c, t_d`."""
    if node.expression:
        return node.expression
    operands = ", ".join(names.get(index) or handle(index) for index in node.inputs)
    return f"{node.operation} {operands}".strip()


def place(file: str | None, number: int | None) -> str:
    """`hyperbox.py:6`; empty where there is no file."""
    if not file:
        return ""
    return os.path.basename(file) + (f":{number}" if number else "")


def rest(record: TapeListing, look: Look) -> list[Row]:
    """What was shortened, in words."""
    said = []
    more = len(record.nodes) - NODES_ON_A_TERMINAL
    if look.terminal and more > 0:
        said.append(f"{ELLIPSIS} {more} more nodes (a pipe or --json shows all)")
    if any(count(node.value) > WHOLE_UP_TO for node in record.nodes):
        said.append("arrays are shortened (--json has them whole)")
    return [line((text, QUIET)) for text in said]


def outcomes(found: Sequence[Outcome]) -> Iterable[Row | Sheet]:
    """Where a recorded value became a plain fact: what was asked, what came out, and before which node."""
    if not found:
        return
    yield line()
    yield line(("outcomes", TITLE))
    yield Sheet(
        [
            Column("before", [handle(outcome.before) for outcome in found], QUIET, right=True),
            Column("asked", [clean(question(outcome)) for outcome in found], OPERATION),
            Column("outcome", [clean(short(outcome.outcome)) for outcome in found], RESULT),
            Column("line", [clean(place(outcome.file, outcome.line)) for outcome in found], QUIET, rank=1),
        ]
    )


SIGNS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "floor_divide": "//",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "floordiv": "//",
}


def question(outcome: Outcome) -> str:
    """`3.0 < 1.0`, or `bool 3.0`."""
    operands = [short(operand) for operand in outcome.operands]
    sign = SIGNS.get(outcome.operation, outcome.operation)
    if len(operands) == 2 and not sign.isidentifier():
        return f"{operands[0]} {sign} {operands[1]}"
    return f"{sign} {', '.join(operands)}".strip() or NOTHING
