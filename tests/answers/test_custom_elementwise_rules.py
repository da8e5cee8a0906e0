"""Rules that users add: one row, checked at once, known to functions and to typed expressions."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from gradcli import check, grad, jacobian, queries, rule, trace
from gradcli.answers import custom_elementwise_rules
from gradcli.answers.custom_elementwise_rules import forget
from gradcli.errors import ExpressionError, RuleError
from gradcli.mathematics.rules.rule_table import RULES


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    """The rules that a test adds are gone after it."""
    yield
    for name in list(custom_elementwise_rules._added):
        custom_elementwise_rules.forget(name)


@pytest.fixture
def softplus():
    return rule("softplus(x)", "log1p(exp(x))", "1 / (1 + exp(-x))")


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def test_on_plain_numbers(softplus):
    """Floats give floats, integers too, arrays arrays of their type; out of range it is infinite, as in formulas."""
    assert (softplus(1000.0), softplus(-1000.0)) == (math.inf, 0.0)
    assert (math.log1p(math.exp(0.5)), float) == (softplus(0.5), type(softplus(0.5)))
    assert math.log1p(math.exp(1)) == softplus(1)
    np.testing.assert_allclose(np.log1p(np.exp([0.5, 1.0])), softplus(np.array([0.5, 1.0])))
    assert softplus(np.array([0.5], np.float32)).dtype == np.float32


def test_recorded(softplus):
    """On numbers and arrays, and as often as wanted."""
    tape, s, v = trace(lambda x: softplus(x) * 2, 0.5), sigmoid(0.5), np.array([0.5, -1.0])

    assert [node.operation for node in tape.nodes] == ["input", "softplus", "mul"]
    assert tape.sensitivities() == [2 * s, 2.0, 1.0]
    assert grad(grad(softplus))(0.5) == pytest.approx(s * (1 - s))
    assert grad(grad(grad(softplus)))(0.5) == pytest.approx(s * (1 - s) * (1 - 2 * s))
    np.testing.assert_allclose(jacobian(softplus)(v), np.diag([s, sigmoid(-1.0)]))


@pytest.mark.parametrize(
    ("texts", "at", "expected"),
    [
        (("expo(x)", "exp(x)", "v"), 1.5, math.exp(1.5)),  # the result in a partial
        (("circle(r)", "pi * r^2", "tau * r"), 3.0, 3 * math.tau),
        *((("bent_softly(x)", "where(abs(x) < 1, x^2 / 2, abs(x) - 0.5)", "where(abs(x) < 1, x, sign(x))"), x, slope)
            for x, slope in ((-3.0, -1.0), (0.5, 0.5), (3.0, 1.0))),
    ],
)  # fmt: skip
def test_texts(texts, at, expected):
    assert grad(rule(*texts))(at) == expected


def test_several_arguments():
    power = rule("scaled(a, b)", "a * b^2", "b^2", "2 * a * b")

    assert grad(power, (0, 1))(2.0, 3.0) == (9.0, 12.0)
    assert (grad(lambda a: power(a, 3.0))(2.0), grad(lambda b: power(2.0, b))(3.0)) == (9.0, 12.0)
    assert grad(lambda a: power(a, np.array([1.0, 2.0, 3.0])).sum())(2.0) == 14.0


def test_typed_expressions_know_it(softplus):
    assert math.log1p(math.e) + 2 == queries.gradient("softplus(x) + 2*y", "1,1").value
    assert {"x": sigmoid(1.0) * 2} == queries.gradient("2*softplus(x)", "1").gradient
    assert queries.check("softplus(x) * x", "0.5").verdict == "pass"
    assert queries.symbolic("softplus(x)").value == "log(exp(x) + 1)"


def test_the_check_knows_it(softplus):
    """A function that uses it is judged by SymPy's derivative of its value."""
    comparison = check(lambda x: softplus(x) ** 2, at=0.5)

    assert comparison.verdict == "pass"
    assert check(softplus, at=0.5).target == "softplus"


def test_a_rule_made_of_a_rule(softplus):
    """Texts may use the rules that were added before."""
    twice = rule("twice(x)", "softplus(2 * x)", "2 / (1 + exp(-2 * x))")

    assert 2 * sigmoid(1.0) == grad(twice)(0.5)
    assert softplus(1.0) == twice(0.5)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("f(x)", "log1p(exp(x))", "1 / (1 + exp(x))"), r"the partial of f by x is wrong: at x = 0\.37"),
        (("f(x)", "sin(x)", "cos(x) + 1e-7"), "derivative of sin"),
        (("f(x, y)", "x * y", "y", "-x"), "the partial of f by y is wrong"),
        (("f(x)", "x", "0/0"), "differences give 1"),
        (("f(x)", "x", "log(x) / log(x)"), "is nan"),
    ],
)
def test_a_wrong_partial_is_refused(texts, words):
    with pytest.raises(RuleError, match=words):
        rule(*texts)
    assert "f" not in RULES
    with pytest.raises(ExpressionError, match=r"f is not a function|no function f"):
        queries.gradient("f(x)", "1")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("f(x, y)", "x * y", "y"), r"f has 2 arguments \(x, y\) and 1 partial\n"),
        (("f(x)", "2 * x", "2", "3"), r"f has 1 argument \(x\) and 2 partials\n"),
        (("f(x)", "x"), "and 0 partials"),
        (("f", "x", "1"), "'f' is not a signature"),
        (("f(x", "x", "1"), "is not a signature"),
        (("5f(x)", "x", "1"), "is not a signature"),
        (("", "x", "1"), "is not a signature"),
        (("f()", "1"), "is not a signature"),
        (("f(x,)", "x", "1"), "is not a signature"),
        (("f(1)", "1", "1"), "its arguments must be plain names other than v"),
        (("f(x + 1)", "x", "1"), "its arguments must be plain names"),
        (("f(v)", "v", "1"), "its arguments must be plain names other than v"),
        (("f(pi)", "pi", "1"), "its arguments must be plain names"),
        (("f(sin)", "sin", "1"), "is not a signature"),
        (("f(x, x)", "x", "1", "1"), "names an argument twice"),
        (("f(x)(y)", "x", "1"), "is not a signature"),
        (("lambda(x)", "x", "1"), "cannot be the name of a function"),
        (("sin(x)", "cos(x)", "-sin(x)"), "'sin' already has a meaning in formulas"),
        (("pi(x)", "x", "1"), "'pi' already has a meaning in formulas"),
        (("sum(x)", "x", "1"), "'sum' already has a meaning in formulas"),
        (("f(x)", "x + z", "1"), "uses z, which is not an argument"),
        (("f(x)", "x", "z"), "uses z, which is not an argument"),
        (("f(x)", "v", "1"), "uses v, which is not an argument"),
        (("f(x)", 3, "1"), "3 is not a string"),
        ((5, "x", "1"), "5 is not a string"),
    ],
)
def test_a_malformed_row_is_refused(texts, words):
    with pytest.raises(RuleError, match=words) as caught:
        rule(*texts)
    assert caught.value.exit == 2
    assert "f" not in RULES


@pytest.mark.parametrize(
    "texts",
    [("f(x)", "x +* 2", "1"), ("f(x)", "x", "1 +"), ("f(x)", "g(x)", "1"), ("f(x)", "2x", "2"), ("f(x)", "f(x)", "1")],
)
def test_a_text_outside_of_the_language_is_refused(texts):
    with pytest.raises(ExpressionError, match=r"\^"):
        rule(*texts)
    assert "f" not in RULES


def test_where_a_rule_is_defined():
    assert grad(rule("natural(x)", "log(x)", "1 / x", where="x > 0"))(0.5) == 2.0
    with pytest.raises(RuleError, match="defined at 0 of 10 trial points"):
        rule("far(x)", "log(x)", "1 / x", where="x > 100")


def test_a_kink():
    """The points at which the derivative jumps are left out, and `check` knows of them."""
    bend = rule("bend(x)", "abs(x)", "sign(x)", kink="x == 0")

    assert tuple(grad(bend)(x) for x in (-2.0, 0.0, 2.0)) == (-1.0, 0.0, 1.0)
    assert check(bend, at=0.0).components[0].verdict.name == "KINK"


def test_defined_anew():
    """The later one counts for typed expressions; what the first call returned stays what it was."""
    first = rule("f(x)", "2 * x", "2")
    assert queries.gradient("f(x)", "1").gradient == {"x": 2.0}
    rule("f(x)", "x^3", "3 * x^2")

    assert (queries.gradient("f(x)", "2").gradient, queries.gradient("f(x)", "2").value) == ({"x": 12.0}, 8.0)
    assert queries.check("f(x)", "2").verdict == "pass"
    assert queries.symbolic("f(x)").value == "x**3"
    assert (grad(first)(3.0), first(3.0)) == (2.0, 6.0)
    assert grad(rule("g(x)", "f(x)", "3 * x^2"))(1.0) == 3.0
    forget("g")
    rule("f(x, y)", "x * y", "y", "x")
    assert queries.gradient("f(x, y)", "x=2,y=3").gradient == {"x": 3.0, "y": 2.0}


def test_a_wrong_definition_leaves_the_earlier_one():
    rule("f(x)", "2 * x", "2")
    with pytest.raises(RuleError):
        rule("f(x, y)", "x * y", "y", "-x")

    assert queries.gradient("f(x)", "1").gradient == {"x": 2.0}


def test_a_rule_that_another_one_is_made_of_stays():
    rule("f(x)", "2 * x", "2")
    rule("g(x)", "f(x) + 1", "2")

    with pytest.raises(RuleError, match="the rule g uses f"):
        rule("f(x)", "3 * x", "3")
    assert queries.gradient("f(x)", "1").value == 2.0
