"""`python -m tests.survey.derivations [PACKAGE… | others]`: how many functions of published packages `derive` takes.

`others` are ten packages that the work on `derive` did not look at.

Prints for each package the functions that were derived and those that were tried, and each refusal. Packages that are
not installed are left out. Exits with 1 if a derived gradient is wrong, or an error is internal.
"""

import importlib
import linecache
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import gradcli
from gradcli.errors import GradcliError, InternalError

Case = tuple[str, Callable[[Any], Any], Any]
X2, X3, X4 = np.array([0.4, 0.7]), np.array([0.4, 1.1, 2.3]), np.array([1.7, 0.3, 0.8, 0.4])
TABLE = np.cos(1.7 * np.arange(18.0) ** 1.5).reshape(6, 3)
POSITIVE = np.abs(TABLE[:, :2]) + 0.1


def landscapes() -> Iterator[Case]:
    module = importlib.import_module("landscapes.single_objective")
    names = """ackley bent_cigar branin carrom_table csendes easom griewank himmelblau levi_n13 matyas michalewicz qing
        rastrigin rosenbrock schaffer_n2 schwefel sphere styblinski_tang sum_of_squares trid zakharov"""
    yield from ((name, getattr(module, name), X2) for name in names.split())


def deap() -> Iterator[Case]:
    module = importlib.import_module("deap.benchmarks")
    names = "ackley bohachevsky cigar griewank h1 himmelblau plane rastrigin rosenbrock schwefel sphere"
    for name in names.split():
        function = getattr(module, name)
        yield name, lambda x, function=function: function(x)[0], [0.4, 0.7]


def pymoo() -> Iterator[Case]:
    module = importlib.import_module("pymoo.problems")
    for name in ("ackley", "griewank", "rastrigin", "rosenbrock", "zakharov", "sphere", "schwefel", "himmelblau"):
        problem = module.get_problem(name)

        def value(x, problem=problem):
            out = {}
            problem._evaluate(x[None, :], out)
            return np.sum(out["F"])

        yield name, value, X2


def choix() -> Iterator[Case]:
    module = importlib.import_module("choix.opt")
    pairs = module.PairwiseFcts([(0, 1), (1, 2), (2, 0)], 0.1)
    top = module.Top1Fcts([(0, (1, 2)), (1, (0, 2))], 0.1)
    yield from (("Pairwise", lambda z: pairs.objective(z), X3), ("Top1", lambda z: top.objective(z), X3))


def skglm() -> Iterator[Case]:
    module = importlib.import_module("skglm.datafits.single_task")
    y = TABLE @ np.array([1.0, -0.5, 0.3])
    counted, signs, weights = np.abs(y) + 0.1, np.sign(y), np.abs(y)
    fits = {
        "Quadratic": (module.Quadratic(), y), "Logistic": (module.Logistic(), signs), "Huber": (module.Huber(0.7), y),
        "WeightedQuadratic": (module.WeightedQuadratic(weights), y), "Poisson": (module.Poisson(), counted),
        "Gamma": (module.Gamma(), counted),
    }  # fmt: skip
    for name, (fit, target) in fits.items():
        yield name, lambda w, fit=fit, target=target: fit.value(target, w, TABLE @ w), X3


def smt() -> Iterator[Case]:
    kernels, problems = (importlib.import_module(f"smt.{part}") for part in ("kernels.kernels", "problems"))
    for name in ("PowExp", "Matern52", "Matern32", "SquarSinExp"):
        kernel = getattr(kernels, name)
        yield name, lambda t, kernel=kernel: np.sum(kernel(t)(POSITIVE)), X2
    branin = problems.Branin()
    yield "Branin", lambda x: branin(x[None, :])[0, 0], np.array([1.0, 2.0])


def lmfit() -> Iterator[Case]:
    module = importlib.import_module("lmfit.lineshapes")
    x = np.array([-1.3, 0.2, 0.9])
    counts = {
        "gaussian": 3, "lorentzian": 3, "voigt": 3, "pvoigt": 4, "moffat": 4, "skewed_gaussian": 4, "doniach": 4,
        "breit_wigner": 4, "logistic": 3, "lognormal": 3, "damped_oscillator": 3, "linear": 2, "exponential": 2,
    }  # fmt: skip
    for name, count in counts.items():
        at = np.abs(x) if name == "lognormal" else x
        function = getattr(module, name)
        yield name, lambda p, at=at, f=function, n=count: np.sum(f(at, *[p[k] for k in range(n)])), X4


def emukit() -> Iterator[Case]:
    branin, forrester = (importlib.import_module(f"emukit.test_functions.{part}") for part in ("branin", "forrester"))
    yield "branin", lambda x: branin._branin(x[None, :])[0, 0], X2
    yield "forrester", lambda x: forrester.forrester(x[None, :])[0, 0], X2[:1]
    yield "forrester_low", lambda x: forrester.forrester_low(x[None, :], 0.0)[0, 0], X2[:1]


def ahrs() -> Iterator[Case]:
    module = importlib.import_module("ahrs.common.orientation")
    unit, other = np.array([0.8, 0.3, -0.4, 0.33]), np.array([0.5, 0.5, 0.5, 0.5])
    yield "q_prod", lambda q: np.sum(module.q_prod(q, other)), unit
    for name in ("q2R", "q2euler", "q_conj"):
        function = getattr(module, name)
        yield name, lambda q, function=function: np.sum(function(q)), unit


def pyproximal() -> Iterator[Case]:
    module = importlib.import_module("pyproximal.proximal")
    norms = {"Euclidean": module.Euclidean(1.5), "L2": module.L2(sigma=1.5), "L2 b": module.L2(b=X3, sigma=0.5)}
    yield from ((name, lambda x, norm=norm: norm(x), X3 + 0.1) for name, norm in norms.items())


def pymanopt() -> Iterator[Case]:
    module = importlib.import_module("pymanopt.manifolds")
    sphere, stiefel = module.Sphere(3), module.Stiefel(3, 2)
    point, frame = X3 / np.linalg.norm(X3), np.linalg.qr(TABLE[:3, :2])[0]
    yield "Sphere.exp", lambda v: np.sum(sphere.exp(point, v)), X3
    yield "Sphere.projection", lambda v: np.sum(sphere.projection(point, v) ** 2), X3
    yield "Sphere.log", lambda v: np.sum(sphere.log(point, v) ** 2), X3[::-1] / np.linalg.norm(X3)
    yield "Stiefel.projection", lambda v: np.sum(stiefel.projection(frame, v) ** 2), TABLE[3:, :2]


def spatialmath() -> Iterator[Case]:
    module = importlib.import_module("spatialmath.base")
    weights = np.arange(1.0, 10.0).reshape(3, 3)
    yield "rotx", lambda a: np.sum(module.rotx(a) * weights), 0.4
    yield "rpy2r", lambda a: np.sum(module.rpy2r(a[0], a[1], a[2]) * weights), X3
    yield "trexp", lambda a: np.sum(module.trexp(a) * weights), X3


def pygam() -> Iterator[Case]:
    links, distributions = (importlib.import_module(f"pygam.{part}") for part in ("links", "distributions"))
    binomial, y = distributions.BinomialDist(levels=3), np.array([1.0, 2.0, 3.0])
    for name in ("Identity", "Logit", "Log", "Inverse", "InvSquared"):
        link = getattr(links, f"{name}Link")()
        yield f"{name}.link", lambda m, link=link: np.sum(link.link(m, binomial) * y), X3
        yield f"{name}.mu", lambda m, link=link: np.sum(link.mu(m, binomial) * y), X3
    scaled = (getattr(distributions, f"{name}Dist")(scale=1.3) for name in ("Normal", "Gamma", "InvGauss"))
    for of in (distributions.BinomialDist(levels=4), distributions.PoissonDist(), *scaled):
        yield f"{type(of).__name__}.V", lambda m, of=of: np.sum(of.V(m) * y), X3
        yield f"{type(of).__name__}.deviance", lambda m, of=of: np.sum(of.deviance(y, m)), X3
    normal = distributions.NormalDist(scale=1.3)
    yield "NormalDist.log_pdf", lambda m: np.sum(normal.log_pdf(y, m)), X3


def pyglmnet() -> Iterator[Case]:
    loss = importlib.import_module("pyglmnet.pyglmnet")._L2loss
    for name in ("softplus", "poisson", "gaussian", "binomial", "probit", "gamma"):
        y = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 0.0]) + (name == "gamma")
        called = f"lambda b: f({name!r}, 0.05, None, 0.1, X, y, 2.0, None, b)"
        yield name, with_source(called, {"f": loss, "X": TABLE[:, :2], "y": y}), X3


def openmdao() -> Iterator[Case]:
    folder, modules = "openmdao.test_suite.components", {"EggCrate": "eggcrate", "Paraboloid": "paraboloid"}
    branin = importlib.import_module(f"{folder}.branin").Branin()
    quadratic = importlib.import_module(f"{folder}.quad_implicit").QuadraticComp()

    def of_branin(x):
        out = {}
        branin.compute({"x0": x[0], "x1": x[1]}, out)
        return out["f"]

    def residual(x):
        out = {}
        quadratic.apply_nonlinear({"a": x[0], "b": x[1], "c": x[2]}, {"x": x[3]}, out)
        return out["x"]

    yield from (("Branin", of_branin, X2), ("QuadraticComp", residual, X4))
    for name, module in modules.items():
        component = getattr(importlib.import_module(f"{folder}.{module}"), name)()

        def value(x, component=component):
            out = {}
            component.compute({"x": x[:1], "y": x[1:]}, out)
            return np.sum(out["f_xy"])

        yield name, value, X2


# Functions of numbers, or of one list or array where the name ends in `*`, each with the numbers of its point
FUNCTIONS = """
    fluids.core: Reynolds 1.2 0.3 900 0.004, Grashof 0.9 8e-4 354 274 1.1 1.9e-5, Weber 0.18 0.001 916 0.025,
        Froude 1.8 2.1, Bond 1000 1.2 0.0589 2, dP_from_K 10 1000 3, head_from_K 10 1.5
    fluids.friction: Haaland 1e5 1e-4, Swamee_Jain_1976 1e5 1e-4, Churchill_1977 1e5 1e-4, Moody 1e5 1e-4, Blasius
        1e4
    fluids.drag: Stokes 0.1, Barati 200, Clift 200, Haider_Levenspiel 200
    fluids.packed_bed: Ergun 8e-4 0.4 1e-3 1e3 1e-3 0.5, Carman 8e-4 0.4 1e-3 1e3 1e-3 0.5, Jones_Krier 8e-4 0.4
        1e-3 1e3 1e-3 0.5
    ht.conv_internal: turbulent_Dittus_Boelter 1e5 1.2, turbulent_Gnielinski 1e5 1.2 0.0185, turbulent_Colburn 1e5
        1.2, turbulent_Sieder_Tate 1e5 1.2 0.01 0.067, turbulent_Petukhov_Kirillov_Popov 1e5 1.2 0.0185
    ht.core: LMTD 100 60 30 40.2, fin_efficiency_Kern_Kraus 0.0254 0.05715 3.8e-4 200 58
    ht.radiation: q_rad 0.8 400 305, blackbody_spectral_radiance 800 4e-6
    ht.conduction: R_value_to_k 0.12, S_isothermal_sphere_to_plane 1 100
    pymap3d: geodetic2ecef 42 -82 200, ecef2geodetic 660675 -4700949 4245738, geodetic2enu 42.1 -81.9 1139 42 -82
        200, enu2ecef 186 286 939 42 -82 200, ecef2enu 660931 -4701425 4246580 42 -82 200, enu2aer 186 286 939,
        aer2enu 33 70 1e3
    pymap3d.latitude: geodetic2geocentric 42 200, geodetic2isometric 42, geodetic2conformal 42,
        geodetic2rectifying 42, geodetic2parametric 42
    psychrolib: GetSatVapPres 25, GetHumRatioFromRelHum 25 0.5 101325, GetMoistAirEnthalpy 30 0.02,
        GetMoistAirDensity 25 0.009 95461, GetTDewPointFromRelHum 25 0.5, GetTWetBulbFromRelHum 25 0.5 101325,
        GetStandardAtmPressure 1500
    seawater: dens 35 20 500, dens0 35 20, svel 35 20 500, ptmp 35 20 500, adtg 35 20 500, cp 35 20 500, fp 35
        500, alpha 35 20 500, beta 35 20 500
    numpy_financial: fv 0.05 10 -100 -100, pv 0.05 10 -100 15692, pmt 0.075 15 200000, nper 0.07 -150 8000
    refet.calcs: air_pressure 1208, sat_vapor_pressure 20, es_slope 20, vpd 3 1.2, precipitable_water 87 1.2,
        ra_daily 0.7 182, rso_simple 41 1208, rnl_daily 310 290 1.2 0.8, rn_daily 30 5, wind_height_adjust 3 2.5,
        etsz 20 2 25 2 1 0.2 0.06 900 0.34
    colorspacious.basics: sRGB1_to_sRGB1_linear* 0.1 0.5 0.9, sRGB1_linear_to_sRGB1* 0.1 0.5 0.9,
        sRGB1_linear_to_XYZ100* 0.1 0.5 0.9, XYZ_to_xyY* 20 30 40, xyY_to_XYZ* 0.3 0.4 30, XYZ100_to_sRGB1_linear*
        20 30 40
    pytransform3d.rotations: matrix_from_axis_angle* 0.1 0.9 -0.4 1.1, quaternion_from_axis_angle* 0.1 0.9 -0.4
        1.1, matrix_from_quaternion* 0.8 0.3 -0.4 0.33, axis_angle_from_quaternion* 0.8 0.3 -0.4 0.33,
        quaternion_from_compact_axis_angle* 0.2 0.9 -0.4, matrix_from_compact_axis_angle* 0.2 0.9 -0.4,
        compact_axis_angle_from_quaternion* 0.8 0.3 -0.4 0.33
"""


def listed(package: str) -> Iterator[Case]:
    """The functions of a package in the list."""
    if package == "psychrolib":
        importlib.import_module(package).SetUnitSystem(importlib.import_module(package).SI)
    for line in re.sub(r"\n {8}", " ", FUNCTIONS).strip().splitlines():
        module, _, entries = line.strip().partition(": ")
        for entry in entries.split(", ") if module.split(".")[0] == package else ():
            name, *numbers = entry.split()
            function, at = getattr(importlib.import_module(module), name.rstrip("*")), np.array(numbers, float)
            whole = name.endswith("*")
            called = f"lambda p: np.sum(f({'p' if whole else ', '.join(f'p[{n}]' for n in range(len(at)))}))"
            yield name, with_source(called, {"np": np, "f": function}), at


def with_source(text: str, names: dict[str, Any]) -> Callable[[Any], Any]:
    """A lambda with a source, as `derive` reads it."""
    file = f"<survey {len(linecache.cache)}>"
    linecache.cache[file] = (len(text), None, [f"function = {text}\n"], file)
    exec(compile(f"function = {text}\n", file, "exec"), names)
    return names["function"]  # type: ignore[no-any-return]


def pyquaternion() -> Iterator[Case]:
    made = importlib.import_module("pyquaternion").Quaternion
    unit = np.array([0.8, 0.3, -0.4, 0.33])
    yield "norm", lambda q: made(q[0], q[1], q[2], q[3]).norm, unit
    yield "inverse", lambda q: np.sum(made(q[0], q[1], q[2], q[3]).inverse.elements), unit
    yield "exp", lambda q: np.sum(made.exp(made(q[0], q[1], q[2], q[3])).elements), unit
    yield "rotate", lambda q: np.sum(made(q[0], q[1], q[2], q[3]).rotate(X3)), unit


PACKAGES = (
    landscapes, deap, pymoo, choix, skglm, smt, lmfit, emukit, ahrs, pyproximal, pymanopt, spatialmath,
    pygam, pyglmnet, openmdao,
)  # fmt: skip
LISTED = "fluids ht pymap3d psychrolib seawater numpy_financial refet colorspacious pytransform3d".split()
OTHERS = {**{name: partial(listed, name) for name in LISTED}, "pyquaternion": pyquaternion}


def outcome(function: Callable[[Any], Any], at: Any) -> str:
    """`derived`, or why not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            source = gradcli.derive(function, at=at)
            if not source.verified.by_tape:  # it calls what is compiled, and was compared with differences
                return "derived"
            return "derived" if np.allclose(source.function(at), gradcli.grad(function)(at), rtol=1e-7) else "WRONG"
        except InternalError as error:
            return f"INTERNAL {error}"
        except GradcliError as error:
            return f"{type(error).__name__} {error}"
        except Exception as error:
            return f"INTERNAL {type(error).__name__}: {error}"


def main(names: list[str]) -> int:
    """Print the counts and the refusals."""
    counts, failures = [0, 0], 0
    packages = {package.__name__: package for package in PACKAGES}
    for name, package in {**packages, **OTHERS}.items():
        if name not in (names or packages) and not (names == ["others"] and name in OTHERS):
            continue
        try:
            results = [(case, outcome(function, at)) for case, function, at in package()]
        except ImportError:
            continue
        derived = sum(result == "derived" for _, result in results)
        counts = [counts[0] + derived, counts[1] + len(results)]
        failures += sum(result.startswith(("INTERNAL", "WRONG")) for _, result in results)
        print(f"{name}: {derived} of {len(results)}")
        for function, result in results:
            if result != "derived":
                print(f"  {function}: {' | '.join(line.strip() for line in result.splitlines()[:2])}")
    print(f"{counts[0]} of {counts[1]} derived")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
