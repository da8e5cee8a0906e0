"""Calls of NumPy's functions that record several steps are told as one, by their own name."""

import numpy as np
import pytest

from gradcli import queries
from tests.answers.explain.lines import check

pytestmark = pytest.mark.sampled(3)  # many like cases

POINT = "x=[1.2,2.1,0.7],w=[0.3,0.4,0.8]"
HEADER = "import numpy as np\nC = np.array([1.0, 3.0, 2.0])\n"


def target(program, expression):
    body = "    M = np.outer(x, x) + np.diag(w) + np.eye(3)\n"
    return program(f"{HEADER}def f(x, w):\n{body}    y = {expression}\n    return np.sum(y ** 2)\n")


def line_of(program, expression):
    """The terms that the line of the expression adds."""
    record = queries.explain(target(program, expression), POINT)
    return {
        each.name: each.term for statement in record.statements if statement.line == 5 for each in statement.additions
    }


@pytest.mark.parametrize(
    ("expression", "terms"),
    [
        ("np.diag(M)", {"s_M": "diag(s_y)"}),
        ("np.diag(x * w)", {"s_x": "w * diag(s_y)", "s_w": "x * diag(s_y)"}),
        ("M.diagonal()", {"s_M": "diag(s_y)"}),
        ("np.trace(M)", {"s_M": "s_y * eye(3)"}),
        ("np.linalg.solve(M, x)", {"s_x": "linalg.solve(M.T, s_y)", "s_M": "-outer(linalg.solve(M.T, s_y), y)"}),
        ("np.linalg.solve(M, C)", {"s_M": "-outer(linalg.solve(M.T, s_y), y)"}),
        ("np.cross(x, w)", {"s_x": "cross(w, s_y)", "s_w": "cross(s_y, x)"}),
        ("np.cross(C, w)", {"s_w": "cross(s_y, C)"}),
    ],
)
def test_a_function_with_a_short_product(program, expression, terms):
    assert line_of(program, expression) == terms


@pytest.mark.parametrize(
    ("expression", "terms"),
    [
        ("np.diag(x, 1)", {"s_x": "vjp(diag(x, 1), x)(s_y)"}),
        ("np.linalg.cholesky(M)", {"s_M": "vjp(linalg.cholesky(M), M)(s_y)"}),
        ("np.median(x)", {"s_x": "vjp(median(x), x)(s_y)"}),
        ("np.cov(x, w)", {"s_x": "vjp(cov(x, w), x)(s_y)", "s_w": "vjp(cov(x, w), w)(s_y)"}),
        ("np.linalg.eigvalsh(M)", {"s_M": "vjp(linalg.eigvalsh(M), M)(s_y)"}),
        ("np.linalg.svd(M)[1]", {"s_M": "vjp(linalg.svd(M)[1], M)(s_y)"}),
    ],
)
def test_another_function_is_told_by_its_product_with_the_jacobian(program, expression, terms):
    assert line_of(program, expression) == terms


@pytest.mark.parametrize("expression", ["np.var(x)", "np.outer(x, w)", "np.sort(x)", "np.diff(x)", "np.kron(x, w)"])
def test_a_function_with_formulas_is_written_out(program, expression):
    assert not any("vjp" in term for term in line_of(program, expression).values())


@pytest.mark.parametrize("statement", ["np.fill_diagonal(M, x[0])", "np.copyto(M, x)", "np.put(M, [0, 4], x[:2])"])
def test_a_function_that_writes_is_a_statement(program, statement):
    text = f"{HEADER}def f(x):\n    M = np.outer(x, x)\n    {statement}\n    return np.sum(M ** 2)\n"
    record = queries.explain(program(text), "[1.2,2.1,0.7]")

    check(record, queries.tape(program(text), "[1.2,2.1,0.7]").nodes)
    assert " = " in next(statement.expression for statement in record.statements if statement.name == "M#2")


def test_a_call_within_a_call_is_named_by_its_number(program):
    record = queries.explain(target(program, "np.log(np.diag(np.linalg.cholesky(M)))"), POINT)
    number = next(statement.name for statement in record.statements if statement.expression == "linalg.cholesky(M)")

    assert line_of(program, "np.log(np.diag(np.linalg.cholesky(M)))") == {
        f"s_{number}": f"diag(s_y / diag({number}))", "s_M": f"vjp(linalg.cholesky(M), M)(s_{number})",
    }  # fmt: skip


@pytest.mark.parametrize(
    "expression",
    ["np.diag(M) * x", "np.diag(2 * x) @ w", "np.trace(M @ M)", "np.linalg.solve(M.T @ M, x - w)", "np.cross(x * w, C)",
     "np.linalg.cholesky(M)[1]", "np.diag(np.diag(M) + x)", "np.quantile(x * w, 0.3)", "M.trace() * x"],
)  # fmt: skip
def test_the_lines_are_true(program, expression):
    function = target(program, expression)

    check(queries.explain(function, POINT), queries.tape(function, POINT).nodes)
    check(queries.forward_sweep(function, POINT, "x"), queries.tape(function, POINT).nodes)


def test_a_tape_has_the_call_as_one_node(program):
    formulas = [node.expression for node in queries.tape(target(program, "np.linalg.solve(M, x)"), POINT).nodes]

    assert "linalg.solve(M, x)" in formulas
    assert "diag(w)" in formulas


def test_what_is_inside_is_shown_with_the_libraries(program):
    record = queries.explain(target(program, "np.linalg.solve(M, x)"), POINT, libraries=True)

    assert any("[..., 0]" in each.name for statement in record.statements for each in statement.additions)


def test_a_name_of_the_user_hides_no_function(program):
    text = f"{HEADER}def f(x):\n    diag = np.outer(x, x)\n    return np.sum(np.diag(diag) ** 2)\n"
    record = queries.explain(program(text), "[1,2]")

    assert [each.term for each in record.statements[0].additions] == ["np.diag(2 * np.diag(diag))"]
    np.testing.assert_allclose(record.gradient["x"], [4.0, 32.0])
