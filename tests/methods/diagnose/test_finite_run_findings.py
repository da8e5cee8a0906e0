"""What a run is worth telling although its numbers are finite."""

import math

import numpy as np
import pytest
from scipy import optimize
from scipy.sparse import linalg

import gradcli
from gradcli.methods.diagnose.finite_run_findings import notes
from gradcli.methods.transforms.gradients import trace

TENTHS = np.full((300_000, 2), 0.1, np.float32)


def codes(f, *at):
    return [found.code for found in notes(trace(f, *at))]


@pytest.mark.parametrize(
    ("code", "f", "at", "beside"),
    [
        ("G105", np.linalg.norm, np.zeros(3), np.ones(3)),
        ("G107", lambda y: 0.0**y, 1.0, None),
        ("G109", lambda x: np.sum(np.exp(x)), np.array([1.0, -800.0]), np.array([1.0, -700.0])),
        ("G201", abs, 0.0, 1e-300),
        ("G203", lambda x: np.maximum(x[0], x[1]), np.ones(2), np.array([1.0, 2.0])),
        ("G203", lambda x: np.max(x), np.ones(3), np.arange(3.0)),
        ("G203", lambda x: np.sum(np.min(x, axis=1)), np.ones((2, 2)), np.arange(4.0).reshape(2, 2)),
        ("G208", lambda x: np.sum(np.clip(x, 0, 1)), np.array([0.5, 1.0]), np.array([0.5, 1.5])),
        ("G403", lambda x: x * gradcli.stop_gradient(x), 2.0, None),
        ("G504", lambda x: np.sum(x.astype(np.float32) ** 2), np.ones(3), None),
        ("G505", lambda x: np.sum(x, axis=0)[0], TENTHS, TENTHS.astype(np.float64)),
    ],
)
def test_a_note_is_found_at_its_trigger_and_not_beside_it(code, f, at, beside):
    assert [code] == codes(f, at)
    if beside is not None:
        assert codes(f, beside) == []


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * abs(x),
        lambda x: np.maximum(x, 0) * 0 + x,
        lambda x: np.sum(np.where(x, x, 2 * x)),
        lambda x: np.exp(x - 800) + x,
        lambda x: x**2,
    ],
    ids=["a smooth product", "multiplied by 0", "a condition", "beside something larger", "a power that is a number"],
)
def test_what_has_no_part_is_not_told(f):
    """A kink that no cotangent reaches, and steps that only look alike."""
    assert [code for code in codes(f, 0.0) if code != "G109"] == []


def test_a_note_says_which_numbers():

    def f(x):
        return np.maximum(x[0], 3.0)

    (found,) = notes(trace(f, np.array([3.0])))

    assert found.message == "maximum(3.0, 3.0): both arguments are 3.0, and the derivative is shared equally"
    assert (__file__, f.__code__.co_firstlineno + 1) == (found.file, found.line)
    assert found.numbers == {"x": 3.0, "y": 3.0, "value": 3.0}


def test_each_line_and_code_once():

    def f(x):
        for _ in range(3):
            x = math.fabs(x)
        return x + sum(np.maximum(y, y) for y in (x, x, x))

    assert sorted({"G201", "G203"}) == sorted(codes(f, 0.0))


@pytest.mark.parametrize(
    ("option", "f"),
    [
        ("xtol", lambda a: optimize.brentq(lambda x: x**3 - a, 0, 3, xtol=1e-5)),
        ("tol", lambda a: optimize.minimize(lambda x: (x[0] - a) ** 4 + x[0] ** 2, [1.0], method="Nelder-Mead").x[0]),
        ("xtol", lambda a: optimize.fmin(lambda x: (x[0] - a) ** 4 + x[0] ** 2, [1.0], disp=0)[0]),
        ("rtol", lambda a: linalg.cg(np.diag([1.0, 1.1, 1.2]) * a, np.ones(3), rtol=1e-2)[0][0]),
    ],
)
def test_a_solution_that_is_not_exact(option, f):
    """The distance to the solution is measured, and the option that bounds it is named."""
    (found,) = notes(trace(f, 2.0))

    assert ("G211", f.__code__.co_firstlineno) == (found.code, found.line)
    assert f"such as {option}=1e-12" in found.message
    assert f"a relative error of {found.numbers['error']:.1g}, which bounds" in found.message
    assert 1e-8 < found.numbers["error"] < 1e-1


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda a: optimize.brentq(lambda x: math.exp(x) - a + 1, -1.0, 1.3, xtol=1e-6), 2.0),
        (lambda a: optimize.minimize(lambda x: (x[0] - a) ** 4 + (x[0] - a) ** 2, [1.0]).x[0], 0.0),
        (lambda a: optimize.bisect(lambda x: x - a, -1, 1.1, xtol=1e-3), 0.0),
        (lambda a: optimize.newton(lambda x: x**3 + x - a, 0.3, tol=0.1), 0.0),
        (lambda a: optimize.bisect(lambda x: x + x * x - a, -1 / 4, 1 / 4, xtol=1e-3), 1e-5),
    ],
    ids=["brentq", "minimize", "bisect", "newton", "stops at 0"],
)
def test_the_distance_to_a_solution_near_0_is_absolute(f, at):
    """Relative to a solution that is 0, or that the solver takes for 0, no distance says anything."""
    (found,) = notes(trace(f, at))

    assert found.code == "G211"
    assert "away from a solution near 0, which bounds" in found.message
    assert list(found.numbers) == ["distance"]
    assert 1e-8 < found.numbers["distance"] < 1e-2


@pytest.mark.parametrize("a", [2.0, 2.0 + 1e-10, 2.0 - 1e-12])
def test_a_solution_near_0_that_is_exact(a):
    assert codes(lambda a: optimize.fsolve(lambda x: np.tanh(x) - a + 2, 0.7)[0], a) == []
    assert codes(lambda a: optimize.brentq(lambda x: math.expm1(x) - a + 2, -1, 1.3), a) == []


def test_the_measured_distance_is_that_to_the_solution():
    """Of a cube root; the derivative is as far from its limit, in multiples of itself."""
    f = lambda a: optimize.brentq(lambda x: x**3 - a, 0, 3, xtol=1e-5)
    (found,) = notes(trace(f, 2.0))

    far = abs(f(2.0) - 2 ** (1 / 3))
    assert pytest.approx({"distance": far, "error": far / f(2.0)}, rel=1e-3) == found.numbers
    assert pytest.approx(2 * found.numbers["error"], rel=1e-3) == abs(gradcli.grad(f)(2.0) * 3 * 2 ** (2 / 3) - 1)


def test_an_exact_solution_is_not_mentioned():
    assert codes(lambda a: optimize.brentq(lambda x: x**3 - a, 0, 3, xtol=1e-14), 2.0) == []
    assert codes(lambda a: optimize.newton(lambda x: x - a, 2.0), 2.0) == []
