"""`python -m tests.survey.derivations [PACKAGE…]`: how many functions of published packages `derive` takes.

Prints for each package the functions that were derived and those that were tried, and each refusal. Packages that are
not installed are left out. Exits with 1 if a derived gradient is wrong, or an error is internal.
"""

import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
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


PACKAGES = (
    landscapes, deap, pymoo, choix, skglm, smt, lmfit, emukit, ahrs, pyproximal, pymanopt, spatialmath,
)  # fmt: skip


def outcome(function: Callable[[Any], Any], at: Any) -> str:
    """`derived`, or why not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            derived = gradcli.derive(function, at=at).function
            is_right = np.allclose(derived(at), gradcli.grad(function)(at), rtol=1e-7)
            return "derived" if is_right else "WRONG"
        except InternalError as error:
            return f"INTERNAL {error}"
        except GradcliError as error:
            return f"{type(error).__name__} {error}"
        except Exception as error:
            return f"INTERNAL {type(error).__name__}: {error}"


def main(names: list[str]) -> int:
    """Print the counts and the refusals."""
    counts, failures = [0, 0], 0
    for package in PACKAGES:
        if names and package.__name__ not in names:
            continue
        try:
            results = [(name, outcome(function, at)) for name, function, at in package()]
        except ImportError:
            continue
        derived = sum(result == "derived" for _, result in results)
        counts = [counts[0] + derived, counts[1] + len(results)]
        failures += sum(result.startswith(("INTERNAL", "WRONG")) for _, result in results)
        print(f"{package.__name__}: {derived} of {len(results)}")
        for name, result in results:
            if result != "derived":
                print(f"  {name}: {' | '.join(line.strip() for line in result.splitlines()[:2])}")
    print(f"{counts[0]} of {counts[1]} derived")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
