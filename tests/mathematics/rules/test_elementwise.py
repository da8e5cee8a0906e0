"""Every row of the table against SymPy, in every target, over its whole domain: one suite over the table."""

import math
from functools import cache

import numpy as np
import pytest
import scipy.special

from gradcli import grad, hvp, jvp, trace, value_and_grad
from gradcli.answers.targets.target_resolution import resolve
from gradcli.engine.patching.shims import modules
from gradcli.engine.tape.pullbacks import compile_pull
from gradcli.mathematics.language.formula_text import CALLS
from gradcli.mathematics.rules import RULES
from gradcli.mathematics.rules.compiled_formulas import IEEE_FUNCTIONS
from gradcli.methods.exact import decimals
from gradcli.methods.numerics import differences
from tests.mathematics.rules.truth import EXTREME, MODERATE, PARTIALS, ROWS, SMALL, close, named, points, truth

pytestmark = pytest.mark.sampled(12)  # many like cases

every_row = pytest.mark.parametrize("rule", ROWS, ids=named)
every_partial = pytest.mark.parametrize("partial", PARTIALS, ids=named)

EPS = 2.2e-16
CANCELLED = {"atan2": 1e-14}  # an ulp of the terms, of up to 64, of which its mixed second derivative is the sum


@cache
def everywhere(rule):
    return points(rule, MODERATE, SMALL, EXTREME)


@cache
def nearby(rule):
    return points(rule, MODERATE, count=20)


def columns(found, dtype=np.float64):
    """The points as one array for each argument."""
    return [np.array(column, dtype=dtype) for column in zip(*found, strict=True)]


def wrong(found, got, wanted, relative=1e-12, absolute=1e-290):
    """The points at which two columns of numbers differ."""
    triples = zip(found, got, wanted, strict=True)
    return [(point, a, b) for point, a, b in triples if not close(float(a), b, relative, absolute)]


def uncertainty(rule, point):
    """How far the value may be off when each argument is off by a few units in the last place."""
    slopes = {n: truth(rule, point, n) for n, partial in enumerate(rule.partials) if partial is not None}
    return sum(8 * EPS * abs(slope * point[n]) for n, slope in slopes.items() if math.isfinite(slope))


# The value


@every_row
def test_the_value_in_every_target(rule):
    """Python, IEEE, NumPy and 50 digits compute what SymPy's form is."""
    found = everywhere(rule)
    on_arrays = rule.on_arrays(*columns(found))
    for n, point in enumerate(found):
        with decimals.digits(50):
            in_digits = rule.evaluate(decimals.functions(), tuple(map(decimals.number, point)))
        wanted = truth(rule, point)
        slack = uncertainty(rule, point) + 1e-300
        for got in (rule.plain(*point), rule.ieee(*point), on_arrays[n], in_digits):
            assert close(float(got), wanted, 1e-13, slack), point


# The partials


def pulled(rule, position, point, emitter, functions):
    """What the compiled pull of one argument adds to its cotangent, for a cotangent of 1."""
    places = [part for n, x in enumerate(point) for part in (n if n == position else -1, x)]
    cts = [0.0] * len(point)
    compile_pull(rule, rule.slopes, (position,), emitter, functions)(1.0, cts, (None, rule.ieee(*point), *places))
    return cts[position]


@every_partial
def test_partials_of_numbers(partial):
    rule, position = partial
    found = everywhere(rule)
    got = [grad(rule, position)(*point) for point in found]
    assert wrong(found, got, [truth(rule, point, position) for point in found]) == []


@every_partial
def test_partials_by_ieee(partial):
    rule, position = partial
    found = everywhere(rule)
    got = [pulled(rule, position, point, CALLS, IEEE_FUNCTIONS) for point in found]
    assert wrong(found, got, [truth(rule, point, position) for point in found]) == []


@every_partial
def test_partials_of_arrays(partial):
    rule, position = partial
    found = everywhere(rule)
    got = grad(lambda *arrays: rule(*arrays).sum(), position)(*columns(found))
    assert wrong(found, got, [truth(rule, point, position) for point in found]) == []


@every_partial
def test_recorded_partials(partial):
    rule, position = partial
    found = everywhere(rule)
    wanted = [truth(rule, point, position) for point in found]

    def inner(*arguments):
        return grad(lambda *inside: np.sum(rule(*inside)), position)(*arguments)

    numbers = [value_and_grad(inner, position)(*point)[0] for point in found]
    assert wrong(found, numbers, wanted) == []
    arrays = trace(inner, *columns(found), names=False).value
    assert wrong(found, arrays, wanted) == []


@every_partial
def test_forward(partial):
    rule, position = partial
    found = everywhere(rule)
    wanted = [truth(rule, point, position) for point in found]
    numbers = [jvp(rule, point, [float(n == position) for n in range(len(point))])[1] for point in found]
    assert wrong(found, numbers, wanted) == []
    arrays = columns(found)
    along = [np.full(len(found), float(n == position)) for n in range(len(arrays))]
    assert wrong(found, jvp(rule, arrays, along)[1], wanted) == []


@every_partial
def test_differences(partial):
    """Finite differences of the value, which know nothing of SymPy, agree within their own error."""
    rule, position = partial
    sure = 0
    for point in nearby(rule)[:25]:
        slope = differences.slope(
            lambda x, p=point: rule.ieee(*p[:position], x, *p[position + 1 :]), point[position], EPS
        )
        stated = grad(rule, position)(*point)
        assert abs(stated - slope.value) <= 4 * slope.error + 1e-11 * abs(stated) or math.isnan(slope.value), point
        sure += slope.error <= 1e-6 * max(abs(slope.value), 1e-3)
    assert sure >= 5


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("x", [1e8, -1e160, 3e300])
def test_equal_arguments_share_equally(name, x):
    assert grad(RULES[name], (0, 1))(x, x) == (0.5, 0.5)
    assert grad(lambda x, y: RULES[name](x, y).sum(), (0, 1))(np.array([x]), np.array([x])) == (0.5, 0.5)


# The second derivatives


@pytest.mark.parametrize("partial", PARTIALS, ids=named)
def test_second_derivatives(partial):
    """A gradient of a gradient is SymPy's second derivative, for each pair of arguments, at numbers and at arrays."""
    rule, first = partial
    found, absolute = nearby(rule), CANCELLED.get(rule.name, 1e-15)
    for second, other in enumerate(rule.partials):
        if other is not None:
            wanted = [truth(rule, point, first, second) for point in found]
            numbers = [grad(grad(rule, first), second)(*point) for point in found]
            assert wrong(found, numbers, wanted, 1e-11, absolute) == []
            by_lane = grad(lambda *x, n=first: np.sum(rule(*x)), first)
            arrays = grad(lambda *x: np.sum(by_lane(*x)), second)(*columns(found))
            assert wrong(found, arrays, wanted, 1e-11, absolute) == []


# Types


@every_partial
def test_single_precision_stays(partial):
    """Values, gradients and gradients of gradients of single precision are of single precision."""
    rule, position = partial
    arrays = columns(nearby(rule)[:3], np.float32)
    inner = grad(lambda *x: np.sum(rule(*x)), position)
    assert trace(rule, *arrays, names=False).value.dtype == np.float32
    assert inner(*arrays).dtype == np.float32
    assert grad(lambda *x: np.sum(inner(*x)), position)(*arrays).dtype == np.float32
    scalars = [array[0] for array in arrays]
    assert type(grad(rule, position)(*scalars)) is np.float32
    assert type(grad(grad(rule, position), position)(*scalars)) is np.float32


# NumPy's and Python's own functions


TWINS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "mod": np.mod,
    "pow": np.power,
    "neg": np.negative,
    "pos": np.positive,
    "abs": np.abs,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "gamma": scipy.special.gamma,
    "lgamma": scipy.special.gammaln,
    "digamma": scipy.special.digamma,
}
SAME = """
    square reciprocal degrees radians exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 sqrt cbrt hypot
    sin cos tan sinc sinh cosh tanh copysign maximum minimum fmax fmin clip where sign heaviside fmod
"""
TWINS |= {name: getattr(np, name) for name in SAME.split()}
ALONE = set("remainder polygamma relu root modulus asinh_complex sinc_complex pow_complex".split())
"""Rows without a twin: NumPy's `remainder` is `mod`, SciPy's `polygamma` takes no recorded value."""

ALIASES = [(np.fabs, "abs"), (np.true_divide, "div"), (np.remainder, "mod"), (np.float_power, "pow")]
ALIASES += [(np.deg2rad, "radians"), (np.rad2deg, "degrees"), (scipy.special.psi, "digamma"), (np.conjugate, "pos")]


def test_every_row_has_its_twin():
    """The table of twins covers the table of rows."""
    assert {rule.name for rule in ROWS} == set(TWINS) | ALONE


def row_of(function, point):
    """The name of the last row, other than a change of type, that a function of recorded values makes."""
    names = [node.operation for node in trace(function, *point, names=False).nodes]
    return [name for name in names if name != "cast"][-1]


@pytest.mark.parametrize(("twin", "name"), [*((twin, name) for name, twin in TWINS.items()), *ALIASES])
def test_numpy_dispatches(twin, name):
    """NumPy's function of recorded arrays, NumPy numbers and Python floats is the row, with NumPy's own results."""
    found = nearby(RULES[name])[:8]
    arrays = columns(found)
    with np.errstate(all="ignore"):
        plain = twin(*arrays)
    recorded = trace(twin, *arrays, names=False)
    assert plain.dtype == recorded.value.dtype
    np.testing.assert_array_equal(recorded.value, plain)
    assert name == row_of(twin, arrays) == row_of(twin, [array[0] for array in arrays]) == row_of(twin, found[0])


@pytest.mark.parametrize("name", sorted(set(TWINS) - {"where"}))
def test_numpy_gives_its_own_numbers(name):
    """NumPy's function of a Python float is a NumPy float, recorded or not."""
    point = nearby(RULES[name])[0]
    assert type(trace(TWINS[name], *point, names=False).value) is np.float64


FACTS = {"isnan", "isinf", "isfinite", "isclose", "ceil", "floor", "trunc"}
OF_INTEGERS = {"comb", "factorial", "gcd", "isqrt", "lcm", "perm"}
STEPS = {"nextafter", "ulp"}
IN_PYTHON = {name: name for name in dir(math) if callable(getattr(math, name)) and not name.startswith("_")}
IN_PYTHON |= {"fabs": "abs"}


@pytest.mark.parametrize("name", sorted(set(IN_PYTHON.values()) & {rule.name for rule in ROWS}))
def test_math_dispatches(name):
    """The shim of a function of `math` records the row, and gives what Python's own gives."""
    rule = RULES[name]
    theirs = "fabs" if name == "abs" else name
    for point in nearby(rule)[:8]:
        recorded = trace(getattr(modules.module("math"), theirs), *point, names=False)
        assert name == recorded.nodes[-1].operation
        assert repr(float(getattr(math, theirs)(*point))) == repr(recorded.value)


def test_every_function_of_math_is_followed():
    """What `math` has is a row, a fact, a step, of integers, or made of rows."""
    made_of_rows = {"dist", "fsum", "frexp", "ldexp", "modf", "prod", "sumprod", "fma"}
    rows = {rule.name for rule in ROWS}
    assert set(IN_PYTHON.values()) - rows - FACTS - OF_INTEGERS - STEPS - made_of_rows == set()


# Kinks, by convention


KINKS = [
    ("abs", (0.0,), (0.0,)),
    ("sign", (0.0,), (0.0,)),
    ("relu", (0.0,), (0.0,)),
    ("root", (0.0,), (0.0,)),
    ("sqrt", (0.0,), (math.inf,)),
    ("cbrt", (0.0,), (math.inf,)),
    ("maximum", (0.0, 0.0), (0.5, 0.5)),
    ("maximum", (2.0, 2.0), (0.5, 0.5)),
    ("minimum", (2.0, 2.0), (0.5, 0.5)),
    ("fmax", (2.0, 2.0), (0.5, 0.5)),
    ("fmin", (2.0, 2.0), (0.5, 0.5)),
    ("clip", (1.0, 1.0, 2.0), (0.5, 0.5, 0.0)),
    ("clip", (2.0, 1.0, 2.0), (0.5, 0.0, 0.5)),
    ("copysign", (0.0, 1.0), (0.0, 0.0)),
]


@pytest.mark.parametrize(("name", "point", "wanted"), KINKS)
def test_kinks(name, point, wanted):
    """At a kink the partials are those of the conventions, at numbers and at arrays, and the row knows the kink."""
    rule = RULES[name]
    everything = tuple(range(len(point)))
    assert grad(rule, everything)(*point) == wanted
    arrays = [np.array([x]) for x in point]
    assert tuple(float(x[0]) for x in grad(lambda *x: rule(*x).sum(), everything)(*arrays)) == wanted
    assert rule.at_kink(rule.ieee(*point), *point)


@pytest.mark.parametrize(
    ("name", "point", "wanted"),
    [
        ("fmax", (math.nan, 1.0), (0.0, 1.0)),
        ("fmin", (1.0, math.nan), (1.0, 0.0)),
        ("where", (1.0, 2.0, 3.0), (1.0, 0.0)),
        ("where", (0.0, 2.0, 3.0), (0.0, 1.0)),
        ("clip", (5.0, 1.0, 2.0), (0.0, 0.0, 1.0)),
        ("clip", (0.0, 1.0, 2.0), (0.0, 1.0, 0.0)),
        ("clip", (1.5, 1.0, 2.0), (1.0, 0.0, 0.0)),
        ("clip", (1.5, 2.0, 1.0), (0.0, 0.0, 1.0)),
    ],
)
def test_what_is_taken(name, point, wanted):
    """A row that hands an argument through passes everything to it and nothing to the others."""
    carriers = tuple(n for n, partial in enumerate(RULES[name].partials) if partial is not None)
    assert grad(RULES[name], carriers)(*point) == wanted


def test_a_condition_is_a_fact():
    """An argument without a partial is an outcome: its derivative is zero, and a replay asks for it again."""
    recording = trace(RULES["where"], 1.0, 2.0, 3.0, names=False)
    assert recording.sensitivities()[:3] == [0.0, 1.0, 0.0]
    assert len(recording.outcomes) == 1
    assert recording.replay(0.0, 2.0, 3.0).value == 3.0


@pytest.mark.parametrize("x", [-700.0, 360.0, 700.0, np.array(400.0), np.float32(60.0)])
def test_far_out_on_a_hyperbolic_tangent(x):
    """The second derivative stays finite where the square of the hyperbolic cosine overflows."""
    slope = lambda t: np.sum(np.tanh(t))
    assert pytest.approx(grad(grad(slope))(x), abs=1e-30) == 0.0
    assert pytest.approx(hvp(slope, x, np.ones_like(x)[()]), abs=1e-30) == 0.0


POWERS = {
    "**": lambda x, y: x**y,
    "np.power": np.power,
    "math.pow": lambda x, y: modules.module("math").pow(x, y),
    "arrays": lambda x, y: np.sum(np.reshape(x, (1,)) ** np.reshape(y, (1,))),
    "formula": resolve("x**y").function,
}


@pytest.mark.parametrize("power", POWERS.values(), ids=POWERS)
@pytest.mark.parametrize(("y", "wanted"), [(1.0, -math.inf), (1.5, 0.0), (2.0, 0.0), (3.0, 0.0)])
def test_mixed_derivatives_of_a_power_of_0(power, y, wanted):
    """They are the limit of x**(y - 1) * (1 + y * log(x)), in both orders."""
    found = [grad(grad(power, first), 1 - first)(0.0, y) for first in (0, 1)]

    assert found == [wanted, wanted]
    assert grad(power, 1)(0.0, y) == 0.0
