"""The products of a rule with a cotangent and with a tangent, recorded."""

import numpy as np

from gradcli import jvp, trace, vjp
from gradcli.engine.traces.rule_vjp_jvp_traces import recorded_product

A = np.array([[2.0, 1.0], [0.5, 3.0]])
B = np.array([[1.0, -2.0], [4.0, 0.25]])


def last_of(f, *arguments):
    return trace(f, *arguments).nodes[-1]


def test_with_a_cotangent():
    """What `vjp` gives, and how it came about from the argument, the value and the cotangent."""
    found = recorded_product(last_of(np.linalg.inv, A), 0, B)

    np.testing.assert_allclose(found.value, vjp(np.linalg.inv, A)[1](B)[0])
    assert found.inputs == ({0: 0}, 1, 2)
    assert {node.operation for node in found.nodes[:3]} == {"input"}
    assert "matmul" in [node.operation for node in found.nodes[3:]]


def test_with_a_tangent():
    """What `jvp` gives; the cotangent stands among the inputs, and takes no part."""
    found = recorded_product(last_of(np.linalg.inv, A), 0, np.ones((2, 2)), B)
    moved = found.values_at({found.inputs[2]: 5.0 * A})[found.result]

    np.testing.assert_allclose(found.value, jvp(np.linalg.inv, (A,), (B,))[1])
    np.testing.assert_allclose(moved, found.value)


def test_of_one_of_several_arguments():
    found = recorded_product(last_of(lambda b: np.linalg.solve(A, b), B), 1, A)

    assert found.inputs == ({1: 0}, 1, 2)
    np.testing.assert_allclose(found.value, np.linalg.solve(A.T, A))


def test_a_product_that_is_constant():
    """The columns that a matrix does not determine pass back plain zeros: nothing is recorded, and a slope is zero."""
    nodes = trace(lambda x: np.linalg.svd(x)[0], np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])).nodes
    free = next(node for node in nodes if node.operation == "left_vectors")
    back = recorded_product(free, 0, np.zeros((3, 1)))
    forth = recorded_product(free, 0, np.zeros((3, 1)), np.ones((3, 2)))

    assert (back.result, forth.result) == (None, None)
    np.testing.assert_array_equal(np.zeros((3, 2)), back.value)
    np.testing.assert_array_equal(np.zeros((3, 1)), forth.value)
