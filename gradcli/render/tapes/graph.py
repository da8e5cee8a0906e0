"""A tape as a graph, in the languages of Graphviz and Mermaid, and as a page of HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from gradcli.records import Node, TapeListing
from gradcli.render.layout.numbers import short
from gradcli.render.layout.terminal_text import clean
from gradcli.render.tapes.node_labels import handle, label, names_of, operation, own_name, place

MARKS = ("<!-- Drawn by gradcli -->", '<meta name="generator" content="gradcli">', "Software\0Drawn by gradcli")
"""By one of these, the last in a .png file, near its beginning, a drawing or a page is known to be from here."""


def labels(record: TapeListing) -> Iterator[tuple[Node, list[str]]]:
    """What stands in each node: its name and how it was computed, its value, the sensitivity."""
    names = names_of(record)
    for node in record.nodes:
        text = clean(" = ".join(filter(None, label(record, node, names))))
        yield node, [text, short(node.value), f"s {short(node.sensitivity)}"]


def edges(nodes: Sequence[Node]) -> Iterator[tuple[int, int]]:
    """Every use: what was used, by what."""
    shown = {node.index for node in nodes}
    return ((used, node.index) for node in nodes for used in node.inputs if used in shown)


def dot(record: TapeListing) -> str:
    """The graph in the language of Graphviz."""
    lines = ["digraph tape {", "  rankdir=BT;", '  node [shape=box, fontname="monospace"];']
    lines += [f'  n{node.index} [label="{_quoted(texts)}"];' for node, texts in labels(record)]
    lines += [f"  n{used} -> n{user};" for used, user in edges(record.nodes)]
    return "\n".join([*lines, "}", ""])


def _quoted(texts: list[str]) -> str:
    return "\\n".join(text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)


def mermaid(record: TapeListing) -> str:
    """The graph in the language of Mermaid, which GitHub draws."""
    lines = ["flowchart BT"]
    lines += [f'  n{node.index}["{_escaped(texts)}"]' for node, texts in labels(record)]
    lines += [f"  n{used} --> n{user}" for used, user in edges(record.nodes)]
    return "\n".join([*lines, ""])


def _escaped(texts: list[str]) -> str:
    return "<br/>".join("".join(f"#{ord(sign)};" if sign in '"#&<>`*_' else sign for sign in text) for text in texts)


def marked(svg: str) -> str:
    """A drawing with the mark that says whose it is; the declaration of XML stays first."""
    declaration, end, rest = svg.partition("?>\n") if svg.startswith("<?xml") else ("", "", svg)
    return f"{declaration}{end}{MARKS[0]}\n{rest}"


STYLE = """body{font:14px/1.5 monospace;margin:2em}table{border-collapse:collapse}
td,th{padding:.15em .8em;text-align:left;white-space:pre}th{border-bottom:1px solid}
tr:hover{background:#8883}tr.used{background:#4a94}tr.uses{background:#a644}"""

SCRIPT = """document.querySelectorAll('tr[data-uses]').forEach(row=>{
 const uses=row.dataset.uses.split(' ').filter(Boolean);
 const mark=on=>{uses.forEach(n=>document.getElementById('n'+n)?.classList.toggle('used',on));
  document.querySelectorAll('tr[data-uses~="'+row.id.slice(1)+'"]').forEach(r=>r.classList.toggle('uses',on));};
 row.onmouseenter=()=>mark(true);row.onmouseleave=()=>mark(false);});
document.getElementById('find').oninput=e=>{const text=e.target.value.toLowerCase();
 document.querySelectorAll('tr[data-uses]').forEach(r=>r.hidden=!r.textContent.toLowerCase().includes(text));};"""


def page(record: TapeListing) -> str:
    """The tape as one HTML file: a table to search, which shows what a node uses and what uses it."""
    names = names_of(record)
    rows = "\n".join(_row(record, node, names) for node in record.nodes)
    title = html.escape(record.target)
    head = "".join(
        f"<th>{word}</th>" for word in ("node", "name", "operation", "value", "sensitivity", "line", "source")
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">{MARKS[1]}<title>{title}</title><style>{STYLE}</style></head>
<body><h1>{title}</h1>
<p>value {html.escape(short(record.value))}. Under the pointer: green is what a node uses, red what uses it.</p>
<p><input id="find" placeholder="search"></p>
<table><thead><tr>{head}</tr></thead><tbody>
{rows}
</tbody></table><script>{SCRIPT}</script></body></html>
"""


def _row(record: TapeListing, node: Node, names: dict[int, str]) -> str:
    cells = (
        handle(node.index),
        own_name(record, node),
        operation(node, names),
        short(node.value),
        short(node.sensitivity),
        place(node.file, node.line),
        (node.source or "").strip(),
    )
    told = "".join(f"<td>{html.escape(clean(cell))}</td>" for cell in cells)
    return f'<tr id="n{node.index}" data-uses="{" ".join(map(str, node.inputs))}">{told}</tr>'
