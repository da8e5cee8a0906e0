"""The comparison as a whole: rows, notes, findings, the user's function called with care."""

import functools
import math
import struct
import warnings

import numpy as np
import pytest
from scipy import optimize

import gradcli
from examples import hyperbox
from gradcli.answers.checks import comparison, references
from gradcli.errors import ResultError
from gradcli.methods.exact import replay
from gradcli.shared.records.checks import Verdict
from gradcli.terminal.render import Look, record_text
from tests.corpus.scales import exp_series

pytestmark = pytest.mark.sampled(4)  # many like cases

BOX = [1.0, 2.0, 3.0, 4.0]


def test_a_row_holds_what_each_method_says():
    """The tape, SymPy, differences with their error, the exact digits."""
    row = gradcli.check(hyperbox.f4, at=BOX).components[0]

    assert ("side_lengths[0]", Verdict.PASS, 52.0, 52.0, 52.0, 52.0, "52.0") == (
        row.name, row.verdict, row.candidate, row.reference, row.reverse, row.symbolic, row.exact
    )  # fmt: skip
    assert abs(row.differences - 52.0) <= row.differences_error < 1e-9
    assert math.isclose(52e-7, row.tolerance)


def test_the_worst_rows_come_first():
    """Failures, then what is not sure, then what passes, each in the order of the point."""
    found = gradcli.check(
        lambda x: abs(x[0]) + x[1] ** 2 + x[2] + x[3], at=np.array([0.0, 1.0, 1.0, 1.0]),
        against=lambda x: np.array([0.5, 2.0, 7.0, 1.0]),
    )  # fmt: skip

    rows = [f"{row.name} {row.verdict.value}" for row in found.components]

    assert rows == ["x[2] FAIL", "x[0] KINK", "x[1] PASS", "x[3] PASS"]


@pytest.mark.parametrize(("strict", "expected"), [(False, "pass"), (True, "inconclusive")])
def test_strict(strict, expected):
    assert gradcli.check(abs, at=0.0, strict=strict).verdict == expected


def test_the_point_and_the_value_are_told():
    found = gradcli.check(lambda w, b: np.sum(w) * b, at={"w": np.array([1.0, 2.0]), "b": np.float32(3.0)})

    assert (found.point, found.value) == ({"w": [1.0, 2.0], "b": 3.0}, 9.0)
    assert float is type(found.value)


def codes(f, at, **options):
    return [finding.code for finding in gradcli.check(f, at=at, **options).findings]


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: x * x, 2.0, []),
        (abs, 0.0, ["G201"]),
        (lambda x: math.floor(x), 2.5, ["G205"]),
        (lambda x, y: x, (1.0, 2.0), ["G401"]),
        (lambda x: math.sqrt(x), 0.0, ["G104"]),
        (lambda x: x * 1e300 * 1e300, 1.0, ["G108"]),
        # One side of a kink is flat, and that was taken: it is not called cut; what the value does is said once.
        (lambda x: x - 1 if x > 1 else 0.0, 1.0, ["G201"]),
        (lambda x, y: (x - 1 if x > 1 else 0.0) + math.floor(y), (1.0, 0.5), ["G201", "G205"]),
    ],
    ids=["none", "kink", "cut", "unused", "infinite slope", "overflow", "flat kink", "flat kink and cut"],
)
def test_findings(f, at, expected):
    assert codes(f, at) == expected


def test_the_power_of_a_check():
    """A kink has none, nor has a value that is not finite; beside a kink it is said."""
    alone, beside = gradcli.check(abs, at=0.0), gradcli.check(lambda x, y: abs(x) + y**2, at=(0.0, 1.0))
    infinite = gradcli.check("x*log(x) + y", at="0,1")

    assert not any("would detect" in note for note in (*alone.notes, *infinite.notes))
    assert "would detect a relative error of 1e-07" in beside.notes
    assert (alone.components[0].verdict, alone.components[0].tolerance) == (Verdict.KINK, None)
    assert infinite.verdict == "nonfinite"


def test_the_birth_of_a_number_that_is_not_finite_has_its_line():
    """Found in a second run, with the user's names."""

    def f(x):
        small = x - x
        return math.sqrt(small)

    (finding,) = gradcli.check(f, at=1.0).findings

    assert "small" in finding.message or "sqrt" in finding.message
    assert __file__ == finding.file


def test_without_an_exact_derivative_differences_decide(monkeypatch):
    """The reference is theirs, and the symbolic column is empty."""
    monkeypatch.setattr(references, "exact_derivatives", references.no_exact_derivatives)
    right = gradcli.check(lambda x: math.sin(x) * x + x, at=1.0).components[0]
    wrong = gradcli.check(lambda x: math.sin(x) * x + x, at=1.0, against=lambda x: 1.0).components[0]

    assert (right.verdict, right.symbolic, wrong.verdict) == (Verdict.PASS, None, Verdict.FAIL)
    assert math.isclose(math.sin(1) + math.cos(1) + 1, right.reference, rel_tol=1e-9)


def test_noise_without_an_exact_derivative_is_inconclusive(monkeypatch):
    monkeypatch.setattr(references, "exact_derivatives", references.no_exact_derivatives)

    def f(x):
        return math.sin(x) * x + x + 1e-4 * math.sin(float(str(x)[-3:]) if "e" not in str(x) else 0.0)

    found = gradcli.check(f, at=1.2345678, against=lambda x: math.sin(x) + x * math.cos(x) + 1)

    assert (found.verdict, found.components[0].verdict) == ("inconclusive", Verdict.NOISY)


def hidden(x):
    return math.sin(x) * struct.unpack("d", struct.pack("d", x))[0]


def test_what_cannot_be_taped_is_judged_by_differences():
    """The tape's column and SymPy's are empty, and a note says why."""
    right = gradcli.check(hidden, at=1.0, against=lambda x: math.sin(x) + x * math.cos(x))
    wrong = gradcli.check(hidden, at=1.0, against=math.sin)
    row = right.components[0]

    assert (right.verdict, wrong.verdict, row.reverse, row.symbolic) == ("pass", "fail", None, None)
    assert [(finding.code, finding.severity) for finding in right.findings] == [("G402", "note")]
    assert "the tape cannot follow the function: differences alone decide, with a wider tolerance" in right.notes


def test_without_a_tape_and_a_candidate_nothing_is_checked():
    found = gradcli.check(hidden, at=1.0)

    assert ("unchecked", math.sin(1.0)) == (found.verdict, found.value)
    assert [row.verdict for row in found.components] == [Verdict.SKIPPED]
    assert [(finding.code, finding.severity) for finding in found.findings] == [("G402", "error"), ("G911", "error")]


def test_what_to_change_where_the_tape_cannot_follow_and_nothing_else_decides():
    """The finding is the only place that says it; beside a judged gradient it is a note without advice."""

    @functools.lru_cache
    def cached(x):
        return x * x

    def f(x):
        return cached(x) + x

    alone, judged = gradcli.check(f, at=3.0), gradcli.check(f, at=3.0, against=lambda x: 7.0)

    assert "call a function that caches without its cache: `f.__wrapped__(x)`." in alone.findings[0].message
    assert judged.findings[0].message.endswith("so the derivative would be lost")


def test_a_number_that_went_through_text_is_found_out():
    """The tape withdraws, and a gradient by hand is judged by differences."""

    def f(x):
        return x * float(str(x))

    assert ("unchecked", "pass") == (
        gradcli.check(f, at=1.7).verdict,
        gradcli.check(f, at=1.7, against=lambda x: 2 * x).verdict,
    )


@pytest.mark.parametrize("returned", [None, "text", [1.0, 2.0]], ids=["None", "text", "list"])
def test_a_function_that_returns_no_number_is_refused(returned):
    with pytest.raises(ResultError):
        gradcli.check(lambda x: returned, at=1.0)


def writes(x):
    x[0] = x[0] * 2
    return np.sum(x**2)


def appends(p):
    p["w"].append(1.0)
    p["w"][0] = p["w"][0] * 3
    return (p["w"][0] + p["w"][1])[0]


@pytest.mark.parametrize(("f", "at"), [(writes, np.array([1.0, 2.0])), (appends, {"w": [2.0, np.array([1.0])]})])
def test_a_function_that_writes_into_its_argument(f, at):
    before = repr(at)

    assert gradcli.check(f, at=(at,)).verdict == "pass"
    assert repr(at) == before


def test_prints_and_warnings_are_shown_once(capsys):
    """Those of the call at the point."""

    def f(x):
        print("at", x)
        if x > 2.05:
            warnings.warn("too far", stacklevel=1)
        return x * x

    assert gradcli.check(f, at=2.0).verdict == "pass"
    assert tuple(capsys.readouterr()) == ("at 2.0\n", "")


@pytest.mark.parametrize("error", [ValueError, TypeError, RuntimeError, SystemExit, ZeroDivisionError])
def test_a_function_that_raises_beside_the_point(error):
    """Differences keep to the side where it has a value."""

    def f(x):
        if x > 2.0:
            raise error("out of bounds")
        return x * x

    row = gradcli.check(f, at=2.0).components[0]

    assert (row.verdict, abs(row.differences - 4.0) <= row.differences_error < 1e-3) == (Verdict.PASS, True)


def test_an_interrupt_comes_through():

    def f(x):
        if x != 2.0:
            raise KeyboardInterrupt
        return x * x

    with pytest.raises(KeyboardInterrupt):
        gradcli.check(f, at=2.0)


def test_steps_stay_on_the_path_of_the_point():
    """Differences never cross the switch that the run came close to."""
    asked = []

    def f(x):
        asked.append(float(x) if type(x) is float else 2.0)
        return x * x if x < 2.001 else 100.0 * x

    found = gradcli.check(f, at=2.0)

    assert max(asked) < 2.001
    assert found.verdict == "pass"


def test_float32_inside_the_program_counts():
    """The slack is that of the coarsest type on the way."""
    found = gradcli.check(lambda x: np.sum(x.astype(np.float32) ** 2), at=np.array([0.3, 1.7]))

    assert (found.verdict, pytest.approx(found.components[0].tolerance)) == ("pass", 1e-4 * 0.6)


def test_a_second_check_is_the_same():
    first, second = (gradcli.check(hyperbox.f4, at=BOX) for _ in "12")

    assert first == second


def early(a):
    """Newton's iteration for a square root, stopped three digits early."""
    y = 1.0
    while abs(y * y - a) > 1e-3:
        y = 0.5 * (y + a / y)
    return y


def quartic(k):
    """The place of a minimum, by a solver that stops at a slope of 1e-5."""
    return optimize.minimize(lambda v: v[0] ** 4 - k * v[0] + np.cosh(v[1] - k), [0.3, 0.1]).x[0]


def of_quartic(k):
    return 0.25 ** (1 / 3) / 3 * k ** (-2 / 3)


def near_zero(k):
    """A root at 0 for k = 0, by a solver that stops 1e-5 away from it."""
    return optimize.bisect(lambda x: (x - k) + (x - k) ** 2, -0.25, 0.3, xtol=1e-5)


# The partial of a power distinguishes tiny bases for the exponent 0 only; no other run is on a boundary of it.
POWERS_NEAR_ZERO = {
    "bisect": lambda k: optimize.bisect(lambda x: (x - k) + (x - k) ** 3, -0.25, 0.3),
    "a double power": lambda k: optimize.bisect(lambda x: (x - k) + (x - k) ** 3 + x**5, -0.25, 0.3),
    "newton": lambda k: optimize.newton(lambda x: np.tanh(x) + x**3 - k, 0.2),
    "fsolve": lambda k: optimize.fsolve(lambda x: np.sin(x) + x**3 - k, 0.3)[0],
    "a gradient": lambda k: gradcli.grad(lambda x: x**3 + x * k)(1e-13 * k),
}
# The residual is exactly 0 there; a change of the input makes it another number on the same path.
ROOTS_AT_ZERO = {
    "brentq": lambda k: optimize.brentq(lambda x: x**3 + x - k, -1, 1),
    "its square": lambda k: optimize.brentq(lambda x: x**3 + x - k, -1, 1) ** 2 + k,
    "ridder": lambda k: optimize.ridder(lambda x: np.sinh(x) - k, -1, 1),
    "root": lambda k: optimize.root(lambda x: np.arctan(x) - k, [0.0]).x[0],
    "a vector": lambda k: np.sum(optimize.fsolve(lambda x: x + x**3 - k * np.array([1.0, 2.0]), [0.0, 0.0])),
    "a constant": lambda k: gradcli.stop_gradient(k) * k + k,
}
MATRIX = np.array([[2.1, 0.3], [0.5, 1.7]])
# A function, its point and a gradient of it, the verdict, a finding that is there, and findings that are not.
JUDGED = {
    "an early end": (early, 3.1, lambda a: 0.5 / math.sqrt(a), "NOISY", "G207", ""),
    "an early end, wrong": (early, 3.1, lambda a: 0.5 * math.sqrt(a), "FAIL", "", "G207"),
    # The series of the exponential has converged; its derivative is lost in huge terms, not in turns.
    "a series at its end": (exp_series, -30.0, None, "ROUNDOFF", "", "G207"),
    # A right derivative of the exact solution may be off by as much as the solution is.
    "an inexact minimum": (quartic, 1.3, of_quartic, "NOISY", "G211", ""),
    "an inexact minimum, wrong": (quartic, 1.3, lambda k: 1.01 * of_quartic(k), "FAIL", "G211", ""),
    "an inexact root": (near_zero, 0.0, lambda k: 1.0, "PASS", "", ""),
    "an inexact root, wrong": (near_zero, 0.0, lambda k: 1.005, "FAIL", "", ""),
    "an inverse": (lambda a: np.sum(np.linalg.inv(a)), MATRIX, None, "PASS", "", ""),
    "a determinant": (lambda a: np.linalg.slogdet(a)[1], MATRIX, None, "PASS", "", ""),
    **{f"a power, {name}": (f, 0.0, None, "PASS", "", "G202 G206") for name, f in POWERS_NEAR_ZERO.items()},
    **{f"a root at 0, {name}": (f, 0.0, None, "PASS", "", "G2") for name, f in ROOTS_AT_ZERO.items()},
}


@pytest.mark.parametrize(("f", "at", "against", "verdict", "code", "others"), JUDGED.values(), ids=JUDGED)
def test_judged(f, at, against, verdict, code, others):
    found = gradcli.check(f, at=at, against=against)
    codes = [each.code for each in found.findings]

    assert {row.verdict.value for row in found.components} == {verdict}
    assert not code or code in codes
    assert not others or not any(each.startswith(tuple(others.split())) for each in codes)


def test_rules_verified_node_by_node(monkeypatch):
    """Where many digits are too many, every rule is checked alone, and the sweep is the reference."""
    monkeypatch.setattr(replay, "MOST_OPERATIONS", 3)
    right = gradcli.check(lambda x: np.sum(np.sin(x) * x), at=np.linspace(1, 2, 100))
    wrong = gradcli.check(lambda x: np.sum(np.sin(x) * x), at=np.linspace(1, 2, 100), against=lambda x: 2 * x)

    assert (right.verdict, wrong.verdict) == ("pass", "fail")
    assert any("rules verified node by node" in note for note in right.notes)


def spoiled(places):
    """The gradient of a sum of cubes with some entries a little off."""

    def gradient(x):
        found = 3 * x**2
        found[places] *= 1.01
        return found

    return gradient


@pytest.mark.parametrize("places", [[777], [70, 500, 999], [3]])
def test_the_wrong_ones_of_a_thousand_are_named_by_differences_alone(places, monkeypatch):
    """A direction along which they are off is halved until they stand alone."""
    monkeypatch.setattr(references, "exact_derivatives", references.no_exact_derivatives)
    found = gradcli.check(lambda x: np.sum(x**3), at=np.linspace(1, 2, 1000), against=spoiled(places))

    failed = [row.name for row in found.components if row.verdict is Verdict.FAIL]
    assert [f"x[{n}]" for n in places] == failed
    assert {row.verdict for row in found.components} == {Verdict.PASS, Verdict.FAIL}


KNOWN = {}


def remembered(x):
    """A function that the tape cannot follow, for it asks for a hash."""
    if x not in KNOWN:
        KNOWN[x] = x**3 / (1 + x * x)
    return KNOWN[x]


@pytest.mark.parametrize(("slip", "expected"), [(1.0, "pass"), (1 + 3e-6, "fail")])
def test_a_function_that_the_tape_cannot_follow_is_judged_to_a_millionth(slip, expected):
    found = gradcli.check(remembered, at=1.7, against=lambda x: slip * (3 * x**2 + x**4) / (1 + x * x) ** 2)

    assert found.verdict == expected
    assert found.components[0].differences_error < 1e-11


def test_a_derivative_that_is_0_only_at_another_number():
    """No binary number is pi; the reason says what the derivative is at the one that was given."""
    (row,) = gradcli.check(math.cos, at=math.pi, against=lambda x: 0.0).components

    assert row.verdict == Verdict.FAIL
    assert "at the exact binary point the derivative is -1.22465e-16" in row.reason
    assert "binary" not in gradcli.check(math.cos, at=math.pi, against=lambda x: 1.0).components[0].reason


def test_after_ctrl_c_no_slip_is_looked_for(monkeypatch):
    """The verdicts come at once: to name the mistake takes further runs."""

    def f(x, y):
        return x**2 * np.sin(y)

    def slipped(x, y):
        return x * np.sin(y), x**2 * np.cos(y)

    codes = []
    for is_interrupted in (False, True):
        monkeypatch.setattr(comparison, "is_interrupted", lambda found=is_interrupted: found)
        judged = gradcli.check(f, at=(1.0, 2.0), against=slipped)
        codes.append((judged.verdict, [found.code for found in judged.findings]))

    assert codes == [("fail", ["G312"]), ("fail", [])]


SOLVERS = {
    "newton": lambda a: optimize.newton(lambda y: y**2 - a, 1.0, tol=1e-2),
    "fsolve": lambda a: optimize.fsolve(lambda y: y**2 - a, 1.0, xtol=1e-2)[0],
    "minimize": lambda a: optimize.minimize(lambda y: y[0] ** 3 / 3 - a * y[0], [1.2], tol=1e-2).x[0],
    "brentq": lambda a: optimize.brentq(lambda y: y**2 - a, 0.0, 4.0, xtol=1e-3, rtol=1e-3),
    "bisect": lambda a: optimize.bisect(lambda y: y**2 - a, 0.0, 4.0, xtol=1e-3),
    "root": lambda a: optimize.root(lambda y: y**2 - a, 1.0, tol=1e-2).x[0],
}


@pytest.mark.parametrize("f", SOLVERS.values(), ids=SOLVERS)
def test_the_gradient_at_an_inexact_solution(f):
    """The verdict says what it rests on, and claims no more accuracy than the solution has."""
    found = gradcli.check(f, at=2.0)
    (solved,) = [each for each in found.findings if each.code == "G211"]
    text = record_text(found, Look())

    assert found.verdict == "pass"
    assert " at the solution that was found; scipy.optimize." in found.components[0].reason
    assert "the gradient is right at the solution that the solver found" in text
    assert f"would detect a relative error of {10 * solved.numbers['error']:.1g}" in found.notes


def test_the_gradient_at_an_exact_solution():
    found = gradcli.check(lambda a: optimize.brentq(lambda y: y**2 - a, 0.0, 4.0), at=2.0)

    assert found.components[0].reason == "exact"
    assert "would detect a relative error of 1e-07" in found.notes


@pytest.mark.parametrize(("gradient", "expected"), [(lambda x: 1.0, "pass"), (lambda x: 0.0, "fail"), (None, "fail")])
def test_a_zero_times_an_infinite_partial_has_no_exact_derivative(gradient, expected):
    """The cube of a cube root is x; SymPy's derivative of the whole is 0 at 0 by convention."""
    found = gradcli.check(lambda x: np.cbrt(x) ** 3, at=np.float64(0.0), against=gradient)
    (row,) = found.components

    assert found.verdict == expected
    assert (row.symbolic, row.reference) == (None, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("by_b", "expected"), [(0.0, Verdict.ROUNDOFF), (1e-13, Verdict.FAIL), (-1e-8, Verdict.FAIL), (0.3, Verdict.FAIL)]
)
def test_terms_that_cancel_but_for_the_rounding_of_constants(by_b, expected):
    sine = math.sin(0.3)
    found = gradcli.check(
        lambda a, b: b * (math.sin(a) - sine) + a, at=(0.3, 0.5), against=lambda a, b: (1 + b * math.cos(a), by_b)
    )

    assert {row.name: row.verdict for row in found.components} == {"a": Verdict.PASS, "b": expected}
