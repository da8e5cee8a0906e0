"""The slip of a hand-written gradient, with the user's own line."""

import inspect
import linecache
import math
import os
import sys
from contextlib import nullcontext

import numpy as np
import pytest
from scipy.integrate import quad

import gradcli
from examples import hyperbox, rosenbrock
from gradcli.answers import custom_elementwise_rules
from gradcli.answers.checks import references
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.culprit.culprit import culprit as culprit_of
from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.targets.functions import function_target
from gradcli.engine.running.muted_reruns import quiet
from tests.answers.checks.slip_programs import SLIPS

pytestmark = pytest.mark.sampled(12)  # many like cases

HERE = os.path.basename(__file__)


def wave(x):
    inner = 3 * x
    return math.exp(math.sin(inner))


def shares(x, y):
    first = x * y
    second = x * x
    return first + second


def ascending(x):
    return np.mean(x**2)


def without_left(x):
    """The valley's gradient without the share of the left neighbours."""
    found = rosenbrock.grad_rosen(x)
    found[1:] -= 200 * (x[1:] - x[:-1] ** 2)
    return found


def culprit(f, at, against):
    """The finding that says why; None where there is none."""
    found = [finding for finding in gradcli.check(f, at=at, against=against).findings if finding.code == "G312"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("f", "at", "against", "source", "said"),
    [
        (wave, 0.5, lambda x: math.cos(3 * x) * wave(x), "inner = 3 * x", "the factor 3 of the chain rule"),
        (wave, 0.5, lambda x: 3 * wave(x), "return math.exp(math.sin(inner))", "of sin(inner), is missing"),
        (wave, 0.5, lambda x: 9 * math.cos(3 * x) * wave(x), "inner = 3 * x", "appears twice"),
        (shares, (1.3, 0.7), lambda x, y: (2 * x, x), "first = x * y", "x * y is missing"),
        (shares, (1.3, 0.7), lambda x, y: (2 * x - y, x), "first = x * y", "x * y has the wrong sign"),
        (shares, (1.3, 0.7), lambda x, y: (2 * x + 2 * y, x), "first = x * y", "x * y is counted twice"),
        (hyperbox.f4, np.arange(1.0, 5.0), hyperbox.grad_f4_slip, "t_cd = t_c * t_d", "the candidate has t_d = 4"),
        (rosenbrock.rosen, np.linspace(0.3, 1.7, 5), without_left, "step = x[1:] - x[:-1] ** 2",
         "x[1:] of x[1:] - x[:-1] ** 2 is missing"),
    ],
)  # fmt: skip
def test_the_line_of_the_slip(f, at, against, source, said):
    found = culprit(f, at, against)

    whose = getattr(f, "__name__", "")
    assert f"the mistake concerns the derivative of line {found.line} of {whose}, `{source}`: " in found.message
    assert said in found.message
    assert found.file is not None
    assert found.line is not None


@pytest.mark.parametrize(
    ("f", "at", "against", "expected"),
    [
        (lambda x, y: x * y * y, (2.0, 3.0), lambda x, y: (2 * x * y, y * y), "the derivatives by x and y are swapped"),
        (lambda x, y, z: x * y * y * z**3, (2.0, 3.0, 1.0), (-9.0, -12.0, -54.0), "the gradient has the wrong sign at "
         "this point; a gradient given as numbers cannot be tested at another one"),
        (lambda w, b: np.sum(w * w) * b, (np.array([1.0, 2.0]), 3.0), lambda w, b: (-2 * w * b, w @ w),
         "the gradient by w has the wrong sign"),
        (wave, 0.5, lambda x: 0.0, "the gradient by x is 0 throughout"),
    ],
)  # fmt: skip
def test_a_slip_of_the_whole(f, at, against, expected):
    found = culprit(f, at, against)

    assert (found.message, found.line) == (expected, None)


def twice_through_a(F, P, m):
    """A square of a product in which F stands twice."""
    a = F * P * F
    return a * a + F * m


def test_a_term_of_a_product_is_named_by_its_factor():
    """F stands twice in the product: half of its derivative is missing, not all."""
    slipped = lambda F, P, m: (2 * F * P * F * F * P + m, 2 * F * P * F * F * F, F)
    found = culprit(twice_through_a, (1.3, 0.7, 0.4), slipped)

    assert "the term that comes through F in F * P * F is missing" in found.message


def squares(x, y):
    """A product of two equal factors that are computed twice."""
    e = math.exp(x) * math.exp(x)
    return e * y + 3 * x


def of_weights(w, b):
    """A sum of squares of a product in which w stands twice."""
    r = w * b * w
    return np.sum(r * r) + b * np.sum(w)


@pytest.mark.parametrize(
    ("f", "at", "against", "said"),
    [
        (twice_through_a, (1.3, 0.7, 0.4), lambda F, P, m: (m, 2 * F**4 * P, F), "by F, the term a * a is missing"),
        (squares, (1.3, 0.7), lambda x, y: (3.0, math.exp(2 * x)), "by x, the term e * y is missing"),
        (of_weights, (np.array([1.2, -0.7, 0.4]), 0.8),
         lambda w, b: (b * np.ones(3), 2 * b * np.sum(w**4) + np.sum(w)), "the term sum(r * r) is missing"),
        (lambda x, y, z: x * y * z * x - z * x, (1.3, 0.7, 0.9),
         lambda x, y, z: (-z, x * z * x, x * y * x - x), "by x, the term x * y * z * x is missing"),
        (lambda x, y: x / (y * x * x) + x * y, (1.3, 0.7),
         lambda x, y: (y, x - 1 / (x * y * y)), "by x, the term x / (y * x * x) is missing"),
        (lambda x, y: y * math.sin(x) * math.sin(x) + x * y, (1.3, 0.7),
         lambda x, y: (y, math.sin(x) ** 2 + x), "by x, the term y * sin(x) * sin(x) is missing"),
    ],
    ids=["a product", "equal factors", "arrays", "four factors", "a quotient", "sines"],
)  # fmt: skip
def test_a_missing_term_is_no_wrong_sign_that_cancels_it(f, at, against, said):
    """A factor stands twice: with one of its two shares negated, the other one cancels."""
    assert said in slip_of(f, at, against)[1]


@pytest.mark.parametrize(
    ("f", "against"),
    [
        (lambda x, y: y * math.sin(x * x) + x, lambda x, y: (y * x * math.cos(x * x) + 1, math.sin(x * x))),
        (lambda x, y: y * math.exp(x * x) + x, lambda x, y: (y * x * math.exp(x * x) + 1, math.exp(x * x))),
        (lambda x, y: y * math.tanh(x * x) + x,
         lambda x, y: (y * x / math.cosh(x * x) ** 2 + 1, math.tanh(x * x))),
    ],
    ids=["sine", "exponential", "tanh"],
)  # fmt: skip
def test_the_derivative_of_a_square_written_as_a_product(f, against):
    assert "is 2 * x = 2.6; the candidate has x = 1.3" in slip_of(f, (1.3, 0.7), against)[1]


@pytest.mark.parametrize(
    ("f", "at", "against", "expected"),
    [
        (lambda x, y, z: x * y + 3 * z, (1.0, -1.0, 5.0), (1.0, -1.0, -3.0), None),
        (lambda x, y, z: x * y * z, (1.0, -2.0, 3.0), (6.0, -3.0, 2.0), "the gradient has the wrong sign at"),
        (lambda w: w[0] * w[1] + w[2] * w[3], np.array([3.0, 2.0, 1.0, 2.0]), (1.0, 2.0, 3.0, 2.0),
         "the gradient by w is in reversed order, or the gradient by w is shifted by one place forward, at"),
        (lambda w: w @ (w**2) / 3, np.array([1.0, 2.0, 3.0, -4.0]), (16.0, 9.0, 4.0, 1.0),
         "the gradient by w is in reversed order at"),
        (lambda m: m[0, 0] * m[0, 1] * m[1, 0] ** 2 * m[1, 1], np.array([[1.0, 2.0], [3.0, 4.0]]),
         np.array([[72.0, 48.0], [36.0, 18.0]]), None),
        (lambda x, y: x * y * y, (2.0, 3.0), (12.0, 9.0), None),
    ],
    ids=["two sizes", "a sign", "two orders", "an order", "two numbers of a matrix", "two numbers"],
)  # fmt: skip
def test_given_numbers_need_three_different_references(f, at, against, expected):
    """No second point can tell a slip from a coincidence."""
    found = culprit(f, at, against)

    assert expected is None if found is None else expected in found.message


@pytest.mark.parametrize(
    ("f", "at", "against"),
    [
        (lambda x: x**3, 2.0, lambda x: 6 * x + 12),
        (lambda x, y: x**2 * y, (1.0, 1.0), lambda x, y: (2 * x * y, 2 * x - 0.7)),
        (lambda x: x**3, 2.0, 24.0),
        (lambda x: x**3, 2.0, "24"),
        (abs, 0.0, lambda x: 2.0),
        (math.sin, 1.0, math.cos),
        (math.sin, 1.0, lambda x: math.nan),
    ],
    ids=["twice, at this point alone", "no slip", "one number", "one number as text", "a kink", "right", "nan"],
)
def test_nothing_is_said_without_proof(f, at, against):
    """A slip accounts for the numbers beside the point too."""
    assert culprit(f, at, against) is None


def parameters(f):
    return list(inspect.signature(f).parameters)


def slip_of(f, at, against):
    """The source line and the words of the slip of a gradient, without the cost of a whole check; None without one."""
    names = parameters(f)
    target = function_target("f", "f", f).with_inputs(names)
    at = at if isinstance(at, tuple) else (np.array(at) if isinstance(at, list) else at,)
    case = open_case(target, dict(zip(names, at, strict=True)), names, lambda doing, **_: nullcontext())
    by_hand = HandWrittenGradient(function_target("g", "g", against), names)
    with quiet():
        found = culprit_of(case, by_hand.numbers(case)[0], references.reverse(case), by_hand)
    found = [finding for finding in found if finding.code == "G312"]
    return (linecache.getline(found[0].file or "", found[0].line or 0), found[0].message) if found else None


@pytest.mark.parametrize("name", SLIPS)
def test_each_kind_of_slip(name):
    """What it is called, and the line of the step that it was made at."""
    slip = SLIPS[name]

    line, said = slip_of(slip.f, slip.at, slip.against)

    assert slip.said in said
    assert line == "" if slip.line is None else slip.line in line


PROGRAMS = {slip.f: slip.at for slip in SLIPS.values()}
WRONG = {
    "other factors": lambda d, x, random: d * (random.uniform(0.6, 1.7, np.shape(d)) + 0.1 * x),
    "noise": lambda d, x, random: d * (1 + 1e-3 * random.normal(size=np.shape(d))),
    "a millionth": lambda d, x, random: d * (1 + 1e-6 * np.sign(random.normal())),
    "half a millionth in one": lambda d, x, random: d * (1 + 5e-7 * (np.arange(np.size(d)) == 0).reshape(np.shape(d))),
    "little noise": lambda d, x, random: d * (1 + 1e-5 * random.normal(size=np.shape(d))),
    "offsets": lambda d, x, random: d + (1 + 0.1 * x) * random.normal(size=np.shape(d)),
    "small offsets": lambda d, x, random: d + 1e-4 * (1 + 0.1 * x) * random.normal(size=np.shape(d)),
    "another function": lambda d, x, random: np.sin(random.uniform(1, 2) * x) + random.normal(),
    "a square": lambda d, x, random: random.uniform(0.3, 0.9) * x**2 + 1.37,
    "a power": lambda d, x, random: np.sign(d) * np.abs(d) ** 1.13,
    "an exponential": lambda d, x, random: d * np.exp(0.1 * x),
    "the input": lambda d, x, random: d + 0.3 * x,
}


def wrong(f, change, seed):
    """A gradient that no slip accounts for."""
    argnums = tuple(range(len(parameters(f))))
    gradient = gradcli.grad(f, argnums=argnums)

    def changed(*arguments):
        random = np.random.default_rng(seed)
        pairs = zip(gradient(*arguments), arguments, strict=True)
        return tuple(change(np.asarray(d), np.asarray(x), random) for d, x in pairs)

    return changed if argnums[1:] else lambda x: changed(x)[0]


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_what_is_no_slip_has_no_name(kind, seed):
    """Every program with every kind in the long run; each kind with a share of the programs every day."""
    programs = list(PROGRAMS.items())
    shared = programs if seed else programs[list(WRONG).index(kind) % 4 :: 4]

    named = [f.__name__ for f, at in shared if slip_of(f, at, wrong(f, WRONG[kind], seed))]

    assert named == []


def test_a_point_that_cannot_be_left_proves_nothing():

    def only_here(x):
        assert x == 0.5
        return 2 * math.cos(0.5)

    assert slip_of(lambda x: math.sin(x), 0.5, only_here) is None


@pytest.mark.parametrize(
    ("power", "said"), [(2, "the gradient by x is twice the derivative"), (3, None)], ids=["a slip", "no slip"]
)
def test_what_cannot_be_followed(power, said):
    found = culprit(lambda x: float(np.fromstring(str(x), sep=",")[0]) ** 3, 1.3, lambda x: 6 * x**power)

    assert said == (found.message if found else None)


def single(w):
    return 0.5 * np.sum(np.tanh(w) ** 2) + np.float32(0.1) * np.sum(w * w)


@pytest.mark.parametrize(
    ("slope", "said"),
    [
        (lambda h: 1 - h, "the candidate has 1 - tanh(w)"),
        (lambda h: (1 - h * h) * np.float32(1.01), None),
    ],
    ids=["a slip", "no slip"],
)
def test_single_precision(slope, said):

    def by_hand(w):
        h = np.tanh(w)
        return h * slope(h) + np.float32(0.2) * w

    found = culprit(single, np.array([0.3, -0.2, 0.5], np.float32), by_hand)

    assert said is None if found is None else said in found.message


@pytest.mark.parametrize(
    ("at", "said"),
    [([0.4], None), ([0.4, 1.2, -0.7], "the gradient by x is 12.8 times the derivative")],
    ids=["one number", "three"],
)
def test_a_nameless_factor_in_single_precision(at, said):
    at = np.array(at, np.float32)

    found = culprit(lambda x: np.sum(x**3), at, lambda x: np.float32(38.4) * x**2)

    assert said == (found.message if found else None)


def test_a_slip_in_some_of_the_derivatives():

    def by_hand(x, y):
        inner = x * y
        return y * math.cos(inner), x

    line, said = slip_of(lambda x, y: math.sin(x * y), (0.4, 1.7), by_hand)

    assert "math.sin(x * y)" in line
    assert said.endswith(
        ": in the derivative by y, the factor cos(x * y) of the chain rule, the derivative of sin(x * y), is missing"
    )


def test_the_message_of_assert_grad():
    with pytest.raises(AssertionError, match=rf"{HERE}:\d+: .*`first = x \* y`: .*the term .* is missing \[G312\]"):
        gradcli.assert_grad(shares, at=(1.3, 0.7), against=lambda x, y: (2 * x, x))


def test_a_rule_that_is_wrong_is_named():
    """A rule of the user's that is right where it was tried, and wrong here."""
    bent = gradcli.rule("bent_far_out(x)", "where(x < 100, x, x * x)", "1")
    try:
        found = gradcli.check(lambda x: 2 * bent(x), at=200.0)
    finally:
        custom_elementwise_rules.forget("bent_far_out")
    (finding,) = [finding for finding in found.findings if finding.code == "G313"]

    assert found.verdict == "fail"
    assert "the rule of bent_far_out is wrong: " in finding.message


def in_two_lines(x):
    a = math.sin(x[0])
    b = math.cos(x[1]) * x[2]
    return a + b


def of_two_lines(x):
    return np.array([np.cos(x[0]), -np.sin(x[1]) * x[2] + x[2] ** 3, np.cos(x[1]) + np.exp(x[1])])


def remarks(f, at, against, **options):
    """What is said of a wrong derivative without a cause."""
    findings = gradcli.check(f, at=at, against=against, **options).findings
    return [finding.message for finding in findings if finding.code in ("G312", "G317")]


X2 = np.array([1.0, 2.0])
NO_CAUSE = "none of the usual mistakes explains the difference: "


def test_without_a_cause_the_wrong_components_and_their_line_are_named():
    (message,) = remarks(in_two_lines, np.array([0.3, 0.4, 0.5]), of_two_lines)

    line = in_two_lines.__code__.co_firstlineno + 2
    assert message == (
        f"{NO_CAUSE}the derivatives by x[1], x[2] are wrong; the derivative by x[0] is right; "
        f"only to these, and to each, leads line {line}"
    )


@pytest.mark.parametrize(
    ("f", "at", "against", "options"),
    [
        (lambda x: x**3, 2.0, lambda x: math.exp(x) + x, {}),
        (lambda x: np.sum(x**3), X2, np.array([3.1, 12.7]), {}),
        (lambda x: x**3 * x[::-1], X2, lambda x: np.array([[3.0, 1.7], [2.9, 8.8]]) * x, {"of": "jacobian"}),
        (lambda x: np.sum(np.sin(x)), np.linspace(0.1, 1, 100), lambda x: np.cos(x) + 0.01 * np.exp(-(x**2)), {}),
    ],
    ids=["a number", "given numbers", "a Jacobian", "many components"],
)  # fmt: skip
def test_without_a_cause_a_remark_says_so(f, at, against, options):
    (message,) = remarks(f, at, against, **options)

    assert message.startswith(NO_CAUSE)


def network(W, v):
    h = np.tanh(W @ X2)
    return np.sum(v * h) + 0.1 * np.sum(v**2)


def of_network(W, v, partial=lambda h: 1 - h**2, factor=0.2):
    h = np.tanh(W @ X2)
    by_v = h + factor * v
    by_h = v * partial(h)
    return np.outer(by_h, X2), by_v


SQUARE = np.array([[0.3, -0.2], [0.5, 0.4]])
LINES = {
    "a partial": (lambda W, v: of_network(W, v, lambda h: 1 - h), 3),
    "a term": (lambda W, v: of_network(W, v, factor=0.1), 2),
    "a sign": (lambda W, v: of_network(W, v, factor=-0.2), 2),
    "a square": (lambda W, v: of_network(W, v, lambda h: (1 - h**2) ** 2), 3),
    "two lines": (lambda W, v: (of_network(W, v, lambda h: 1 - h)[0], of_network(W, 1 * v, lambda h: 1 - h)[1]), 3),
}


@pytest.mark.parametrize("name", LINES)
def test_the_line_of_the_gradient_that_has_the_mistake(name):
    against, line = LINES[name]

    (message,) = remarks(network, (SQUARE, np.array([0.7, -0.6])), against)

    assert f"; the candidate computes it in line {of_network.__code__.co_firstlineno + line} of " in message


def test_no_line_of_a_gradient_that_has_the_mistake_in_two():
    """The contribution to one input is right, and that to the other wrong."""
    (message,) = remarks(hyperbox.f4, [1.0, 2.0, 3.0, 4.0], hyperbox.grad_f4_slip)

    assert "the candidate computes it" not in message


def of_symmetric_matrices(a, triangle="L"):
    values, vectors = np.linalg.eigh(a, triangle)
    return vectors @ np.diag(3 * values**2) @ vectors.T


@pytest.mark.parametrize(
    ("f", "against"),
    [
        (lambda a: np.sum(np.linalg.eigvalsh(a) ** 3), of_symmetric_matrices),
        (lambda a: np.sum(np.linalg.eigvalsh(a, UPLO="U") ** 3), lambda a: of_symmetric_matrices(a, "U")),
        (lambda a: np.sum(np.linalg.eigh(a)[0] ** 3), of_symmetric_matrices),
        (
            lambda a: np.sum(np.log(np.diag(np.linalg.cholesky(a)))),
            lambda a: np.linalg.inv(np.tril(a) + np.tril(a, -1).T) / 2,
        ),
    ],
)
def test_the_derivative_of_a_function_of_symmetric_matrices(f, against):
    """What is missing is that the function reads one triangle; the conventions say so."""
    found = gradcli.check(f, at=np.array([[2.0, 1.0], [1.0, 3.0]]), against=against)

    said = [finding.message for finding in found.findings if finding.code == "G312"]
    assert "it reads one triangle of a alone" in said[0]
    assert "both triangles change together; see `gradcli help conventions`" in said[0]


def bell(a):
    return quad(lambda t: math.exp(-a * t * t), 0, 1)[0]


def of_bell(a):
    return -quad(lambda t: t * math.exp(-a * t * t), 0, 1)[0]


def total(f):
    return f(0.3) + f(0.7)


def waves(a):
    return total(lambda w: math.sin(a * w))


def of_waves(a):
    return total(lambda w: math.cos(a * w))


@pytest.mark.parametrize(("f", "against"), [(bell, of_bell), (waves, of_waves)])
def test_a_mistake_in_an_integrand_is_made_at_each_value(f, against):
    found = gradcli.check(f, at=0.5, against=against)

    assert found.findings[0].code == "G312"
    assert "is missing, and likewise each time" in found.findings[0].message


def test_a_search_out_of_time_keeps_the_verdict(monkeypatch):
    monkeypatch.setattr("gradcli.answers.checks.culprit.mistake_search.SECONDS", 0.0)

    checked = gradcli.check(ascending, at=np.array([1.0, 2.0]), against=lambda x: np.array([1.0, 2.5]))

    assert (checked.verdict, [finding.code for finding in checked.findings]) == ("fail", ["G317"])


def test_the_components_are_named_once():
    x = np.arange(1.0, 1001.0)
    names = 0

    def count(frame, event, argument):
        nonlocal names
        names += event == "call" and frame.f_code.co_name == "labels"

    sys.setprofile(count)
    try:
        gradcli.check(lambda x: np.sum(x**2), at=x, against=lambda x: 2 * x + (x == 5))
    finally:
        sys.setprofile(None)

    assert 0 < names < 10


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x, y: x**1000 * y, (1.001, 30.0)),
        (lambda x, y: (x + 0.0005) ** 1000 * y, (1.0005, 30.0)),
        (lambda x, y: x**-2.0 * y, (3.0, 0.0)),
        (lambda x, y: (2.0 * x) ** -3.0 * y, (1.5, 0.0)),
        (lambda x, y: (y - x) ** 0.5, (-1.0, 4.0)),
        (lambda x, y: math.exp(2 * x) * y, (1.0, 800.0)),
    ],
)
def test_a_formula_that_has_no_value_at_the_arguments_of_a_mistake_explains_nothing(f, at):
    wrong = [1.001 * partial for partial in gradcli.grad(f, (0, 1))(*at)]

    assert gradcli.check(f, at=at, against=lambda x, y: wrong).verdict == "fail"
