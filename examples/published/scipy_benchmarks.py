"""Two problems of SciPy's benchmarks, from the source distribution that SCIPY_SOURCE names."""

import os
import runpy
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

FOLDER = Path(os.environ["SCIPY_SOURCE"]) / "benchmarks" / "benchmarks"
ackley = runpy.run_path(str(FOLDER / "test_functions.py"))["Ackley"]()
AlphaPinene = runpy.run_path(str(FOLDER / "lsq_problems.py"))["AlphaPineneDirect"]
pinene = AlphaPinene(AlphaPinene.INITIAL_GUESSES[0])


def ackley_corrected(x):
    """The gradient with the factor 0.5 under the root, as in the value."""
    root = np.sqrt(0.5 * (x @ x))
    waves = np.exp(0.5 * np.sum(np.cos(2 * np.pi * x)))
    return 2 * np.exp(-0.2 * root) * x / root + np.pi * waves * np.sin(2 * np.pi * x)


def misfit(rates):
    """Half the sum of the squared residuals; rates in 1e-5 a minute."""
    return 0.5 * np.sum(pinene.fun(1e-5 * rates) ** 2)


def gradient(rates):
    """Its gradient, with the Jacobian of the benchmark."""
    return 1e-5 * pinene.jac(1e-5 * rates).T @ pinene.fun(1e-5 * rates)


def sensitivity_rates(time, state, rates):
    """The equation of the concentrations y, and that of their sensitivities S: S' = f_y S + f_x."""
    y, sensitivities = state[:5], state[5:].reshape(5, 5)
    unit = np.eye(5)
    f_y = np.column_stack([pinene.fun_ode_rhs(e, time, rates) for e in unit])  # f is linear in y,
    f_x = np.column_stack([pinene.fun_ode_rhs(y, time, e) for e in unit])  # and in the rates
    return np.concatenate([pinene.fun_ode_rhs(y, time, rates), (f_y @ sensitivities + f_x).ravel()])


def corrected(rates):
    """The gradient with sensitivities that act on themselves, as the concentrations do."""
    start = np.concatenate([pinene.y0, np.zeros(25)])
    run = solve_ivp(
        sensitivity_rates, (0.0, pinene.t[-1]), start, "LSODA", pinene.t, args=(1e-5 * rates,), rtol=1e-10, atol=1e-10
    )
    sensitivities = run.y[5:].reshape(5, 5, -1)[:, :, 1:]
    return 1e-5 * np.einsum("ijt,ti->j", sensitivities, pinene.fun(1e-5 * rates).reshape(-1, 5))
