"""Components of OpenMDAO."""

import numpy as np
import pytest

import gradcli

om = pytest.importorskip("openmdao.api")


class Paraboloid(om.ExplicitComponent):
    """An explicit component, one of whose inputs has a colon in its name."""

    slip = 0.0

    def setup(self):
        self.add_input("x", val=0.0)
        self.add_input("flow:y", val=0.0)
        self.add_output("f", val=0.0)
        self.declare_partials("*", "*")

    def compute(self, inputs, outputs):
        x, y = inputs["x"], inputs["flow:y"]
        outputs["f"] = (x - 3.0) ** 2 + x * y + (y + 4.0) ** 2

    def compute_partials(self, inputs, partials):
        x, y = inputs["x"], inputs["flow:y"]
        partials["f", "x"] = 2.0 * (x - 3.0) + y + self.slip
        partials["f", "flow:y"] = x + 2.0 * (y + 4.0)


class Slipped(Paraboloid):
    """A partial that is off by one."""

    slip = 1.0


class Constant(om.ExplicitComponent):
    """Partials that are declared as constants of a declared sparsity."""

    factor = 2.0

    def setup(self):
        self.add_input("x", shape=3)
        self.add_output("y", shape=3)
        self.declare_partials("y", "x", rows=np.arange(3), cols=np.arange(3), val=self.factor)

    def compute(self, inputs, outputs):
        outputs["y"] = 2.0 * inputs["x"]


class WrongConstant(Constant):
    """A constant that is not the slope."""

    factor = 2.5


class Quadratic(om.ImplicitComponent):
    """The roots of a quadratic polynomial."""

    power = 2

    def setup(self):
        for name in "abc":
            self.add_input(name, val=1.0)
        self.add_output("x", val=0.0)
        self.declare_partials("*", "*")

    def apply_nonlinear(self, inputs, outputs, residuals):
        x = outputs["x"]
        residuals["x"] = inputs["a"] * x**2 + inputs["b"] * x + inputs["c"]

    def linearize(self, inputs, outputs, partials):
        x = outputs["x"]
        partials["x", "a"], partials["x", "b"], partials["x", "c"] = x**self.power, x, 1.0
        partials["x", "x"] = 2 * inputs["a"] * x + inputs["b"]


class WrongPower(Quadratic):
    """A partial of another power."""

    power = 1


@pytest.mark.parametrize(
    ("component", "at", "verdict"),
    [
        (Paraboloid, {"x": 1.5, "flow_y": -2.0}, "pass"),
        (Slipped, {"x": 1.5, "flow_y": -2.0}, "fail"),
        (Paraboloid(), {"x": 1.5, "flow_y": -2.0}, "pass"),
        (Constant, {"x": np.array([1.0, -2.0, 3.0])}, "pass"),
        (WrongConstant, {"x": np.array([1.0, -2.0, 3.0])}, "fail"),
        (Quadratic, {"a": 1.0, "b": 2.0, "c": 3.0, "x": 0.5}, "pass"),
        (WrongPower, {"a": 1.0, "b": 2.0, "c": 3.0, "x": 0.5}, "fail"),
    ],
)
def test_partials_are_judged(component, at, verdict):
    assert gradcli.check(component, at=at).verdict == verdict


def test_constant_partials_are_judged_at_every_further_point():
    at = {"x": np.array([1.0, -2.0, 3.0])}
    assert gradcli.check(WrongConstant, at=at, points=3).verdict == "fail"
