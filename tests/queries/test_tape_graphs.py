"""The tape as a graph: the partials of all uses, the scopes, and the source of what ran."""

from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli import queries

EXAMPLES = Path(gradcli.__file__).parents[1] / "examples"

SCALAR = {
    f"{EXAMPLES}/hyperbox.py:f4": "1,2,3,4",
    f"{EXAMPLES}/newton_sqrt.py:newton_sqrt": "2",
    f"{EXAMPLES}/power.py:power": "x=1.5,n=19",
    "x^2 * sin(y) / (x - y)": "3,2",
    "max(x, y) * x": "3,2",
    "x * x * x": "1.5",
}


@pytest.mark.parametrize("target", SCALAR)
def test_the_chain_rule(target):
    """The sensitivity on a node is the sum over its uses: the partial times the sensitivity on the user."""
    record = queries.tape_graph(target, SCALAR[target])
    found = {node.index: 0.0 for node in record.nodes if not isinstance(node.value, list)}
    for use in record.uses:
        if use.used in found:
            found[use.used] += use.partial[0] * record.nodes[use.user].sensitivity
    found[record.result] += 1.0

    assert {node.index: pytest.approx(node.sensitivity) for node in record.nodes if node.index in found} == found


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ([(2.0, 6.0)], "np.sum(x ** 2)"),
        ([(1.0,)], "np.sum(x)"),
        ([(0.25,)], "np.mean(x)"),
        ([(1.0,)], "x[2]"),
        ([None], "np.sum(np.tri(4) @ x)"),
        ([(1.0,), (1.0,)], "np.linalg.det(np.outer(x, x) + np.eye(4))"),
        ([(3.0,)], "np.sum(3.0 * x)"),
    ],
)
def test_partials_of_arrays(expected, text, program):
    """One number where they are alike, else their ends; a matrix has no short form."""
    record = queries.tape_graph(program(f"import numpy as np\n\ndef f(x):\n    return {text}\n"), "x=[1,2,3,2]")

    assert [use.partial for use in record.uses if use.used == 0] == expected


def test_a_broadcast_operand_has_no_partial(program):
    record = queries.tape_graph(program("def f(x, a):\n    return (a * x).sum()\n"), "x=[1,2,3],a=2")

    assert {use.used: use.partial for use in record.uses if use.used in (0, 1)} == {0: (2.0,), 1: None}


def test_terms_are_those_of_the_sweep():
    record = queries.tape_graph(f"{EXAMPLES}/hyperbox.py:f4", "1,2,3,4")
    use = next(use for use in record.uses if (use.used, use.user) == (1, 5))

    assert (use.partial, use.term, use.amount) == ((2.0,), "s_a += t_b * s_ab", 28.0)


def test_constants_by_the_names_of_the_program():
    """An array that a module holds is called as there."""
    record = queries.tape_graph(f"{EXAMPLES}/softmax.py:loss", "w=[[1,0,0.5],[0.2,0.3,1]],b=[0,0,0.1]")

    assert "SAMPLES @ w" in [node.expression for node in record.nodes]


def test_scopes():
    """The innermost scope that made each node; loops hold iterations."""
    record = queries.tape_graph(f"{EXAMPLES}/newton_sqrt.py:newton_sqrt", "2")
    kinds = [None if index is None else record.scopes[index].kind for index in record.within]

    assert set(kinds) == {None, "iteration"}
    assert [scope.of for scope in record.scopes if scope.kind == "loop"] == [4]


def test_the_source_of_what_ran():
    """Whole functions, each once; a typed expression is its own."""
    record = queries.tape_graph(f"{EXAMPLES}/perceptron.py:error", "w1=[[1,2]],b1=[0],w2=[[1]],b2=[0]")

    assert [text.lines[0] for text in record.program] == ["def layer(x, weights, bias):", "def error(w1, b1, w2, b2):"]
    assert queries.tape_graph("x * y", "1,2").program[0].lines == ("x * y",)


def test_a_long_run_has_no_terms(program):
    text = "def f(x):\n    for k in range(1100):\n        x = x + 0.001 * x\n    return x\n"
    record = queries.tape_graph(program(text), "1")

    assert {use.term for use in record.uses} == {""}
    assert {use.partial for use in record.uses} == {(1.0,), (0.001,)}


def test_the_graph_of_a_trace():

    def f(x, w):
        h = np.tanh(w @ x)
        return h.sum()

    record = queries.graph_of(gradcli.trace(f, np.ones(2), np.ones((3, 2))))

    assert (record.target, list(record.point)) == ("f", ["x", "w"])
    assert len(record.nodes) == len(record.within)
    assert [use.used for use in record.uses][-1] == record.result - 1


@pytest.mark.parametrize("text", [
    "np.sum(x[:0]) + x[0]", "np.sum(np.where(x > 1, x, 0.0))", "np.sum(np.sort(x)[x.argsort()])",
    "np.abs(np.sum(np.exp(1j * x)))", "np.sum(np.abs(np.fft.fft(x)) ** 2)", "x[0] / (x[1] - x[3])",
    "np.linalg.norm(x) ** 0", "math.floor(x[0]) * x[1]", "0.0",
])  # fmt: skip
def test_a_graph_of_anything(text, program):
    """Empty and complex arrays, masks, orders, infinite partials and constants: each has a graph with all uses."""
    source = f"import math\nimport numpy as np\n\ndef f(x):\n    return {text}\n"
    record = queries.tape_graph(program(source), "x=[1.5,2,3,2]")

    assert {(use.used, use.user) for use in record.uses} == {
        (used, node.index) for node in record.nodes for used in node.inputs
    }


@pytest.mark.parametrize(
    ("expected", "statement"),
    [
        ((0.0, 1.0), "y[0] = x[1]"),
        ((0.0, 1.0), "y[1:] = x[0]"),
        ((0.0, 1.0), "y[y > 4] = x[1:2]"),
        ((0.0, 1.0), "y.reshape(2, 2)[0] = x[:2]"),
        ((0.0, 1.0), "y[[0, 2]] *= 3"),
        ((0.0,), "y[:] = x"),
    ],
)
def test_an_array_keeps_the_items_that_an_assignment_leaves(expected, statement, program):
    text = f"import numpy as np\n\ndef f(x):\n    y = x * 2.0\n    {statement}\n    return np.sum(y)\n"
    record = queries.tape_graph(program(text), "x=[1,2,3,4]")
    assignment = next(node for node in record.nodes if node.operation == "put")
    (use,) = [use for use in record.uses if (use.used, use.user) == (assignment.inputs[0], assignment.index)]

    assert use.partial == expected
