"""Functions that the tape cannot follow, which differences of values alone judge: compiled code of the C library."""

import ctypes
import ctypes.util
import math

import mpmath
import numpy as np
import pytest
from scipy.special import digamma, gamma, polygamma

import gradcli
from gradcli.methods.adapters.adapted_object import of_plain_numbers

LIBRARY = ctypes.util.find_library("m")
LIBM = ctypes.CDLL(LIBRARY) if LIBRARY else None
pytestmark = [pytest.mark.skipif(LIBM is None, reason="there is no C library of mathematics"), pytest.mark.sampled(4)]


def of_c(name, count=1, kind=ctypes.c_double):
    """A function of the C library."""
    if LIBM is None:
        return None
    found = getattr(LIBM, name)
    found.restype, found.argtypes = kind, [kind] * count
    return found


tgamma, fmax, fabs, sin, exp, power = (
    of_c(*each) for each in (("tgamma",), ("fmax", 2), ("fabs",), ("sin",), ("exp",), ("pow", 2))
)
sinf, expf = (of_c(name, kind=ctypes.c_float) for name in ("sinf", "expf"))


def verdict(f, at, claim, **options):
    """The overall verdict on a claim; a claim that is no function is given as numbers."""
    return gradcli.check(f, at=at, against=claim if callable(claim) else lambda *_: claim, **options).verdict


def relu(x):
    return fmax(x, 0.0)


# A zero beside larger derivatives


def slope_of_gamma(x):
    return float(gamma(x) * digamma(x))


@pytest.mark.parametrize(
    ("f", "at", "claim"),
    [
        (lambda x: tgamma(x[0]), [2.7, 0.5], [slope_of_gamma(2.7), 0.0]),
        (lambda x: tgamma(x[0][1]), [[0.5, 2.7], [1.0, 2.0]], [[0.0, slope_of_gamma(2.7)], [0.0, 0.0]]),
        (lambda x: tgamma(x["a"][0]), {"a": [2.7, 0.5]}, {"a": [slope_of_gamma(2.7), 0.0]}),
        (lambda x: tgamma(x[1]), (0.5, 2.7), (0.0, slope_of_gamma(2.7))),
        (lambda x: tgamma(x[0].real), [2.7 + 0.5j], [slope_of_gamma(2.7) + 0.0j]),
    ],
    ids=["a list", "a nested list", "a list in a dict", "a tuple", "a complex number"],
)
def test_an_unused_number_of_a_list(f, at, claim):
    """As of an array: the largest slope in the list tells that it is 0."""
    assert verdict(f, {"x": at}, claim) == "pass"


def test_a_jacobian_with_a_zero():
    f = lambda x: np.array([tgamma(x[0]) * x[1], x[0] ** 2])
    claim = [[slope_of_gamma(2.7) * 0.5, float(gamma(2.7))], [5.4, 0.0]]

    assert verdict(f, [2.7, 0.5], claim, of="jacobian") == "pass"


def test_numbers_of_other_names_are_no_list():
    """The numbers x1 and x2 may have other units."""
    assert verdict(lambda x1, x2: tgamma(x1), {"x1": 2.7, "x2": 0.5}, (slope_of_gamma(2.7), 0.0)) == "inconclusive"


# Kinks that several inputs make together


@pytest.mark.parametrize(
    ("f", "right", "wrong"),
    [
        (lambda x: relu(x[0]) - relu(x[0] + x[1]) + 0.5 * relu(x[1]), [(1, 0), (0, 0.5), (0, -0.5)], [(1, 1), (-1, 0)]),
        (lambda x: relu(x[0] - x[1]) - relu(x[0]), [(1, -1), (-1, 0), (0.5, -0.5)], [(1, 1), (1, 0), (0, 0.5)]),
        (lambda x: fabs(x[0] + x[1]) - fabs(x[0]), [(0, 1), (-2, -1), (2, 1)], [(2, -1), (1, 1.5)]),
        (lambda x: fmax(x[0], x[1]) - x[0], [(0, 0), (-1, 1), (-0.5, 0.5)], [(-1, 0), (0, 1)]),
    ],
    ids=["two relus less one", "one relu less another", "absolute values", "a maximum"],
)
@pytest.mark.parametrize("at", [np.zeros(2), [0.0, 0.0]], ids=["an array", "a list"])
def test_the_gradients_of_sectors(f, right, wrong, at):
    """Each is valid, though along its own axis an input may have another slope; outside their hull none is."""
    assert ["pass"] * len(right) == [verdict(f, at, np.array(claim, dtype=float)) for claim in right]
    assert ["fail"] * len(wrong) == [verdict(f, at, np.array(claim, dtype=float)) for claim in wrong]


@pytest.mark.parametrize(("rtol", "expected"), [(None, "fail"), (2e-3, "fail"), (5e-3, "pass"), (0.1, "pass")])
def test_a_tolerance_of_the_user(rtol, expected):
    slope = 1.003 * math.exp(1.2)

    assert verdict(lambda x: exp(x[0]), [1.2], [slope], **({"rtol": rtol} if rtol else {})) == expected


# A candidate that is not a number


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: exp(x[0]), [1.2], "fail"),
        (lambda x: fmax(x[0], 1.0) + exp(2.0), [0.3], "fail"),  # its slope is 0
        (lambda x: fabs(x[0]) + 2.0, [0.0], "nonfinite"),
        (lambda x: power(x[0], 0.5) + 2.0, [0.0], "nonfinite"),
        (lambda x: tgamma(x[0]), [0.0], "nonfinite"),
    ],
    ids=["a slope", "a slope of 0", "a kink", "a root", "a pole"],
)
def test_a_candidate_that_is_no_number(f, at, expected):
    """It is wrong where the values show a slope."""
    assert verdict(f, at, [math.nan]) == expected


# Single precision


def single(f):
    """A function of a list that NumPy computes in single precision."""
    return lambda x: float(f([np.float32(fmax(number, -math.inf)) for number in x]))


def in_turn(f, at):
    with mpmath.workdps(40):
        return [
            float(mpmath.diff(lambda t, n=n: f([*at[:n], t, *at[n + 1 :]]), mpmath.mpf(at[n]))) for n in range(len(at))
        ]


WEIGHTS = np.random.default_rng(5).normal(size=(6, 3)).astype(np.float32)


def network(m, weights, x):
    return sum(m.tanh(sum(w * each for w, each in zip(row, x, strict=True))) for row in weights)


# Name, function, its twin in mpmath, point
SINGLE = [
    ("exp of C", lambda x: expf(x[0]), lambda x: mpmath.exp(x[0]), [5.0]),
    ("exp of C, less", lambda x: expf(x[0]), lambda x: mpmath.exp(x[0]), [-0.2]),
    ("sine times a square", lambda x: sinf(x[0]) * x[1] ** 2, lambda x: mpmath.sin(x[0]) * x[1] ** 2, [5.0, 1.2]),
    ("sine and a square", lambda x: sinf(x[0]) + x[0] ** 2, lambda x: mpmath.sin(x[0]) + x[0] ** 2, [-7.7]),
    ("on a pedestal", lambda x: 1.0 + sinf(x[0]), lambda x: mpmath.sin(x[0]), [0.2]),
    ("a difference", lambda x: expf(x[0]) - expf(x[1]), lambda x: mpmath.exp(x[0]) - mpmath.exp(x[1]), [1.0, 0.9]),
    ("one after the other", lambda x: sinf(expf(x[0])), lambda x: mpmath.sin(mpmath.exp(x[0])), [0.7]),
    ("a result", lambda x: float(np.float32(exp(x[0]))), lambda x: mpmath.exp(x[0]), [2.2]),
    ("a network", single(lambda x: network(np, WEIGHTS, x)), lambda x: network(mpmath, WEIGHTS.tolist(), x),
     [0.4, -1.1, 0.7]),
    ("a network and more", lambda x: single(lambda x: network(np, WEIGHTS, x))(x) + exp(x[2]),
     lambda x: network(mpmath, WEIGHTS.tolist(), x) + mpmath.exp(x[2]), [0.4, -1.1, 0.7]),
    ("a long sum", single(lambda x: np.sum(np.cos(np.arange(99, dtype=np.float32) * x[0]))),
     lambda x: sum(mpmath.cos(k * x[0]) for k in range(99)), [0.77]),
    ("small numbers", lambda x: sinf(x[0]) / x[1], lambda x: mpmath.sin(x[0]) / x[1], [0.02, 3e-3]),
    ("half precision", lambda x: float(np.exp(np.float16(sin(x[0])))), lambda x: mpmath.exp(mpmath.sin(x[0])), [0.3]),
]  # fmt: skip


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("f", "twin", "at"), [pytest.param(*rest, id=name) for name, *rest in SINGLE])
def test_single_precision(f, twin, at):
    """A right claim does not fail; a wrong one does not pass, and fails where the values have the digits."""
    right = in_turn(twin, at)
    coarse = f is SINGLE[-1][1]  # of half precision there are three digits

    assert "fail" != verdict(f, at, right)
    for n, slope in enumerate(right):
        zero, off = ([*right[:n], wrong, *right[n + 1 :]] for wrong in (0.0, slope * 1.5))
        assert coarse or ["fail"] * 2 == [verdict(f, at, zero), verdict(f, at, off)]
    for off in (0.0, 1e-2, 1e-3, 1e-4):
        assert "pass" != verdict(f, at, [slope * (1 + off) if off else 0.0 for slope in right])


def refusing_double_precision(x):
    if x.dtype != np.float32:
        raise TypeError("float32 is needed")
    return np.sum(x**3)


SINGLE_POINT = np.array([0.3, 1.2, -0.7], np.float32)
CUBE = lambda x: 3 * x**2

# Name, function, its derivative, point, a wrong factor that must fail
OF_DTYPES = [
    ("of any dtype", lambda x: np.sum(x**3), CUBE, SINGLE_POINT, 1.001),
    ("a long sum", lambda x: np.sum(np.sin(x)), np.cos, np.linspace(0, 1, 300, dtype=np.float32), 1.001),
    ("one number", lambda x: x**3, CUBE, np.float32(0.3), 1.001),
    ("half precision", lambda x: np.sum(x**3), CUBE, SINGLE_POINT.astype(np.float16), 1.05),
    ("of single precision", lambda x: np.sum(x.astype(np.float32) ** 3), CUBE, SINGLE_POINT, 1.05),
    ("of single precision in double", lambda x: np.sum(x.astype(np.float32) ** 3), CUBE, np.array([0.3, 1.2]), 1.05),
    ("of nothing but single precision", refusing_double_precision, CUBE, SINGLE_POINT, 1.05),
]


@pytest.mark.parametrize(("f", "slope", "at", "factor"), [pytest.param(*rest, id=name) for name, *rest in OF_DTYPES])
def test_a_function_that_keeps_its_dtype(f, slope, at, factor):
    """In single precision a right claim passes, and a wrong one fails."""
    judged = lambda factor: verdict(of_plain_numbers("a library", f), at, lambda x: factor * slope(x))

    assert [judged(1), judged(factor), judged(0)] == ["pass", "fail", "fail"]
    assert at.dtype == np.float16 or judged(1.0005) != "pass"


def test_an_input_that_does_not_show():
    """In single precision its effect is less than a stair, so that 0 is not confirmed, and a right claim stands."""
    f = lambda x: float(np.float32(expf(x[0]) + 1e-9 * float(x[1])))

    assert [verdict(f, [0.7, 2.0], [math.exp(0.7), slope]) for slope in (0.0, 1e-9)] == ["inconclusive"] * 2


@pytest.mark.parametrize("claim", [(0.0, 1.0), (0.5, 0.5), (1.0, 1.0), (0.0, 0.0)])
def test_a_kink_of_single_precision(claim):
    f = lambda x: max(expf(x[0]), expf(x[1]))

    assert verdict(f, [0.3, 0.3], [each * math.exp(0.3) for each in claim]) == "inconclusive"


def test_a_kink_of_single_precision_by_one_input():
    """The slopes on both sides are known well enough."""
    f = lambda x: max(expf(x[0]), 1.0)

    assert [verdict(f, [0.0], [slope]) for slope in (0.0, 1.0, 1.1)] == ["pass", "pass", "fail"]


# Functions that vary fast


@pytest.mark.parametrize(
    ("f", "at", "right"),
    [
        (lambda x: sin(3e4 * x[0]) + x[1], [2.0, 1.5], lambda x: [3e4 * mpmath.cos(30000 * x[0]), 1]),
        (lambda x: sin(3e3 * x[0]) + x[1], [2.0, 1.5], lambda x: [3e3 * mpmath.cos(3000 * x[0]), 1]),
        (lambda x: sin(1e5 * x[0]) + x[0], [2.0], lambda x: [1e5 * mpmath.cos(100000 * x[0]) + 1]),
        (lambda x: power(x[0], 1e5) * x[1], [1.00001, 3.0], lambda x: [1e5 * x[0] ** 99999 * x[1], x[0] ** 100000]),
        (lambda x: exp(1e5 * x[0]), [1e-5], lambda x: [1e5 * mpmath.exp(100000 * x[0])]),
        (lambda x: sin(1e4 * x[0] * x[0]), [0.7], lambda x: [2e4 * x[0] * mpmath.cos(10000 * x[0] ** 2)]),
    ],
    ids=["sine", "slower sine", "faster sine", "power", "exponential", "chirp"],
)
def test_a_short_period(f, at, right):
    """Shorter steps have the digits: a right claim passes, and one that is slightly off does not."""
    slopes = [float(slope) for slope in right([mpmath.mpf(number) for number in at])]
    off = [[slopes[0] * (1 + each), *slopes[1:]] for each in (1e-2, 1e-4, 1e-5, 1e-6)]
    found = [verdict(f, at, claim) for claim in off]

    assert verdict(f, at, slopes) == "pass"
    assert found[:2] == ["fail", "fail"]
    assert "pass" not in found


def test_a_power_with_few_digits():
    """The rounding of its argument leaves six digits of its slope."""
    f = lambda x: power(x[0], 1e7) * x[1]
    with mpmath.workdps(40):
        x, y = mpmath.mpf(1.0000001), mpmath.mpf(3)
        right = float(1e7 * x**9999999 * y), float(x**10000000)

    assert verdict(f, [1.0000001, 3.0], right) == "pass"
    assert "pass" not in [verdict(f, [1.0000001, 3.0], (right[0] * (1 + off), right[1])) for off in (1.1e-6, 1e-5)]


@pytest.mark.parametrize(("factor", "expected"), [(1.5, "fail"), (-3.0, "fail"), (1.0, "inconclusive")])
def test_a_wave_below_the_steps(factor, expected):
    """Its slope is larger than that of the function over longer steps; a claim that is neither of the two is wrong."""
    f = lambda x: sin(x[0]) * x[1] + 1e-12 * sin(1e13 * x[0])

    assert verdict(f, [0.7, 1.5], [factor * math.cos(0.7) * 1.5, math.sin(0.7)]) == expected


# Second derivatives


def gamma_slopes(t):
    """The first and the second derivative of the gamma function."""
    first = slope_of_gamma(t)
    return first, float(gamma(t) * (digamma(t) ** 2 + polygamma(1, t)))


def second(twin, at):
    """The Hessian in closed form, by mpmath."""
    size = len(at)
    orders = [[tuple((n == i) + (n == j) for n in range(size)) for j in range(size)] for i in range(size)]
    with mpmath.workdps(40):
        point = tuple(map(mpmath.mpf, at))
        return np.array([[float(mpmath.diff(lambda *x: twin(x), point, order)) for order in row] for row in orders])


SECOND = [
    ("a product", lambda x: sin(x[0]) * exp(x[1]), lambda x: mpmath.sin(x[0]) * mpmath.exp(x[1]), [0.7, -0.4]),
    ("a sum", lambda x: sin(x[0]) + exp(x[1]), lambda x: mpmath.sin(x[0]) + mpmath.exp(x[1]), [0.7, -0.4]),
    ("unused", lambda x: sin(x[0]) * x[1] + 3.0 * x[2], lambda x: mpmath.sin(x[0]) * x[1] + 3 * x[2], [0.7, -0.4, 2.0]),
    ("Rosenbrock", lambda x: 100 * power(x[1] - x[0] ** 2, 2.0) + (1 - x[0]) ** 2,
     lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, [0.5, 1.2]),
    ("of other scales", lambda x: exp(1e3 * x[0]) * x[1] ** 2, lambda x: mpmath.exp(1000 * x[0]) * x[1] ** 2,
     [1e-3, 1e4]),
    ("fast", lambda x: sin(3e3 * x[0]) * x[1], lambda x: mpmath.sin(3000 * x[0]) * x[1], [0.7, 1.1]),
    ("a quartic at 0", lambda x: power(fabs(x[0]), 4.0) + exp(x[1]), lambda x: x[0] ** 4 + mpmath.exp(x[1]),
     [0.0, 1.0]),
]  # fmt: skip
FAST = SECOND[5][1]  # its mixed derivatives lose too many digits to be confirmed


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("f", "twin", "at"), [pytest.param(*rest, id=name) for name, *rest in SECOND])
@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
def test_a_hessian(f, twin, at, kind):
    """Second differences judge it: within their error it passes, and off by a thousandth it fails."""
    right = second(twin, at)
    found = [verdict(f, kind(at), right * factor, of="hessian") for factor in (1.0, 1.001, 1.05, 0.0)]

    assert ["inconclusive" if f is FAST else "pass", "fail", "fail", "fail"] == found


def test_a_hessian_without_its_mixed_derivatives():
    f, twin, at = SECOND[0][1:]

    assert verdict(f, at, np.diag(np.diag(second(twin, at))), of="hessian") == "fail"


@pytest.mark.parametrize(("factor", "expected"), [(1.0, "pass"), (1.001, "fail"), (0.0, "fail")])
def test_a_product_with_a_vector(factor, expected):
    right = np.array([[gamma_slopes(2.7)[1] * 0.5, gamma_slopes(2.7)[0]], [gamma_slopes(2.7)[0], 0.0]])
    claim = lambda x, v: factor * right @ np.asarray(v)

    assert verdict(lambda x: tgamma(x[0]) * x[1], [2.7, 0.5], claim, of="hvp") == expected


@pytest.mark.long
def test_a_hessian_of_many_numbers():
    at, weights = np.linspace(0.5, 1.5, 20), np.linspace(1.0, -1.1, 20)
    right = math.exp(float(weights @ at)) * np.outer(weights, weights)
    wrong = right.copy()
    wrong[19, 19] *= 1.05

    f = lambda x: exp(math.fsum(w * float(number) for w, number in zip(weights, x, strict=True)))

    assert [verdict(f, at, claim, of="hessian") for claim in (right, wrong)] == ["pass", "fail"]


@pytest.mark.parametrize(
    ("f", "verdicts"),
    [
        (lambda x: relu(x[0]) ** 2, {0.0: "pass", 2.0: "pass", 1.0: "pass", 3.0: "fail", -0.5: "fail"}),
        (lambda x: x[0] * fabs(x[0]), {0.0: "pass", -2.0: "pass", 2.0: "pass", 3.0: "fail"}),
        (lambda x: fabs(x[0]) + x[0] ** 2, {0.0: "inconclusive", 2.0: "inconclusive"}),
    ],
    ids=["a square on one side", "a square of changing sign", "a kink"],
)
def test_a_second_derivative_that_jumps(f, verdicts):
    """Between those on both sides it passes; where the slope itself jumps there is none."""
    found = {slope: verdict(f, [0.0], [[slope]], of="hessian") for slope in verdicts}

    assert found == verdicts


@pytest.mark.parametrize("factor", [1.0, 1.0001, 1.05, 0.0])
def test_a_hessian_of_single_precision(factor):
    f, twin = lambda x: expf(x[0]) * sinf(x[1]), lambda x: mpmath.exp(x[0]) * mpmath.sin(x[1])
    expected = "inconclusive" if abs(factor - 1) < 1e-3 else "fail"

    assert verdict(f, [0.7, 1.1], factor * second(twin, [0.7, 1.1]), of="hessian") == expected


def test_second_derivatives_at_kinks_of_several_inputs():
    f = lambda x: x[0] * fabs(x[1])

    assert verdict(f, [1.0, 0.0], [[0.0, 1.0], [1.0, 0.0]], of="hessian") == "inconclusive"


def test_the_reason_is_told():
    """A note says that the tape cannot follow the function, and nothing is raised."""
    found = gradcli.check(lambda x: tgamma(x), at=2.7, of="hessian", against=lambda x: gamma_slopes(x)[1])

    assert (found.verdict, [each.code for each in found.findings if each.severity == "note"][:1]) == ("pass", ["G402"])


def test_nothing_to_check():
    assert gradcli.check(lambda x: tgamma(x), at=2.7, of="hessian").verdict == "unchecked"
