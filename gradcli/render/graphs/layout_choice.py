"""The places of a diagram by whichever program or library is installed."""

from __future__ import annotations

from gradcli.render.graphs import dot_layout, layered_layout
from gradcli.render.graphs.diagram import Diagram
from gradcli.render.graphs.placement import Placement


def placed(diagram: Diagram) -> Placement:
    """A diagram placed by the program `dot` of Graphviz if it is installed, else by the library grandalf.

    Raises:
        UsageError: neither is installed.
    """
    return dot_layout.placed(diagram) if dot_layout.program() else layered_layout.placed(diagram)
