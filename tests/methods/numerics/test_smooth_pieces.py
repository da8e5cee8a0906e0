"""The pieces that meet at a point: what spreads because they do, and what draws together or is noise."""

import math

import numpy as np
import pytest

from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.numerics.nearby_gradients import Surroundings
from gradcli.methods.numerics.smooth_pieces import Pieces

EPS = float(np.finfo(float).eps)
NONE = (math.inf, -math.inf)


def around(f, taped=True, **point):
    """A function of the inputs around a point."""
    return Surroundings(f, point, coordinates(point), EPS, taped=taped)


def extremes(surroundings):
    """The least and the most of the slopes that vary."""
    pieces = Pieces(surroundings, 1e-7, range(len(surroundings.parts)))
    least, most = np.min(pieces.gradients, 0, initial=math.inf), np.max(pieces.gradients, 0, initial=-math.inf)
    return np.where(pieces.varying, least, math.inf).tolist(), np.where(pieces.varying, most, -math.inf).tolist()


ZEROS = np.zeros(3)
SPREADS = {
    "ties": (lambda x: np.sum(np.sort(x) * np.array([1.0, 5.0, 2.0])), {"x": ZEROS}, [(1.0, 5.0)] * 3),
    "kinks": (lambda x: np.sum(np.abs(x)), {"x": ZEROS}, [(-1.0, 1.0)] * 3),
    "smooth": (lambda x: np.sum(x), {"x": ZEROS}, [NONE] * 3),
    "bent": (lambda x: np.sum(x * np.abs(x)), {"x": ZEROS}, [NONE] * 3),
    "beside a kink": (lambda x: np.sum(np.abs(x)), {"x": np.full(3, 1e-200)}, [NONE] * 3),
    "a small tie": (lambda x: np.max(x), {"x": np.full(3, 1e-20)}, [(0.0, 1.0)] * 3),
    "all of it raises": (lambda x: np.sum(x) * math.sqrt(-1), {"x": ZEROS}, [NONE] * 3),
    "a half of it raises": (
        lambda x, y: abs(y) + math.sqrt(0 if x >= 0 else -1), {"x": 0.0, "y": 0.0}, [NONE, (-1.0, 1.0)],
    ),
    # The derivative of (exp(x) - 1) / x is made of cancelling terms: the closer to 0, the more noise.
    "rounding that grows": (lambda x: math.expm1(x) / x if x else 1.0, {"x": 0.0}, [NONE]),
    "two parts of a complex number": (lambda z: abs(z.real) + abs(z.imag), {"z": 0j}, [(-1.0, 1.0)] * 2),
    "smooth parts": (lambda z: np.sum(np.abs(z) ** 2), {"z": np.array([1j, 2.0])}, [NONE] * 4),
    "the path of the point alone": (lambda x: x if abs(x - 1) > 1e-10 else 1.0, {"x": 1.0}, [NONE]),
    # A zero moves no further than the smallest number beside it.
    "a zero beside a small number": (lambda x, y: max(x, y), {"x": 0.0, "y": 1e-30}, [NONE] * 2),
}  # fmt: skip


@pytest.mark.parametrize(("f", "point", "expected"), SPREADS.values(), ids=SPREADS)
def test_the_least_and_the_most(f, point, expected):
    assert [*zip(*extremes(around(f, **point)), strict=True)] == expected


def test_the_time_is_kept():
    late = Surroundings(abs, {"x": 0.0}, coordinates({"x": 0.0}), EPS, until=0.0)

    assert extremes(late) == ([NONE[0]], [NONE[1]])


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.max(x), True),
        (lambda x: np.linalg.norm(x), True),
        (lambda x: np.min(np.abs(x)), True),
        (lambda x: np.sqrt(np.abs(x[0] * x[1])), False),
        (lambda x: np.cbrt(x[0]) * np.cbrt(x[1]) ** 2, False),
        (lambda x: np.minimum(x[0], 1000 * x[1]), True),
    ],
    ids=["a tie", "a length", "the smaller", "a root", "cube roots", "a steep piece"],
)
def test_whether_gradients_have_a_bound(f, expected):
    """Close to an axis those of a root of a product grow without one."""
    assert Pieces(around(f, x=np.zeros(2)), 1e-7).bounded() is expected


@pytest.mark.parametrize("x", [np.zeros(3), np.ones(3), np.array([1e3, 1e3, -1.0])], ids=["zeros", "ones", "unlike"])
@pytest.mark.parametrize("f", [lambda x: np.max(np.sin(x)), lambda x: np.sum(np.abs(x) * x)], ids=["a tie", "curved"])
def test_gradients_by_differences(f, x):
    taped, plain = around(f, x=x), around(f, taped=False, x=x)
    steps = plain.reach(0) * plain.scales * np.array([0.3, -0.6, 1.0])
    (value, found), (same, expected) = plain._gradient(steps, 0), taped._gradient(steps, 0)

    assert value == same
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.max(np.abs(expected)))


def test_no_gradient_across_a_kink():
    close = around(lambda x: abs(x), taped=False, x=0.0)

    assert close.meet(np.array([1.0])) is not None
    assert close._gradient(np.zeros(1), 0) is None


@pytest.mark.parametrize("x", [np.zeros(2), np.array([1e3, 2e-3])], ids=["zeros", "of unlike size"])
def test_the_slopes_along_a_direction(x):
    """Those of a length are 1 to both sides, for a direction of length 1, whatever the size of the numbers."""
    close = around(lambda y: np.linalg.norm(y - x), x=x)
    way = np.array([0.6, 0.8]) / close.scales
    found = close.slopes(way)

    assert pytest.approx((found.left, found.right), rel=1e-9) == (-1.0, 1.0)
