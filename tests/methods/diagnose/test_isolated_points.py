"""A path that holds only within a tolerance of the point, because its numbers were found close to kept copies."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import gradcli
from gradcli.errors import FindingWarning
from gradcli.methods.diagnose.run_findings import derivative_findings
from gradcli.methods.transforms import derivative_warnings

AT = np.array([1.0, 3.0])

COPIES = {
    "allclose": np.allclose,
    "allclose of 1e-14": lambda a, b: np.allclose(a, b, rtol=1e-14, atol=1e-15),
    "isclose": lambda a, b: np.isclose(a, b).all(),
    "math.isclose": lambda a, b: all(map(math.isclose, a, b)),
    "the other way around": lambda a, b: np.allclose(b, a),
    "equal": np.array_equal,
}
CLOSE = COPIES | {
    "norm": lambda a, b: np.linalg.norm(a - b) < 1e-12,
    "largest distance": lambda a, b: np.max(abs(a - b)) <= 1e-9,
    "each distance": lambda a, b: not any(1e-8 < abs(u - v) for u, v in zip(a, b, strict=True)),
}


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    for name in ("_warned", "_looked_at", "_times"):
        monkeypatch.setattr(derivative_warnings, name, type(getattr(derivative_warnings, name))())


class Waves:
    """A model that keeps its last waves, and takes them for numbers that it finds close."""

    def __init__(self, close):
        self.close = close
        self.last, self.waves = 2 * AT, np.sin(2 * AT)

    def __call__(self, x):
        """The sum of x times the sine of 2x."""
        now = 2 * x
        waves = self.waves if self.close(now, self.last) else np.sin(now)
        return np.sum(waves * x)

    @staticmethod
    def gradient(x):
        return np.sin(2 * x) + 2 * x * np.cos(2 * x)

    @staticmethod
    def kept(x):
        """The gradient of the path with the kept waves."""
        return np.sin(2 * x)


@pytest.mark.parametrize("close", CLOSE.values(), ids=CLOSE)
@pytest.mark.filterwarnings("default")
def test_a_kept_value_is_named(close) -> None:
    """The gradient misses what was kept, and says which slope is beside it."""
    with pytest.warns(gradcli.FindingWarning, match=r"G206: the derivative by x\[0\] .* tends to 0.0770"):
        gradcli.grad(Waves(close))(AT)


@pytest.mark.filterwarnings("default")
def test_the_width_of_the_path_is_named() -> None:
    with pytest.warns(gradcli.FindingWarning, match="holds only within 6e-06 of this point"):
        gradcli.grad(Waves(np.allclose))(AT)


@pytest.mark.parametrize("close", COPIES.values(), ids=COPIES)
@pytest.mark.filterwarnings("default")
def test_a_check_passes_the_gradient_beside_a_kept_value(close) -> None:
    model = Waves(close)

    assert gradcli.check(model, at=AT, against=Waves.gradient).verdict == "pass"
    assert gradcli.check(model, at=AT, against=Waves.kept).verdict != "pass"


@pytest.mark.filterwarnings("default")
def test_a_kept_complex_value_is_named() -> None:
    """Its limits cannot be computed in many digits, and the derivatives of runs beside the point stand in."""

    def f(x):
        now = 2j * x
        waves = np.exp(2j * AT) if np.allclose(now, 2j * AT) else np.exp(now)
        return np.sum(waves.imag * x)

    with pytest.warns(gradcli.FindingWarning, match=r"G206: the derivative by x\[0\] .* tends to 0.0770"):
        gradcli.grad(f)(AT)


def test_both_sides_of_a_tolerance_may_agree() -> None:
    """A series in place of a quotient, close to where that has no digits."""

    def f(x):
        return 1 - x * x / 6 if np.isclose(x, 0.0) else np.sin(x) / x

    assert gradcli.grad(f)(0.0) == 0.0


def test_a_guard_of_small_numbers_may_agree() -> None:
    """A distance of 0 is below the tolerance of a guard that changes nothing."""

    def f(x):
        return x * x if abs(x - 1.0) < 1e-12 else (x**3 - x**2) / (x - 1.0)

    assert gradcli.grad(f)(1.0) == 2.0


def test_an_iteration_that_meets_itself_is_no_kept_value() -> None:
    """The last two steps of Newton's iteration are equal, and every neighbour takes the same path."""

    def root(a):
        x, last = a, 0.0
        while not math.isclose(x, last, rel_tol=1e-15):
            x, last = (x + a / x) / 2, x
        return x

    assert gradcli.grad(root)(2.0) == pytest.approx(0.5 / math.sqrt(2.0), rel=1e-12)


# At 2, each jumps by a step of its own row.
ROWS = {
    "a remainder": lambda x: x % 1,
    "another remainder": lambda x: np.remainder(x, 0.5),
    "fmod": lambda x: math.fmod(x, 1.0),
    "a sign": lambda x: (x + 1) * np.sign(x - 2),
    "heaviside": lambda x: (x + 1) * np.heaviside(x - 2, 0.5),
    "copysign": lambda x: (x + 1) * np.copysign(1.0, x - 2),
    "an angle": lambda x: np.arctan2(x - 2, -1.0),
}
# By an outcome.
OUTCOMES = {
    "floor": lambda x: x * np.floor(x),
    "floor by math": lambda x: x * math.floor(x),
    "ceil": lambda x: x + x * np.ceil(x),
    "trunc": lambda x: x * np.trunc(x),
    "int": lambda x: x * int(x),
    "a branch": lambda x: x if x >= 2 else 3 * x,
    "a product with a comparison": lambda x: x * (x >= 2),
}
CONTINUOUS = {
    "a kink": lambda x: x - 2 if x >= 2 else 3 * (x - 2),
    "a size": lambda x: abs(x - 2),
    "pieces of a floor": lambda x: (x - 2) * np.floor(x),
    "a remainder within": lambda x: x % 3,
    "a steep root": lambda x: np.sqrt(x - 2) if x > 2 else 0 * x,
    "the sine of a remainder": lambda x: np.sin(np.pi * (x % 1)),
}


def jumps(f):
    """What the commands find, which print all findings of a run."""
    run = gradcli.trace(f, 2.0)
    return [
        each for each in derivative_findings(run, lambda: run, {"x": 2.0}, ["x"], finite=True) if each.code == "G204"
    ]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [*ROWS.values(), *OUTCOMES.values()])
def test_a_jump_is_named_by_the_commands(f):
    assert [each.line for each in jumps(f)] == [f.__code__.co_firstlineno]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", CONTINUOUS.values())
def test_a_kink_is_no_jump(f):
    assert jumps(f) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", OUTCOMES.values())
def test_the_library_warns_of_a_jump_by_an_outcome(f):
    with pytest.warns(FindingWarning, match="G204: the value jumps by"):
        gradcli.grad(f)(2.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [*ROWS.values(), *OUTCOMES.values()])
def test_a_second_derivative_does_not_pass_at_a_jump(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        found = gradcli.check(f, at=2.0, of="hessian")

    assert found.verdict == "inconclusive"
    assert "JUMP" in [row.verdict.value for row in found.components]
