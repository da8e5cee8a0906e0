"""Closed forms as records."""

import pytest

from gradcli import queries
from gradcli.errors import PointError, ResultError, UnsupportedError, UsageError, UserCodeError
from gradcli.queries.session_workspace import Workspace


def test_an_expression_needs_no_point():
    found = queries.symbolic("x^2 + sin(y)")

    assert (found.value, found.gradient, found.findings) == ("x**2 + sin(y)", {"x": "2*x", "y": "cos(y)"}, ())


def test_latex():
    found = queries.symbolic("x^2 * y")

    assert found.latex == {"value": "x^{2} y", "x": "2 x y", "y": "x^{2}"}


@pytest.mark.parametrize(
    ("text", "at", "value", "gradient"),
    [
        ("def f(a, b): return a * b\n", None, "a*b", {"a": "b", "b": "a"}),
        (
            "import numpy as np\ndef f(x): return np.sum(x**2)\n", "[1,2]",
            "x[0]**2 + x[1]**2", {"x[0]": "2*x[0]", "x[1]": "2*x[1]"},
        ),
        ("def f(x): return 3.0\n", "1", "3.0", {"x": "0"}),
    ],
    ids=["several numbers need no point", "an array by its components", "a constant"],
)  # fmt: skip
def test_a_function(program, text, at, value, gradient):
    found = queries.symbolic(program(text), at)

    assert (found.value, found.gradient) == (value, gradient)


def turned(count, step):
    """A program that repeats a step."""
    return f"def f(x):\n    for _ in range({count}):\n        x = {step}\n    return x\n"


REFUSED = {
    "too long to read": (turned(20, "3.5 * x * (1 - x)"), "0.3", UsageError, "3,145,725 operations, too many to read"),
    # it is not counted to its end
    "doubled at every turn": (turned(200, "x * x + x"), "0.3", UsageError, "more than 1,000,000,000,000 operations"),
    "of an array": ("import numpy as np\ndef f(x): return x * np.ones(2)\n", "1", ResultError, "jacobian"),
    # whether it is a number or an array cannot be known
    "of one parameter without a point": ("def f(x): return x[0]\n", None, PointError, "Only a point tells whether"),
    "at a complex point": ("def f(z): return abs(z) ** 2\n", {"z": 1 + 2j}, UnsupportedError,
        "the point has complex numbers, and closed forms have real numbers only"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "at", "error", "message"), REFUSED.values(), ids=REFUSED)
def test_what_has_no_closed_form(program, text, at, error, message):
    with pytest.raises(error, match=message):
        queries.symbolic(program(text), at)


def test_the_point_is_told(program):
    """The one that was typed, or that was chosen."""
    two = program("def f(a, b): return a * b\n")

    assert ((found := queries.symbolic(two)).point, found.chosen) == ({"a": 1.0, "b": 1.0}, True)
    assert ((found := queries.symbolic(two, "2,3")).point, found.chosen) == ({"a": 2.0, "b": 3.0}, False)


def test_what_raises_at_a_chosen_point_comes_with_it(program):
    with pytest.raises(UserCodeError) as caught:
        queries.symbolic(program("import math\ndef f(a, b): return math.log(a - b)\n"))

    assert caught.value.hint.endswith("Without --at, the point a=1,b=1 was chosen; choose another with --at.")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x if x < 1 else x * x", "1 comparison or rounding"),
        ("x * round(x) if x < 3 else x", "2 comparisons and roundings"),
    ],
)
def test_the_path_of_the_point_is_told(program, body, expected):
    found = queries.symbolic(program(f"def f(x): return {body}\n"), "2")

    assert [f"the formulas hold on the path taken at this point, which {expected} decided"] == [
        each.message for each in found.findings
    ]


KEPLER = """import math
def f(e):
    found = 1.0
    for _ in range(50):
        found = 1.0 + e * math.sin(found)
    return found
"""


def test_a_form_that_is_nested_too_deep(program):
    with pytest.raises(UsageError, match="too deep for SymPy") as refused:
        queries.symbolic(program(KEPLER), "0.6")

    assert "gradcli check" in (refused.value.hint or "")


def test_what_is_nested_too_deep_is_checked_node_by_node(program):
    assert queries.check(program(KEPLER), "0.6").verdict == "pass"


@pytest.mark.filterwarnings("ignore")
def test_a_library_that_takes_no_symbols(program):
    pytest.importorskip("scipy")
    text = "import numpy as np\nfrom scipy.interpolate import CubicSpline\n"
    text += "def f(x): return float(x) if False else CubicSpline(np.arange(5.0) * x, np.arange(5.0) ** 2)(x)\n"

    with pytest.raises(UnsupportedError, match="no closed form"):
        queries.symbolic(program(text), "1.3")


@pytest.mark.parametrize(("body", "at", "step", "line"), [
    ("z = x + 1j * x**2\n    return abs(z) ** 2", "2", "mul gives complex numbers", 3),
    ("y = 2 * x\n    return np.sum(np.abs(np.fft.fft(y)) ** 2)", "[1,2,3]", "fftn gives complex numbers", 4),
    ("return np.exp(1j * x).real", "1", "mul gives complex numbers", 3),
    ("w = complex(1, 2)\n    return abs(w * x)", "2", "mul gives complex numbers", 4),
    ("a = np.array([[0.0, -x], [x, 0.0]])\n    return np.linalg.eigvals(a)[0].imag", "2", "eig gives complex", 4),
    ("y = x**2\n    return np.linalg.svd(np.array([[y, 1.0], [2.0, 3.0]]))[1][0]", "2", "svd has no closed form",
        4),
])  # fmt: skip
def test_a_step_without_a_closed_form_is_named(program, body, at, step, line):
    with pytest.raises(UnsupportedError, match=step) as caught:
        queries.symbolic(program(f"import numpy as np\ndef f(x):\n    {body}\n"), at)

    assert line == caught.value.line
    assert ("complex" in step) == ("real numbers only" in caught.value.message)


def test_a_formula_of_a_session_needs_no_point():
    workspace = Workspace()
    workspace.define("g(x) = x^2")

    assert queries.symbolic(workspace.target("g")).gradient == {"x": "2*x"}
