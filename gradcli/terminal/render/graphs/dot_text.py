"""A diagram in Graphviz's language."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.terminal.render.graphs.diagram import Box, Cluster, Diagram, Edge, diagram
from gradcli.terminal.render.graphs.placement import size_of
from gradcli.terminal.render.palette import LIGHT

INCH = 72.0
SHAPES = {"input": 'shape=box, style="rounded,filled,bold"', "result": "shape=box, style=filled, peripheries=2",
          "constant": 'shape=box, style="filled,dashed"', "folded": "shape=folder, style=filled",
          "operation": "shape=box, style=filled"}  # fmt: skip


def text(graph: TapeGraph, *, expand: bool = False, path: str = "") -> str:
    """The graph of a tape; the arguments are those of `diagram`."""
    shown = diagram(graph, expand=expand, path=path)
    lines = [
        "digraph tape {",
        "  graph [rankdir=TB, nodesep=0.3, ranksep=0.42, margin=0, "
        'fontname="DejaVu Sans Mono", fontsize=10, labeljust=l];',
        '  node [fontname="DejaVu Sans Mono", fontsize=11, fixedsize=true];',
        '  edge [fontname="DejaVu Sans Mono", fontsize=10, color="#5b6472", arrowsize=0.7];',
        *_within(shown),
        *(_edge(edge) for edge in shown.edges),
    ]
    return "\n".join([*lines, "}", ""])


def _within(shown: Diagram) -> Iterator[str]:
    """The boxes, with each scope as a cluster."""
    for depth, item in shown.nested():
        indent = "  " * (depth + 1)
        if item is None:
            yield f"{indent}}}"
        elif isinstance(item, Cluster):
            yield f'{indent}subgraph "cluster_{item.index}" {{'
            yield f'{indent}  label="{_quoted(item.label)}"; color="#9aa3b2"; margin=10;'
        else:
            yield _node(item, indent)


def _node(box: Box, indent: str) -> str:
    width, height = size_of(box)
    label = "\\n".join(map(_quoted, box.rows))
    fill = LIGHT.fill(box.shade)
    return (
        f'{indent}{box.key} [label="{label}", {SHAPES[box.kind]}, fillcolor="{fill}", '
        f"width={width / INCH:.3f}, height={height / INCH:.3f}];"
    )


def _edge(edge: Edge) -> str:
    label = f' [label="  {_quoted(edge.label)} "]' if edge.label else ""
    return f"  {edge.tail} -> {edge.head}{label};"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
