"""Arrays that are filled piece by piece: the cost of what is written, and right whoever else holds the numbers."""

import random
import tracemalloc

import numpy as np
import pytest

from gradcli import grad, stop_gradient, trace, value_and_grad, vjp
from gradcli.engine.tape import accumulation, pullbacks
from gradcli.engine.tape.memory import released_arrays
from gradcli.engine.tape.values import in_place_writes
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from tests import settled_differences
from tests.engine.tape.test_in_place import program, start
from tests.mathematics.rules.agreement import EPS
from tests.mathematics.rules.sample_arrays import numbers, weights

pytestmark = pytest.mark.sampled(3)  # many like cases

N = 700  # more than LARGE
X = numbers((N,))


@pytest.fixture
def all_sizes(monkeypatch):
    """Arrays of two numbers are treated as large ones are."""
    for module in (in_place_writes, released_arrays):
        monkeypatch.setattr(module, "LARGE", 1)


def same(f, x=X):
    """Hold the gradient by `grad` to that of a tape that keeps every version, and that to differences."""
    recording = trace(f, x, names=False)
    value, gradient = value_and_grad(f)(x)
    whole = recording.sensitivities()[0]
    assert recording.value == value == f(copy_with_layout(x))
    np.testing.assert_allclose(gradient, whole, rtol=1e-12, atol=1e-14)
    along = weights(x.shape)
    found = settled_differences.slope(lambda t: float(f(x + t * along)), 0.0, EPS)
    assert abs(np.sum(whole * along) - found.value) <= 4 * found.error + 1e-9 * (1 + abs(found.value))


# Two spellings of one program


def trajectory(x):
    """Each row from the one before."""
    u = np.zeros((40, N))
    u[0] = x
    for t in range(1, 40):
        u[t] = u[t - 1] + 0.1 * np.sin(u[t - 1])
    return np.sum(u**2)


def as_list(x):
    u = [x]
    for _ in range(1, 40):
        u.append(u[-1] + 0.1 * np.sin(u[-1]))
    return np.sum(np.stack(u) ** 2)


def table(x):
    """Number by number."""
    made = np.zeros((30, 30))
    for i in range(30):
        for j in range(30):
            made[i, j] = x[i] * x[j]
    return np.sum(made**3)


def as_product(x):
    return np.sum(np.outer(x[:30], x[:30]) ** 3)


def columns(x):
    made = np.ones((N, 4))
    for k in range(8):
        made[:, k % 4] += np.cos(k * x)
    return np.sum(made**2)


def as_columns(x):
    return sum(np.sum((1 + np.cos(k * x) + np.cos((k + 4) * x)) ** 2) for k in range(4))


def steps(x):
    """Numbers changed in place, from the last to the first, as a solver does."""
    x = x.copy()
    for i in range(N - 2, N - 200, -1):
        x[i] -= 0.3 * x[i + 1]
    return np.sum(x**2)


def as_steps(x):
    made = list(x)
    for i in range(N - 2, N - 200, -1):
        made[i] = made[i] - 0.3 * made[i + 1]
    return sum(each * each for each in made)


def stencil(x):
    u = x.copy()
    for _ in range(20):
        u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


def as_stencil(x):
    for _ in range(20):
        x = np.concatenate([x[:1], x[1:-1] + 0.2 * (x[2:] - 2 * x[1:-1] + x[:-2]) * x[1:-1], x[-1:]])
    return np.sum(x**2)


SPELLINGS = [
    (trajectory, as_list),
    (table, as_product),
    (columns, as_columns),
    (steps, as_steps),
    (stencil, as_stencil),
]


@pytest.mark.parametrize(("written", "without"), SPELLINGS, ids=[f.__name__ for f, _ in SPELLINGS])
def test_two_spellings(written, without):
    """A program that writes into an array has the gradient of one that does not."""
    np.testing.assert_allclose(grad(written)(X), grad(without)(X), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(("written", "without"), SPELLINGS, ids=[f.__name__ for f, _ in SPELLINGS])
def test_two_spellings_of_second_derivatives(written, without):
    along = weights((N,))

    def twice(f):
        return grad(lambda x: np.sum(grad(f)(x) * along))(X)

    np.testing.assert_allclose(twice(written), twice(without), rtol=1e-10, atol=1e-12)


# Who else holds the numbers


def filled(x):
    """An array that was written into twice, so that the third write may go into its numbers."""
    u = np.zeros((3, N))
    u[0] = x
    u[1] = np.sin(x)
    return u


def reads_before(read):
    """A program that reads an array, overwrites it, and uses both."""

    def f(x):
        u = filled(x)
        old = read(u)
        u[0] = x * x
        u[1, 3:] += 2.0 * x[3:]
        return np.sum(old**2) + np.sum(u**3)

    return f


HOLDERS = {
    "whole elementwise": lambda u: u**2,
    "row of it": lambda u: np.exp(u[0]),
    "part of a row": lambda u: u[0, 2:50] * u[1, 2:50],
    "large part": lambda u: u[:2, 1:] ** 2,
    "transposed": lambda u: u.T * u.T,
    "flat": lambda u: u.ravel() * u.reshape(-1),
    "product": lambda u: u @ u.T,
    "copy": lambda u: u.copy(),
    "copy in the other order": lambda u: u.copy("F"),
    "alias of a copy": lambda u: u.copy().copy()[0],
    "sum": lambda u: np.sum(u * u, axis=0),
    "largest": lambda u: np.max(u, axis=1),
    "flipped": lambda u: np.flip(u) * 1.0,
    "one number": lambda u: u[0, 5] * u[1, 5],
    "chosen": lambda u: u[[0, 1, 0]],
    "masked": lambda u: u[u > 0.9] * u[u > 0.9],
    "list of rows": lambda u: np.stack([row.copy() for row in u]),
    "plain fact": lambda u: (u > 0.8) * u,
}


@pytest.mark.parametrize("read", HOLDERS.values(), ids=HOLDERS)
def test_what_was_read_before_the_write(read):
    same(reads_before(read))


@pytest.mark.parametrize(
    "read",
    [
        lambda u: u[0],
        lambda u: u[0, 5:300],
        lambda u: u[:2, 1:],
        lambda u: u.T,
        lambda u: u.reshape(-1)[3:],
        lambda u: u[1:][0],
        lambda u: u[:, ::-1],
        lambda u: u,
    ],
)
def test_views_show_what_is_written_later(read):
    """A view that the program holds changes with the array, and the array with what is written to the view."""

    def f(x):
        u = filled(x)
        part = read(u)
        before = np.sum(part**2)
        u[0] = x * x
        u[2, :400] = x[:400] ** 3
        between = np.sum(part**3)
        part[1:] *= 0.5
        part[0] = x[0] * part[0]
        part += 0.1
        return before + between + np.sum(part**4) + np.sum(u**2)

    same(f)


def test_an_array_written_to_itself():

    def f(x):
        u = filled(x)
        u[0, 1:] = u[0, :-1]
        u[1:] = u[:-1]
        u[0, [3, 1, 2]] = u[0, 1:4]
        u[...] = u
        u[:, ::-1] = u
        return np.sum(u**3 * np.arange(3.0 * N).reshape(3, N) / N)

    same(f)


def test_a_stale_view_written_to_its_array():

    def f(x):
        u = 2.0 * x
        part = u[1:]
        u *= x
        u[:-1] = part
        return np.sum(u**3) + np.sum(part**2)

    same(f)
    same(f, numbers((released_arrays.LARGE + 9,)))


def test_the_argument_stays_what_it_was():
    """A program may write into its argument; the caller's array and the gradient by it do not notice."""
    x = numbers((released_arrays.LARGE * 3,))
    before = x.copy()

    def f(y):
        y[3] = y[4] ** 2
        y[5:] *= 2.0
        z = y.copy()
        z[0] = 0.0
        return np.sum(y**2) + np.sum(z**3)

    found = grad(f)(x)
    np.testing.assert_array_equal(before, x)
    np.testing.assert_allclose(trace(f, x, names=False).sensitivities()[0], found, rtol=1e-13)


def test_a_write_that_fails_leaves_the_array():

    def f(x):
        u = filled(x)
        for key, item in ((7, 1.0), ((0, N), 1.0), (0, np.ones(3)), ((0, [1, N]), 2.0)):
            try:
                u[key] = item
            except (IndexError, ValueError):
                continue
            raise AssertionError(key)
        u[0, 1] = x[2] * 2
        return np.sum(u**2)

    same(f)


def test_what_was_handed_out_stays_what_it_was():
    """An aux result is the array as it was returned."""

    def f(x):
        u = filled(x)
        plain = stop_gradient(u)
        u[0] = 2.0
        return np.sum(u**2), (plain, u)

    _, (first, last) = grad(f, has_aux=True)(X)
    np.testing.assert_array_equal(X, first[0])
    np.testing.assert_array_equal(np.full(N, 2.0), last[0])


def test_complex_numbers():

    def f(x):
        u = np.zeros((3, N), dtype=complex)
        u[0] = x + 1j * x * x
        u[1] = u[0] * u[0]
        u[1].real = x
        u.imag[2] += np.sin(x)
        u[2, 5:] *= 1j
        return np.sum(np.abs(u) ** 2 * np.arange(1, N + 1) / N)

    same(f)


def test_single_precision():

    def f(x):
        u = np.zeros((3, N), dtype=np.float32)
        u[0] = x
        u[1] = u[0] * x
        return np.sum(u**2)

    assert grad(f)(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(2 * X + 4 * X**3, grad(f)(X), rtol=1e-5)


def test_a_lane_not_taken_with_an_infinite_partial():
    """The sweep that knows what was reached does not need what was written over."""

    def f(x):
        u = np.zeros((20, N))
        u[0] = x - X[0]
        for t in range(1, 20):
            u[t] = u[t - 1] * 0.9
        return np.sum(np.where(u > 0.1, np.sqrt(np.abs(u)), u**2))

    np.testing.assert_allclose(trace(f, X, names=False).sensitivities()[0], grad(f)(X), rtol=1e-12)


def test_a_value_that_was_stopped():

    def f(x):
        u = filled(x)
        plain = stop_gradient(u)
        u[0] = u[0] * plain[0]
        return np.sum(u * plain)

    np.testing.assert_allclose(X**2 + np.sin(X) * np.cos(X), grad(f)(X), rtol=1e-12)


def descent(x):
    """Each row by a step along a gradient, which is another transform inside of this one."""
    slope = grad(lambda y: np.sum(np.sin(y) ** 2))
    u = np.zeros((40, N))
    u[0] = x
    for t in range(1, 40):
        u[t] = u[t - 1] - 0.1 * slope(u[t - 1])
    return np.sum(u**2)


def test_gradients_inside_of_the_loop():
    same(descent)


def test_a_gradient_inside_that_reads_the_array():
    """An inner function may use what is around it, and write into arrays of its own."""

    def f(x):
        u = filled(x)

        def inner(y):
            own = np.array(u)
            own[1] = y * u[0]
            own[2, 4:] += y[4:]
            return np.sum(own[1] ** 2 * u[0]) + np.sum(own[:, 3:] ** 3)

        u[2] = grad(inner)(x)
        u[0, 5:] *= 0.5
        value, pullback = vjp(lambda y: y * u[0], x)
        u[0] = 1.0
        u[1] += pullback(value)[0]
        return np.sum(u**2)

    same(f)


# Random programs


@pytest.mark.sampled(9)
@pytest.mark.usefixtures("all_sizes")
@pytest.mark.filterwarnings("ignore:G205")  # some programs depend on their input through comparisons alone
@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    """A sample of those of small arrays, each of which is treated as a large one."""
    agrees_with_the_whole_tape(seed)


@pytest.mark.long
@pytest.mark.usefixtures("all_sizes")
@pytest.mark.filterwarnings("ignore:G205")
@pytest.mark.parametrize("hundred", range(1, 50, 10))
def test_more_random_programs(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        agrees_with_the_whole_tape(seed)


def agrees_with_the_whole_tape(seed):
    """Hold one program to a tape that keeps all, and to the sweep that knows what was reached.

    That tape has no buffers; the tests of writing in place hold it to differences, by the same programs.
    """
    f, x = program(seed), start(seed)
    recording = trace(f, x, names=False)
    value, found = value_and_grad(f)(x)
    assert recording.value == value
    np.testing.assert_allclose(found, recording.sensitivities()[0], rtol=1e-12, atol=1e-13)

    def doubtful(x):
        untaken = np.sum(np.where(x > 9.0, np.sqrt(x - x), 0.0))  # before `f` makes the numbers larger
        return f(x) + untaken

    np.testing.assert_allclose(grad(doubtful)(x), found, rtol=1e-12, atol=1e-13)


def loop(seed):
    """A random program that fills one array in a loop, and holds on to some of what it reads."""

    def f(x):
        draw = random.Random(seed)
        u = np.zeros((6, N) if draw.random() < 0.5 else (6 * N,)).reshape(6, N)
        u[0], u[3] = x, np.cos(x)
        kept, total = [u[1]], 0.0
        for _ in range(draw.randint(5, 15)):
            kept, total = kept[-4:], total + changed(draw, u, kept, x)
        return total + np.sum(u**2) + sum(np.sum(part**3) for part in kept)

    return f


def changed(draw, u, kept, x):
    """Write into an array, or read of it; a number that depends on what was read."""
    i, j, k = draw.randrange(6), draw.randrange(6), draw.randrange(N - 40)
    part = draw.choice(kept)
    ways = [
        lambda: u.__setitem__(i, 0.5 * u[j] + 0.1),
        lambda: u.__setitem__((i, slice(k, k + 30)), np.sin(u[j, k + 5 : k + 35])),
        lambda: u.__setitem__((slice(None), k), u[:, k + 1] * u[:, k + 2]),
        lambda: u[i, k : k + 20].__iadd__(u[j, k + 1]),
        lambda: u[i : i + 2].__imul__(0.9),
        lambda: u.T[k : k + 5].__isub__(0.1),
        lambda: u.reshape(-1).__setitem__(slice(k, 5000, 7), x[k] ** 2),
        lambda: u.__setitem__((i, [k, k, k + 3]), x[:3]),
        lambda: u.__setitem__(u[i] * np.ones((6, 1)) > 1.4, 0.7),
        lambda: u.put([k, 5 * k], x[:2]),
        lambda: np.multiply(u, 0.8, out=u),
        lambda: np.add(u[i], u[j], out=u[j]),
        lambda: part.__setitem__(draw.randrange(3), 0.3 * np.sum(part) / N) if part.shape[0] > 2 else None,
        lambda: part.__imul__(0.95),
        lambda: kept.append(u[i]),
        lambda: kept.append(u[:, k:]),
        lambda: kept.append(u[i, k : k + 9]),
        lambda: kept.append(u.T),
        lambda: kept.append(part[1:] if part.shape[0] > 4 else part * 1.0),
        lambda: kept.append(u * 0.3),
        lambda: kept.append(u.copy()),
        lambda: kept.append(u[i] ** 2),
    ]
    draw.choice(ways)()
    return draw.choice([lambda: 0.0, lambda: u[j, k] * u[i, k], lambda: np.sum(u[i] ** 2), lambda: np.sum(u * u) / N])()


@pytest.mark.sampled(9)
@pytest.mark.parametrize("seed", range(20))
def test_random_loops(seed):
    same(loop(seed))


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(1, 10, 4))
def test_more_random_loops(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        same(loop(seed))


# The cost


def copies(f, monkeypatch):
    """How many numbers are copied in a gradient, as to writing alone."""
    count = [0]

    def counting(copy):
        def counted(x):
            count[0] += np.size(x)
            return copy(x)

        return counted

    copying = (in_place_writes, "copy_with_layout"), (pullbacks, "owned_copy"), (accumulation, "owned_copy")
    for module, name in copying:
        monkeypatch.setattr(module, name, counting(getattr(module, name)))
    grad(f)(X)
    return count[0]


@pytest.mark.parametrize("write", [trajectory, table, columns, steps, descent], ids=lambda f: f.__name__)
def test_copies_are_in_proportion_to_what_is_written(write, monkeypatch):
    """The array itself is copied a few times, and no more."""
    largest = 40 * N
    assert copies(write, monkeypatch) < 5 * largest


def peak(f, *arguments):
    """The most memory that a gradient takes."""
    gradient = grad(f)
    gradient(*arguments)
    tracemalloc.start()
    try:
        gradient(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_in_proportion_to_the_array():
    """An array that is filled in 40 steps takes hardly more than the list of the same rows."""
    assert peak(trajectory, X) < 2.5 * peak(as_list, X)
