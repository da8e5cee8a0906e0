"""Layout of a diagram by Graphviz's program `dot`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

from gradcli.errors import UsageError
from gradcli.terminal.render.graphs.diagram import Diagram
from gradcli.terminal.render.graphs.dot_text import INCH, dot
from gradcli.terminal.render.graphs.placement import Area, Placement, Point

PATIENCE = 60.0  # seconds for a picture


def program() -> str | None:
    """The path of `dot`, or None if it is not installed."""
    return shutil.which("dot")


def placed(diagram: Diagram) -> Placement:
    """The layout that Graphviz computes.

    Raises:
        UsageError: Graphviz cannot place it, or takes too long.
    """
    layout = _asked(dot(diagram))
    left, bottom, right, top = map(float, layout["bb"].split(","))

    def point(text: str) -> Point:
        x, y = map(float, text.split(",")[-2:])
        return x - left, top - y

    objects = layout.get("objects", [])
    keys = {object_["_gvid"]: object_["name"] for object_ in objects}
    uses: dict[tuple[str, str], Mapping[str, Any]] = {
        (keys[edge["tail"]], keys[edge["head"]]): edge for edge in layout.get("edges", [])
    }
    drawn = [uses[edge.tail, edge.head] for edge in diagram.edges]
    return Placement(
        {object_["name"]: _node(object_, point(object_["pos"])) for object_ in objects if "pos" in object_},
        {
            int(object_["name"].removeprefix("cluster_")): _cluster(object_["bb"], left, top)
            for object_ in objects
            if "bb" in object_
        },
        tuple(_curve(edge["pos"], point) for edge in drawn),
        tuple(point(edge["lp"]) if "lp" in edge else None for edge in drawn),
        right - left,
        top - bottom,
    )


def _asked(text: str) -> dict[str, Any]:
    where = program()
    assert where is not None
    try:
        done = subprocess.run(
            [where, "-Tjson0"], input=text, capture_output=True, encoding="utf-8", check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        hint = "Draw a part of it with --path X..Y."
        raise UsageError(f"Graphviz found no places within {PATIENCE:g} s.", hint=hint) from None
    if done.returncode:
        message = done.stderr.strip()[:200]
        raise UsageError(f"Graphviz cannot draw this: {message}", hint="--format dot shows the graph.")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _node(each: Mapping[str, Any], middle: Point) -> Area:
    width, height = float(each["width"]) * INCH, float(each["height"]) * INCH
    return Area(middle[0] - width / 2, middle[1] - height / 2, width, height)


def _cluster(bounds: str, left: float, top: float) -> Area:
    x, y, right, upper = map(float, bounds.split(","))
    return Area(x - left, top - upper, right - x, upper - y)


def _curve(text: str, point: Any) -> tuple[Point, ...]:
    """The points of a curve up to the tip of its arrow, which Graphviz gives as `e,x,y`."""
    parts = text.split()
    tips = [point(part) for part in parts if part.startswith("e,")]
    points = [point(part) for part in parts if not part.startswith(("e,", "s,"))]
    return (*points, *(tip for tip in tips for _ in range(3)))
