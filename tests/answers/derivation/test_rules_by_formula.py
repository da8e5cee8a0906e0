"""Functions that a rule defines by a formula of others: derived by the partials of the rule."""

import math

import numpy as np
import pytest
from scipy import special

import gradcli
from gradcli.answers import custom_elementwise_rules
from gradcli.answers.targets import resolve
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(2)  # many like cases


@pytest.fixture(autouse=True)
def rules():
    """Two rules, whose partials keep digits that the derivatives of their values lose."""
    yield gradcli.rule("softsign(x)", "x / (1 + abs(x))", "1 / (1 + abs(x))**2")
    custom_elementwise_rules.forget("softsign")


FAR = {"x": 1e12, "y": 0.5}


@pytest.mark.parametrize(
    ("expression", "at"),
    [
        ("softsign(x)", {"x": 1e12}),
        ("softsign(x) * y + softsign(2)", FAR),
        ("y * softsign(softsign(x) * 1e12)", FAR),
        ("relu(x) + softsign(x) * relu(y)", FAR),
        ("sum(softsign(x))", {"x": np.array([1e12, -3.0])}),
        ("relu(x) * y", {"x": 0.0, "y": 2.0}),
    ],
)
def test_an_expression_is_derived_by_the_partials(expression, at):
    """The gradient agrees with the tape's to the last digits, as the derivative of the expanded value does not."""
    source = gradcli.derive(expression, at=at)

    wanted = gradcli.grad(resolve(expression).function, argnums=tuple(range(len(at))))(*at.values())
    found = source.function(*at.values())
    for one, other in zip(found if len(at) > 1 else (found,), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    assert "softsign(" not in "".join(line for line in str(source).splitlines() if line.startswith("    return"))


@pytest.mark.parametrize("wrt", [("x",), ("y",), ("x", "y")])
@pytest.mark.parametrize("value", [False, True])
def test_the_file_knows_no_rule(wrt, value):
    """Calls by which nothing is derived are written out too."""
    source = gradcli.derive("x * softsign(y) + softsign(3)", at=FAR, wrt=wrt, value=value)

    code = [line for line in str(source).splitlines() if "#" not in line and '"""' not in line]
    assert not any("softsign(" in line for line in code)
    gradients = source.function(**FAR)[1] if value else source.function(**FAR)
    wanted = {"x": 0.5 / 1.5, "y": 1e12 / 1.5**2}
    np.testing.assert_allclose(gradients, [wanted[each] for each in wrt][0 if len(wrt) == 1 else slice(None)])


def test_a_function_that_calls_a_rule(rules):

    def f(x):
        total = 0.0
        for n in range(1, 4):
            total = total + rules(n * x) * rules(2.0)
        return total

    source = gradcli.derive(f, at=1e12, value=True)

    value, slope = source.function(1e12)
    assert math.isclose(2.0, value, rel_tol=1e-11)
    assert math.isclose(gradcli.grad(f)(1e12), slope, rel_tol=1e-14)


X = np.array([0.31, 0.42, 0.77])
SPECIAL = {
    "tau, which NumPy does not have": lambda x: np.sum(x * special.ndtr(x)) + special.ndtri(x[0]),
    "a condition inside another one, each computed once": lambda x: np.sum(np.fmax(x, 1.2 * x) * np.fmin(x, x * x)),
    "a difference of functions": lambda x: np.sum(special.binom(x, 0.9 * x)),
}


@pytest.mark.parametrize("function", SPECIAL.values(), ids=SPECIAL)
def test_a_formula_of_a_partial_on_arrays(function):
    np.testing.assert_allclose(gradcli.derive(function, at=X).function(X), gradcli.grad(function)(X), rtol=1e-10)


@pytest.mark.parametrize("of", [lambda x: special.gammainc(x[0], x[1]), lambda x: np.sum(special.betainc(x, 2.0, 0.3))])
def test_a_partial_that_has_no_formula(of):
    with pytest.raises(UnsupportedError, match="whose derivative by its argument a has no written form"):
        gradcli.derive(of, at=X)
