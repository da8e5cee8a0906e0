"""The graph of a tape as a single HTML page with the source, highlighted paths in both directions, and a search.

The page needs no network, follows the light or dark theme of its reader, and can be used with the keyboard alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gradcli.shared.records.tape_graphs import ProgramText, TapeGraph
from gradcli.shared.records.tapes import Node
from gradcli.terminal.render.file_marks import HTML_MARK, escaped
from gradcli.terminal.render.graphs import svg
from gradcli.terminal.render.graphs.diagram import Diagram, diagram
from gradcli.terminal.render.graphs.grandalf_layout import placed
from gradcli.terminal.render.layout.numbers import short
from gradcli.terminal.render.palette import DARK, LIGHT, Palette
from gradcli.terminal.render.tapes.node_labels import handle, names_of, operation, own_name, place

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
MOST_ROWS = 2000  # of the table
ZOOM = "".join(
    f'<button type="button" data-by="{by}" title="{title}">{sign}</button>'
    for by, sign, title in (
        ("0.8", "&minus;", "smaller (-)"),
        ("1.25", "+", "larger (+)"),
        ("0", "fit", "the whole graph (0)"),
        ("1", "1:1", "its own size"),
    )
)
HERE = Path(__file__).parent


def page(graph: TapeGraph, *, expand: bool = False, path: str = "") -> str:
    """The page of a tape; the arguments are those of `diagram`.

    Raises:
        UsageError: there are too many boxes, or the library that places them is not installed.
    """
    shown = diagram(graph, expand=expand, path=path)
    return "\n".join([*_lines(graph, shown), ""])


def _lines(graph: TapeGraph, shown: Diagram) -> Iterator[str]:
    title = escaped(graph.target)
    yield f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{HTML_MARK}'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width">'
    colours = f"{_colours(LIGHT)}@media (prefers-color-scheme:dark){{{_colours(DARK)}}}"
    yield f"<title>{title}: the tape</title><style>{_own('page.css')}{svg.style()}{colours}</style></head><body>"
    yield f"<header><div><h1><code>{title}</code></h1><p>{escaped(shown.value)}</p></div>"
    yield '<div><label for="find">Search for a name, an operation or a number</label>'
    yield '<input id="find" type="search" autocomplete="off"> <output id="count" for="find"></output>'
    yield '<p class="hint"><kbd>/</kbd> search <kbd>Tab</kbd> next box <kbd>Esc</kbd> all; a click holds a path</p>'
    yield f'<div class="zoom" role="group" aria-label="Zoom">{ZOOM}</div>'
    yield "</div></header><main>"
    yield from _program(graph)
    yield f'<section class="graph" aria-label="Graph">{svg.drawn(shown, placed(shown), inside=True)}</section></main>'
    yield from _table(graph, shown)
    yield f"<script>{_own('page.js')}</script></body></html>"


def _own(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _colours(palette: Palette) -> str:
    return (
        f"body{{color:{palette.ink};background:{palette.paper}}}.program{{background:{palette.band}}}"
        f".program i,.hint,.program h2{{color:{palette.quiet}}}"
        f"li.at,tr.at,li[data-line]:hover{{background:{palette.above[1]}}}"
        f"th{{border-bottom:1px solid {palette.line}}}input,button{{color:{palette.ink};background:{palette.neutral};"
        f"border-color:{palette.line}}}.box:focus-visible>rect,.box.at>rect{{stroke:{palette.accent}}}"
    )


def _program(graph: TapeGraph) -> Iterator[str]:
    """The functions that ran, line by line; lines that made nodes link to their boxes."""
    if not graph.program:
        return
    made = {(node.file, node.line) for node in graph.nodes}
    yield '<section class="program" aria-label="Source">'
    above = None
    for source in graph.program:
        name = place(source.file, None) or "typed"
        yield ("" if name == above else f"<h2>{escaped(name)}</h2>") + "<ol>"
        above = name
        yield from (_source_line(source, number, made) for number in range(len(source.lines)))
        yield "</ol>"
    yield "</section>"


def _source_line(source: ProgramText, number: int, made: set[tuple[str | None, int | None]]) -> str:
    line = source.first + number
    linked = f' data-line="{escaped(place(source.file, line))}" tabindex="0"' if (source.file, line) in made else ""
    label = str(line) if source.file else ""
    return f"<li{linked}><i>{label}</i><code>{escaped(source.lines[number])}</code></li>"


def _table(graph: TapeGraph, shown: Diagram) -> Iterator[str]:
    names = names_of(graph)
    box_of = {index: box.key for box in shown.boxes for index in box.nodes}
    heads = "".join(
        f'<th scope="col">{word}</th>' for word in ("node", "name", "operation", "value", "sensitivity", "line")
    )
    yield f'<details class="tables"><summary>All {len(graph.nodes)} nodes as a table</summary>'
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    yield from (_row(graph, node, names, box_of) for node in graph.nodes[:MOST_ROWS])
    more = len(graph.nodes) - MOST_ROWS
    yield "</tbody></table>" + (f"<p>{more} more nodes; a .csv file has all.</p>" if more > 0 else "") + "</details>"


def _row(graph: TapeGraph, node: Node, names: dict[int, str], box_of: dict[int, str]) -> str:
    cells = (
        handle(node.index),
        own_name(graph, node),
        operation(node, names),
        short(node.value),
        short(node.sensitivity),
        place(node.file, node.line),
    )
    cells_html = "".join(f"<td>{escaped(cell)}</td>" for cell in cells)
    return f'<tr data-box="{box_of.get(node.index, "")}">{cells_html}</tr>'
