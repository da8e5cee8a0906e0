"""Writing into arrays: random programs of slicing, writing and reading, held to the plain run and to differences."""

import random

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from gradcli.methods.numerics import differences
from tests.mathematics.rules.agreement import EPS, agree
from tests.mathematics.rules.sample_arrays import numbers, weights

pytestmark = pytest.mark.sampled(4)  # many like cases


def part(draw, shape):
    """An index of integers, slices with steps, new axes and an ellipsis."""
    key = [draw.choice(_whole_or_slice(n)) for n in shape[: draw.randint(0, len(shape))]]
    if draw.random() < 0.2:
        key.append(Ellipsis)
    if draw.random() < 0.15:
        key.insert(draw.randint(0, len(key)), None)
    return tuple(key) if len(key) != 1 or draw.random() < 0.5 else key[0]


def _whole_or_slice(n):
    slices = [slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2), slice(-2, None), slice(0, 1)]
    return slices + [draw for draw in (0, -1) if n]


def chosen(draw, shape):
    """An index that copies: a list, with repeats, a mask, or both with a slice."""
    if not shape or not shape[0]:
        return Ellipsis
    places = [draw.randrange(-shape[0], shape[0]) for _ in range(draw.randint(0, 3))]
    mask = np.array([draw.random() < 0.5 for _ in range(int(np.prod(shape)))], dtype=bool).reshape(shape)
    return draw.choice([places, np.array(places, dtype=int), mask, mask.any(axis=tuple(range(1, len(shape))))])


VIEWS = [
    lambda draw, a: a[part(draw, a.shape)],
    lambda draw, a: a[part(draw, a.shape)],
    lambda draw, a: a.T,
    lambda draw, a: a.reshape(-1),
    lambda draw, a: a.ravel(),
    lambda draw, a: np.ravel(a, order=draw.choice("CFAK")),
    lambda draw, a: a.reshape((*a.shape[1:], *a.shape[:1])),
    lambda draw, a: a.reshape(-1, order="F"),
    lambda draw, a: np.flip(a),
    lambda draw, a: np.expand_dims(a, 0),
    lambda draw, a: a.squeeze(),
    lambda draw, a: np.moveaxis(a, 0, -1) if np.ndim(a) else a,
    lambda draw, a: np.rot90(a, draw.randint(0, 3)) if np.ndim(a) > 1 else a,
    lambda draw, a: np.array_split(a, 2)[draw.randint(0, 1)] if np.ndim(a) else a,
    lambda draw, a: np.atleast_2d(a),
    lambda draw, a: np.asarray(a),
]
COPIES = [
    lambda draw, a: a[chosen(draw, a.shape)],
    lambda draw, a: a.copy(),
    lambda draw, a: a.copy(draw.choice("CFAK")),
    lambda draw, a: np.array(a),
    lambda draw, a: a.flatten(draw.choice("CF")),
    lambda draw, a: np.sin(a) + 0.5,
    lambda draw, a: np.where(a > 0.9, a, 0.7),
    lambda draw, a: np.roll(a, 1),
    lambda draw, a: np.tile(a, 1),
    lambda draw, a: a.repeat(1),
    lambda draw, a: np.sort(a) if np.ndim(a) else a * 1.0,
    lambda draw, a: np.ones_like(a) * a,
    lambda draw, a: np.full_like(a, np.sum(a)),
    lambda draw, a: np.stack([a, a]),
    lambda draw, a: np.zeros(np.shape(a)),
]


def fitting(draw, a, arrays):
    """Numbers that can be written into `a`: a plain or a recorded number, or an array that broadcasts to it."""
    fit = [b for b in arrays if b.shape == a.shape[len(a.shape) - len(b.shape) :]]
    return draw.choice([1.25, np.sin(np.sum(draw.choice(arrays))), *(np.cos(b) for b in fit), *fit])


def write_part(draw, a, arrays):
    """Write, or change, what an index reads."""
    key = draw.choice([part, chosen])(draw, a.shape)
    new = fitting(draw, a[key], arrays) if np.ndim(a[key]) else np.sin(np.sum(draw.choice(arrays)))
    how = draw.randint(0, 3)
    if how == 0:
        a[key] += new
    elif how == 1:
        a[key] *= 0.5
    else:
        a[key] = new


def write_all(draw, a, arrays):
    """Change every number in place, with an operator or a function."""
    new = fitting(draw, a, arrays)
    ways = [
        lambda: a.__iadd__(new),
        lambda: a.__imul__(0.75),
        lambda: np.multiply(a, np.cos(new), out=a),
        lambda: np.add(0.5 * a, new, out=a),
        lambda: np.copyto(a, new),
        lambda: np.copyto(a, new, where=a > 0.8),
        lambda: a.fill(np.sin(np.sum(draw.choice(arrays)))),
        lambda: np.clip(a, 0.2, np.sin(np.sum(a)) + 1.0, out=a),
        lambda: a.sort(),
        lambda: np.fill_diagonal(a, 0.3 * np.sum(arrays[0])),
    ]
    draw.choice(ways[: 8 + (a.ndim == 1) + (a.ndim == 2 and min(a.shape) > 0) * 2])()


def write_flat(draw, a, arrays):
    """Write to places counted in the order of reading."""
    new = np.sin(draw.choice(arrays))
    if a.size == 0 or np.size(new) == 0:
        return
    places = [draw.randrange(a.size) for _ in range(2)]
    ways = [
        lambda: a.flat.__setitem__(places[0], np.sum(new)),
        lambda: a.flat.__setitem__(slice(None, None, 2), new),
        lambda: a.put(places, new),
        lambda: np.putmask(a, np.arange(a.size).reshape(a.shape) % 2 == 0, new),
        lambda: np.place(a, np.arange(a.size).reshape(a.shape) % 3 == 0, new),
        lambda: setattr(a, "flat", new),
    ]
    draw.choice(ways)()


def program(seed):
    """A random program of one array that returns one number."""

    def f(x):
        draw = random.Random(seed)
        arrays = [x, np.zeros((2, 3))]
        for _ in range(draw.randint(4, 14)):
            a = draw.choice(arrays)
            kind = draw.random()
            if kind < 0.35 and len(arrays) < 9:
                made = draw.choice(VIEWS)(draw, a)
                arrays += [made] if isinstance(made, np.ndarray) else []
            elif kind < 0.5 and len(arrays) < 9:
                made = draw.choice(COPIES)(draw, a)
                arrays += [made] if isinstance(made, np.ndarray) and made.size < 40 else []
            else:
                draw.choice([write_part, write_part, write_all, write_flat])(draw, a, arrays)
        return sum(np.sum(np.sin(a) * weights(a.shape)) for a in arrays)

    return f


def start(seed):
    draw = random.Random(seed)
    shape = draw.choice([(4,), (2, 3), (3, 3), (2, 3, 2), (1, 4)])
    x = numbers(shape, seed=seed % 7, order=draw.choice(["C", "C", "F", "strided", "reversed"]))
    return np.transpose(x, draw.sample(range(x.ndim), x.ndim))


def held(seed):
    """Hold one program to the plain run, and its gradients, by `grad` and by a trace, to differences of plain runs."""
    f, x = program(seed), start(seed)
    plain, recording, gradient = f(copy_with_layout(x)), trace(f, x, names=False), grad(f)(x)
    np.testing.assert_allclose(recording.value, plain, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(gradient, recording.sensitivities()[0], rtol=1e-12, atol=1e-13)
    along = weights(x.shape, seed=seed)

    def on_the_line(t):
        moved = copy_with_layout(x)
        moved += t * along
        return float(f(moved))

    found = differences.slope(on_the_line, 0.0, EPS)
    if not np.isfinite(found.error):  # a comparison is at its switch
        return
    got = np.sum(gradient * along)
    assert abs(got - found.value) <= 4 * found.error + 1e-9 * (1 + abs(found.value))


# One at a time


X = numbers((2, 3))


def copy_then(write):
    """A program that writes into a copy of its argument in C's order, and returns it."""

    def f(x):
        made = x.copy()
        write(made)
        return made

    return f


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.flat.__setitem__(2, a[0, 0] * 2),
        lambda a: a.flat.__setitem__(slice(1, None, 2), a[0, :2] * 2),
        lambda a: a.flat.__setitem__([0, 5], a.flat[1] ** 2),
        lambda a: a.T.flat.__setitem__(1, a[1, 1] * 3),
        lambda a: setattr(a, "flat", a[0] * a[1]),
        lambda a: a.fill(a[1, 2] ** 2),
        lambda a: a.sort(),
        lambda a: a.sort(axis=0, kind="stable"),
        lambda a: a.T[1].sort(),
        lambda a: a.partition(1),
        lambda a: a.reshape(-1).partition(4),
    ],
)
def test_methods_that_write(write):
    agree(copy_then(write), X)


def test_reading_flat():
    """The numbers in the order of reading, one by one, by index and in functions of NumPy's."""
    agree(lambda x: np.stack(list(x.T.flat)) * x.flat[4] * next(x.flat), X)
    agree(lambda x: x.flat[1:4] * x.flat[[0, 0, 5]] + np.sum(x.flat) + np.sin(x.flat)[:3], X)
    flat = []
    trace(lambda x: flat.append((len(x.flat), x.flat.index)), X, names=False)
    assert flat == [(6, 0)]


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed"])
def test_copies_lie_as_numpys(order, layout):
    """A copy is in the asked order, so that the same shapes of it are views."""
    x = numbers((2, 3), order=layout)
    for copy in (
        lambda x: x.copy(order),
        lambda x: np.copy(x, order),
        lambda x: x.T.copy(order),
        lambda x: np.array(x),
    ):
        wanted, got = copy(copy_with_layout(x)), trace(copy, x, names=False).value
        assert got.strides == wanted.strides


def test_what_a_copy_of_a_transpose_lets_through():

    def f(x):
        y = x.T.copy()
        y.ravel()[0] = 5.0
        y.reshape(-1)[1] *= 3.0
        return y

    agree(f, X)


@pytest.mark.filterwarnings("ignore:Setting the shape on a NumPy array:DeprecationWarning")  # NumPy 2.5 and later
def test_a_shape_that_is_assigned_as_it_is():
    """Nothing changes, be it written out or as `-1`, and of no numbers too."""

    def f(x):
        empty = np.array(np.zeros((0, 3)) * x[0, 0])
        x.shape, empty.shape = (2, -1), (-1, 3)
        return x**2 + np.sum(empty)

    agree(f, X)


def test_a_shape_is_not_assigned():
    with pytest.raises(UnsupportedError, match=r"shape \(2, 3\) is reshaped in place") as caught:
        trace(lambda x: setattr(x, "shape", (3, 2)), X, names=False)
    assert "Type x = x.reshape((3, 2))" in caught.value.hint


# Random programs


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    held(seed)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(1, 50, 16))
def test_more_random_programs(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        held(seed)


def test_a_tile_of_one_keeps_the_layout():
    """What NumPy makes of it is a copy in the same order, of which `reshape` may be a view."""

    def f(x):
        y = np.tile(x, 1)
        y.reshape(-1, order="F")[1] = 5.0
        return np.sum(y * x)

    x = np.asfortranarray(np.arange(1.0, 7.0).reshape(2, 3))
    assert f(x.copy("K")) == trace(f, x, names=False).value


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_diagonal_by_einsum_is_a_view(order):

    def f(x):
        square = np.outer(x, x * x).copy(order)
        np.einsum("ii->i", square)[:] = x
        np.einsum("ij->ji", square)[0, 1] = 0.5
        return np.sum(square**2 * np.arange(9.0).reshape(3, 3) / 9)

    agree(f, np.array([0.2, 0.5, 0.8]))


def test_writing_by_strides():
    """A diagonal is written through to the array, and sees what is written there."""

    def f(x):
        a = x.copy()
        diagonal = np.lib.stride_tricks.as_strided(a, (3,), (a.strides[0] + a.strides[1],))
        diagonal[:] = diagonal**2
        diagonal[0] = 5.0
        a[1, 1] *= 2.0
        return np.sum(a**2) + np.sum(diagonal)

    x = np.arange(9.0).reshape(3, 3)
    expected = 2 * x
    expected[0, 0] = 0.0
    expected[1, 1] = 2 * (2 * 4.0**2) * 2 * 2 * 4.0 + 2 * 2 * 4.0
    expected[2, 2] = 2 * 8.0**2 * 2 * 8.0 + 2 * 8.0

    np.testing.assert_allclose(grad(f)(x), expected)


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (lambda w: w((4, 3), (8, 8)).__setitem__(0, 1.0), "a write into numbers that it shows twice"),
        (lambda w: w((4, 4), (8, 8)), "memory outside the elements"),
    ],
    ids=["twice", "beside"],
)
def test_strides_that_are_refused(f, what):
    """Never another value than that of the plain run."""
    with pytest.raises(UnsupportedError, match=what):
        grad(lambda x: np.sum(x) + 0 * f(lambda *how: np.lib.stride_tricks.as_strided(x, *how)))(np.ones(6))
