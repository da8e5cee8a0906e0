"""Random programs on which all methods agree: the tape, 50 digits, SymPy, finite differences and the forward sweep."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli import grad, jvp, trace
from gradcli.mathematics.language import input_names, parse
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.rules import RULES, Elementwise, functions
from gradcli.methods.exact import gradient
from gradcli.methods.numerics import coordinates, differences
from gradcli.methods.symbolic import closed_form
from tests.methods.symbolic import derivative_numbers

pytestmark = pytest.mark.filterwarnings("ignore:G205")  # a random program may be flat

EPS = 2.2e-16

# Each argument is first brought to where the row is smooth and moderate.  Odd numbers keep it off the kinks.
TAME = {
    "any": "2*sin({0})",
    "positive": "1.53 + sin({0})",
    "unit": "0.91*sin({0})",
    "above one": "2.57 + sin({0})",
    "shifted": "2*sin({0}) + 2.71",
    "far": "sin({0}) + 5.3",
    "order": "2",
    "edge": "0.37182",
    "low": "-0.71318",
    "high": "0.83141",
}

DOMAINS = {
    **dict.fromkeys(
        """neg pos square degrees radians exp exp2 expm1 sin cos atan sinc sinh cosh tanh asinh erf erfc""".split(),
        ("any",),
    ),
    **dict.fromkeys("add sub mul logaddexp logaddexp2 atan2".split(), ("any", "any")),
    **dict.fromkeys("log log2 log10 log1p sqrt cbrt reciprocal gamma lgamma digamma root".split(), ("positive",)),
    **dict.fromkeys("asin acos atanh".split(), ("unit",)),
    **dict.fromkeys("abs relu sign".split(), ("shifted",)),
    **dict.fromkeys("maximum minimum fmax fmin".split(), ("any", "edge")),
    **dict.fromkeys("mod fmod remainder".split(), ("unit", "far")),
    "tan": ("unit",),
    "acosh": ("above one",),
    "div": ("any", "positive"),
    "pow": ("positive", "any"),
    "hypot": ("any", "positive"),
    "atan2": ("any", "positive"),
    "polygamma": ("order", "positive"),
    "copysign": ("any", "far"),
    "heaviside": ("shifted", "any"),
    "clip": ("any", "low", "high"),
    "where": ("condition", "any", "any"),
}
NAMES = sorted(DOMAINS)

PLAIN = functions()
# Before any test runs: a test may register a rule of its own.
ROWS = {rule.name: rule for rule in RULES.values() if isinstance(rule, Elementwise) and not rule.special}


def test_every_row_takes_part():
    """The table of domains covers the rows of our own functions, but for those that stand in on complex numbers."""
    assert ROWS.keys() - {row.complex for row in ROWS.values() if row.complex != row.name} == set(DOMAINS)


def applied(name, arguments):
    """A row of arguments that have been tamed; `arguments` are repeated as needed."""
    tamed = [tame(kind, arguments[n % len(arguments)]) for n, kind in enumerate(DOMAINS[name])]
    return RULES[name](*tamed)


def tame(kind, x):
    if kind == "condition":
        return x > 0.37182
    tree = parse(TAME[kind].format("x"))
    return evaluate(tree, {"x": x}, PLAIN)


# What all must agree on


def judge(f, point, *, whole):
    """Hold a function of numbers and arrays to all methods at once."""
    recording = trace(f, *point, names=False)
    last = recording.result_index()
    if last is None or not math.isfinite(recording.value):
        return
    assert recording.value == pytest.approx(float(f(*point)), rel=1e-12, abs=1e-13)
    inputs = list(recording.input_indices())
    truth = gradient.gradient(recording, last, inputs)
    if None in truth.derivatives:
        return
    scale = [float(x) for x in truth.largest]
    wanted = [float(x) for x in truth.derivatives]
    got = flat(grad(f, tuple(range(len(point))))(*point))
    close(got, wanted, scale)
    slopes_agree(f, point, wanted, scale, 0.05 * margin(recording))
    if whole and (expected := by_sympy(recording, last, inputs, point)):
        close(expected, wanted, scale)


def close(got, wanted, scale):
    """Whether two gradients are the same but for rounding."""
    for a, b, size in zip(got, wanted, scale, strict=True):
        assert abs(a - b) <= 1e-8 * size + 1e-10, (got, wanted)


def slopes_agree(f, point, wanted, scale, reach):
    """The forward sweep along a direction, and finite differences with steps that stay within `reach`."""
    rng = np.random.default_rng(3)
    along = [rng.uniform(-1, 1, np.shape(x)) if np.ndim(x) else float(rng.uniform(-1, 1)) for x in point]
    expected = np.dot(wanted, flat(along))
    size = np.dot(scale, np.abs(flat(along)))
    assert abs(jvp(f, point, along)[1] - expected) <= 1e-8 * size + 1e-10
    slope = differences.slope(lambda t: on_the_line(f, point, along, t), 0.0, EPS, reach)
    if slope.error <= 1e-4 * size:
        assert abs(slope.value - expected) <= 8 * slope.error + 1e-8 * size


def margin(recording):
    """How close the operands of the comparisons of a run are to each other."""
    pairs = [each.operands for each in recording.outcomes if len(each.operands) == 2]
    return min((float(np.min(np.abs(np.subtract(*pair)), initial=math.inf)) for pair in pairs), default=math.inf)


def on_the_line(f, point, along, t):
    """The value at a distance along a direction; nan where there is none."""
    try:
        return float(f(*(x + t * direction for x, direction in zip(point, along, strict=True))))
    except (ArithmeticError, ValueError):
        return math.nan


def by_sympy(recording, last, inputs, point):
    """SymPy's derivative of the whole program, where that is small; None where it is not, or SymPy finds no number."""
    parts = coordinates.coordinates({f"x{n}": x for n, x in enumerate(point)})
    if closed_form.size(recording, last, inputs) * len(parts) > 300:
        return None
    found = derivative_numbers.numbers(
        closed_form.expression(recording, last, inputs, parts), [part.value for part in parts]
    )
    return None if None in found else [float(x) for x in found]


def flat(values):
    """All numbers of some numbers and arrays in one list."""
    return np.concatenate([np.ravel(x) for x in values])


# Programs over numbers

numbers = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3))
steps = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=8)


def straight_line(program):
    """A function of numbers that runs a list of steps: each applies a row to earlier values."""

    def run(*values):
        known = list(values)
        for name, first, second in program:
            known.append(applied(name, [known[-1 - first % len(known)], known[second % len(known)]]))
        return known[-1] + 0.5 * known[len(known) // 2]

    return run


@given(steps, st.tuples(numbers, numbers))
def test_programs_over_numbers(program, point):
    judge(straight_line(program), point, whole=len(program) <= 3)


# Programs over arrays


def pick(x, y):
    """Two arrays that broadcast with each other: the second one only if it does."""
    try:
        np.broadcast_shapes(np.shape(x), np.shape(y))
    except ValueError:
        return [x, x]
    return [x, y]


def write(x, y):
    """A copy of an array with its last row written over its first, and its columns scaled through a view."""
    made = np.copy(np.atleast_2d(x))
    made[0] = made[-1] * 0.7
    for column in made.T[1:]:
        column *= np.sum(y)
    return made


def squares(x, y):
    return x @ x.T if np.ndim(x) == 2 else np.dot(np.ravel(x), np.ravel(x))


MOVES = {
    "sum": lambda x, y: np.sum(x, axis=0) if np.ndim(x) else np.sum(x),
    "mean": lambda x, y: np.mean(x, axis=-1, keepdims=True) if np.ndim(x) else np.mean(x),
    "prod": lambda x, y: np.prod(tame("positive", x), axis=-1) if np.ndim(x) else np.prod(x),
    "max": lambda x, y: np.max(np.atleast_1d(x), axis=-1, initial=-9.0) if not np.size(x) else np.max(x, axis=None),
    "min": lambda x, y: np.min(x, axis=0) if np.ndim(x) and np.size(x) else x,
    "reshape": lambda x, y: np.reshape(x, (-1, 1)),
    "transpose": lambda x, y: np.transpose(x),
    "first": lambda x, y: x[0] if np.ndim(x) and len(x) else x,
    "steps": lambda x, y: x[..., ::-2] if np.ndim(x) else x,
    "repeated": lambda x, y: x[[0, -1, 0]] if np.ndim(x) and len(x) else x,
    "mask": lambda x, y: x[x > 0.37182] if np.ndim(x) else x,
    "concatenate": lambda x, y: np.concatenate([np.ravel(x), np.ravel(y)]),
    "stack": lambda x, y: np.stack([x, 0.5 * x], axis=-1),
    "broadcast": lambda x, y: np.broadcast_to(x, (2, *np.shape(x))),
    "choose": lambda x, y: np.where(x > 0.37182, *pick(x, y)),
    "clip": lambda x, y: np.clip(x, -0.71318, 0.83141),
    "norm": lambda x, y: np.linalg.norm(np.ravel(x)) if np.size(x) else np.sum(x),
    "outer": lambda x, y: np.outer(x, y),
    "squares": squares,
    "write": write,
}

array_steps = st.lists(
    st.tuples(st.sampled_from([*sorted(MOVES), *NAMES]), st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=6
)
entries = st.lists(numbers, min_size=9, max_size=9)


def array_program(program):
    """A function of a matrix and a vector that runs a list of steps and sums everything up."""

    def run(x, y):
        known = [x, y]
        for name, first, second in program:
            a, b = known[-1 - first % len(known)], known[second % len(known)]
            made = MOVES[name](a, b) if name in MOVES else applied(name, pick(a, b))
            known.append(made if np.size(made) <= 12 else np.ravel(made)[::5][:6])
        return np.sum(known[-1] * 0.9) + np.sum(known[len(known) // 2] ** 2)

    return run


@given(array_steps, entries)
def test_programs_over_arrays(program, values):
    apart = np.array(values) + 0.0173 * np.arange(1, 10)  # no two numbers are the same
    judge(array_program(program), (apart[:6].reshape(2, 3), apart[6:]), whole=len(program) == 1)


# Typed expressions

WORDS = {name: kinds for name, kinds in DOMAINS.items() if name not in ("relu", "root", "where", "heaviside")}
OPERATORS = {
    "add": "({0}) + ({1})",
    "sub": "({0}) - ({1})",
    "mul": "({0})*({1})",
    "div": "({0})/({1})",
    "neg": "-({0})",
}
OPERATORS |= {"pow": "({0})^({1})", "mod": "({0}) % ({1})", "pos": "+({0})"}


def spelled(name, *texts):
    """A row applied to typed arguments, as a user types it."""
    tamed = [TAME[kind].format(texts[n % len(texts)]) for n, kind in enumerate(DOMAINS[name])]
    return OPERATORS[name].format(*tamed) if name in OPERATORS else f"{name}({', '.join(tamed)})"


expressions = st.recursive(
    st.sampled_from(["x", "y", "2", "0.7", "pi"]),
    lambda inner: st.builds(spelled, st.sampled_from(sorted(WORDS)), inner, inner),
    max_leaves=4,
)


@given(expressions, st.tuples(numbers, numbers))
def test_typed_expressions(text, point):
    tree = parse(text)
    names = [name for name in input_names(tree) if name in ("x", "y")]

    def f(*values):
        return evaluate(tree, {"pi": math.pi, **dict(zip(names, values, strict=True))}, PLAIN, number=float)

    if names:
        judge(f, point[: len(names)], whole=len(text) < 60)


@pytest.mark.long
@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 7), st.integers(0, 7)), min_size=8, max_size=20),
    st.data(),
)
@settings(max_examples=80)
def test_long_programs(program, data):
    judge(straight_line(program), data.draw(st.tuples(numbers, numbers, numbers)), whole=False)
