"""The derivative with many digits, against mpmath's of the same mathematics."""

import math
import time

import mpmath
import numpy as np
import pytest

from examples import rosenbrock
from gradcli import trace
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.methods.exact import array_rule_adjoints, decimals, gradient, replay, reverse
from gradcli.methods.numerics import deadline, rounding
from tests.methods.numerics.programs import KNOWN, derivatives, random_runs, recorded

pytestmark = pytest.mark.sampled(4)  # many like cases


def same(a, b):
    """Whether two numbers have 25 digits in common; what is below the smallest double counts as nothing."""
    return abs(a - b) <= mpmath.mpf(10) ** -25 * abs(b) or max(abs(a), abs(b)) < mpmath.mpf(10) ** -400


@pytest.mark.parametrize(("f", "at", "twin"), [case[1:] for case in KNOWN], ids=[case[0] for case in KNOWN])
def test_derivatives_are_those_of_mpmath(f, at, twin):
    found = gradient.gradient(*recorded(f, at)).derivatives

    assert [True] * len(found) == [same(a, b) for a, b in zip(found, derivatives(twin, at), strict=True)]


ROUNDED = {
    # 0.1 is not a tenth, neither as the point nor as a factor: it is the double.
    "the point": (lambda x: x**2, 0.1, 2 * 0.1, 0.0),
    "a constant": (lambda x: 0.1 * x, 3.0, 0.1, 0.0),
    # The slope of (1 - cos x) / x**2 is -x/12, which doubles get wrong in sign.
    "cancellation": (lambda x: (1 - math.cos(x)) / x**2, 1e-4, -8.333333327777778e-06, 1e-15),
    # 1e-260, which SymPy writes as 1 - tanh**2
    "a partial below all digits at hand": (math.tanh, 300.0, 1 / math.cosh(300.0) ** 2, 1e-12),
    "a small term": (lambda x: (x - x) + x / 1e100, 2.0, 1e-100, 1e-14),
    "huge terms": (lambda x: x / x + abs(x), 1e-300, 1.0, 1e-14),
    "huge numbers": (lambda x: (x + 1e200) - (x + 1e200) + 1e-50 * x, 3.0, 1e-50, 1e-14),
    "nothing is left": (lambda x: math.sin(x) ** 2 + math.cos(x) ** 2, 0.3, 0.0, 0.0),
}


@pytest.mark.parametrize(("f", "x", "expected", "rtol"), ROUNDED.values(), ids=ROUNDED)
def test_a_derivative(f, x, expected, rtol):
    (found,) = gradient.gradient(*recorded(f, x)).derivatives

    assert found == expected if rtol == 0 else math.isclose(float(found), expected, rel_tol=rtol)


@pytest.mark.parametrize("three", [3, np.array([3])], ids=["number", "array"])
def test_whole_numbers_have_all_digits_too(three):
    """A quotient by 3 has the slope of a third, to the last digit."""
    (found,) = gradient.gradient(*recorded(lambda x: np.sum(x / three), 0.7)).derivatives

    with mpmath.workdps(60):
        assert abs(3 * found - 1) < mpmath.mpf(10) ** -58


@pytest.mark.parametrize("mask", [True, np.array([True, False])], ids=["number", "array"])
def test_booleans_are_numbers_too(mask):
    """A quotient by a mask, a choice by it, a product with it."""
    found = gradient.gradient(
        *recorded(lambda x: np.sum(np.where(mask, x * mask + x / True, x)), np.ones(2))
    ).derivatives

    assert ((2, 2) if mask is True else (2, 1)) == found


EXACT = {
    "terms that cancel": (lambda x: math.sin(x) - math.sin(x), (0.7,), (0,)),
    # the last digits of x/x are no derivative, whatever comes after
    "cancellation inside the program": (lambda x: math.exp(x / x) * 3, (0.7,), (0,)),
    "an infinite slope": (lambda x: math.sqrt(x), (0.0,), (None,)),
    "zero times infinity": (lambda x: math.sqrt(x) ** 2, (0.0,), (None,)),
    "a negative base": (lambda x: (-2.0) ** x, (2.0,), (None,)),
    "another component beside an infinite one": (lambda x, y: math.sqrt(x) + 3 * y, (0.0, 1.0), (None, 3)),
    "an input without a part": (lambda x, y: x + 1.0, (2.0, 3.0), (1, 0)),
    # the root beside the chosen side has an infinite slope, and no part
    "what was not taken": (lambda x: np.where(x < 1, x, np.sqrt(x)), (np.float64(0.0),), (1,)),
    "the first of the inputs": (lambda x, y: x, (3.0, 2.0), (1, 0)),
}


@pytest.mark.parametrize(("f", "at", "derivatives"), EXACT.values(), ids=EXACT)
def test_derivatives_without_an_error(f, at, derivatives):
    assert gradient.gradient(*recorded(f, *at)).derivatives == derivatives


def test_the_largest_contribution_is_told():
    found = gradient.gradient(*recorded(lambda x: 1000 * x - 999 * x, 2.0))

    assert (found.derivatives, found.largest) == ((1,), (1000,))


def test_a_long_program_is_refused(monkeypatch):
    """A matrix product of many numbers is given up before it takes minutes."""
    monkeypatch.setattr(replay, "MOST_OPERATIONS", 1000)
    wide = np.ones((20, 20))

    with pytest.raises(deadline.TooLongError, match="16,800 operations, too many to repeat in many digits"):
        gradient.gradient(*recorded(lambda x: np.sum(x @ x), wide))


def test_out_of_time():
    with pytest.raises(deadline.TooLongError, match="longer than the 0 seconds"):
        gradient.gradient(*recorded(lambda x: np.sum(x * x), np.ones(3)), deadline.Deadline(0))


def relaxed(x, steps):
    y = x
    for _ in range(steps):
        y = y * 0.999 + 0.001 * x
    return y


@pytest.mark.parametrize(("scale", "replays"), [(1.0, 1), (1e20, 2)])
def test_a_long_program_whose_sweep_agrees_is_replayed_once(monkeypatch, scale, replays):
    """The cosine of a number near 1e20 has no correct digit in floating point, and needs a second precision."""
    counted, digits = [], decimals.digits
    monkeypatch.setattr(gradient, "LONG", 20)
    monkeypatch.setattr(decimals, "digits", lambda count: counted.append(count) or digits(count))
    found = gradient.gradient(*recorded(lambda x: math.cos(relaxed(x, 10) * scale) / scale, 1.3))

    assert len(counted) == replays
    with mpmath.workdps(60):
        angle = relaxed(mpmath.mpf(1.3), 10) * scale
        assert same(found.derivatives[0], -mpmath.sin(angle) * relaxed(mpmath.mpf(1), 10))


@pytest.mark.long
def test_a_hundred_thousand_nodes():
    took = []
    for steps in (8_000, 33_000):
        run = recorded(lambda x, steps=steps: relaxed(x, steps), 1.3)
        started = time.perf_counter()
        gradient.gradient(*run)
        took.append(time.perf_counter() - started)

    assert took[1] < min(20.0, 8 * took[0])


def test_a_million_operations_on_arrays():
    """A tenth of them, that is: the gradient of the valley in 10,000 numbers is a reference."""
    x = np.linspace(-2, 2, 10_000)
    found = gradient.gradient(*recorded(lambda x: np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2), x))

    assert np.allclose(rosenbrock.grad_rosen(x), np.array(found.derivatives, dtype=float), rtol=1e-12)


def test_an_array_function_that_is_wrong_is_told():
    """Its node is named, and the derivative is that of its forward all the same."""
    wrong = ArrayRule("total", lambda x: np.sum(x), (lambda ct, v, x: ct * (x * 0 + 2),))
    found = gradient.gradient(*recorded(lambda x: wrong(x * 3), np.ones(2)))

    assert (found.derivatives, found.wrong) == ((3, 3), (2,))


def agrees_with_the_run(tape):
    """Whether every node of a random program is within its own rounding of its value with many digits."""
    last = tape.result_index()
    with decimals.digits(60):
        apart = [
            abs(x - decimals.to_decimals(node.value))
            for x, node in zip(replay.Replay(tape, last).values(), tape.nodes, strict=True)
        ]
    return all(x <= bound + 1e-320 for x, bound in zip(apart, rounding.error_analysis(tape, last).errors, strict=True))


def agrees_with_the_sweep(tape):
    """Whether the sweep of a random program is within its own rounding of the exact gradient."""
    last = tape.result_index()
    rows = list(tape.input_indices())
    found, swept = gradient.gradient(tape, last, rows), tape.sensitivities()
    bounds = rounding.sweep_errors(tape, last, rows)
    triples = zip(found.derivatives, (swept[row] for row in rows), bounds, strict=True)
    told = ((d, s, bound) for d, s, bound in triples if d is not None and abs(d) < 1e300 and math.isfinite(s))
    return all(abs(d - s) <= bound + 1e-320 for d, s, bound in told)


def test_random_programs():
    """On each, values and sweep of the tape are within their rounding bounds of the exact ones."""
    assert [point for point, tape in random_runs(range(100)) if not agrees_with_the_sweep(tape)] == []
    assert [point for point, tape in random_runs(range(30)) if not agrees_with_the_run(tape)] == []


@pytest.mark.long
def test_many_random_programs():
    assert [point for point, tape in random_runs(range(100, 1_100)) if not agrees_with_the_sweep(tape)] == []
    assert [point for point, tape in random_runs(range(30, 330)) if not agrees_with_the_run(tape)] == []


ABSORBED = {
    "a product that cancels": (lambda m, x, y: x * y - x * y + 1e-150 * x, (1.0, 3.0)),
    "two orders of a product": (lambda m, x, y: x * (y * x) - (x * y) * x + 1e-200 * y * x, (1.5, 0.7)),
    "a function that cancels": (lambda m, x: 3 * m.sin(x) - 3 * m.sin(x) + m.erf(17.0 * x), (-1.1,)),
    "a term on either side": (lambda m, x: 1e-150 * x + (3 * m.sin(x) - 3 * m.sin(x)) + 2e-150 * x, (0.7,)),
    "on the way": (lambda m, x: once_more(m, 2 * x), (0.3,)),
    "in the value": (lambda m, x, y: ((1 + 1e-150 * x) - 1) * y, (2.0, 1.0)),
    "in an argument": (lambda m, x, y: m.log(1 + 1e-150 * x) * y, (2.0, 1.0)),
    "an identity": (lambda m, x: m.sin(x) ** 2 + m.cos(x) ** 2 + m.exp(-400 * x), (1.0,)),
    "equal lengths": (lambda m, x, y: m.sqrt(x * x + y * y) - m.sqrt(x * x + y * y) + 1e-300 * x, (1.0, 2.0)),
}


WEIGHTS = np.array([1.0, 1e-150, -1.0])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(WEIGHTS * (np.sin(x) + np.arange(1.0, 4.0))),
        lambda x: WEIGHTS @ (np.ones((3, 1)) @ np.sin(x) + np.arange(1.0, 4.0)),
        lambda x: WEIGHTS @ (np.broadcast_to(np.sin(x), 3) + np.arange(1.0, 4.0)),
        lambda x: np.sum(WEIGHTS * (np.cumsum(np.sin(x) * np.array([1.0, 0.0, 0.0])) + np.arange(1.0, 4.0))),
    ],
    ids=["spread", "a matrix", "copies", "running sums"],
)
def test_a_term_that_larger_elements_absorb(f):
    (found,) = gradient.gradient(*recorded(f, np.array([0.7]))).derivatives

    assert math.isclose(1e-150 * math.cos(0.7), float(found), rel_tol=1e-14)


def once_more(m, z):
    return 1e-150 * z + (z * m.sin(0.7) - z * m.sin(0.7)) + 2e-150 * z


@pytest.mark.parametrize(("f", "at"), ABSORBED.values(), ids=ABSORBED)
def test_a_term_that_larger_ones_absorb(f, at):
    """Two precisions may agree on what both have lost."""
    found = gradient.gradient(*recorded(lambda *x: f(math, *x), *at)).derivatives
    with mpmath.workdps(1000):
        exact = [mpmath.diff(lambda *x: f(mpmath, *x), at, [n == k for k in range(len(at))]) for n in range(len(at))]

        assert [math.isclose(float(b), float(a), rel_tol=1e-14) for a, b in zip(found, exact, strict=True)] == [
            True
        ] * len(at)


@pytest.mark.parametrize(
    ("f", "x", "precisions"),
    [
        (lambda x: math.sin(x) * x, 0.7, [60, 120]),
        (lambda x: math.sin(x) * 0.0, 0.7, [60, 120]),
        (lambda x: 1000 * x * x - 999 * x, 0.5, [60]),
        (lambda x: x * 3.0 - x * 3.0, 0.7, [60]),
        (lambda x: math.sin(x) - math.sin(x), 0.7, [60, 360]),
    ],
    ids=["a product", "a factor of 0", "nothing is rounded", "nothing is left of exact terms", "nothing is left"],
)
def test_the_digits_that_a_derivative_takes(monkeypatch, f, x, precisions):
    run, counted, values = recorded(f, x), [], replay.Replay.values
    monkeypatch.setattr(replay.Replay, "values", lambda self: counted.append(decimals.count()) or values(self))
    gradient.gradient(*run)

    assert counted == precisions


def test_a_long_program_whose_terms_cancel_is_not_taken_at_its_word(monkeypatch):
    """Its own sweep and the first precision have lost the same term."""
    monkeypatch.setattr(gradient, "LONG", 5)
    (found,) = gradient.gradient(*recorded(lambda x: math.sin(x) - math.sin(x) + 1e-150 * x, 0.7)).derivatives

    assert float(found) == 1e-150


def test_an_interruption_ends_it():
    """And the bounds of the rounding of a sweep, within whatever other time they have."""
    run = trace(lambda x: x * x * x, 1.5)
    inputs = list(run.input_indices())
    with deadline.time_limit(60.0, lambda: True), deadline.time_limit(30.0):
        assert deadline.is_interrupted()
        with pytest.raises(deadline.TooLongError, match="it was interrupted"):
            gradient.gradient(run, run.result_index(), inputs)
        with pytest.raises(deadline.TooLongError, match="it was interrupted"):
            rounding.sweep_errors(run, run.result_index(), inputs)
    assert not deadline.is_interrupted()


def test_an_interruption_ends_a_step_with_many_arguments(monkeypatch):
    """Between two of them, as each may take long."""
    pulled = []

    def noted(*arguments):
        pulled.append(arguments)
        return array_rule_adjoints.adjoint(*arguments)

    monkeypatch.setattr(reverse, "adjoint", noted)
    run = trace(lambda x: np.einsum("i,i,i->", x, 2 * x, 3 * x), np.array([1.0, 2.0]))
    with deadline.time_limit(60.0, lambda: bool(pulled)), pytest.raises(deadline.TooLongError, match="interrupted"):
        gradient.gradient(run, run.result_index(), list(run.input_indices()))
    assert len(pulled) == 1
