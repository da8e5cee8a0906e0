"""Recorded Python floats: operators with every kind of number, comparisons, and what Python itself would raise."""

import contextlib
import copy
import math
import numbers
import operator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from gradcli import grad, stop_gradient, trace, value_and_grad
from gradcli.errors import DetachedError

pytestmark = pytest.mark.sampled(4)  # many like cases

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod, operator.pow]


def slope(f, x, step=1e-6):
    """The central difference of `f` at `x`."""
    return (float(f(x + step)) - float(f(x - step))) / (2 * step)


@pytest.mark.parametrize(
    "other", [3, 1.7, True, Fraction(5, 4), np.float64(1.7), np.int64(3), np.bool_(True)], ids=repr
)
@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_an_operator_on_either_side(function, other):
    """Value, type and derivative are those of the plain operation, whatever number stands on the other side."""
    for f in (lambda x: function(x, other), lambda x: function(other, x)):
        value, gradient = value_and_grad(f)(0.8)
        plain = f(0.8)

        assert (plain, type(plain)) == (value, type(value))
        assert math.isclose(slope(f, 0.8), gradient, rel_tol=1e-6, abs_tol=1e-8)
        assert float is type(gradient)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x, y: x + y, (1.0, 1.0)),
        (lambda x, y: x - y, (1.0, -1.0)),
        (lambda x, y: x * y, (2.0, 5.0)),
        (lambda x, y: x / y, (0.5, -1.25)),
        (lambda x, y: x**y, (10.0, 25 * math.log(5))),
        (lambda x, y: x % y, (1.0, -2.0)),
        (lambda x, y: divmod(x, y)[1], (1.0, -2.0)),
        (lambda x, y: -x + +y, (-1.0, 1.0)),
        (lambda x, y: abs(-x) * abs(y), (2.0, 5.0)),
        (lambda x, y: pow(x, y), (10.0, 25 * math.log(5))),
        (lambda x, y: x // y * x, (2.0, 0.0)),
        (lambda x, y: 7 // y * x + 7.5 % y, (3.0, -3.0)),
        (lambda x, y: divmod(9, y)[0] * y, (0.0, 4.0)),
        (lambda x, y: x.real * y.conjugate() + x.imag, (2.0, 5.0)),
    ],
)
def test_two_recorded_numbers(f, expected):
    """Every operator of two recorded numbers, at x = 5 and y = 2."""
    assert grad(f, (0, 1))(5.0, 2.0) == pytest.approx(expected, rel=1e-15)


def test_numpy_numbers_stay_numpy_numbers():
    """Single precision infects a Python float, as in NumPy, and division by zero is infinite there."""
    assert type(value_and_grad(lambda x: x * np.float32(0.1))(3.0)[0]) is np.float32
    with np.errstate(divide="ignore"):
        assert value_and_grad(lambda x: x / np.float64(0.0))(3.0)[0] == np.inf


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x: 1 / (x - x), ZeroDivisionError, "float division by zero"),
        (lambda x: x**-1, ZeroDivisionError, "0.0 cannot be raised to a negative power"),
        (lambda x: (x + 1e200) ** 2, OverflowError, "Numerical result out of range"),
        (lambda x: x % 0, ZeroDivisionError, "float modulo"),
        (lambda x: x // 0, ZeroDivisionError, "float floor division by zero"),
        (lambda x: x * 10**400, OverflowError, "int too large to convert to float"),
        (lambda x: x + "a", TypeError, r"unsupported operand type\(s\) for \+: 'float' and 'str'"),
        (lambda x: x < "a", TypeError, "'<' not supported between instances of 'float' and 'str'"),
        (lambda x: x * Decimal(2), TypeError, r"unsupported operand type\(s\) for \*: 'float' and 'decimal.Decimal'"),
        (lambda x: x[0], TypeError, "'float' object is not subscriptable"),
        (lambda x: len(x), TypeError, r"object of type 'float' has no len\(\)"),
        (lambda x: [*x], TypeError, "'float' object is not iterable|after \\* must be an iterable, not float"),
        (lambda x: x(), TypeError, "'float' object is not callable"),
        (lambda x: range(x), TypeError, "'float' object cannot be interpreted as an integer"),
        (lambda x: [1, 2][x], TypeError, "list indices must be integers or slices, not float"),
        (lambda x: x << 1, TypeError, r"unsupported operand type\(s\) for <<: 'float' and 'int'"),
        (lambda x: x.size, AttributeError, "'float' object has no attribute 'size'"),
    ],
)
def test_errors_are_those_of_the_plain_run(f, error, words):
    """What Python raises for a float it raises for a recorded one, with the same text."""
    for run in (f, grad(f)):
        with pytest.raises(error, match=words):
            run(0.0)


def test_an_error_may_be_caught():
    """The program goes on where it would on plain numbers."""

    def reciprocal(x):
        try:
            return 1 / x
        except ZeroDivisionError:
            return 5 * x

    assert grad(reciprocal)(0.0) == 5.0


@pytest.mark.parametrize(
    ("f", "outcome"),
    [
        (lambda x: x > 1, True),
        (lambda x: x >= 2.0, True),
        (lambda x: x < np.float64(2), False),
        (lambda x: x <= Fraction(1, 3), False),
        (lambda x: x == 2, True),
        (lambda x: x != Decimal("2.5"), True),
        (lambda x: Decimal("2.5") > x, True),
        (lambda x: 1 < x, True),
        (lambda x: x == 2j, False),
        (lambda x: bool(x), True),
        (lambda x: x.is_integer(), True),
    ],
)
def test_a_comparison_is_an_outcome(f, outcome):
    """The program gets a plain bool, and the tape keeps what was asked."""
    tape = trace(lambda x: x if f(x) == outcome else None, 2.0)

    assert (outcome,) == tuple(each.answer for each in tape.outcomes)
    assert 2.0 in tape.outcomes[0].operands


@pytest.mark.parametrize("other", [None, "2.0", [], ()])
def test_a_comparison_with_no_number_is_no_outcome(other):
    assert trace(lambda x: x * 2 if x != other and not x == other else None, 2.0).outcomes == ()


def test_a_comparison_keeps_its_two_operands():
    (fact,) = trace(lambda x, y: x * y if x < y else y, 2.0, 3.0).outcomes

    assert (fact.before, fact.name, fact.sources, fact.operands, fact.answer) == (2, "lt", (0, 1), (2.0, 3.0), True)


class Pair:
    """Two numbers with operators of the user's own."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Pair(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Pair(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __rsub__(self, k):
        return Pair(k - self.x, k - self.y)

    def __rtruediv__(self, k):
        return Pair(k / self.x, k / self.y)

    def __lt__(self, k):
        return self.x < k and self.y < k

    def dot(self, other):
        """The sum of the products."""
        return self.x * other.x + self.y * other.y


def test_classes_with_operators_of_their_own():
    """A recorded number on the left leaves the operation to the class, as a float does."""

    def f(x, y):
        pair = x * Pair(y, 1.0) + (x - Pair(y, y)) * 2
        return pair.dot(x / Pair(1.0, y)) if x > Pair(1.0, 2.0) else 0.0

    x, y = 3.0, 2.0
    # (x y + 2 x - 2 y) x + (3 x - 2 y) x / y
    expected = (2 * x * y + 4 * x - 2 * y + 6 * x / y - 2, x * x - 2 * x - 3 * x * x / (y * y))
    assert grad(f, (0, 1))(x, y) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [float, numbers.Real, numbers.Number, (int, float), object])
def test_isinstance_answers_as_of_a_float(kind):
    """A check of the type goes the way it goes on plain numbers."""
    assert grad(lambda x: 2 * x if isinstance(x, kind) else x)(1.0) == 2.0


@pytest.mark.parametrize("kind", [int, complex, str, np.floating, list, type(None)])
def test_isinstance_denies_as_of_a_float(kind):
    assert grad(lambda x: x if isinstance(x, kind) else 2 * x)(1.0) == 2.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: type(x) == float,  # noqa: E721 - as users write it
        lambda x: type(x) in (int, float),
        lambda x: {int: False, float: True}[type(x)],
        lambda x: x.__class__ is float,
        lambda x: type(x).__name__ == "float",
        lambda x: repr(type(x)) == "<class 'float'>",
        lambda x: isinstance(type(x)(3), float),
        lambda x: type(x) is float,
        lambda x: callable(x) is False,
        lambda x: not any(hasattr(x, name) for name in ("shape", "dtype", "ndim", "__len__", "__iter__", "__index__")),
    ],
)
def test_the_type_is_that_of_a_float(f):
    assert grad(lambda x: 2 * x if f(x) else x)(1.0) == 2.0


@pytest.mark.parametrize("name", ["value", "number", "data", "magnitude", "shape", "numerator", "item", "tolist"])
def test_no_attribute_of_ours_looks_like_the_users(name):
    """`x.value if hasattr(x, "value") else x` keeps the derivative: a float has no such attribute."""
    assert grad(lambda x: x * 1.0 if hasattr(x, name) else x * 2)(1.0) == 2.0
    assert grad(lambda x: 2 * getattr(x, name, x))(1.0) == 2.0


def test_the_type_makes_numbers():
    """`type(x)(…)` makes a float, and keeps a recorded one."""
    assert grad(lambda x: type(x)("2.5") * x + type(x)(x) * type(x)(4.5))(1.0) == 7.0


def test_copies_are_the_number_itself():
    """A number cannot be changed, so a copy of it carries the derivative."""
    assert grad(lambda x: copy.copy(x) * copy.deepcopy([x, {"x": x}])[1]["x"] * x)(2.0) == 12.0


def test_a_number_cannot_be_hashed():
    """Equal numbers would be one key, and the derivative of the other one lost: refused by name."""
    with pytest.raises(DetachedError, match="a recorded value is hashed, as a key of a dict") as caught:
        grad(lambda x: {x: 1}[x])(2.0)
    assert "gradcli.stop_gradient(x)" in caught.value.hint
    assert grad(lambda x: {stop_gradient(x): 3}[stop_gradient(x)] * x)(2.0) == 3.0


def test_a_memory_that_falls_back():
    """A cache that does without where it cannot hash."""

    def remembered(x, known={}):  # noqa: B006 - as users write it
        try:
            return known[x]
        except TypeError:
            return x * x

    assert grad(remembered)(2.0) == 4.0


def members(x):
    """Computes by a set, and has another result where it cannot."""
    try:
        return x * len({x, 3.0})
    except TypeError:
        return 0.5 * x


def looked_up(v):
    """Reads what it has just put into a dict."""
    with contextlib.suppress(Exception):
        return {v[0]: v[1]}[v[0]] * 2.0
    return v[0]


def hashed(x):
    """Needs the hash itself."""
    try:
        return hash(x) * 0.0 + x
    except TypeError:
        return 0.0 * x


@pytest.mark.parametrize(
    ("f", "at"), [(members, 2.0), (looked_up, np.array([0.3, 0.5])), (hashed, 2.0)], ids=["a set", "a dict", "hash"]
)
def test_an_error_of_a_hash_that_the_program_catches_is_refused(f, at):
    """Plain numbers have a hash, so the program returns another number for them."""
    with pytest.raises(DetachedError, match="a recorded value is hashed, as a key of a dict") as caught:
        grad(f)(at)
    assert __file__ == caught.value.file
    assert f.__code__.co_firstlineno + 3 == caught.value.line


def test_an_array_has_no_hash_in_plain_runs_either():

    def f(v):
        try:
            return {v: 1.0}[v]
        except TypeError:
            return np.sum(v * v)

    np.testing.assert_array_equal([2.0, 4.0], grad(f)(np.array([1.0, 2.0])))


def test_parts_of_a_number_are_refused():
    """A ratio of integers would not carry a derivative."""
    with pytest.raises(DetachedError, match="as_integer_ratio"):
        grad(lambda x: math.prod(x.as_integer_ratio()))(0.75)
