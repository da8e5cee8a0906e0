"""The solvers of `scipy.optimize`: what they find follows the parameters of the equation."""

import math

import numpy as np
import pytest
import scipy.optimize as optimize
from scipy.optimize import brentq

import gradcli
from gradcli.errors import UnsupportedError
from gradcli.patching.shims import scipy_optimize
from gradcli.rules.function_registry import SOLVERS
from tests.everyday import one_in

POINT = np.array([1.4, 0.7])
TIMES = np.arange(4.0)
EXACT = {"xatol": 1e-11, "fatol": 1e-15, "xtol": 1e-11, "ftol": 1e-15}


def equation(y, p, q):
    """Of one unknown."""
    return y**3 + p * y - 2.0 + math.sin(q * y)


def equations(v, p):
    """Of two unknowns, as a list."""
    return [v[0] ** 2 + v[1] - 3.0 * p[0], v[0] * np.exp(v[1]) - p[1]]


def hill(v, p):
    """A function of two numbers that has one minimum."""
    return (v[0] - p[0]) ** 2 + (v[1] - p[1] * v[0]) ** 2 + np.exp(v[1] * p[1])


def residuals(v, p):
    """Of a model of two numbers."""
    return v[0] * np.exp(-v[1] * TIMES) - p[0] * np.exp(-p[1] * TIMES**1.1)


def implied(price):
    """The volatility of a price of Black and Scholes."""

    def off(sigma):
        d = (math.log(100 / 105) + (0.03 + sigma**2 / 2)) / sigma
        first, second = (0.5 * (1 + math.erf(each / math.sqrt(2))) for each in (d, d - sigma))
        return 100 * first - 105 * math.exp(-0.03) * second - price

    return brentq(off, 1e-3, 3.0, xtol=1e-14)


def bracketed(name):
    """A root between two ends, of the function and by the arguments that it is handed."""
    return lambda p: getattr(optimize, name)(equation, 0.0, 2.0, args=(p[0], p[1]), xtol=1e-14) * p[0]


def of_a_slope(v, p):
    """A root by Newton's method, whose function returns the slope too."""
    return optimize.root_scalar(lambda y: (y**3 - p[0], 3 * y**2), x0=v, fprime=True).root * p[1]


PROGRAMS = {
    **{name: bracketed(name) for name in ("bisect", "brenth", "brentq", "ridder", "toms748")},
    "full output": lambda p: optimize.brentq(equation, 0, 2, args=tuple(p), full_output=True, xtol=1e-14)[1].root,
    "ends": lambda p: optimize.brentq(lambda y: y - p[1], p[1] - p[0], p[1] + 2 * p[0]),
    "root_scalar": lambda p: optimize.root_scalar(equation, args=tuple(p), bracket=(0, 2), xtol=1e-14).root,
    "slope": lambda p: of_a_slope(1.0, p),
    "fsolve": lambda p: optimize.fsolve(equations, [1.0, 0.1], args=(p,), xtol=1e-13).sum(),
    "fsolve of one": lambda p: optimize.fsolve(lambda y: y**3 - p[0], 1.0, xtol=1e-13)[0] * p[1],
    "root": lambda p: optimize.root(equations, [1.0, 0.1], args=(p,), tol=1e-13).x.prod(),
    "root with a slope": lambda p: optimize.root(
        lambda v: (v**3 - p, np.diag(3 * v**2)), np.ones(2), jac=True, tol=1e-13
    ).x.prod(),
    "minimize": lambda p: optimize.minimize(hill, [0, 0], args=(p,), method="Nelder-Mead", options=_only("atol")).fun,
    "minimize, where": lambda p: optimize.minimize(hill, [0, 0], (p,), "Powell", options=_only("tol")).x @ [1.0, 2.0],
    "least_squares": lambda p: optimize.least_squares(
        residuals, [1, 1], jac="3-point", args=(p,), xtol=1e-14, ftol=1e-15, gtol=1e-14
    ).x.sum(),
    "cost": lambda p: (
        optimize.least_squares(lambda v: residuals(v, p), [1, 1], xtol=1e-14, ftol=1e-15, gtol=1e-14).cost * 1e3
    ),
    "implied volatility": lambda p: implied(5.0 * p[0]) * p[1],
    "one inside the other": lambda p: brentq(lambda y: brentq(lambda z: z**3 + z - y, -3, 3) - p[0] * p[1], -9, 9),
}


def _only(end):
    return {name: x for name, x in EXACT.items() if name.endswith(end) and ("atol" in name) == (end == "atol")}


def slopes(f, step):
    """The differences of a function of two numbers."""
    return np.array([(f(POINT + h) - f(POINT - h)) / (2 * step) for h in np.eye(2) * step])


@pytest.mark.parametrize("name", one_in(3, PROGRAMS))
def test_the_solution_follows(name):
    """The value is the solver's; gradient, forward derivative and second derivative are those of differences."""
    f = PROGRAMS[name]
    rough = name.startswith(("minimize", "least"))

    value, gradient = gradcli.value_and_grad(f)(POINT)

    assert f(POINT) == value
    np.testing.assert_allclose(gradient, slopes(f, 1e-3 if rough else 1e-5), rtol=1e-4 if rough else 1e-6, atol=1e-6)
    along = gradcli.jvp(f, (POINT,), (np.array([1.0, 2.0]),))[1]
    assert pytest.approx(gradient @ [1.0, 2.0], rel=1e-9) == along
    second = slopes(gradcli.grad(f), 1e-5)
    np.testing.assert_allclose(gradcli.hessian(f)(POINT), second, rtol=1e-4, atol=1e-3 if rough else 1e-5)


def test_the_third_derivative():
    """Of a cube root: two steps are enough for it."""
    third = gradcli.grad(gradcli.grad(gradcli.grad(lambda x: brentq(lambda y: y**3 - x, 0, 9, xtol=1e-15))))

    assert pytest.approx(10 / 27 * 2.0 ** (-8 / 3)) == third(2.0)


def test_plain_equations_are_solved_as_ever():
    """Nothing recorded takes part: the same number, and no row."""
    assert 2.0 * brentq(lambda y: y**3 - 2.0, 0, 2) == gradcli.grad(
        lambda x: x * x * brentq(lambda y: y**3 - 2.0, 0, 2)
    )(1.0)


def test_a_fit_that_is_exact_has_a_derivative():
    """Where all residuals are 0; by the slope of a line through three points."""
    line = lambda y: optimize.least_squares(lambda v: v[0] + v[1] * TIMES[:3] - y, [0.0, 0.0]).x[1]

    np.testing.assert_allclose(gradcli.grad(line)(np.array([1.0, 2.0, 3.0])), [-0.5, 0.0, 0.5], atol=1e-9)


def test_a_double_root_is_refused():
    """Its derivative is infinite or none."""
    with pytest.raises(UnsupportedError, match="slope 0"):
        gradcli.grad(lambda x: optimize.root_scalar(lambda y: (y - x) ** 3, bracket=(-1.0, 2.0)).root)(0.5)


def test_no_solution_is_refused():
    """What a solver gives up at has no derivative."""
    with pytest.raises(UnsupportedError, match="does not converge"):
        gradcli.grad(lambda x: optimize.root(lambda v: v**2 + x, [1.0]).x[0])(1.0)


def test_solvers_are_declared():
    """So that the names of their callers are replaced."""
    assert {f"scipy.optimize.{name}" for name in scipy_optimize._MAKERS} | {"scipy.integrate.quad"} == SOLVERS
