"""A diagram in the language of Mermaid, which GitHub draws."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.terminal.render.graphs.diagram import Box, Cluster, Diagram, diagram

SHAPES = {"input": ("([", "])"), "result": ("[[", "]]"), "folded": ("[/", "/]")}


def text(graph: TapeGraph, *, expand: bool = False, path: str = "") -> str:
    """The graph of a tape; the arguments are those of `diagram`."""
    shown = diagram(graph, expand=expand, path=path)
    lines = ["flowchart TB", *_within(shown)]
    for edge in shown.edges:
        arrow = f'-->|"{_escaped(edge.label)}"|' if edge.label else "-->"
        lines.append(f"  {edge.tail} {arrow} {edge.head}")
    return "\n".join([*lines, ""])


def _within(shown: Diagram) -> Iterator[str]:
    """The boxes, with each scope as a subgraph."""
    for depth, item in shown.nested():
        indent = "  " * (depth + 1)
        if item is None:
            yield f"{indent}end"
        elif isinstance(item, Cluster):
            yield f'{indent}subgraph g{item.index}["{_escaped(item.label)}"]'
        else:
            yield _node(item, indent)


def _node(box: Box, indent: str) -> str:
    opening, closing = SHAPES.get(box.kind, ("[", "]"))
    return f'{indent}{box.key}{opening}"{"<br/>".join(map(_escaped, box.rows))}"{closing}'


def _escaped(text: str) -> str:
    return "".join(f"#{ord(sign)};" if sign in '"#&<>`*_|' else sign for sign in text)
