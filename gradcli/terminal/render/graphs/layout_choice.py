"""The choice between the layout by Graphviz and the layout by grandalf."""

from __future__ import annotations

from gradcli.terminal.render.graphs import dot_layout, grandalf_layout
from gradcli.terminal.render.graphs.diagram import Diagram
from gradcli.terminal.render.graphs.placement import Placement


def placed(diagram: Diagram) -> Placement:
    """The layout of a diagram by Graphviz's program `dot` if it is installed, otherwise by the library grandalf.

    Raises:
        UsageError: neither is installed.
    """
    return dot_layout.placed(diagram) if dot_layout.program() else grandalf_layout.placed(diagram)
