"""A component of OpenMDAO's test suite that is installed with it: its residual, and the partial derivatives of that."""

from openmdao.test_suite.components.misc_components import Comp4LinearCacheTest

component = Comp4LinearCacheTest()


def residual(x, y):
    """The residual."""
    residuals = {}
    component.apply_nonlinear({"x": x}, {"y": y}, residuals)
    return residuals["y"]


def partials(x, y):
    """Its partial derivatives."""
    filled = {}
    component.linearize({"x": x}, {"y": y}, filled)
    return {"x": filled["y", "x"], "y": filled["y", "y"]}


def corrected(x, y):
    """The partial derivatives with 3 * x**3 in that by y."""
    return {"x": y**3 - 9 * y * x**2, "y": 3 * x * y**2 - 3 * x**3}
