"""Components of OpenMDAO."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import TargetError

om = pytest.importorskip("openmdao.api")
pytestmark = pytest.mark.filterwarnings("ignore:.*INF_BOUND")  # OpenMDAO's own, of its plugins


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


class Unconnected(om.ExplicitComponent):
    """Two outputs of several numbers, of which one does not depend on one of the inputs."""

    def setup(self):
        self.add_input("x", shape=2)
        self.add_input("k", val=1.0)
        self.add_output("y", shape=2)
        self.add_output("z", shape=3)
        self.declare_partials("y", "x", rows=[0, 1], cols=[0, 1], val=2.0)
        self.declare_partials("z", "k", val=np.ones((3, 1)))

    def compute(self, inputs, outputs):
        outputs["y"] = 2.0 * inputs["x"]
        outputs["z"] = inputs["k"] * np.ones(3)


def test_an_output_that_does_not_depend_on_an_input_adds_nothing():
    assert gradcli.check(Unconnected, at={"x": np.array([1.0, -2.0]), "k": 0.5}).verdict == "pass"


class Sized(Constant):
    """A component that needs an option."""

    def initialize(self):
        self.options.declare("size")

    def setup(self):
        self.add_input("x", shape=self.options["size"])
        self.add_output("y", shape=self.options["size"])
        self.declare_partials("y", "x", val=2.0)


def test_a_class_that_needs_an_option_is_refused_by_name():
    with pytest.raises(TargetError, match=r"Sized cannot be set up: RuntimeError: .*Option 'size' is required"):
        gradcli.check(Sized, at={"x": 1.0})
    assert gradcli.check(Sized(size=1), at={"x": np.ones(1)}).verdict == "pass"


class Unlike(om.ExplicitComponent):
    """Two outputs of very different sizes, of which the partial of the smaller is wrong."""

    def setup(self):
        self.add_input("x")
        self.add_output("large")
        self.add_output("small")
        self.declare_partials("large", "x", val=1e6)
        self.declare_partials("small", "x", val=2e-6)

    def compute(self, inputs, outputs):
        outputs["large"], outputs["small"] = 1e6 * inputs["x"], 1e-6 * inputs["x"]


def test_a_small_partial_is_not_hidden_by_a_large_one():
    assert gradcli.check(Unlike, at={"x": 1.5}).verdict == "fail"


CACHED = "openmdao.test_suite.components.misc_components:Comp4LinearCacheTest"


def test_the_wrong_partial_of_a_published_component_is_found_by_its_name():
    rows = {row.name: row.verdict.value for row in gradcli.check(CACHED, at={"x": 1.5, "y": 2.0}).components}
    assert rows == {"x": "PASS", "y": "FAIL"}


def test_the_wrong_bend_of_a_published_atmosphere_is_found_at_its_component():
    atmosphere = pytest.importorskip("dymos.models.atmosphere.atmos_1976").USatm1976Comp
    assert gradcli.check(atmosphere(num_nodes=1), at={"h": np.array([36700.0])}).verdict == "fail"
