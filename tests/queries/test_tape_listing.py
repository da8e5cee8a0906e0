"""The tape as a record: nodes with names, lines, values, sensitivities and formulas; outcomes."""

import pytest

from gradcli import queries


def nodes(target, at):
    """The nodes by name, or by number where they have none."""
    return {node.name or f"%{node.index}": node for node in queries.tape(target, at).nodes}


def formulas(target, at):
    """The formula of each node that has one."""
    return [node.expression for node in queries.tape(target, at).nodes if node.expression]


@pytest.mark.parametrize(
    ("line", "at", "expected"),
    [
        ("w = np.asarray(x)", "2", "cast(x)"),
        ("w = np.float64(float(x))", "2", "cast(x)"),
        ("w = x.ravel()", "x=[1,2]", "reshape(x)"),
        ("w = np.reshape(x, (2, 1))", "x=[1,2]", "reshape(x, (2, 1))"),
        ("w = +x", "2", "+x"),
    ],
)
def test_a_node_is_not_only_the_name_of_another(line, at, expected, program):
    """A conversion, which formulas leave out, is shown by its operation."""
    text = f"import numpy as np\ndef f(x):\n    {line}\n    return np.sum(w * w)"

    assert formulas(program(text), at)[0] == expected


def test_formulas_of_numbers(program):
    """Operators inline, names where there are names, handles where there are none."""
    text = """
    import math
    def f(x, y):
        s = x + y * 2
        t = (x - y) / (s * -3.0) - (x - s)
        u = math.sin(t) ** 2 + 3 ** x
        v = -u % 2.5
        return max(v, 0.0) + abs(math.atan2(x, y))
    """

    assert [
        "y * 2", "x + %2", "x - y", "s * -3.0", "%4 / %5", "x - s", "%6 - %7", "sin(t)", "%9 ** 2", "3 ** x",
        "%10 + %11", "-u", "%13 % 2.5", "atan2(x, y)", "abs(%15)", "v + %16",
    ] == formulas(program(text), "1,2")  # fmt: skip


def test_long_parts_of_a_typed_expression_are_told_by_nodes():
    """A short part is its own text; a long one is told by the nodes it took, so that the table stays narrow."""
    assert ["a * 2", "a * 2 + b", "sin(a)", "sin(a) * b", "sin(a) * b * 10", "%3 + %6", "%7 * b"] == formulas(
        "(a * 2 + b + sin(a) * b * 10) * b", "1,2"
    )


def test_formulas_of_arrays(program):
    """Calls with the choices that matter, subscripts, the matrix product."""
    text = """
    import numpy as np
    def f(x):
        a = np.sum(x, axis=0)
        b = x[1:, 0] @ np.array([1.0, 2.0])
        c = np.where(x > 2, x, 0.0)
        d = x[[0, 2], 1].sum() + x.reshape(-1)[2] + x[..., -1].mean()
        z = np.zeros(2)
        z[1] = b
        e = np.stack([a, z]).max(axis=1, keepdims=True)
        return d + c.sum() + e.sum() + np.sum(x.T)
    """

    assert [
        "sum(x, axis=0)", "x[1:, 0]", "%2 @ %3", "where(x > 2, x, 0.0)", "x[[0, 2], 1]", "sum(%6)",
        "reshape(x, (-1,))", "%8[2]", "%7 + %9", "x[..., -1]", "mean(%11)", "%10 + %12", "z[1] = b",
        "stack([a, z#2])", "max(%16, axis=1, keepdims=True)", "sum(c)", "d + %18", "sum(e)", "%19 + %20",
        "x.T", "sum(%22)", "%21 + %23",
    ] == formulas(program(text), "[[1,2],[3,4],[5,6]]")  # fmt: skip


def test_formulas_of_an_expression_are_its_parts():
    assert formulas("2*(x^2 + sin(y))", "1,2") == ["x^2", "sin(y)", "x^2 + sin(y)", "2*(x^2 + sin(y))"]


def test_operands_that_are_more_than_a_name_are_bracketed():
    from gradcli.answers.explain.node_formulas import elementwise_text
    from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
    from gradcli.mathematics.language.formula_text import ATOM, CONDITIONAL
    from gradcli.mathematics.rules.rule_table import RULES

    assert elementwise_text(Writer(), RULES["mul"], [name_text("a + b"), name_text("t")])[0] == "(a + b) * t"
    assert name_text("x[0]") == ("x[0]", ATOM)
    assert name_text("sin(x) + 1") == ("sin(x) + 1", CONDITIONAL)


def test_outcomes(program):
    text = "def f(x):\n    y = 2 * x\n    if y > 3:\n        y = y * round(x)\n    return y\n"
    found = queries.tape(program(text), "1.75").outcomes

    assert [(outcome.before, outcome.outcome, outcome.line) for outcome in found] == [(2, True, 3), (2, 2, 4)]
    assert [outcome.operands for outcome in found] == [(3.5, 3), (1.75,)]


def test_an_unused_input_is_told_of(program):
    assert [finding.code for finding in queries.tape(program("def f(x, w): return 2*x\n"), "1,2").findings] == ["G401"]


@pytest.mark.parametrize(("target", "expected"), [("x + x", 2.0), ("x*x*x", 12.0)])
def test_the_sensitivity_of_an_input_is_the_gradient(target, expected):
    assert queries.tape(target, "2").nodes[0].sensitivity == expected


@pytest.mark.parametrize("query", [queries.tape, queries.explain])
@pytest.mark.parametrize(
    ("target", "at", "code"), [("log(x) + 1", "-1", "G101"), ("sqrt(x)", "0", "G104"), ("x", "1", "")]
)
def test_where_infinity_and_nan_begin(query, target, at, code):
    """As `grad` says it, with the same exit code."""
    found = query(target, at)

    assert [each.code for each in found.findings if each.severity != "note"] == [code] * bool(code)
    assert found.exit == queries.gradient(target, at).exit
