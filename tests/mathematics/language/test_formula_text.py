"""Emitted text."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import Apply, Number, emit, numpy_like_functions, parse
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.float_functions import IEEE
from gradcli.mathematics.language.float_functions import PLAIN as PLAIN_FUNCTIONS
from gradcli.mathematics.language.formula_text import ARRAY, CALLS, PLAIN, SLOPES, used_functions

TABLE = numpy_like_functions.functions(np)

TEXTS = [
    ("2 * x + sin(y)", "2 * x + sin(y)", "2 * x + sin(y)", "2 * x + sin(y)"),
    ("(x + y) * 2", "(x + y) * 2", "(x + y) * 2", "(x + y) * 2"),
    ("x - (y - z)", "x - (y - z)", "x - (y - z)", "x - (y - z)"),
    ("(x - y) - z", "x - y - z", "x - y - z", "x - y - z"),
    ("x / y", "x / y", "div(x, y)", "x / y"),
    ("x // y % z", "x // y % z", "mod(floordiv(x, y), z)", "x // y % z"),
    ("-x^2", "-x ** 2", "-(x * x)", "-x ** 2"),
    ("(-x)^2", "(-x) ** 2", "pow(-x, 2)", "(-x) ** 2"),
    ("x^3", "x ** 3", "pow(x, 3)", "x ** 3"),
    ("x^y", "pow(x, y)", "pow(x, y)", "x ** y"),
    ("x^-1", "pow(x, -1)", "pow(x, -1)", "x ** -1"),
    ("x^2.0", "pow(x, 2.0)", "pow(x, 2.0)", "x ** 2.0"),
    ("(x^2)^3", "(x ** 2) ** 3", "pow(x * x, 3)", "(x ** 2) ** 3"),
    ("x - -y", "x - -y", "x - -y", "x - -y"),
    ("abs(x)", "abs(x)", "abs(x)", "abs(x)"),
    ("max(x, y)", "maximum(x, y)", "maximum(x, y)", "maximum(x, y)"),
    ("x < y", "x < y", "x < y", "x < y"),
    ("(x < y) == z", "(x < y) == z", "(x < y) == z", "(x < y) == z"),
    ("x and not y", "x and not y", "(not not logical_not(y) if x else False)", "logical_and(x, logical_not(y))"),
    ("(x or y) and z", "(x or y) and z", "(not not z if (True if x else not not y) else False)",
        "logical_and(logical_or(x, y), z)"),
    ("2 * (x if z else y)", "2 * (x if z else y)", "2 * (x if z else y)", "2 * where(z, x, y)"),
    ("x if x < 1 else y", "(x if x < 1 else y)", "(x if x < 1 else y)", "where(x < 1, x, y)"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "plain", "calls", "arrays"), TEXTS, ids=[row[0] for row in TEXTS])
def test_text(typed, plain, calls, arrays):
    tree = parse(typed)
    assert (plain, calls, arrays) == (emit(tree, PLAIN), emit(tree, CALLS), emit(tree, ARRAY))


@pytest.mark.parametrize(
    ("value", "text"),
    [(-2, "(-2) ** 2"), (math.inf, "inf ** 2"), (-math.inf, "(-inf) ** 2"), (math.nan, "nan ** 2"), (0.1, "0.1 ** 2")],
)
def test_numbers(value, text):
    """A negative number is bracketed as a negation is; infinity and nan are names."""
    assert text == emit(Apply("pow", (Number(value), Number(2))), PLAIN)


def test_free():
    """The functions of a tree are found, inline or not."""
    assert used_functions(parse("sin(x^2) + 1")) == {"add", "sin", "pow"}


def test_long_sum():
    assert " + ".join(["x"] * 5000) == emit(parse("+".join(["x"] * 5000)), PLAIN)


def functions(inner):
    operators = "{0} + {1}|{0} - {1}|{0} * {1}|{0} / {1}|{0} % {1}|{0}^{1}|{0}^2|-{0}|{0} < {1}|{0} >= {1}|{0} == {1}"
    words = "not {0}|{0} and {1}|{0} or {1}|{0} if {1} else {0}|max({0}, {1})|hypot({0}, {1})|sin({0})"
    forms = st.sampled_from(f"{operators}|{words}|where({{0}}, {{1}}, {{0}})".split("|"))
    return st.tuples(forms, inner, inner).map(lambda parts: f"({parts[0].format(parts[1], parts[2])})")


FORMULAS = st.recursive(st.sampled_from(["x", "y", "2", "0.5"]), functions, max_leaves=10)
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 0.3, -2.5, 7.0, 1e200])


def parsed(text):
    """The tree, or no example where a constant is too large."""
    try:
        return parse(text)
    except ExpressionError:
        assume(False)


def outcome(compute):
    """The value, or the kind of what was raised."""
    try:
        value = compute()
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error)
    return "nan" if value != value else value


def run(tree, target, names, table):
    return eval(emit(tree, target), {**table, **names, "inf": math.inf, "nan": math.nan})


@settings(max_examples=40)
@given(FORMULAS, NUMBERS, NUMBERS)
def test_calls_round_trip(text, x, y):
    """The text that never raises has the very value of the tree."""
    tree, names = parsed(text), {"x": x, "y": y}
    assert outcome(lambda: evaluate(tree, names, IEEE)) == outcome(lambda: run(tree, CALLS, names, IEEE))


@pytest.mark.parametrize(
    ("text", "expected"), [("y == 0 and x < 1", ["y"]), ("y != 0 or x < 1", ["y"]), ("x < 1 and y == 0", ["x", "y"])]
)
def test_only_what_decides_is_compared(text, expected):
    """A comparison of a recorded number would be an outcome of the run."""
    asked = []

    class Number:
        def __init__(self, name, value):
            self.name, self.value = name, value

        def __eq__(self, other):
            asked.append(self.name)
            return self.value == other

        def __lt__(self, other):
            asked.append(self.name)
            return self.value < other

        __hash__ = None

        def __ne__(self, other):
            return not self == other

    run(parse(text), CALLS, {"x": Number("x", 0.5), "y": Number("y", 2.0)}, IEEE)

    assert asked == expected


@settings(max_examples=100)
@given(FORMULAS, NUMBERS, NUMBERS)
def test_plain_round_trip(text, x, y):
    """The plain text has the value of the tree wherever all of the tree has one."""
    tree, names = parsed(text), {"x": x, "y": y}
    expected = outcome(lambda: evaluate(tree, names, PLAIN_FUNCTIONS))
    assume(not isinstance(expected, type))
    assert outcome(lambda: run(tree, PLAIN, names, PLAIN_FUNCTIONS)) == expected


@settings(max_examples=60)
@given(FORMULAS, NUMBERS, NUMBERS)
def test_array_round_trip(text, x, y):
    """The text for arrays has the value of the tree."""
    tree, names, table = parsed(text), {"x": np.array([x]), "y": np.array([y])}, numpy_like_functions.functions(np)
    assume("not" not in text and "and" not in text)
    with np.errstate(all="ignore"):
        expected = outcome(lambda: np.asarray(evaluate(tree, names, table), dtype=float).item(0))
        assume(not isinstance(expected, type))
        actual = np.asarray(run(tree, ARRAY, names, table), dtype=float).item(0)
    assert expected == pytest.approx(actual, rel=1e-14) if actual == actual else expected == "nan"


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("where(x > 0, log(x), exp(x))", {"log": 600, "exp": 400}),
        ("where(x > 2000, log(x), exp(x))", {"exp": 1000}),
        ("where(x > 0, where(x > 500, log(x), sin(x * y)), y * exp(x))", {"log": 100, "sin": 500, "exp": 400}),
        ("where(y > 2, log(x), exp(y))", {"exp": 1}),
    ],
)
def test_a_side_of_a_choice_runs_on_the_elements_that_choose_it(text, calls):
    x, y, seen = np.arange(1000.0) - 399.5, 1.5, {}

    def counted(name):
        return lambda z: seen.update({name: np.size(z)}) or getattr(np, name)(z)

    counting = {**TABLE, **{name: counted(name) for name in ("log", "exp", "sin")}}
    with np.errstate(all="ignore"):
        actual = run(parse(text), SLOPES, {"x": x, "y": y}, counting)
        expected = run(parse(text), ARRAY, {"x": x, "y": y}, TABLE)

    np.testing.assert_array_equal(np.broadcast_to(actual, np.shape(expected)), expected)
    assert seen == calls


@pytest.mark.parametrize("first", [np.linspace(-1.0, 1.0, 300), np.linspace(-1.0, 1.0, 300, dtype=np.float32)])
def test_the_sides_of_a_choice_are_broadcast(first):
    second = np.linspace(0.5, 2.0, 4)[:, None]
    text = parse("where(x > 0.2, log(y), x * exp(y) + 1)")
    expected = run(text, ARRAY, {"x": first, "y": second}, TABLE)

    np.testing.assert_array_equal(run(text, SLOPES, {"x": first, "y": second}, TABLE), expected)
