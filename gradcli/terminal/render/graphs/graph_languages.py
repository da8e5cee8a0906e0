"""A diagram in languages of other programs: Graphviz's, and that of Mermaid, which GitHub draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.terminal.render.graphs.diagram import Box, Cluster, Diagram, diagram
from gradcli.terminal.render.graphs.placement import size_of
from gradcli.terminal.render.palette import LIGHT

INCH = 72.0
DOT_SHAPES = {"input": 'shape=box, style="rounded,filled,bold"', "result": "shape=box, style=filled, peripheries=2",
              "constant": 'shape=box, style="filled,dashed"', "folded": "shape=folder, style=filled",
              "operation": "shape=box, style=filled"}  # fmt: skip
MERMAID_SHAPES = {"input": ("([", "])"), "result": ("[[", "]]"), "folded": ("[/", "/]")}


def dot(graph: TapeGraph, *, expand: bool = False, path: str = "") -> str:
    """The graph of a tape in Graphviz's language; the arguments are those of `diagram`."""
    shown = diagram(graph, expand=expand, path=path)
    lines = [
        "digraph tape {",
        "  graph [rankdir=TB, nodesep=0.3, ranksep=0.42, margin=0, "
        'fontname="DejaVu Sans Mono", fontsize=10, labeljust=l];',
        '  node [fontname="DejaVu Sans Mono", fontsize=11, fixedsize=true];',
        '  edge [fontname="DejaVu Sans Mono", fontsize=10, color="#5b6472", arrowsize=0.7];',
        *_within(shown, _dot_cluster, _dot_node, "}"),
    ]
    for edge in shown.edges:
        label = f' [label="  {_quoted(edge.label)} "]' if edge.label else ""
        lines.append(f"  {edge.tail} -> {edge.head}{label};")
    return "\n".join([*lines, "}", ""])


def mermaid(graph: TapeGraph, *, expand: bool = False, path: str = "") -> str:
    """The graph of a tape in the language of Mermaid; the arguments are those of `diagram`."""
    shown = diagram(graph, expand=expand, path=path)
    lines = ["flowchart TB", *_within(shown, _mermaid_cluster, _mermaid_node, "end")]
    for edge in shown.edges:
        arrow = f'-->|"{_escaped(edge.label)}"|' if edge.label else "-->"
        lines.append(f"  {edge.tail} {arrow} {edge.head}")
    return "\n".join([*lines, ""])


def _within(
    shown: Diagram, cluster: Callable[[Cluster], list[str]], node: Callable[[Box], str], end: str
) -> Iterator[str]:
    """The boxes, with each scope as a cluster."""
    for depth, item in shown.nested():
        texts = [end] if item is None else cluster(item) if isinstance(item, Cluster) else [node(item)]
        yield from ("  " * (depth + 1) + text for text in texts)


def _dot_cluster(group: Cluster) -> list[str]:
    head = f'subgraph "cluster_{group.index}" {{'
    return [head, f'  label="{_quoted(group.label)}"; color="#9aa3b2"; margin=10;']


def _dot_node(box: Box) -> str:
    width, height = size_of(box)
    label = "\\n".join(map(_quoted, box.rows))
    look = f'{DOT_SHAPES[box.kind]}, fillcolor="{LIGHT.fill(box.shade)}"'
    return f'{box.key} [label="{label}", {look}, width={width / INCH:.3f}, height={height / INCH:.3f}];'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _mermaid_cluster(group: Cluster) -> list[str]:
    return [f'subgraph g{group.index}["{_escaped(group.label)}"]']


def _mermaid_node(box: Box) -> str:
    opening, closing = MERMAID_SHAPES.get(box.kind, ("[", "]"))
    return f'{box.key}{opening}"{"<br/>".join(map(_escaped, box.rows))}"{closing}'


def _escaped(text: str) -> str:
    return "".join(f"#{ord(sign)};" if sign in '"#&<>`*_|' else sign for sign in text)
