"""Components of OpenMDAO, after those of its documents and tests and of dymos."""

from typing import Any

import numpy as np
import openmdao.api as om
from openmdao.utils.assert_utils import assert_check_partials

from benchmarks.other_libraries.claim import Claim

COMPONENTS = "OpenMDAO, test_suite/components"
BEAM = "OpenMDAO, test_suite/test_examples/beam_optimization/components"
NODES = 3


def accepted(component: Any, at: dict[str, Any]) -> bool:
    """Whether `check_partials` and `assert_check_partials`, with their defaults, accept the partials of a component."""
    problem = om.Problem(reports=False)
    problem.model.add_subsystem("component", component(), promotes=["*"])
    problem.setup()
    for name, x in at.items():
        problem.set_val(name, x)
    if issubclass(component, om.ImplicitComponent):
        problem.final_setup()
    else:
        problem.run_model()
    try:
        assert_check_partials(problem.check_partials(out_stream=None))
    except ValueError:
        return False
    return True


class Explicit(om.ExplicitComponent):
    """A component whose partials are declared and computed by `slopes`; `slip` says whether with a slip."""

    slip = False
    inputs: dict[str, int] = {}
    outputs: dict[str, int] = {}

    def setup(self) -> None:
        for name, size in self.inputs.items():
            self.add_input(name, np.ones(size))
        for name, size in self.outputs.items():
            self.add_output(name, np.ones(size))
        self.declare_partials("*", "*")

    def compute_partials(self, inputs: Any, partials: Any) -> None:
        for (of, by), slope in self.slopes(**{name: inputs[name] for name in self.inputs}).items():
            partials[of, by] = slope

    def slopes(self, **inputs: Any) -> dict[tuple[str, str], Any]:
        raise NotImplementedError


class Paraboloid(Explicit):
    inputs, outputs = {"x": 1, "y": 1}, {"f": 1}

    def compute(self, inputs: Any, outputs: Any) -> None:
        x, y = inputs["x"], inputs["y"]
        outputs["f"] = (x - 3) ** 2 + x * y + (y + 4) ** 2 - 3

    def slopes(self, x: Any, y: Any) -> Any:
        return {("f", "x"): 2 * x - 6 + y, ("f", "y"): 2 * y + 8 + (0 if self.slip else x)}


class ActuatorDisc(Explicit):
    inputs = {"a": 1, "area": 1, "rho": 1, "v": 1}
    outputs = {"thrust": 1, "power": 1, "ct": 1}

    def compute(self, inputs: Any, outputs: Any) -> None:
        a, area, rho, v = (inputs[name] for name in self.inputs)
        outputs["ct"] = 4 * a * (1 - a)
        outputs["thrust"] = 0.5 * rho * area * v**2 * outputs["ct"]
        outputs["power"] = outputs["thrust"] * v * (1 - a)

    def slopes(self, a: Any, area: Any, rho: Any, v: Any) -> Any:
        q = 0.5 * rho * area * v**2
        factor = 2 if self.slip else 3
        return {
            ("ct", "a"): 4 - 8 * a,
            ("thrust", "a"): q * (4 - 8 * a), ("thrust", "area"): q / area * 4 * a * (1 - a),
            ("thrust", "rho"): q / rho * 4 * a * (1 - a), ("thrust", "v"): q / v * 8 * a * (1 - a),
            ("power", "a"): q * v * 4 * (1 - a) * (1 - 3 * a), ("power", "area"): q * v / area * 4 * a * (1 - a) ** 2,
            ("power", "rho"): q * v / rho * 4 * a * (1 - a) ** 2, ("power", "v"): factor * q * 4 * a * (1 - a) ** 2,
        }  # fmt: skip


class SellarDis1(Explicit):
    inputs, outputs = {"z": 2, "x": 1, "y2": 1}, {"y1": 1}

    def compute(self, inputs: Any, outputs: Any) -> None:
        z, x, y2 = (inputs[name] for name in self.inputs)
        outputs["y1"] = z[0] ** 2 + z[1] + x - 0.2 * y2

    def slopes(self, z: Any, x: Any, y2: Any) -> Any:
        return {("y1", "z"): [[2 * z[0], 1.0]], ("y1", "x"): 1.0, ("y1", "y2"): 0.2 if self.slip else -0.2}


class SellarDis2(Explicit):
    inputs, outputs = {"z": 2, "y1": 1}, {"y2": 1}

    def compute(self, inputs: Any, outputs: Any) -> None:
        outputs["y2"] = np.sqrt(inputs["y1"]) + np.sum(inputs["z"])

    def slopes(self, z: Any, y1: Any) -> Any:
        return {("y2", "z"): [[1.0, 1.0]], ("y2", "y1"): 0.5 * y1 ** (0.5 if self.slip else -0.5)}


class Quadratic(om.ImplicitComponent):
    slip = False

    def setup(self) -> None:
        for name in "abc":
            self.add_input(name, 1.0)
        self.add_output("x", 1.0)
        self.declare_partials("*", "*")

    def apply_nonlinear(self, inputs: Any, outputs: Any, residuals: Any) -> None:
        x = outputs["x"]
        residuals["x"] = inputs["a"] * x**2 + inputs["b"] * x + inputs["c"]

    def linearize(self, inputs: Any, outputs: Any, partials: Any) -> None:
        x = outputs["x"]
        partials["x", "a"], partials["x", "b"], partials["x", "c"] = x**2, x, 1.0
        partials["x", "x"] = (1 if self.slip else 2) * inputs["a"] * x + inputs["b"]


class Diagonal(Explicit):
    """A component each of whose outputs depends on the inputs at its node: the partials have declared sparsity."""

    def setup(self) -> None:
        super().setup()
        for of in self.outputs:
            for by in self.inputs:
                self.declare_partials(of, by, rows=np.arange(NODES), cols=np.arange(NODES))


class MomentOfInertia(Diagonal):
    inputs, outputs = {"h": NODES}, {"moment": NODES}

    def compute(self, inputs: Any, outputs: Any) -> None:
        outputs["moment"] = 0.1 * inputs["h"] ** 3 / 12

    def slopes(self, h: Any) -> Any:
        return {("moment", "h"): 0.1 * h**2 / (3 if self.slip else 4)}


class Volume(om.ExplicitComponent):
    slip = False

    def setup(self) -> None:
        self.add_input("h", np.ones(NODES))
        self.add_output("volume", 1.0)
        self.declare_partials("volume", "h", val=0.1 * 2.0 / (1 if self.slip else NODES))

    def compute(self, inputs: Any, outputs: Any) -> None:
        outputs["volume"] = np.sum(inputs["h"]) * 0.1 * 2.0 / NODES


class Brachistochrone(Diagonal):
    inputs, outputs = {"v": NODES, "theta": NODES}, {"vdot": NODES, "xdot": NODES, "ydot": NODES}

    def compute(self, inputs: Any, outputs: Any) -> None:
        v, theta = inputs["v"], inputs["theta"]
        outputs["vdot"], outputs["xdot"], outputs["ydot"] = 9.8 * np.cos(theta), v * np.sin(theta), -v * np.cos(theta)

    def slopes(self, v: Any, theta: Any) -> Any:
        return {
            ("vdot", "theta"): -9.8 * np.sin(theta), ("xdot", "v"): np.sin(theta), ("xdot", "theta"): v * np.cos(theta),
            ("ydot", "v"): -np.cos(theta), ("ydot", "theta"): (-v if self.slip else v) * np.sin(theta),
        }  # fmt: skip


class Diode(Explicit):
    inputs, outputs = {"v_in": 1, "v_out": 1}, {"current": 1}

    def compute(self, inputs: Any, outputs: Any) -> None:
        outputs["current"] = 1e-15 * (np.exp((inputs["v_in"] - inputs["v_out"]) / 0.025875) - 1)

    def slopes(self, v_in: Any, v_out: Any) -> Any:
        slope = 1e-15 * np.exp((v_in - v_out) / 0.025875) / (1 if self.slip else 0.025875)
        return {("current", "v_in"): slope, ("current", "v_out"): -slope}


class CannonballSize(Explicit):
    inputs, outputs = {"radius": 1, "density": 1}, {"mass": 1, "area": 1}

    def compute(self, inputs: Any, outputs: Any) -> None:
        radius, density = inputs["radius"], inputs["density"]
        outputs["mass"], outputs["area"] = 4 / 3 * np.pi * radius**3 * density, np.pi * radius**2

    def slopes(self, radius: Any, density: Any) -> Any:
        return {
            ("mass", "radius"): 4 * np.pi * radius**2 * density, ("mass", "density"): 4 / 3 * np.pi * radius**3,
            ("area", "radius"): (1 if self.slip else 2) * np.pi * radius,
        }  # fmt: skip


def claim(component: Any, origin: str, **at: Any) -> Claim:
    wrong = type(component.__name__, (component,), {"slip": True})
    return Claim(component.__name__, origin, component, wrong, {name: np.atleast_1d(x) for name, x in at.items()})


CLAIMS = [
    claim(Paraboloid, f"{COMPONENTS}/paraboloid.py:Paraboloid", x=1.5, y=2.0),
    claim(ActuatorDisc, "OpenMDAO's documents, the Betz limit", a=0.4, area=9.0, rho=1.2, v=8.0),
    claim(SellarDis1, f"{COMPONENTS}/sellar.py:SellarDis1withDerivatives", z=[5.0, 2.0], x=1.0, y2=3.0),
    claim(SellarDis2, f"{COMPONENTS}/sellar.py:SellarDis2withDerivatives", z=[5.0, 2.0], y1=7.0),
    claim(Quadratic, f"{COMPONENTS}/quad_implicit.py:QuadraticComp", a=1.0, b=4.0, c=1.0, x=0.7),
    claim(MomentOfInertia, f"{BEAM}/moment_comp.py:MomentOfInertiaComp", h=[0.5, 1.0, 1.5]),
    claim(Volume, f"{BEAM}/volume_comp.py:VolumeComp", h=[0.5, 1.0, 1.5]),
    claim(Brachistochrone, "dymos, examples/brachistochrone/brachistochrone_ode.py:BrachistochroneODE",
          v=[1.0, 4.0, 9.0], theta=[0.3, 0.8, 1.4]),
    claim(Diode, "OpenMDAO, test_suite/test_examples/test_circuit_analysis.py:Diode", v_in=0.7, v_out=0.1),
    claim(CannonballSize, "dymos, examples/cannonball/size_comp.py:CannonballSizeComp", radius=0.05, density=7870.0),
]  # fmt: skip
