"""Random programs on complex arrays: their own gradients pass, and one part in a million off fails."""

import random

import numpy as np
import pytest

import gradcli

pytestmark = pytest.mark.filterwarnings("ignore:G205")  # a random program may be flat

ALONE = [
    np.exp, np.log, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arcsin, np.arccos, np.arctan,
    np.arcsinh, np.arccosh, np.arctanh, np.square, np.reciprocal, np.expm1, np.log1p, np.log2, np.log10, np.exp2,
    np.sinc, np.conj, np.angle, np.sign, np.fft.fft, np.fft.ifft, np.cumsum, np.sort,
    lambda z: np.real(z) + 0j, lambda z: 1j * np.imag(z), lambda z: np.abs(z) * z, lambda z: z**3,
    lambda z: z**-1.5, lambda z: z[::-1],
]  # fmt: skip
TOGETHER = [
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, lambda a, b: np.dot(a, b) * a,
    lambda a, b: np.where(np.real(a) > 0, a, b), lambda a, b: np.linalg.solve(np.outer(a, b) + 3 * np.eye(3), a),
]  # fmt: skip
LARGEST = 1e12
SMALLEST = 1e-9


def program(seed):
    """A program of up to six steps with a real result, and a point, complex or real."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    steps = [
        (chance.choice([ALONE, TOGETHER]), chance.random(), chance.randrange(9), chance.randrange(9))
        for _ in range(chance.randint(2, 6))
    ]
    a, b, x, y = numbers.uniform(-1.5, 1.5, (4, 3))

    def f(x):
        values = [x, x * (0.6 + 0.8j)]
        for kind, which, i, j in steps:
            operands = [values[i % len(values)], values[j % len(values)]]
            step = kind[int(which * len(kind))]
            values.append(step(*operands) if kind is TOGETHER else step(operands[0]))
        return np.sum(a * np.real(values[-1]) + b * np.imag(values[-1]))

    return f, x + 1j * y if chance.random() < 0.5 else x


def known(seed):
    """The program where it has a value of moderate size; None elsewhere."""
    f, at = program(seed)
    with np.errstate(all="ignore"):
        value = f(at)
    return (f, at) if np.isfinite(value) and abs(value) < LARGEST else None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of lanes that are not taken
@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 60), marks=pytest.mark.long)], ids=["some", "many"]
)
def test_verdicts(seeds):
    """A gradient that vanishes cannot be a part of itself off, and may have no reference that tells it from 0."""
    missed = []
    for seed, (f, at) in ((seed, found) for seed in seeds if (found := known(seed))):
        gradient = np.asarray(gradcli.grad(f)(at))
        right = gradcli.check(f, at=(at,)).verdict
        wrong = gradcli.check(f, at=(at,), against=lambda x, g=gradient: g * (1 + 1e-6)).verdict
        vanishes = np.max(np.abs(gradient)) < SMALLEST
        if right == "fail" if vanishes else (right, wrong) != ("pass", "fail"):
            missed.append((seed, right, wrong))

    assert missed == []
