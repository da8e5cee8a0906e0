"""Lists, elements and array functions in formulas of the prompt."""

import importlib

import numpy as np
import pytest

from gradcli import grad
from gradcli.answers.targets import array_functions, resolve
from gradcli.answers.targets.session_definitions import Names
from gradcli.errors import ExpressionError, PointError
from gradcli.mathematics.language import parse


@pytest.fixture
def names():
    """Some values, and a function of Python."""
    found = Names()
    found.loaded["loss"] = lambda w: np.sum(w**2)
    for line in ("a = 2", "n = 4", "y = [1, 2, 3]", "A = [[1, 2], [3, 5]]", "g(x) = x^2"):
        found.define(line)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, a, 2*a]", [1, 2, 4]),
        ("[y, 2*y]", [[1, 2, 3], [2, 4, 6]]),
        ("[1, 2,]", [1, 2]),
        ("[1, 2] + [3, 4]", [4, 6]),
        ("[1, 2] ** -1", [1, 0.5]),
        ("y[0]", 1),
        ("-y[-1]^2", -9),
        ("A[1, 0] + A[0][1]", 5),
        ("(y + 1)[2] * 2", 8),
        ("y[1:]", [2, 3]),
        ("y[:-1] + y[-2:]", [3, 5]),
        ("y[::2] @ y[ 0 : 2 ]", 7),
        ("A[:, 1] * 2", [4, 10]),
        ("A[1, 0:1]", [3]),
        ("sum(y[1:][::-1]^2)", 13),
        ("[5, 6][1]", 6),
        ("A @ A", [[7, 12], [18, 31]]),
        ("A @ [1, 1] - 1", [2, 7]),
        ("y @ y", 14),
        ("loss([a, 1]) + 1", 6),
        ("g([1, 2])", [1, 4]),
        ("loss(g(y))", 98),
        ("norm([3, 4])", 5),
        ("np.linalg.norm([3, 4])", 5),
        ("numpy.array([1, 2])", [1, 2]),
        ("array([1, 2]) / 2", [0.5, 1]),
        ("det(A)", -1),
        ("inv(A) @ A", [[1, 0], [0, 1]]),
        ("solve(A, [1, 2])", [-1, 1]),
        ("linspace(0, 1, n)", [0, 1 / 3, 2 / 3, 1]),
        ("np.linspace(0, 1, 3)", [0, 0.5, 1]),
        ("arange(3)", [0, 1, 2]),
        ("zeros([2, n])", [[0] * 4] * 2),
        ("reshape(arange(4), [2, 2])", [[0, 1], [2, 3]]),
        ("transpose(A)", [[1, 3], [2, 5]]),
        ("np.sin(0) + math.pi - np.pi", 0),
        ("mean(cumsum(y))", 10 / 3),
        ("max(y) - min(y)", 2),
        ("max(y, a)", [2, 2, 3]),
    ],
)
def test_a_value(names, text, expected):
    value = names.value("z", text)

    np.testing.assert_allclose(value, expected, atol=1e-14)
    assert np.asarray(value).dtype == np.float64


@pytest.mark.parametrize("text", [
    "x[0]^2 * x[-1]", "norm(x) + x[1]", "det([[x[0], x[1]], [1, x[2]]])", "loss([x[0], 2*x[1]])",
    "sum(A @ [x[0], x[2]])", "dot(linspace(x[0], x[1], 3), x)", "logsumexp(x)",
    "np.linalg.norm(solve(A, [x[1], 1]))", "sum(array([x, g(x)]) @ x)",
])  # fmt: skip
def test_a_gradient(names, text):
    if "logsumexp" in text:
        pytest.importorskip("scipy")
    names.define(f"h(x) = {text}")
    function, at = resolve("h", names).function, np.array([1.5, 0.5, 2.0])
    steps = 1e-6 * np.eye(3)
    slopes = [(function(at + step) - function(at - step)) / 2e-6 for step in steps]

    np.testing.assert_allclose(grad(function)(at), slopes, rtol=1e-8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y[3]", r"An array of shape \(3,\) has no element \[3\]"),
        ("y[0, 0]", r"An array of shape \(3,\) has no element \[0, 0\]"),
        ("a[0]", r"A number has no element \[0\]"),
        ("[1, [2, 3]]", "different lengths"),
        ("[y, A]", "different lengths"),
        ("inv([[1, 2], [2, 4]])", "inv: Singular matrix"),
        ("norm()", "norm: "),
        ("zeros(10^15)", "zeros: Unable to allocate"),
        ("linspace(0, 1, 2.5)", "linspace: "),
        ("solve(A, y)", "solve: .*mismatch"),
    ],
)
def test_values_that_do_not_fit(names, text, message):
    with pytest.raises(PointError, match=message):
        names.value("z", text)


@pytest.mark.parametrize(("text", "message", "hint"), [
    ("y[1", "This bracket is never closed.", "Type a ] where it ends."),
    ("[1, 2", "This bracket is never closed.", "Type a ] where it ends."),
    ("(y]", "Another bracket is open here.", "Type ) first."),
    ("loss([1, 2)", "Another bracket is open here.", "Type ] first."),
    ("y]", "No bracket is open here.", "Leave the ] out."),
    ("y[n]", "An index is a whole number or a slice, such as 0, -1 or 1:3.",
        "Write other subscripts in a function"),
    ("y[1.0]", "An index is a whole number or a slice, such as 0, -1 or 1:3.",
        "Write other subscripts in a function"),
    ("y[1:n]", "An index is a whole number or a slice, such as 0, -1 or 1:3.",
        "Write other subscripts in a function"),
    ("y[::0]", "An index is a whole number or a slice, such as 0, -1 or 1:3.",
        "Write other subscripts in a function"),
    ("y[0:1:1:1]", "An index is a whole number or a slice, such as 0, -1 or 1:3.",
        "Write other subscripts in a function"),
    ("y[:, n]", "An index is a whole number or a slice, such as 0, -1 or 1:3.",
        "Write other subscripts in a function"),
    ("len(y)", "Formulas have no function len.", "Write a Python function: def f(x): return len(x)"),
    ("sorted(y)", "Formulas have no function sorted.", "def f(x): return sorted(x)"),
    ("range(3)", "There is no function range.", "Did you mean arange?"),
    ("[]", "A value is expected before ].", None),
    ("np.foo(1)", "There is no function numpy.foo.", None),
    ("np.newaxis", "np.newaxis is not a number.", None),
    ("np.sin", "np.sin is not a number.", "Type sin(…)."),
    ("y.T", "Attributes are not allowed in formulas.", None),
    ("norm y", "The function norm needs brackets.", "Type norm(y)."),
    ("logsum([1])", "There is no function logsum.", "Did you mean logsumexp?"),
])  # fmt: skip
def test_what_cannot_be_read(names, text, message, hint):
    with pytest.raises(ExpressionError) as caught:
        names.parse(text)
    assert caught.value.message == message
    assert (hint or "") in (caught.value.hint or "")


@pytest.mark.parametrize("text", ["x[0]", "[1, 2]", "norm(x)", "np.sin(x)", "%1"])
def test_formulas_elsewhere_have_none_of_it(text):
    with pytest.raises(ExpressionError):
        parse(text)


def test_a_name_alone_is_an_input(names):
    """Only with brackets does a word of NumPy mean a function; a function of the user goes first."""
    names.define("norm(x) = 2*x")

    assert resolve("var + norm(trace)", names).names == ("var", "trace")
    assert names.value("z", "norm(3)") == 6.0
    assert names.value("z", "np.linalg.norm([3, 4])") == 5.0


@pytest.mark.parametrize("text", ["f(x) = x[0]^2 + [x[1], 1][0]", "f(x) = (x @ x)[0]"])
def test_a_formula_is_shown_as_typed(names, text):
    names.define(text)
    reading = resolve("f", names).reading
    names.define(reading)

    assert resolve("f", names).reading == reading


@pytest.mark.parametrize("word", array_functions.WORDS)
def test_every_word_exists(word):
    module = array_functions.WORDS[word]
    if module.startswith("scipy"):
        pytest.importorskip("scipy")

    assert callable(getattr(importlib.import_module(module), word))
    assert callable(array_functions.FUNCTIONS[word])
