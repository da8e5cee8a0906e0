"""The results of a user's functions within formulas."""

import pytest

from gradcli import queries
from gradcli.errors import ResultError
from gradcli.queries.session_workspace import Workspace

USES = ("f(x) + 1", "sin(f(x))", "max(f(x), 1)", "2*f(x)", "x < f(x)", "not f(x)", "j0(f(x))", "abs(f(x))", "-f(x)")


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x * x", "f returned None; a formula needs numbers\nIs a `return` missing?"),
        ("yield x", "f returned a generator; a formula needs numbers\nLet the function return a number."),
        ("return 's'", "f returned a str;"),
        ("return {'a': x}", "f returned a dict;"),
        ("return [x, 's']", "f returned a list of 2;"),
    ],
)
def test_what_is_no_operand(use, body, said):
    workspace = Workspace()
    workspace.define("x = 2")
    workspace.define(f"def f(x):\n    {body}\n")

    with pytest.raises(ResultError) as refused:
        workspace.value(use)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize(
    ("expected", "returned"),
    [
        (5.0, "x + 2"),
        (5.0, "np.float32(4)"),
        (2.0, "x > 1"),
        ([3.0, 4.0], "[2, 3]"),
        ([3.0, 4.0], "np.array([2, 3])"),
        ([3.0, 5.0], "(x, 2 * x)"),
    ],
)
def test_numbers_and_arrays(expected, returned):
    workspace = Workspace()
    workspace.define("x = 2")
    workspace.define(f"def f(x):\n    return {returned}\n")

    assert workspace.value("f(x) + 1") == expected


def test_a_recorded_result():
    workspace = Workspace()
    workspace.define("def f(x): return np.array([x, 2 * x])")

    assert queries.gradient(workspace.target("sum(f(x) + 1)"), "x=2").gradient == {"x": 3.0}
