"""A diagram as self-contained SVG or PNG, with descriptions for screen readers, in colours of the reader's theme."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.shared.notebook_display import themed, within
from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.terminal.render.file_marks import PNG_SOFTWARE, SVG_MARK
from gradcli.terminal.render.graphs.diagram import SHADES, Box, Diagram, diagram, number
from gradcli.terminal.render.graphs.grandalf_layout import placed
from gradcli.terminal.render.graphs.placement import CHARACTER, LINE, Area, Placement, Point
from gradcli.terminal.render.layout.theme import ELLIPSIS
from gradcli.terminal.render.layout.wrapped_text import cut, width_of
from gradcli.terminal.render.palette import DARK, LIGHT, Palette
from gradcli.terminal.render.tapes.node_labels import place

MARGIN, HEAD = 16.0, 46.0
LEAST_WIDTH = 560.0
SWATCH = 36.0
SMALL = 6.1  # the width of a character at 10 points
ROLE = {True: 'role="group"', False: 'role="img"'}
"""The role of a drawing: in a page each box can be focused; alone the drawing is one image."""


def svg(graph: TapeGraph, *, expand: bool = False, path: str = "") -> str:
    """The graph of a tape as a picture; the arguments are those of `diagram`.

    Raises:
        UsageError: there are too many boxes, or the library that places them is not installed.
    """
    shown = diagram(graph, expand=expand, path=path)
    return drawn(shown, placed(shown))


def png(graph: TapeGraph, *, expand: bool = False, path: str = "") -> bytes:
    """The same as a PNG image in light colours.

    Raises:
        UsageError: as `svg`; or the library that draws it is not installed.
    """
    return rasterized(svg(graph, expand=expand, path=path))


def in_notebook(graph: TapeGraph) -> str:
    """The graph for the output of a cell: in the notebook's theme, with a style that changes no other drawing.

    Raises:
        UsageError: as `svg`.
    """
    shown = diagram(graph)
    light, dark = ("".join(rules(palette)) for palette in (LIGHT, DARK))
    return drawn(shown, placed(shown), within(STYLE, ".gradcli") + themed(light, dark, ".gradcli"))


def drawn(shown: Diagram, places: Placement, own_style: str | None = None, *, inside: bool = False) -> str:
    """A diagram as SVG; `inside` a page, it uses the page's style and heading."""
    width = max(places.width, LEAST_WIDTH) + 2 * MARGIN
    top = MARGIN if inside else HEAD + MARGIN
    legend = list(_legend_rows(shown))
    height = top + places.height + MARGIN + sum(row for row, _ in legend)
    left = (width - places.width) / 2
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    description = f"The tape of {shown.title} {shown.value}: {len(shown.boxes)} boxes, {len(shown.edges)} edges"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {ROLE[inside]}>',
        *([] if inside else [SVG_MARK]),
        f"<title>{escape(shown.title)}</title><desc>{escape(description)}</desc>",
        *(
            []
            if inside
            else [f"<style>{own_style or style()}</style>", '<rect class="paper" width="100%" height="100%"/>']
        ),
        *([] if inside else _heading(shown, width)),
        f'<g transform="translate({left:.1f} {top:.1f})">',
        *(f'<g class="group {group.kind}">{_rect(places.groups[group.index], 6)}</g>' for group in shown.groups),
        *_edges(shown, places),
        *_group_labels(shown, places),
        *_boxes(shown, places, ' tabindex="0" role="img"' if inside else ""),
        "</g>",
        *_below(legend, top + places.height + MARGIN),
        "</svg>",
    ]
    return "\n".join([*lines, ""])


def style() -> str:
    """The style of a drawing in light and dark themes."""
    dark = "".join(rules(DARK))
    return f"{STYLE}{''.join(rules(LIGHT))}@media (prefers-color-scheme:dark){{{dark}}}"


STYLE = """
text{white-space:pre;font:11px "DejaVu Sans Mono",ui-monospace,Menlo,Consolas,monospace}
.title,.name{font-weight:700}.title{font-size:13px}.label,.small,.head{font-size:10px}
.label,.box .row,.box .name{text-anchor:middle}.box rect{stroke-width:1}
.input>rect{stroke-width:2}.constant>rect{stroke-dasharray:4 3}.folded>rect{stroke-dasharray:2 2}
.use path{fill:none;stroke-width:1.2}.idle path{stroke-dasharray:3 3}.use .tip{stroke:none}
.head{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}.group rect{stroke-width:1}
.loop>rect{stroke-dasharray:6 3}
"""


def rules(palette: Palette) -> Iterator[str]:
    """The style rules for the colours of a palette."""
    yield f".paper{{fill:{palette.paper}}}text{{fill:{palette.ink}}}.quiet{{fill:{palette.quiet}}}"
    yield f".box rect{{stroke:{palette.line}}}"
    yield f".input>rect{{stroke:{palette.accent}}}.result>rect{{stroke:{palette.ink}}}"
    yield f".folded>rect{{stroke:{palette.quiet}}}"
    yield f".use path{{stroke:{palette.quiet}}}.use .tip{{fill:{palette.quiet}}}"
    yield f".under{{fill:{palette.paper}}}.within .under{{fill:{palette.band}}}.head{{stroke:{palette.band}}}"
    yield f".axis{{stroke:{palette.line}}}"
    yield f".group>rect{{fill:{palette.band};stroke:{palette.line}}}"
    yield f".broken path{{stroke:{palette.broken}}}.broken .tip,.broken text{{fill:{palette.broken}}}"
    yield f".bad>rect{{fill:{palette.broken_fill};stroke:{palette.broken}}}"
    yield f".s0>rect{{fill:{palette.neutral}}}"
    for depth in range(1, SHADES + 1):
        yield f".p{depth}>rect{{fill:{palette.fill(depth)}}}.m{depth}>rect{{fill:{palette.fill(-depth)}}}"


def _heading(shown: Diagram, width: float) -> Iterator[str]:
    longest = int((width - 2 * MARGIN) / CHARACTER)
    yield f'<text class="title" x="{MARGIN}" y="24">{escape(cut(shown.title, int(longest * 0.82)))}</text>'
    yield f'<text class="quiet" x="{MARGIN}" y="42">{escape(cut(shown.value, longest))}</text>'


def _group_labels(shown: Diagram, places: Placement) -> Iterator[str]:
    for group in shown.groups:
        area = places.groups[group.index]
        label = cut(group.label, max(6, int((area.width - 12) / SMALL)))
        yield f'<text class="head quiet" x="{area.x + 8:.1f}" y="{area.y + 14:.1f}">{escape(label)}</text>'


def _edges(shown: Diagram, places: Placement) -> Iterator[str]:
    for edge, points, label in zip(shown.edges, places.edges, places.labels, strict=True):
        yield f'<g class="use {edge.weight}" data-from="{edge.tail}" data-to="{edge.head}">'
        yield f"<title>{escape(edge.tip)}</title>" + _arrow(points)
        if label is not None and edge.label:
            yield from _label(edge.label, label, places)
        yield "</g>"


def _label(text: str, middle: Point, places: Placement) -> Iterator[str]:
    """A partial on the ground of what it lies in, so that no line passes through it."""
    x, y = middle
    is_within = any(
        area.x < x < area.x + area.width and area.y < y < area.y + area.height for area in places.groups.values()
    )
    width = width_of(text) * SMALL + 4
    ground = f'<rect class="under" x="{x - width / 2:.1f}" y="{y - 6:.1f}" width="{width:.1f}" height="12"/>'
    yield f'<g class="within">{ground}</g>' if is_within else ground
    yield f'<text class="label" x="{x:.1f}" y="{y + 3.5:.1f}">{escape(text)}</text>'


def _arrow(points: Sequence[Point]) -> str:
    start, *rest = points
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)
    (x, y), before = points[-1], next(point for point in reversed(points) if point != points[-1])
    length = ((x - before[0]) ** 2 + (y - before[1]) ** 2) ** 0.5 or 1.0
    along, across = (x - before[0]) / length, (y - before[1]) / length
    base = x - 8 * along, y - 8 * across
    corners = (
        f"{x:.1f},{y:.1f} {base[0] - 3 * across:.1f},{base[1] + 3 * along:.1f} "
        f"{base[0] + 3 * across:.1f},{base[1] - 3 * along:.1f}"
    )
    return f'<path d="M{start[0]:.1f},{start[1]:.1f} C{curve}"/><polygon class="tip" points="{corners}"/>'


def _boxes(shown: Diagram, places: Placement, reached: str) -> Iterator[str]:
    for box in shown.boxes:
        area = places.boxes[box.key]
        line = f' data-line="{escape(place(box.file, box.line))}"' if box.line else ""
        yield f'<g class="box {box.kind} {fill_class(box.shade)}" id="{box.key}"{line}{reached}>'
        yield f"<title>{escape(box.tip)}</title>{_rect(area, 14 if box.kind == 'input' else 2)}"
        if box.kind == "result":
            yield _rect(Area(area.x + 3, area.y + 3, area.width - 6, area.height - 6), 1)
        yield from _rows(box, area)
        yield "</g>"


def _rows(box: Box, area: Area) -> Iterator[str]:
    middle, above = area.middle[0], area.y + (area.height - len(box.rows) * LINE) / 2 + 11
    for at, row in enumerate(box.rows):
        kind = "row" if at else "name"
        yield f'<text class="{kind}" x="{middle:.1f}" y="{above + at * LINE:.1f}">{escape(row)}</text>'


def fill_class(shade: int | None) -> str:
    """The class of a shade: `p3`, `m1` or `s0`; `bad` if a number is not finite."""
    return "bad" if shade is None else f"{'p' if shade > 0 else 'm'}{abs(shade)}" if shade else "s0"


def _legend_rows(shown: Diagram) -> Iterator[tuple[float, str]]:
    """The rows of the legend with their heights: only what the picture has."""
    yield 24.0, "".join(_kinds(shown))
    if shown.greatest or any(box.shade is None for box in shown.boxes):
        bad = any(box.shade is None for box in shown.boxes)
        yield 40.0, "".join(scale(shown.greatest, bad))
    notes = ["dashed edges add nothing"] if any(edge.weight == "idle" for edge in shown.edges) else []
    if any(ELLIPSIS in box.sensitivity for box in shown.boxes):
        notes.append(f"a {ELLIPSIS} b: the least and the greatest number of an array")
    yield from (
        (16.0, f'<text class="small quiet" x="0" y="8">{escape(note)}</text>')
        for note in ("; ".join(notes), shown.left_out)
        if note
    )


def _below(rows: Sequence[tuple[float, str]], top: float) -> Iterator[str]:
    for height, row in rows:
        yield f'<g transform="translate({MARGIN} {top:.1f})">{row}</g>'
        top += height


def _kinds(shown: Diagram) -> Iterator[str]:
    x = 0.0
    for kind in ("input", "constant", "operation", "result", "folded"):
        if any(box.kind == kind for box in shown.boxes):
            yield f'<g class="box {kind} s0">{_rect(Area(x, 0, 18, 12), 6 if kind == "input" else 1)}'
            if kind == "result":
                yield _rect(Area(x + 2, 2, 14, 8), 1)
            yield f'<text class="small" x="{x + 23}" y="10">{kind}</text></g>'
            x += 23 + len(kind) * SMALL + 14
    if any(edge.label for edge in shown.edges):
        yield f'<text class="small quiet" x="{x:.1f}" y="10">on an edge: the partial</text>'


def scale(greatest: float, bad: bool = False) -> Iterator[str]:
    """The shades, with the sensitivities at which they begin; `bad` adds the one for what is not finite."""
    yield '<text class="small" x="0" y="10">sensitivity s</text>'
    shades = [*range(-SHADES, 0), 0, *range(1, SHADES + 1)] if greatest else []
    left = 96.0
    for at, shade in enumerate(shades):
        yield f'<g class="box {fill_class(shade)}">{_rect(Area(left + at * SWATCH, 0, SWATCH, 12), 0)}</g>'
    middle = left + (SHADES + 0.5) * SWATCH
    ends = ((-greatest, -4.5), (-greatest / 4, -2.5), (0.0, 0), (greatest / 4, 2.5), (greatest, 4.5))
    for end, steps in ends if greatest else ():
        yield f'<text class="label quiet" x="{middle + steps * SWATCH:.1f}" y="24">{number(end)}</text>'
    if bad:
        x = left + (len(shades) * SWATCH + 26 if shades else 0)
        yield f'<g class="box bad">{_rect(Area(x, 0, SWATCH, 12), 0)}'
        yield f'<text class="small" x="{x + SWATCH + 6}" y="10">not finite</text></g>'


def _rect(area: Area, radius: float) -> str:
    size = f'width="{area.width:.1f}" height="{area.height:.1f}"'
    return f'<rect x="{area.x:.1f}" y="{area.y:.1f}" {size} rx="{radius:g}"/>'


ZOOM = 2  # dots a point: text stays sharp on a fine screen
AFTER_HEAD = 33  # bytes: the signature of a file, and the chunk with its size


def rasterized(svg: str) -> bytes:
    """The picture, in the light theme, with the mark that says whose it is.

    Raises:
        UsageError: the library is not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        hint = "pip install 'gradcli[plot]', or write a .svg file."
        raise UsageError("A .png picture needs resvg, which is not installed.", hint=hint) from None
    data = bytes(svg_to_bytes(svg_string=svg, zoom=ZOOM, font_dirs=_fonts(), monospace_family="DejaVu Sans Mono"))
    return data[:AFTER_HEAD] + _mark() + data[AFTER_HEAD:]


def _fonts() -> list[str]:
    """The fonts that matplotlib brings along: a machine without a screen may have none."""
    spec = find_spec("matplotlib")
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" if spec and spec.origin else None
    return [str(folder)] if folder is not None and folder.is_dir() else []


def _mark() -> bytes:
    (word, text), *_ = PNG_SOFTWARE.items()
    body = b"tEXt" + word.encode() + b"\0" + text.encode()
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
