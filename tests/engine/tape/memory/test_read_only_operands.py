"""Plain arrays that a tape has read: what is written into them afterwards is not seen, or is refused."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import OverwrittenError
from tests.engine.running.test_error_translation import line_of

SIZES = pytest.mark.parametrize("size", [4, 20_000], ids=["small", "large"])


def times(weights):
    """The sum of an array times some weights, as a function of the array."""
    return lambda x: np.sum(x * weights)


@SIZES
def test_a_pullback_uses_what_was_read(size):
    """It is called when the run is over, and the array can be written to again."""
    weights = np.arange(float(size))
    _, pullback = gradcli.vjp(times(weights), np.ones(size))
    weights[:] = 7.0

    np.testing.assert_array_equal(np.arange(float(size)), pullback(1.0)[0])


@SIZES
def test_a_kept_tape_uses_what_was_read(size):
    weights = np.arange(float(size))
    tape = gradcli.trace(lambda x: np.sum(x * weights) + np.sum(x * weights[:]), np.ones(size))
    weights[:] = 7.0

    np.testing.assert_array_equal(2 * np.arange(float(size)), tape.sensitivities()[0])
    assert size * (size - 1.0) == tape.replay(np.ones(size)).value


@SIZES
def test_a_window_uses_what_was_read(size):
    weights = np.arange(float(size))
    variable = gradcli.Variable(np.ones(size))
    with gradcli.GradientTape() as tape:
        y = np.sum(variable * weights)
    weights[:] = 7.0

    np.testing.assert_array_equal(np.arange(float(size)), np.asarray(tape.gradient(y, variable)))


def test_a_large_array_is_copied_once():
    weights = np.ones(20_000)
    tape = gradcli.trace(lambda x: np.sum(x * weights) + np.sum(x / weights), np.ones(20_000))
    held = {id(node.operands[1]) for node in tape.nodes if node.operation in ("mul", "div")}

    assert len(held) == 1
    assert id(weights) not in held


def test_a_write_while_a_window_is_open_is_refused():
    weights = np.ones(20_000)
    variable = gradcli.Variable(np.ones(20_000))

    def write():
        with gradcli.GradientTape():
            np.sum(variable * weights)
            weights[0] = 2.0

    with pytest.raises(OverwrittenError):
        write()
    weights[0] = 3.0

    assert weights[0] == 3.0


@SIZES
def test_a_read_only_view_shows_what_may_change(size):
    weights = np.arange(float(size))

    def f(x):
        y = np.sum(x * np.broadcast_to(weights, (2, size)))
        weights[:] = 7.0
        return y

    if size > 4:
        with pytest.raises(OverwrittenError):
            gradcli.grad(f)(np.ones(size))
    else:
        np.testing.assert_array_equal([0.0, 2.0, 4.0, 6.0], gradcli.grad(f)(np.ones(size)))


def test_a_refused_write_names_where_the_array_was_read():
    weights = np.ones(20_000)

    def f(x):
        y = np.sum(x * weights)
        weights[0] += 1.0
        return y

    with pytest.raises(OverwrittenError) as caught:
        gradcli.grad(f)(1.0)

    assert line_of(f, 2) == caught.value.line
    assert caught.value.message.endswith(f"it was read in line {line_of(f, 1)}, `y = np.sum(x * weights)`")


def by_window(f):
    """Run a function of one number while a window is open."""
    with gradcli.GradientTape():
        f(gradcli.Variable(3.0))


BOTH = pytest.mark.parametrize("run", [lambda f: gradcli.grad(f)(3.0), by_window], ids=["grad", "GradientTape"])
LARGE = np.ones(20_000)
SOME = LARGE[5:9]
HELD = {"rows": [LARGE[:3]]}


def by_name(_):
    """Write through a view that a global name leads to."""
    SOME[0] += 1.0


def by_item(_):
    HELD["rows"][0][:] = 2.0


def by_argument(view):
    """Write through a view that was made in the function."""
    view[7] = 2.0


@pytest.mark.parametrize("write", [by_name, by_item, by_argument])
@BOTH
def test_a_write_into_a_view_made_before_is_refused(write, run):
    """It has leave of its own to write, so it is found by the names that lead to it; then it is given back."""

    def f(x):
        view = LARGE.reshape(100, 200)[2:]
        y = np.sum(x * x * LARGE)
        write(view[0])
        return y

    with pytest.raises(
        OverwrittenError, match=f"it was read in (line |.*test_read_only_operands.py:){line_of(f, 2)}, "
    ):
        run(f)
    np.testing.assert_array_equal(np.ones(20_000), LARGE)
    assert all(array.flags.writeable for array in (LARGE, SOME, HELD["rows"][0]))


@BOTH
def test_a_view_made_after_the_first_run_is_found(run):
    """The whole search is left out where nothing has changed, and a view more is a reference more."""
    weights, views = np.ones(20_000), []

    def f(x, late=False):
        y = np.sum(x * x * weights)
        if late:
            views[0][:] = 2.0
        return y

    for _ in range(3):
        run(f)
    views.append(weights[7:9])
    run(f)
    with pytest.raises(OverwrittenError):
        run(lambda x: f(x, late=True))
    np.testing.assert_array_equal(np.ones(20_000), weights)


@BOTH
def test_a_local_view_in_place_of_another_name_is_found(run):
    """The number of references is the same; the nearest names are always looked at."""
    weights = np.ones(20_000)

    def f(x, views=False):
        other = weights[2:] if views else weights
        y = np.sum(x * x * weights)
        if views:
            other[0] = 2.0
        return y

    run(f)
    with pytest.raises(OverwrittenError):
        run(lambda x: f(x, views=True))


@BOTH
def test_a_write_through_what_no_name_leads_to_is_refused(run):
    """As a `memoryview` does: a sample of the numbers tells that they have changed."""
    weights = np.ones(20_000)
    behind = memoryview(weights)

    def f(x):
        y = np.sum(x * x * weights)
        np.asarray(behind)[:] = 2.0
        return y

    with pytest.raises(
        OverwrittenError, match=rf"test_read_only_operands.py:{line_of(f, 1)}, `y = np.sum\(x \* x \* weights\)`"
    ):
        run(f)
    assert weights.flags.writeable


UNREAD = {
    "sum": lambda x, b: x + b,
    "difference": lambda x, b: b - x,
    "ufunc": lambda x, b: np.subtract(x, b),
    "row": lambda x, b: np.add(x, b, dtype=float),
    "hypotenuse": lambda x, b: np.hypot(x, b),
    "concatenation": lambda x, b: np.concatenate([b, x]) ** 2,
    "stack": lambda x, b: np.stack([x, b]) ** 2,
    "in-place sum": lambda x, b: np.add(y := x * 2.0, b, out=y),
}


@pytest.mark.parametrize("step", UNREAD.values(), ids=UNREAD)
def test_an_array_that_no_pullback_reads_may_change(step):
    """It is neither copied nor read-only, and the derivative is that of the numbers that were used."""
    b, x = np.linspace(0.0, 1.0, 20_000), np.linspace(2.0, 3.0, 20_000)

    def f(x):
        y = np.sum(step(x, b) ** 3)
        b[:] = 7.0
        return y

    b_before = b.copy()
    found = gradcli.grad(f)(x)

    np.testing.assert_array_equal(np.full(20_000, 7.0), b)
    np.testing.assert_allclose(gradcli.trace(lambda x: np.sum(step(x, b_before) ** 3), x).sensitivities()[0], found)


def test_an_array_written_into_a_recorded_one_may_change():
    b = np.linspace(0.0, 1.0, 20_000)

    def f(x):
        rows = np.zeros((3, 20_000))
        rows[0] = b
        rows[1] = x * rows[0]
        b[:] = 7.0
        return np.sum(rows)

    np.testing.assert_array_equal(np.linspace(0.0, 1.0, 20_000), gradcli.grad(f)(np.ones(20_000)))


@pytest.mark.parametrize("step", [lambda x, b: x * b, lambda x, b: x / b, lambda x, b: x**b, np.dot])
def test_an_array_that_a_pullback_reads_may_not_change(step):
    b = np.linspace(1.0, 2.0, 20_000)

    def f(x):
        y = np.sum(step(x, b))
        b[:] = 7.0
        return y

    with pytest.raises(OverwrittenError):
        gradcli.grad(f)(np.ones(20_000))


SIDES = np.linspace(0.5, 1.5, 60_000).reshape(20_000, 3)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: np.sum(np.cross(x, SIDES**2)), np.roll(SIDES**2, -1, axis=1) - np.roll(SIDES**2, 1, axis=1)),
        (lambda x: np.sum(np.cross(SIDES * 2.0, x)), 2.0 * (np.roll(SIDES, 1, axis=1) - np.roll(SIDES, -1, axis=1))),
        (lambda x: [x[:, n] * column for n, column in enumerate((SIDES + 1.0).T)][1].sum(), (SIDES + 1.0) * [0, 1, 0]),
    ],
)
def test_views_that_are_made_while_their_array_is_read_only(f, expected):
    """A view of a writeable view is writeable, although its array is not, and is read after it."""
    np.testing.assert_allclose(gradcli.grad(f)(SIDES), expected, rtol=1e-12, atol=1e-12)
