"""The solvers of `scipy.optimize`: what they find follows the parameters of the equation."""

import math
import types

import numpy as np
import pytest
import scipy
import scipy.optimize as optimize
from scipy import stats
from scipy.optimize import brentq, elementwise

import gradcli
from gradcli.engine.solvers import scipy_optimize
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.function_registry import SOLVERS

pytestmark = pytest.mark.sampled(4)  # many like cases

POINT = np.array([1.4, 0.7])
TIMES = np.arange(4.0)
EXACT = {"xatol": 1e-11, "fatol": 1e-15, "xtol": 1e-11, "ftol": 1e-15}


def equation(y, p, q):
    return y**3 + p * y - 2.0 + math.sin(q * y)


def equations(v, p):
    return [v[0] ** 2 + v[1] - 3.0 * p[0], v[0] * np.exp(v[1]) - p[1]]


def hill(v, p):
    """A function of two numbers that has one minimum."""
    return (v[0] - p[0]) ** 2 + (v[1] - p[1] * v[0]) ** 2 + np.exp(v[1] * p[1])


def residuals(v, p):
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


@pytest.mark.parametrize(
    "solve",
    [
        lambda args: optimize.newton(equation, 1.0, args=args, tol=1e-14),
        lambda args: optimize.fixed_point(lambda y, p, q: np.cos(y) * p / 3 + q / 9, 0.5, args=args),
        lambda args: optimize.least_squares(equation, [1.0], args=args, xtol=1e-14, ftol=1e-15, gtol=1e-14).x[0],
        lambda args: optimize.fmin_bfgs(lambda y, p, q: (y[0] - p) ** 2 + y[0] * q, [1.0], args=args, disp=0)[0],
    ],
    ids=["newton", "fixed_point", "least_squares", "fmin_bfgs"],
)
def test_a_list_of_arguments(solve):
    """Solvers that unpack any sequence of arguments unpack a list as a tuple."""
    as_list, as_tuple = (gradcli.grad(lambda p, kind=kind: solve(kind(p)))(POINT) for kind in (list, tuple))

    np.testing.assert_array_equal(as_tuple, as_list)


STARTED = {
    "at the end of an interval": lambda x: (
        optimize.minimize_scalar(lambda t: (t - 3.0) ** 2, bounds=(x, x + 1), method="bounded").x
    ),
    "at a bound": lambda x: optimize.minimize(lambda v: (v[0] - 3.0) ** 2, [x], bounds=[(x, x + 1)]).x[0],
    "of a level function": lambda x: optimize.minimize_scalar(lambda t: 0.0 * t, bracket=(x, x + 1)).x,
    "of a constant": lambda x: optimize.fminbound(lambda t: 0.0, x, x + 1),
    "of infinity": lambda x: optimize.fminbound(lambda t: np.inf, x, x + 1),
    "on a plateau": lambda x: optimize.fsolve(lambda t: np.maximum(t - 3.0, 0.0), x)[0],
}


@pytest.mark.parametrize("name", STARTED)
def test_a_result_that_moves_with_its_start_is_refused(name):
    """The start alone is recorded, and the result is no solution that stays where it is."""
    f = STARTED[name]
    assert (f(1.3 + 1e-4) - f(1.3 - 1e-4)) / 2e-4 == pytest.approx(1.0, abs=1e-4)

    with pytest.raises(UnsupportedError, match=r"scipy\.optimize\."):
        gradcli.grad(f)(1.3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: brentq(lambda t: t**3 - 3.0, x, x + 5) * x,
        lambda x: optimize.newton(lambda t: t**3 - 3.0, x) * x,
        lambda x: optimize.minimize(lambda v: (v[0] - 3.0) ** 4 + (v[0] - 3.0) ** 2, [x]).x[0] * x,
    ],
)
def test_a_solution_does_not_move_with_its_start(f):
    assert pytest.approx(f(1.3) / 1.3, rel=1e-5) == gradcli.grad(f)(1.3)


def slopes(f, step):
    """The differences of a function of two numbers."""
    return np.array([(f(POINT + h) - f(POINT - h)) / (2 * step) for h in np.eye(2) * step])


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", PROGRAMS)
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
    third = gradcli.grad(gradcli.grad(gradcli.grad(lambda x: brentq(lambda y: y**3 - x, 0, 9, xtol=1e-15))))

    assert third(2.0) == pytest.approx(10 / 27 * 2.0 ** (-8 / 3))


def test_plain_equations_are_solved_as_ever():
    assert 2.0 * brentq(lambda y: y**3 - 2.0, 0, 2) == gradcli.grad(
        lambda x: x * x * brentq(lambda y: y**3 - 2.0, 0, 2)
    )(1.0)


def test_a_fit_that_is_exact_has_a_derivative():
    line = lambda y: optimize.least_squares(lambda v: v[0] + v[1] * TIMES[:3] - y, [0.0, 0.0]).x[1]

    np.testing.assert_allclose(gradcli.grad(line)(np.array([1.0, 2.0, 3.0])), [-0.5, 0.0, 0.5], atol=1e-9)


def test_a_double_root_is_refused():
    with pytest.raises(UnsupportedError, match="slope 0"):
        gradcli.grad(lambda x: optimize.root_scalar(lambda y: (y - x) ** 3, bracket=(-1.0, 2.0)).root)(0.5)


def test_no_solution_is_refused():
    with pytest.raises(UnsupportedError, match="did not converge"):
        gradcli.grad(lambda x: optimize.root(lambda v: v**2 + x, [1.0]).x[0])(1.0)


def well(v, a):
    """A function of one or several numbers with its minimum at `a`."""
    return np.sum((v - a) ** 2 + (v - a) ** 4)


def number(v, a):
    """A function of one number with its minimum at `a`."""
    return (v - a) ** 2 + (v - a) ** 4


def sloping(v, a):
    """An increasing function with its root at `a`."""
    return (v - a) + (v - a) ** 3


HERE, BOX = np.array([2.0]), [(-1.0, 5.0)]
ONE = {"jac": lambda v, a: 2 * (v - a) + 4 * (v - a) ** 3, "hess": lambda v, a: np.diag(2 + 12 * (v - a) ** 2)}
METHODS = (
    "Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "TNC", "COBYLA", "COBYQA", "SLSQP", "trust-constr",
)  # fmt: skip
AT_THE_SOLUTION = {
    **{f"minimize, {m}": lambda a, m=m: optimize.minimize(well, HERE, (a,), m).x[0] for m in METHODS},
    **{
        f"minimize, {m}": lambda a, m=m: optimize.minimize(well, HERE, (a,), m, **ONE).x[0]
        for m in ("Newton-CG", "dogleg", "trust-ncg", "trust-krylov", "trust-exact")
    },
    **{
        name: lambda a, name=name: getattr(optimize, name)(well, HERE, args=(a,), disp=0)[0]
        for name in ("fmin", "fmin_bfgs", "fmin_cg", "fmin_powell")
    },
    "fmin_ncg": lambda a: optimize.fmin_ncg(well, HERE, ONE["jac"], args=(a,), disp=0)[0],
    **{f"minimize_scalar, {m}": lambda a, m=m: optimize.minimize_scalar(number, (1, 2, 3), args=(a,), method=m).x
       for m in ("brent", "golden")},
    "minimize_scalar, bounded": lambda a: optimize.minimize_scalar(number, bounds=(-1, 5), args=(a,)).x,
    "brent": lambda a: optimize.brent(number, (a,), (1.0, 2.0, 3.0)),
    "golden": lambda a: optimize.golden(number, (a,), (1.0, 2.0, 3.0)),
    "fminbound": lambda a: optimize.fminbound(number, -1, 5, (a,)),
    "basinhopping": lambda a: optimize.basinhopping(
        well, HERE, niter=1, minimizer_kwargs={"args": (a,)}, rng=0
    ).x[0],
    "differential_evolution": lambda a: optimize.differential_evolution(well, BOX, (a,), popsize=4, rng=0).x[0],
    "dual_annealing": lambda a: optimize.dual_annealing(well, BOX, (a,), maxiter=5, rng=0).x[0],
    "shgo": lambda a: optimize.shgo(well, BOX, (a,)).x[0],
    "direct": lambda a: optimize.direct(well, BOX, args=(a,), maxiter=100).x[0],
    "brute": lambda a: optimize.brute(well, BOX, (a,), Ns=7)[0],
    "least_squares": lambda a: optimize.least_squares(sloping, HERE, args=(a,)).x[0],
    **{f"root, {m}": lambda a, m=m: optimize.root(sloping, HERE, (a,), m).x[0] for m in ("hybr", "lm", "broyden1")},
    "fsolve": lambda a: optimize.fsolve(sloping, HERE, (a,))[0],
    **{name: lambda a, name=name: getattr(optimize, name)(lambda v: sloping(v, a), HERE)[0] for name in (
        "anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing", "newton_krylov")},
    "newton": lambda a: optimize.newton(sloping, 2.0, args=(a,)),
    "newton with a slope": lambda a: optimize.newton(sloping, 2.0, lambda v, a: 1 + 3 * (v - a) ** 2, (a,)),
    "newton of an array": lambda a: optimize.newton(lambda v: v**3 - a * np.array([4.0, 0.5]), [2.0, 1.0]) @ [1.5, 3.0],
    "fixed_point": lambda a: optimize.fixed_point(lambda v: a + (v - a) / 2, 2.0),
    "fixed_point of an array": lambda a: optimize.fixed_point(lambda v: a + (v - a) / 2, HERE)[0],
    **{f"{name}": lambda a, name=name: getattr(optimize, name)(sloping, 2.0, 5.0, args=(a,))
       for name in ("bisect", "brenth", "brentq", "ridder", "toms748")},
    "root_scalar": lambda a: optimize.root_scalar(sloping, (a,), x0=2.0, fprime=lambda v, a: 1.0).root,
}  # fmt: skip


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", AT_THE_SOLUTION)
@pytest.mark.filterwarnings("ignore:delta_grad == 0.0:UserWarning")
def test_a_solver_that_starts_at_its_solution(name):
    """No iteration moves, and still the solution follows its parameter with the slope 1."""
    assert gradcli.grad(AT_THE_SOLUTION[name])(2.0) == pytest.approx(1.0, abs=1e-5)


UNKNOWN = {
    "hess_inv": lambda a: optimize.minimize(well, HERE, (a,)).hess_inv[0, 0],
    "final_simplex": lambda a: optimize.minimize(well, HERE, (a,), "Nelder-Mead").final_simplex[0][0, 0],
    "'r'": lambda a: optimize.root(sloping, HERE, (a,)).r[0],
    "fjac": lambda a: optimize.fsolve(sloping, HERE, (a,), full_output=True)[1]["fjac"][0, 0],
    "full_output": lambda a: optimize.fmin(well, HERE, (a,), disp=0, full_output=True)[0][0],
    "constraints": lambda a: (
        optimize.minimize(well, HERE, (a,), constraints=optimize.LinearConstraint([1.0], 0, 9)).fun
    ),
    "at a bound": lambda a: optimize.minimize(well, HERE, (a,), bounds=[(2.0, 3.0)]).fun,
    "not unique": lambda a: optimize.minimize(lambda v: (v[0] + v[1] - a) ** 2, [1.0, 1.0]).x[0],
    "not converge": lambda a: optimize.minimize(well, [9.0], (a,), options={"maxiter": 1}).x[0],
    "line_search": lambda a: optimize.line_search(lambda v: well(v, a), lambda v: 2 * v, HERE, -HERE)[0],
    "bracket": lambda a: optimize.bracket(lambda v: number(v, a))[0],
    "find_root": lambda a: elementwise.find_root(lambda v: sloping(v, a), (0.0, 4.0)).x,
}


@pytest.mark.parametrize("what", UNKNOWN)
@pytest.mark.filterwarnings("ignore:The line search algorithm")
def test_what_has_no_known_derivative_is_refused(what):
    with pytest.raises(UnsupportedError, match=what) as refused:
        gradcli.grad(UNKNOWN[what])(2.0)

    assert __file__ == refused.value.file


def test_the_slopes_of_a_fit_follow():
    """Of a least-squares record; the slope of exp(a y) - 2 at its root is a * 2."""
    slope = lambda a: optimize.least_squares(lambda y: np.exp(a * y) - 2.0, [1.0], xtol=1e-15).jac[0, 0]

    assert gradcli.grad(slope)(1.0) == pytest.approx(2.0)


@pytest.mark.parametrize("loss", scipy_optimize._LOSSES)
def test_a_robust_fit(loss):
    """The cost and the place of a fit with an outlier, against differences."""

    def fit(p):
        f = lambda v: p[0] * v[0] - TIMES**1.5 * p[1]
        found = optimize.least_squares(f, [1.0], loss=loss, f_scale=1.1, xtol=1e-14, ftol=1e-15, gtol=1e-13)
        return found.cost + found.x[0]

    np.testing.assert_allclose(gradcli.grad(fit)(POINT), slopes(fit, 1e-3), rtol=3e-4)


SAMPLE = np.array([0.5, 1.2, 2.2, 3.1, 0.9, 1.7])
WITHIN_SCIPY = {
    "fit": lambda a: stats.weibull_min.fit(SAMPLE * a, floc=0, optimizer=_exact)[2],
    "boxcox": lambda a: stats.boxcox(SAMPLE * a + 1.0)[1],
    "yeojohnson": lambda a: stats.yeojohnson(SAMPLE * a)[1],
}


def _exact(f, start, args, disp):
    return optimize.fmin(f, start, args, xtol=1e-12, ftol=1e-15, disp=disp)


@pytest.mark.parametrize("name", WITHIN_SCIPY)
def test_solvers_that_scipy_calls_itself(name):
    """A fit by maximum likelihood, and the exponents of transformations of data, against differences."""
    f = WITHIN_SCIPY[name]

    assert pytest.approx((f(1.01) - f(0.99)) / 0.02, rel=2e-3) == gradcli.grad(f)(1.0)


def held(name):
    return types.SimpleNamespace(solver=getattr(optimize, name))


HOLDER, BY_NAME = held("fmin_bfgs"), {"f": optimize.fmin_cg}


def imported(a):
    from scipy.optimize import fmin_bfgs

    return fmin_bfgs(well, HERE, args=(a,), disp=0)[0]


HOLDERS = {
    "an object": lambda a: HOLDER.solver(well, HERE, args=(a,), disp=0)[0],
    "a dict": lambda a: BY_NAME["f"](well, HERE, args=(a,), disp=0)[0],
    "a default": lambda a, solver=optimize.fmin_bfgs: solver(well, HERE, args=(a,), disp=0)[0],
    "a name": lambda a: getattr(optimize, "fmin" + "_cg")(well, HERE, args=(a,), disp=0)[0],
    "an import": imported,
    "the package": lambda a: scipy.optimize.fmin_bfgs(well, HERE, args=(a,), disp=0)[0],
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_wherever_the_program_holds_the_solver(holder):
    assert gradcli.grad(HOLDERS[holder])(2.0) == pytest.approx(1.0)


def test_solvers_are_declared():
    declared = {name for name in SOLVERS if name.startswith("scipy.optimize.")}

    assert declared == {f"scipy.optimize.{name}" for name in scipy_optimize._MAKERS}


def test_the_jacobian_of_least_squares_is_recorded_where_it_is_read_alone(monkeypatch):
    calls = []
    jacobian_of = scipy_optimize.jacobian_of
    monkeypatch.setattr(scipy_optimize, "jacobian_of", lambda *x: calls.append(x) or jacobian_of(*x))
    sites = np.linspace(0.0, 1.0, 6)

    def fitted(y):
        return optimize.least_squares(
            lambda z: z[0] * np.exp(-z[1] * sites) - y, [1.0, 1.0], xtol=1e-15, ftol=1e-15, gtol=1e-15
        )

    data = 1.3 * np.exp(-0.7 * sites) + 0.01 * sites**2
    gradcli.grad(lambda y: np.sum(fitted(y).x))(data)
    assert not calls

    for read in (lambda y: fitted(y).jac, lambda y: fitted(y)["jac"]):
        slope = gradcli.grad(lambda y, read=read: read(y)[2, 1])(data)[3]
        ahead, back = (fitted(data + step * (np.arange(6) == 3)).x for step in (1e-4, -1e-4))
        by_model = [-z[0] * sites[2] * np.exp(-z[1] * sites[2]) for z in (ahead, back)]
        assert slope == pytest.approx((by_model[0] - by_model[1]) / 2e-4, rel=1e-4)
    assert len(calls) == 2
