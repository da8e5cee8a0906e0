"""What the nodes of a tape are called: by name or number, by how they were computed, and by their line."""

from __future__ import annotations

from gradcli import errors
from gradcli.shared.records.tapes import Node, TapeListing


def handle(index: int) -> str:
    """How a node is referred to where it has no name."""
    return f"%{index}"


def names_of(record: TapeListing) -> dict[int, str]:
    """The names that nodes have."""
    return {node.index: node.name for node in record.nodes if node.name}


def own_name(record: TapeListing, node: Node) -> str:
    """The name that the user gave a node; a part of a typed expression has none, it is called by its own text."""
    typed = record.reading is not None and node.inputs and not place(node.file, node.line)
    return "" if typed else node.name or ""


def label(record: TapeListing, node: Node, names: dict[int, str]) -> tuple[str, str]:
    """What a node is called where it stands alone, and how it was computed, where that says more."""
    name, how = own_name(record, node), operation(node, names)
    if name or not node.inputs:
        return name or handle(node.index), how if node.inputs else ""
    return (how, "") if how == node.name else (handle(node.index), how)


def operation(node: Node, names: dict[int, str]) -> str:
    """The formula, or else the operation and the nodes it took, by name where they have one: `mul t_c, t_d`."""
    if node.expression:
        return node.expression
    operands = ", ".join(names.get(index) or handle(index) for index in node.inputs)
    return f"{node.operation} {operands}".strip()


def place(file: str | None, number: int | None) -> str:
    """`hyperbox.py:6`, and `cell:6` in a notebook; empty where there is no file."""
    if not file or file.startswith("<"):  # a typed expression has no file
        return ""
    return errors.place(file, number)
