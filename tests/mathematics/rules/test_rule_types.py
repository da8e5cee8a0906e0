"""What a rule is: called with plain values it computes, called with a recorded one it records."""

import math

import numpy as np
import pytest

import gradcli
from gradcli import grad
from gradcli.answers.selftest.array_mutants import PROGRAMS, programs_by_rule
from gradcli.mathematics.rules import RULES, functions, rule_types
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.function_registry import FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals

pytestmark = pytest.mark.sampled(4)  # many like cases


def row(value, *partials, parameters=("x",)):
    return Elementwise("made", parameters, value, partials)


@pytest.fixture(scope="module", autouse=True)
def every_rule():
    """The rules that a program has not asked for yet come into the table."""
    FUNCTIONS.complete()


def test_a_row_on_numbers():
    assert RULES["div"](1, 0) == math.inf
    assert RULES["div"](1, 2) == 0.5
    assert math.isnan(RULES["log"](-1.0))


def test_plain_raises_as_python():
    with pytest.raises(ZeroDivisionError):
        RULES["div"].plain(1.0, 0.0)
    with pytest.raises(ValueError, match=r"domain error|expected a"):
        row("log(x) + 1").plain(-1.0)


def test_a_row_on_arrays():
    assert RULES["square"](np.array([1.0, 2.0])).tolist() == [1.0, 4.0]


@pytest.mark.parametrize("name", ["plain", "ieee"])
def test_a_typed_number_as_a_result(name):
    """A whole number that stands in the text is a float when it is the result."""
    assert repr(getattr(row("where(x > 0, x, 0)"), name)(-1.0)) == "0.0"
    assert repr(getattr(row("-abs(x)"), name)(-0.0)) == "-0.0"


def test_partials_without_a_derivative():
    """An argument without a partial is taken as a fact when the row is called."""
    made = row("x * n", None, "n", parameters=("n", "x"))
    assert grad(made, (0, 1))(2.0, 3.0) == (0.0, 2.0)


def test_an_array_rule_on_plain_values():
    assert RULES["sum"](np.array([1.0, 2.0, 3.0]), axis=None, keepdims=False) == 6.0


def test_rules_print_as_what_they_are():
    assert repr(RULES["hypot"]) == "<rule hypot(x, y) = hypot(x, y)>"
    assert repr(RULES["matmul"]) == "<rule matmul>"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("sub(x, y)", "sub"),
        ("sub(y, x)", ""),
        ("hypot(x, 2)", ""),
        ("log(x / y)", ""),
        ("where(x > 0, x, y)", ""),
        ("x", ""),
    ],
)
def test_the_word_of_a_row(value, expected):
    """It is a function of the language, on the row's arguments in their order."""
    assert row(value, "1", "1", parameters=("x", "y")).word == expected


def test_the_words_of_the_language():
    """Every word is a function: rows, words that are zero by declaration, and those of arrays."""
    words = functions()
    assert words["sin"] is RULES["sin"]
    assert (2.0, 6.0, 2.0, 14.0) == (
        words["floor"](2.5),
        words["sum"]([1, 2, 3]),
        words["mean"]([1, 2, 3]),
        words["dot"]([1, 2, 3], [1, 2, 3]),
    )


@pytest.mark.parametrize(
    ("kink", "where", "expected"),
    [
        ("x == 0", "", ((0,),)),
        ("x == y", "", ((0, 1),)),
        ("x == 0 or 0 == y", "", ((0,), (1,))),
        ("x == y or abs(x) == 1", "", ((0, 1),)),
        ("x == 0 and y == 0", "", ()),
        ("x == 0", "x >= 0", ()),
        ("", "", ()),
    ],
)
def test_what_meets_at_a_kink(kink, where, expected):
    """The condition says it; where the operation ends there, nothing does."""
    assert Elementwise("made", ("x", "y"), "x + y", ("1", "1"), where, kink).meeting == expected


# What rows say of themselves, by what they compute

POINTS = [(x, y, z) for x in (-1.7, -0.3, 0.4, 2.6) for y in (-0.9, 0.4, 3.1) for z in (-2.0, 0.7)]


def rows_that_are(fact):
    """The rows of which a fact is true, by name."""
    return [pytest.param(rule, id=name) for name, rule in RULES.items() if isinstance(rule, Elementwise) and fact(rule)]


def values_of(rule):
    """The arguments of a row at some points with its value there; without the points where it has none."""
    for point in POINTS:
        arguments = point[: len(rule.parameters)]
        value = rule.ieee(*arguments)
        if math.isfinite(value):
            yield arguments, value


@pytest.mark.parametrize("rule", rows_that_are(lambda rule: rule.roundings <= rule_types.ROUNDED))
def test_roundings(rule):
    with decimals.digits(60):
        for arguments, value in values_of(rule):
            exactly = decimals.function_of(rule)(*map(decimals.number, arguments))
            assert abs(decimals.number(value) - exactly) <= decimals.number(rule.roundings * math.ulp(value) / 2)


@pytest.mark.parametrize("rule", rows_that_are(lambda rule: rule.signed))
def test_signed_rows(rule):
    assert all(abs(arguments[0]) == abs(value) for arguments, value in values_of(rule))


@pytest.mark.parametrize("rule", rows_that_are(lambda rule: rule.step))
def test_steps(rule):
    """A little beside their first argument they are what they were."""
    assert all(value == rule.ieee(x * 1.01, *others) for (x, *others), value in values_of(rule))


@pytest.mark.parametrize("rule", rows_that_are(lambda rule: rule.selects))
def test_rows_that_select(rule):
    assert all(value in (*arguments, 0.0) for arguments, value in values_of(rule))


@pytest.mark.parametrize("rule", rows_that_are(lambda rule: rule.keeps_whole))
def test_rows_that_keep_whole_numbers(rule):
    """A sum, a difference and a product of whole numbers are whole."""
    assert all(float(rule(m, n)).is_integer() for m in range(-3, 4) for n in range(-3, 4))


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("adds", {"add", "sub"}),
        ("is_product", {"mul"}),
        ("is_quotient", {"div"}),
        ("is_power", {"pow", "pow_complex"}),
        ("conditional", {"where"}),
    ],
)
def test_what_a_row_is_by_its_value(fact, expected):
    assert {rule.name for rule in RULES.values() if isinstance(rule, Elementwise) and getattr(rule, fact)} == expected


@pytest.mark.parametrize("name", ["moves", "sums", "extreme", "part", "casts"])
def test_array_rules_that_are(name, nodes_of_array_rules):
    nodes = [node for node in nodes_of_array_rules if getattr(node.rule, name)]
    assert nodes
    assert all(BY_VALUES[name](node) for node in nodes)


def _moved(node):
    whence = np.concatenate([np.ravel(x) for x in (*node.operands, 0.0)])
    return np.isclose(np.ravel(node.value)[:, None], whence, rtol=1e-14, atol=0.0).any(axis=1).all()


def _along(node):
    return np.size(node.operands[0]) // np.size(node.value)


BY_VALUES = {
    "moves": _moved,
    "sums": lambda node: np.isclose(
        np.sum(node.operands[0]), np.sum(node.value) * (_along(node) if node.rule.averages else 1)
    ),
    "extreme": lambda node: np.isin(np.ravel(node.value), np.ravel(node.operands[0])).all(),
    "part": lambda node: np.all(np.abs(node.value) <= np.abs(node.operands[0])),
    "casts": lambda node: np.array_equal(node.value, node.operands[0]),
}


@pytest.fixture(scope="module")
def nodes_of_array_rules():
    """What programs recorded, one at least for each array rule."""
    programs = set(programs_by_rule().values())
    return [
        node
        for program, at in (PROGRAMS[name] for name in sorted(programs))
        for node in gradcli.trace(program, at).nodes
        if isinstance(node.rule, ArrayRule)
    ]
