"""Arrays with several names: random programs that swap, alias and overwrite them, and writes between gradients."""

import random

import numpy as np
import pytest

import gradcli
from gradcli import grad, jacobian, trace, value_and_grad, vjp
from gradcli.engine.tape.memory.released_arrays import LARGE
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from tests import settled_differences
from tests.mathematics.rules.agreement import EPS
from tests.mathematics.rules.sample_arrays import numbers, weights

pytestmark = pytest.mark.sampled(4)  # many like cases

SHAPE = (30, 30)  # more than LARGE
X = numbers(SHAPE)
CONSTANT = np.linspace(-1.0, 1.0, 900).reshape(SHAPE)


def write(array, key, item):
    """An assignment to a part of an array."""
    array[key] = item


def augmented(a, b):
    """`a += b` for a name of the function's own, which may be that of another function too."""
    a += b
    return a


def program(seed):
    """A random program on four names, some of which are the same array or views of it, and a plain array."""

    def f(x):
        draw = random.Random(seed)
        plain = CONSTANT.copy()
        names = [x * 1.5, x.copy(), np.sin(x), x + plain]
        total = 0.0
        for _ in range(draw.randint(8, 16)):
            step(draw, names, plain)
            total = total + read(draw, names, plain)
        return total + sum(np.sum(each**2) for each in names)

    return f


def step(draw, names, plain):
    """Change an array, or what a name refers to."""
    (i, j, k), n = (draw.randrange(4) for _ in range(3)), draw.randrange(25)
    a, b, c = names[i], names[j], names[k]
    steps = [
        lambda: names.__setitem__(slice(None), [names[p] for p in draw.sample(range(4), 4)]),
        lambda: names.__setitem__(i, b),
        lambda: names.__setitem__(i, b.T),
        lambda: names.__setitem__(i, b[::-1]),
        lambda: names.__setitem__(i, b.copy()),
        lambda: names.__setitem__(i, b[:, ::-1].T),
        lambda: names.__setitem__(i, 0.5 * np.tanh(b) - 0.1 * c),
        lambda: names.__setitem__(i, np.where(b > c, b, 0.5 * c)),
        lambda: np.add(0.4 * b, 0.4 * c, out=a),
        lambda: np.subtract(b, 0.3, out=a),
        lambda: np.multiply(a, 0.7, out=a),
        lambda: np.sin(b, out=a),
        lambda: np.copyto(a, 0.8 * b),
        lambda: np.maximum(a, plain, out=a),
        lambda: augmented(a, 0.2 * b.T),
        lambda: augmented(a[n : n + 4], 0.3 * c[:4]),
        lambda: augmented(a.T[n], 0.3 * a[n]),
        lambda: write(a, slice(None), 0.9 * b[::-1]),
        lambda: write(a, (slice(n, n + 3), slice(None, None, 2)), c[:3, :15]),
        lambda: write(a.T, n, plain[n]),
        lambda: write(a.reshape(-1), slice(n, n + 9), 0.25),
        lambda: write(a, [n, n + 1], a[[n + 1, n]]),
        lambda: write(a, a > 1.2, 0.6),
        lambda: write(a, (n, n), np.sum(b) / 900),
    ]
    draw.choice(steps)()


def read(draw, names, plain):
    """A number that depends on an array as it is now, also in ways of which the pullback reads nothing."""
    a, b = draw.choice(names), draw.choice(names)
    return draw.choice(
        [
            lambda: 0.0,
            lambda: np.sum(a * b) / 30,
            lambda: np.sum((a + plain) ** 2) / 30,
            lambda: np.sum(a - b.T),
            lambda: np.sum(np.exp(-a * a) * plain),
            lambda: np.sum((a @ b) ** 2) / 900,
            lambda: np.sum((plain @ a) ** 2) / 900,
            lambda: np.sum(np.concatenate([a, plain], axis=1) ** 3) / 30,
            lambda: a[3, 4] * b[4, 3],
        ]
    )()


def agrees(seed):
    """Hold a program to a tape that keeps everything, and that to the program on plain numbers."""
    f = program(seed)
    recording = trace(f, X, names=False)
    value, gradient = value_and_grad(f)(X)
    whole = recording.sensitivities()[0]
    assert recording.value == value == f(copy_with_layout(X))
    np.testing.assert_allclose(gradient, whole, rtol=1e-11, atol=1e-13)
    along = weights(SHAPE)
    found = settled_differences.slope(lambda t: float(f(X + t * along)), 0.0, EPS)
    assert abs(np.sum(whole * along) - found.value) <= 4 * found.error + 1e-8 * (1 + abs(found.value))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed):
    agrees(seed)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(1, 3))
def test_more_random_programs(hundred):
    for seed in range(100 * hundred, 100 * hundred + 100):
        agrees(seed)


LINEAR = {
    "identity": lambda x: x,
    "alias": lambda x: x[:],
    "shift": lambda x: x + 1.0,
    "double use": lambda x: x + x,
    "multiple": lambda x: 2.0 * x,
    "reversed": lambda x: x[::-1],
    "written": lambda x: np.add(x, 1.0, out=np.zeros_like(x)),
    "reshaped": lambda x: x.reshape(2, -1).reshape(-1),
    "copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("f", LINEAR.values(), ids=LINEAR)
def test_the_cotangent_of_the_caller_is_not_overwritten(f):
    size = 4 * LARGE
    _, pullback = vjp(f, np.linspace(0.0, 1.0, size))
    seed = np.linspace(1.0, 2.0, size)
    first = pullback(seed)[0]
    expected = first.copy()
    first[:] = 7.0

    np.testing.assert_array_equal(np.linspace(1.0, 2.0, size), seed)
    np.testing.assert_array_equal(expected, pullback(seed)[0])


@pytest.mark.parametrize("f", LINEAR.values(), ids=LINEAR)
def test_gradients_of_several_arguments_share_no_memory(f):
    x, y = np.ones(4 * LARGE), np.full(4 * LARGE, 2.0)
    first, second = grad(lambda x, y: np.sum(f(x) + f(y)), (0, 1))(x, y)

    assert not np.shares_memory(first, second)
    first[:] = 7.0
    np.testing.assert_array_equal(grad(lambda y: np.sum(f(y)))(y), second)


@pytest.mark.parametrize("f", LINEAR.values(), ids=LINEAR)
def test_the_rows_of_a_jacobian_are_their_own(f):
    x = np.linspace(0.0, 1.0, 4 * LARGE)
    found = jacobian(lambda x: np.stack([np.sum(f(x)), np.sum(f(x) ** 2)]))(x)

    np.testing.assert_array_equal(grad(lambda x: np.sum(f(x)))(x), found[0])
    np.testing.assert_allclose(found[1], grad(lambda x: np.sum(f(x) ** 2))(x), rtol=1e-14)


@pytest.mark.parametrize("f", [f for name, f in LINEAR.items() if name != "written"])
def test_a_persistent_tape_is_swept_twice(f):
    x = gradcli.Variable(np.linspace(0.0, 1.0, 4 * LARGE))
    with gradcli.GradientTape(persistent=True) as tape:
        y = np.sum(f(x * 1.0) ** 2)
    first = tape.gradient(y, x).numpy()
    expected = first.copy()
    first[:] = 7.0

    np.testing.assert_array_equal(expected, tape.gradient(y, x).numpy())


def test_a_product_that_a_rule_keeps_is_not_overwritten():
    products = []

    def vjp_and_keep(ct, v, x):
        products.append(2.0 * ct)
        return products[-1]

    double = ArrayRule("double", lambda x: 2.0 * x, (vjp_and_keep,), linear=True)
    x = np.linspace(0.0, 1.0, 4 * LARGE)
    found = grad(lambda x: np.sum(double(np.tanh(x)) ** 2))(x)

    np.testing.assert_allclose(products[0], 8.0 * np.tanh(x), rtol=1e-14)
    assert not np.shares_memory(found, products[0])
