"""Gradients by the equations of the sensitivities, whose solver has a tolerance of its own."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks.ode_solver_tolerance import solver_tolerance

integrate = pytest.importorskip("scipy.integrate")


def growth(t, y, k):
    return k * y * (1 - y)


def with_sensitivity(t, z, k):
    return np.array([growth(t, z[0], k), k * (1 - 2 * z[0]) * z[1] + z[0] * (1 - z[0])])


def by_solve_ivp(**tolerances):
    """The value after some time, and its derivative."""

    def solved(of, start, k):
        return integrate.solve_ivp(of, (0.0, 3.0), start, args=(k,), **tolerances).y[:, -1]

    return (lambda k: solved(growth, [0.1], k)[0]), lambda k: solved(with_sensitivity, [0.1, 0.0], k)[1]


def by_odeint(**tolerances):
    """The same by the older solver, which gradcli does not follow."""

    def solved(of, start, k):
        return integrate.odeint(of, start, [0.0, 3.0], args=(k,), tfirst=True, **tolerances)[-1]

    return (lambda k: solved(growth, [0.1], k)[0]), lambda k: solved(with_sensitivity, [0.1, 0.0], k)[1]


def inside(k):
    """A solver that is imported and called in an inner function."""
    from scipy.integrate import solve_ivp

    def solved():
        return solve_ivp(growth, (0.0, 3.0), [0.1], args=(k,)).y[0, -1]

    return solved()


def told(value, gradient):
    """The verdict, and the ends of what is told of a solver."""
    found = gradcli.check(value, at=0.8, against=gradient)
    known = [each for each in found.findings if each.code == "G316"]
    assert all(each.line for each in known)
    return found.verdict, [
        each.message.rpartition(": ")[2].removesuffix(", or less, in the function and in the gradient")
        for each in known
    ]


@pytest.mark.parametrize(
    ("functions", "name"),
    [
        pytest.param(by_solve_ivp(), "solve_ivp", marks=pytest.mark.long),
        pytest.param(by_solve_ivp(rtol=1e-5), "solve_ivp", marks=pytest.mark.long),
        (by_odeint(rtol=1e-5), "odeint"),
        pytest.param((inside, by_solve_ivp(rtol=1e-8)[1]), "solve_ivp", marks=pytest.mark.long),
    ],
)
def test_the_solver_is_named_where_a_gradient_fails(functions, name):
    assert ("fail", [f"check again with {name}(..., rtol=1e-10, atol=1e-12)"]) == told(*functions)


@pytest.mark.parametrize("solver", [pytest.param(by_solve_ivp, marks=pytest.mark.long), by_odeint])
def test_the_same_gradient_passes_with_these_tolerances(solver):
    assert told(*solver(rtol=1e-10, atol=1e-12)) == ("pass", [])


SOLVES = """
from scipy import integrate

def f(k):
    {imports}
    return {call}
"""


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("integrate.solve_ivp(g, (0, 1), [k], rtol=1e-12, atol=1e-14)", None),
        ("integrate.solve_ivp(g, (0, 1), [k], rtol=1e-12)", "solve_ivp(..., atol=1e-12)"),
        ("integrate.solve_ivp(g, (0, 1), [k], atol=[1e-14])", "solve_ivp(..., rtol=1e-10, atol=1e-12)"),
        ("odeint(g, k, [0, 1], rtol=1e-8, atol=1e-12)", "odeint(..., rtol=1e-10)"),
        ("odeint(\n  g, k, [0, 1], rtol=1e-11, atol=0.0)", None),
        ("integrate.solve_bvp(g, h, x, y, tol=1e-3)", "solve_bvp(..., tol=1e-9)"),
        ("integrate.solve_bvp(g, h, x, y, tol=1e-10)", None),
        ("integrate.solve_ivp(g, (0, 1), [k], **OPTIONS)", "solve_ivp(..., rtol=1e-10, atol=1e-12)"),
    ],
)
def test_tolerances_that_are_small_are_not_advised(call, advice, tmp_path):
    path = tmp_path / "solves.py"
    path.write_text(
        SOLVES.format(call=call, imports="" if "integrate" in call else "from scipy.integrate import odeint")
    )
    names = {"__name__": "solves"}
    exec(compile(path.read_text(), str(path), "exec"), names)

    found = solver_tolerance(names["f"])

    assert (found is None) == (advice is None)
    assert found is None or f"check again with {advice}, or less, in" in found.message


def test_no_solver_is_named_where_a_mistake_is_known_or_nothing_is_solved():
    """A missing factor, and a function of the same name."""
    value, gradient = by_odeint(rtol=1e-10, atol=1e-12)

    def odeint(k):
        return np.sin(3 * k) * k

    assert told(value, lambda k: 2 * gradient(k)) == ("fail", [])
    assert told(lambda k: odeint(k), lambda k: np.sin(3 * k) + k * np.cos(3.1 * k)) == ("fail", [])
