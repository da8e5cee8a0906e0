"""Large arrays that no partial reads are let go."""

import sys
import tracemalloc

import numpy as np
import pytest

from gradcli import grad, jacobian, trace, value_and_grad
from gradcli.engine.tape.memory import released_arrays
from gradcli.engine.tape.memory.released_arrays import LARGE, is_placeholder, placeholder
from gradcli.engine.tape.memory.stored_operands import LARGEST_COPY
from gradcli.engine.tape.values.installed_operators import FEW_USES
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.rule_types import elementwise_rule

pytestmark = pytest.mark.sampled(4)  # many like cases

COUNT = max(LARGE, LARGEST_COPY // 8) + 3  # neither kept by the tape, nor copied
LARGE_ARRAY = np.linspace(0.5, 2.0, COUNT)


def peak(function, *arguments):
    """The most memory that a call takes, in arrays as large as the first argument."""
    function(*arguments)
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1] / arguments[0].nbytes
    finally:
        tracemalloc.stop()


def many_sums(x):
    for _ in range(30):
        x = 1.01 * x + 0.1
    return np.sum(x)


def test_values_that_no_partial_needs_take_no_memory():
    """Thirty rounds of sums and multiples by constants take as much memory as one."""
    assert peak(grad(many_sums), LARGE_ARRAY) < 6


def test_values_that_partials_need_are_kept():
    np.testing.assert_allclose(
        grad(lambda x: np.sum(np.exp(np.sin(x))))(LARGE_ARRAY), np.cos(LARGE_ARRAY) * np.exp(np.sin(LARGE_ARRAY))
    )


STEPS = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (3.0 + b * b),
    lambda a, b: -a,
    lambda a, b: 0.5 * np.sin(a),
    lambda a, b: np.exp(-a * a),
    lambda a, b: np.maximum(a, b),
    lambda a, b: np.where(a > b, a * a, b),
    lambda a, b: np.hypot(a, b),
    lambda a, b: a[::-1] * b.mean(),
    lambda a, b: np.reshape(a, (2, -1)).T.reshape(-1) - b,
)


@pytest.mark.parametrize("seed", range(40))
def test_cotangents_that_share_an_array_are_never_written_over(seed):
    """Sweeps of random programs, in which many a cotangent is another's too, agree with those that write over none."""
    rng = np.random.default_rng(seed)
    plan = [(STEPS[rng.integers(len(STEPS))], rng.integers(n + 2), rng.integers(n + 2)) for n in range(12)]

    def f(x, y):
        values = [x, y]
        for step, a, b in plan:
            values.append(step(values[a], values[b]))
        return np.sum(values[-1] * values[-2] + values[-3])

    x, y = LARGE_ARRAY[:-1], np.cos(LARGE_ARRAY[:-1])
    whole, (_, gradient) = trace(f, x, y, names=False), value_and_grad(f, (0, 1))(x, y)
    expected = [whole.sensitivities()[index] for index in range(2)]
    for found, each in zip(gradient, expected, strict=True):
        np.testing.assert_array_equal(np.broadcast_to(each, x.shape), found)
    gradient[0][:] = 7.0
    assert not np.shares_memory(*gradient)


@pytest.mark.parametrize("dtypes", ["fd", "df", "FD", "dD", "Dd"])
def test_a_cotangent_keeps_its_type(dtypes):
    x, y = (LARGE_ARRAY.astype(dtype) for dtype in dtypes)

    def f(x):
        return np.sum(np.real(np.exp(x * y[: x.size]) / (2 + x)))

    found = grad(f)(x)
    assert x.dtype == found.dtype
    np.testing.assert_allclose(grad(f)(x[:9]), found[:9], rtol=1e-5 if dtypes[0] in "fF" else 1e-13)


def test_a_chain_of_products_is_swept_in_one_array():
    """Each cotangent is written over the one before: twenty factors take no more than the values that they need."""

    def chain(x, factors):
        for factor in factors:
            x = x * factor
        return np.sum(x)

    factors = np.random.default_rng(0).uniform(0.5, 1.5, (20, COUNT))
    assert peak(grad(chain), LARGE_ARRAY, factors) < 2.5


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 * 100 + (1 - x[:-1]) ** 2),
        lambda x: np.sum(np.concatenate([x, 2 * x]) / (1 + np.stack([x, x]).reshape(-1) ** 3)),
        lambda x: np.sum(np.where(x > 1, x * x, 3 - x) - np.maximum(x, 1.5)),
        lambda x: np.mean(x) * np.max(x) + np.dot(x, x[::-1]),
        lambda x: np.sum(np.outer(x[:3], np.ones(3)) @ np.sin(x[:9].reshape(3, 3))) + np.sum(x**-1 + x**4),
    ],
)
def test_the_derivative_is_that_of_the_whole_tape(f):
    """A tape that keeps everything gives the same numbers, bit for bit."""
    whole = trace(f, LARGE_ARRAY, names=False)
    value, gradient = value_and_grad(f)(LARGE_ARRAY)

    assert whole.value == value
    np.testing.assert_array_equal(whole.sensitivities()[0], gradient)


def test_a_sweep_that_meets_an_infinity_reads_nothing_that_was_let_go():
    """A lane that was not taken has an infinite partial: the sweep that knows what was reached reads no more."""
    x = LARGE_ARRAY - LARGE_ARRAY[0]
    got = grad(lambda x: np.sum(np.where(x > 0.1, np.sqrt(2.0 * x + 0.0), 3.0 * x)))(x)

    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(got, np.where(x > 0.1, 1 / np.sqrt(2 * x), 3.0), rtol=1e-14)


def test_a_transform_inside_needs_every_value():
    """The derivative of a gradient is recorded on the values of the outer run."""

    def slope(x):
        y = 2.0 * x + 1.0
        return np.sum(grad(lambda z: np.sum(z**3))(y) * y)

    np.testing.assert_allclose(grad(slope)(LARGE_ARRAY), 2 * 9 * (2 * LARGE_ARRAY + 1) ** 2, rtol=1e-13)


def test_the_array_is_not_copied_and_cannot_be_changed_meanwhile():
    """A program that writes into the very array that it is differentiated by is refused."""
    x = LARGE_ARRAY.copy()

    def overwrites(y):
        x[0] = 7.0
        return np.sum(y * y)

    with pytest.raises(UnsupportedError, match="overwritten"):
        grad(overwrites)(x)
    x[0] = 1.0
    assert x[0] == 1.0


def test_a_view_is_held_with_what_it_shows():
    """Writing into the array behind a view is refused too, and both can be written to afterwards."""
    whole = np.ones((2, COUNT))

    def overwrites(y):
        whole[:] = 7.0
        return np.sum(y * y)

    with pytest.raises(UnsupportedError, match="overwritten"):
        grad(overwrites)(whole[0])
    whole[:] = 2.0
    assert whole[0, 0] == 2.0


def test_a_gradient_is_an_array_of_its_own():
    x = np.ones((2, COUNT))
    found = grad(lambda x: np.sum(x * x) / 2)(x)
    found[:] = 5.0

    assert x[0, 0] == 1.0
    assert np.shares_memory(*jacobian(lambda x, y: np.sum(x + y), (0, 1))(x, x)) is False


def test_a_ghost_takes_no_memory():
    found = placeholder(np.ones((COUNT, 3), np.float32))

    assert (found.shape, found.dtype, found.strides) == ((COUNT, 3), np.float32, (0, 0))
    assert is_placeholder(found)
    assert not is_placeholder(np.ones(COUNT))


@pytest.mark.parametrize("n", [-1, 2, 3, 4])
def test_powers(n):
    """A constant exponent has a partial of its own, which is SymPy's."""
    import sympy

    x = sympy.Symbol("x", positive=True)
    text = elementwise_rule("pow").slopes_at[n].texts[0].replace("square", "sq")
    partial = sympy.sympify(text, {"sq": lambda y: y**2, "x": x, "v": x**n})

    assert sympy.simplify(partial - sympy.diff(x**n, x)) == 0


def test_a_thin_row_holds_what_the_rows_of_its_arguments_hold():
    """The row of an argument has kept the array, or let it go: there is no second look at it."""
    rows = []

    def f(x):
        y = np.exp(x) + x * 2.0
        rows[:] = y.tape.rows
        return np.sum(y)

    grad(f)(LARGE_ARRAY)
    x, exp, double, total = rows

    assert [is_placeholder(row[1]) for row in (x, exp, double, total)] == [False, False, True, True]
    assert exp[1] is total[3]
    assert double[1] is total[5]


@pytest.mark.parametrize(
    ("expected", "step"),
    [(1, lambda x, y: x + y), (1, lambda x, y: 2.0 * x), (1, lambda x, y: -x), (2, lambda x, y: np.tanh(x))],
)
def test_letting_go_takes_no_call(expected, step):
    """An operator on large arrays is one call of Python code, and a ufunc two, as on small ones."""
    calls = []

    def f(x):
        y = x * x
        for _ in range(FEW_USES + 1):  # the first of them compile its code
            step(x, y)
        sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
        try:
            step(x, y)
        finally:
            sys.setprofile(None)
        return np.sum(y)

    for x in (LARGE_ARRAY, LARGE_ARRAY[:5]):
        calls.clear()
        grad(f)(x)
        assert len(calls) - 1 == expected, calls  # the first is that of the step itself


def test_arrays_of_a_few_thousand_numbers_are_let_go():
    """A loop over states of some KiB keeps what its partials read alone."""

    def loop(x):
        for _ in range(200):
            x = x * 0.5 + 1.0
        return np.sum(x)

    assert peak(grad(loop), np.ones(2000)) < 40


@pytest.mark.parametrize("join", [np.stack, np.concatenate, np.hstack, np.vstack])
def test_a_join_of_many_pieces_compiles_nothing(join, monkeypatch):
    """Code that names each piece would take longer to compile than the pieces to compute."""
    compiled = released_arrays._releasing
    monkeypatch.setattr(
        released_arrays, "_releasing", lambda read, n: compiled(read, n) if n < COUNT else pytest.fail("compiled")
    )
    weights = np.arange(1.0, COUNT + 1)

    def f(x):
        return np.sum(np.ravel(join([x[n : n + 1] * 2.0 for n in range(COUNT)])) * weights)

    np.testing.assert_array_equal(grad(f)(LARGE_ARRAY), 2.0 * weights)
