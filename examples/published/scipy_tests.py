"""Two problems from the tests that are installed with SciPy."""

import numpy as np
from scipy.optimize.tests.test_minimize_constrained import MaratosGradInFunc
from scipy.optimize.tests.test_minpack import pressure_network, pressure_network_jacobian

constraint = MaratosGradInFunc().constr

FLOW, VALVES = 4.0, np.full(4, 0.5)  # as in TestFSolve


def maratos_corrected(x):
    """The gradient of x[0]**2 + x[1]**2."""
    return 2 * x


def pressures(q):
    """The equations of the network."""
    return pressure_network(q, FLOW, VALVES)


def jacobian(q):
    """The Jacobian that the tests give to the solver."""
    return pressure_network_jacobian(q, FLOW, VALVES)


def jacobian_corrected(q):
    """Row i has the slope of pipe i + 1 in its column, and less that of pipe 0 in the first."""
    slopes = 2 * VALVES * q
    return np.vstack([np.diag(slopes)[1:] - slopes[0] * np.eye(4)[0], np.ones(4)])
