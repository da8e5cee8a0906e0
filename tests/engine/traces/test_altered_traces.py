"""Traces with other operations at some nodes."""

import numpy as np

from gradcli import trace
from gradcli.engine.traces.altered_traces import altered


def test_another_operation():
    found = trace(lambda p: {"s": (p[0] * p[1]) * p[0], "k": 1.0}, [2.0, 3.0], names=False)
    product = next(node.index for node in found.nodes if node.operation == "mul")
    again = altered(found, {product: lambda x, y: x + y})

    assert again.value == {"s": 10.0, "k": 1.0}
    assert found.value == {"s": 12.0, "k": 1.0}
    assert again.arguments == ([2.0, 3.0],)


def test_of_arrays():
    found = trace(lambda x: np.sum(np.sin(x) * 2.0), np.array([0.5, 1.0]), names=False)
    sine = next(node.index for node in found.nodes if node.operation == "sin")
    again = altered(found, {sine: np.cos})

    assert 2.0 * np.sum(np.cos([0.5, 1.0])) == again.value
    np.testing.assert_allclose(again.sensitivities()[0], -2.0 * np.sin([0.5, 1.0]))
