"""Programs whose derivatives are known another way, and random ones: what the methods are tested on."""

import math
import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from gradcli.engine.traces.trace import Trace
from gradcli.methods.transforms.gradients import trace

A = np.array([[2.0, -1.0, 0.5], [0.25, 3.0, 1.0], [1.0, 0.0, -2.0]])


def recorded(f: Callable[..., Any], *at: Any) -> tuple[Trace, int, list[int]]:
    """One run without names: the trace, the node of its result, the nodes of its inputs."""
    tape = trace(f, *at, names=False)
    last = tape.result_index()
    assert last is not None
    return tape, last, list(tape.input_indices())


def newton(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def newton_steps(a):
    x = (1 + a) / 2
    for _ in range(4):
        x = (x + a / x) / 2
    return x


def horner(x):
    y = 0.0
    for c in (1.5, -2.0, 0.25, 3.0, -1.0, 0.5):
        y = y * x + c
    return y


def written(x):
    z = np.zeros(3)
    z[1] = x[0] * x[2]
    z[2:] = x[1]
    return np.sum(z * x)


# Name, program, its one argument, and the same in mpmath's numbers as a function of a list.
KNOWN: list[tuple[str, Callable[..., Any], Any, Callable[..., Any]]] = [
    ("sum and product", lambda x: 2.0 * x * x + 3 * x - 1, 1.3, lambda x: 2 * x * x + 3 * x - 1),
    ("quotient", lambda x: (1 - x) / (1 + x * x), 0.7, lambda x: (1 - x) / (1 + x * x)),
    ("reflected", lambda x: 2 - 3 / (5 - 2**x), 0.7, lambda x: 2 - 3 / (5 - mpmath.mpf(2) ** x)),
    ("remainder", lambda x: (x * x) % 0.7, 1.3, lambda x: x * x - 2 * mpmath.mpf(0.7)),
    ("whole power", lambda x: x**7, -1.1, lambda x: x**7),
    ("power at 0", lambda x: x**2 + x**1 + x**0, 0.0, lambda x: x**2 + x + 1),
    ("broken power", lambda x: x**2.5, 0.3, lambda x: x ** mpmath.mpf(2.5)),
    ("broken power at 0", lambda x: x**1.5, 0.0, lambda x: mpmath.mpf(0)),
    ("power of itself", lambda x: x**x, 0.3, lambda x: x**x),
    ("negative base", lambda x: (x - 3) ** 3.0, 0.3, lambda x: (x - 3) ** 3),
    ("exponential", lambda x: math.exp(-x * x) * math.expm1(x), 0.3, lambda x: mpmath.exp(-x * x) * mpmath.expm1(x)),
    ("logarithms", lambda x: math.log(x) * math.log1p(x) + math.log2(x) - math.log10(x), 0.3,
     lambda x: mpmath.log(x) * mpmath.log1p(x) + mpmath.log(x, 2) - mpmath.log10(x)),
    ("circular", lambda x: math.sin(x) / math.cos(x) - math.tan(x * x), 0.3,
     lambda x: mpmath.sin(x) / mpmath.cos(x) - mpmath.tan(x * x)),
    ("inverses", lambda x: math.asin(x) * math.acos(x) + math.atan(x), 0.3,
     lambda x: mpmath.asin(x) * mpmath.acos(x) + mpmath.atan(x)),
    ("two-argument", lambda x: math.atan2(x, 1 - x) + math.hypot(x, 2.0), 0.3,
     lambda x: mpmath.atan2(x, 1 - x) + mpmath.hypot(x, 2)),
    ("hyperbolic", lambda x: math.sinh(x) * math.tanh(x) - math.cosh(x), 0.3,
     lambda x: mpmath.sinh(x) * mpmath.tanh(x) - mpmath.cosh(x)),
    ("hyperbolic inverses", lambda x: math.asinh(x) + math.acosh(1 + x) * math.atanh(x), 0.3,
     lambda x: mpmath.asinh(x) + mpmath.acosh(1 + x) * mpmath.atanh(x)),
    ("special", lambda x: math.erf(x) * math.erfc(x) + math.gamma(x) * math.lgamma(x), 0.3,
     lambda x: mpmath.erf(x) * mpmath.erfc(x) + mpmath.gamma(x) * mpmath.loggamma(x)),
    ("pieces", lambda x: abs(x - 1) + max(x, 0.2) + min(x, 0.2), 0.3, lambda x: 1 - x + x + mpmath.mpf(0.2)),
    ("cancellation", lambda x: (1 - math.cos(x)) / x**2, 1e-4, lambda x: (1 - mpmath.cos(x)) / x**2),
    ("saturation", lambda x: math.tanh(x), 300.0, lambda x: -2 / (mpmath.exp(2 * x) + 1)),
    ("far out", lambda x: math.sin(x), 1e10, mpmath.sin),
    ("tiny", lambda x: x**3 * 1e-200, 1e-30, lambda x: x**3 * mpmath.mpf(1e-200)),
    ("loop", horner, 1.7, lambda x: mpmath.polyval([mpmath.mpf(c) for c in (1.5, -2.0, 0.25, 3.0, -1.0, 0.5)], x)),
    ("while", newton, 2.0, newton_steps),
    ("sum", lambda x: np.sum(x * x), A[0], lambda x: sum(v * v for v in x)),
    ("mean", lambda x: np.mean(np.exp(x)), A[0], lambda x: sum(map(mpmath.exp, x)) / 3),
    ("prod", lambda x: np.prod(x), A[0], mpmath.fprod),
    ("prod with a zero", lambda x: np.prod(x), np.array([0.0, 3.0, 2.0]), mpmath.fprod),
    ("max and min", lambda x: np.max(x) * np.min(x), A[0], lambda x: max(x) * min(x)),
    ("index", lambda x: x[0] * x[-1] + np.sum(x[1:] * x[:-1]), A[0],
     lambda x: x[0] * x[2] + x[1] * x[0] + x[2] * x[1]),
    ("fancy index", lambda x: np.sum(x[[0, 0, 2]] ** 2), A[0], lambda x: 2 * x[0] ** 2 + x[2] ** 2),
    ("put", written, A[0], lambda x: x[1] * x[0] * x[2] + x[1] * x[2]),
    ("matrix times vector", lambda x: np.sum((A @ x) ** 2), A[0],
     lambda x: sum(mpmath.fdot(map(mpmath.mpf, row), x) ** 2 for row in A)),
    ("dot", lambda x: x @ x, A[0], lambda x: mpmath.fdot(x, x)),
    ("reshape", lambda x: np.sum(x.reshape(3, 1) @ x.reshape(1, 3)), A[0], lambda x: sum(x) ** 2),
    ("transpose", lambda x: x @ A.T @ x, A[0],
     lambda x: sum(x[i] * mpmath.mpf(A[j][i]) * x[j] for i in range(3) for j in range(3))),
    ("stack", lambda x: np.sum(np.stack([x[0] * x, x]) ** 2), A[0], lambda x: sum((x[0] * v) ** 2 + v * v for v in x)),
    ("broadcast", lambda x: np.sum(x + x[:, None]), A[0], lambda x: 6 * sum(x)),
    ("where", lambda x: np.sum(np.where(x > 0, x**2, np.sin(x))), A[0],
     lambda x: sum(v**2 if v > 0 else mpmath.sin(v) for v in x)),
    ("maximum", lambda x: np.sum(np.maximum(x, 0.25) ** 2), A[0],
     lambda x: sum(max(v, mpmath.mpf(0.25)) ** 2 for v in x)),
    ("clip", lambda x: np.sum(np.clip(x, -0.75, 1.0) * x), A[0],
     lambda x: sum(min(max(v, mpmath.mpf(-0.75)), 1) * v for v in x)),
    ("log of a sum", lambda x: np.log(np.sum(np.exp(x))), A[0], lambda x: mpmath.log(sum(map(mpmath.exp, x)))),
    ("nested lists", lambda x: math.sin(x[0]) * x[1][0], [0.3, [2.0, 5.0]], lambda x: mpmath.sin(x[0]) * x[1]),
]  # fmt: skip


def derivatives(twin: Callable[..., Any], at: Any) -> list[Any]:
    """The derivatives of a function of mpmath's numbers, by mpmath, with 40 digits."""
    with mpmath.workdps(120):
        if isinstance(at, float):
            return [mpmath.diff(twin, mpmath.mpf(at))]
        numbers = [mpmath.mpf(float(v)) for part in at for v in np.ravel(part)]
        along = (lambda v, n=n: twin([*numbers[:n], v, *numbers[n + 1 :]]) for n in range(len(numbers)))
        return [mpmath.diff(function, number) for function, number in zip(along, numbers, strict=True)]


FUNCTIONS = "sin cos exp log sqrt tanh atan log1p expm1 sinh cosh asinh erf tan lgamma".split()


def random_program(seed: int) -> tuple[Callable[..., float], list[float]]:
    """A straight-line program of up to 14 steps on up to 3 numbers, and a point; it may raise."""
    rng = random.Random(seed)
    point = [10 ** rng.uniform(-4, 2) * rng.choice([1, 1, 1, -1]) for _ in range(rng.randint(1, 3))]
    steps = [_random_step(rng, len(point) + n) for n in range(rng.randint(2, 14))]

    def program(*numbers: Any) -> Any:
        values = list(numbers)
        for step, *places in steps:
            values.append(step(*(values[n] for n in places)))
        return values[-1]

    return program, point


def _random_step(rng: random.Random, known: int) -> tuple[Any, ...]:
    kind, a, b = rng.random(), rng.randrange(known), rng.randrange(known)
    if kind < 0.55:
        return rng.choice([lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / y]), a, b
    if kind < 0.65:
        exponent = rng.choice([2, 3, 0.5, -1, 1.5])
        return lambda x: x**exponent, a
    if kind < 0.75:
        number = rng.choice([1.0, -1.0, 10 ** rng.uniform(-6, 6)])
        return rng.choice([lambda x: x + number, lambda x: number * x]), a
    name = rng.choice(FUNCTIONS)
    return lambda x: getattr(math, name)(x), a


def random_runs(seeds: range) -> list[tuple[list[float], Trace]]:
    """The recorded runs of random programs that give a finite number."""
    runs = []
    for seed in seeds:
        program, point = random_program(seed)
        try:
            tape = trace(program, *point, names=False)
        except Exception:
            continue
        known = tape.result is not None and isinstance(tape.value, float) and not tape.has_complex
        if known and math.isfinite(tape.value):
            runs.append((point, tape))
    return runs
