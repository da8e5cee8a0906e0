"""`gradcli hessian`: the matrix of second derivatives, or a list of its entries if the matrix is too wide."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.shared.records.derivatives import Hessian
from gradcli.shared.records.result_and_finding import Structure
from gradcli.terminal.render.jacobian import Entries, Entry, depth_of, split
from gradcli.terminal.render.layout.heading import heading, value
from gradcli.terminal.render.layout.numbers import components, count
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack


def view(record: Hessian, look: Look) -> Stack:
    """The view of a Hessian."""
    rows = count(record.gradient)  # a symmetric matrix has as many columns
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        Entries(lambda: labelled(record), rows, rows * rows, look),
    )


def labelled(record: Hessian) -> Iterator[Entry]:
    """Every second derivative with the names of its two inputs."""
    for name, by_name in record.hessian.items():
        depth = depth_of(by_name[name]) // 2
        parts = {other: iter(list(split(block, depth))) for other, block in by_name.items()}
        for row, _ in components(name, outline(by_name[name], depth)):
            for other, blocks in parts.items():
                for column, number in components(other, next(blocks)):
                    yield row, column, number


def outline(structure: Structure, depth: int) -> Structure:
    """The outer `depth` levels of nested lists, with a number in place of each inner structure."""
    return [outline(item, depth - 1) for item in structure] if depth else 0.0
