"""The nodes of a trace."""

import math

from gradcli import trace
from gradcli.engine.traces.node import ancestors, descendants


def test_ancestors():
    """The nodes that a node was computed from, and the node itself."""
    found = trace(lambda x, y: math.sin(x) * 2.0 + y, 1.0, 2.0, names=False)

    assert ancestors(found.nodes, 3) == {0, 2, 3}
    assert ancestors(found.nodes, 4) == {0, 1, 2, 3, 4}


def test_descendants():
    """The nodes made of a node, and the node itself."""
    found = trace(lambda x, y: math.sin(x) + x * y, 1.0, 2.0, names=False)

    assert descendants(found.nodes, {0}) == {0, 2, 3, 4}
