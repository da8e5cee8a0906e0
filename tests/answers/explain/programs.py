"""Hundreds of programs for explanations: templates, shapes and operations in every combination.

A program is the text of a module with a function `f`, and a point.
"""

import itertools
import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

Program = tuple[str, str, dict[str, Any]]

HEAD = "import math\nimport numpy as np\n"


def numbers(shape: tuple[int, ...], start: float = 0.3) -> Any:
    """Numbers of a shape, all different and non-zero."""
    count = int(np.prod(shape))
    found = start + 0.37 * np.arange(count) * (-1.0) ** np.arange(count) + 0.11 * np.arange(count)
    return found.reshape(shape).tolist()


def program(label: str, body: str, **point: Any) -> Program:
    """A program of one function with a given body."""
    text = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return label, f"{HEAD}def f({', '.join(point)}):\n{text}\n", point


def split(text: str) -> list[str]:
    """The formulas in a text, separated by lines or semicolons."""
    return [each.strip() for each in re.split(r"[;\n]", text) if each.strip()]


PAIRS = [
    ((), (3,)), ((3,), ()), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((2, 3), (2, 1)), ((1, 3), (2, 1)),
    ((1,), (3,)), ((2, 1), (1, 3)), ((1, 1), (2, 3)), ((3,), (2, 1, 3)), ((), (2, 3)), ((3,), (3,)), ((), ()),
]  # fmt: skip
BINARY = [
    "x + y", "x - y", "x * y", "x / y", "(x * x + 1) ** y", "np.maximum(x, y)", "np.hypot(x, y)", "np.arctan2(x, y)",
    "np.where(x > y, x * y, y)", "np.logaddexp(x, y)", "np.exp(x) * np.tanh(y) + x",
]  # fmt: skip


def broadcasting() -> Iterator[Program]:
    """An operation on two arrays of different shapes, as a statement and inside another one."""
    for (one, other), operation in itertools.product(PAIRS, BINARY):
        x, y = numbers(one, 0.4), numbers(other, 1.1)
        yield program(f"{operation} {one} {other}", f"z = {operation}\nreturn np.sum(z * z)", x=x, y=y)
    for (one, other), operation in itertools.product(PAIRS, BINARY[2:4]):
        x, y = numbers(one, 0.4), numbers(other, 1.1)
        yield program(f"np.sum({operation}) {one} {other}", f"return np.sum({operation}) * 2", x=x, y=y)


REDUCTIONS = [
    "np.sum(x{})", "np.mean(x{})", "np.max(x{})", "np.min(x{})", "np.prod(x{})", "np.std(x{})", "np.var(x{})",
    "np.linalg.norm(x{})", "np.sum(x * w{})", "(x * w / np.sum(x * w{}, keepdims=True))",
]  # fmt: skip
AXES = ["", ", axis=0", ", axis=1", ", axis=-1, keepdims=True", ", axis=0, keepdims=True", ", axis=(0, 1)"]


def reductions() -> Iterator[Program]:
    """A reduction along some axes, whose result meets an array again."""
    for reduction, axis in itertools.product(REDUCTIONS, AXES):
        if reduction.endswith("keepdims=True))") and "keepdims" in axis:
            continue
        body = f"w = np.array([0.5, 1.5, 2.5])\nr = {reduction.format(axis)}\nreturn np.sum(r * r) + np.sum(np.sin(r))"
        yield program(reduction.format(axis), body, x=numbers((2, 3)))
    for axis in ("axis=0", "axis=2", "axis=(0, 2)", "axis=1, keepdims=True"):
        yield program(f"3-d {axis}", f"r = np.sum(x, {axis})\nreturn np.sum(np.exp(r) * r)", x=numbers((2, 3, 2)))
    for tie in ("np.max(x)", "np.min(x, axis=0)", "np.max(x, axis=1, keepdims=True)"):
        body = f"r = {tie}\nreturn np.sum(r * r)"
        yield program(f"tie {tie}", body, x=[[1.0, 2.0, 2.0], [1.0, 2.0, 0.5]])


MOVES = split("""
    x.T; np.transpose(x); x.reshape(3, 2); x.ravel(); x.reshape(-1, 1); x[:, None]; x[None]; np.swapaxes(x, 0, 1)
    np.flip(x); np.flip(x, 1); np.roll(x, 1); np.roll(x, 1, axis=1); np.repeat(x, 2); np.repeat(x, 2, axis=1)
    np.tile(x, 2); np.concatenate([x, 2 * x]); np.concatenate([x, x * x], axis=1); np.stack([x, x + 1])
    np.stack([x, x + 1], axis=-1); np.hstack([x, x]); np.vstack([x, x * 3]); np.broadcast_to(x, (2, 2, 3))
    np.pad(x, 1); np.diag(x[0]); np.tril(x); np.triu(x, 1); np.cumsum(x); np.cumsum(x, axis=1)
    np.cumprod(x, axis=0); np.diff(x); np.gradient(x[0]); np.sort(x, axis=1); np.sort(x.ravel())
    np.take(x, [0, 2, 2], axis=1); np.clip(x, 0.0, 1.0); np.abs(x); x[0]; x[:, 1]; x[1, 2]; x[-1, ::-1]; x[..., 0]
    x[[0, 1, 0]]; x[[0, 1], [2, 0]]; x[x > 0.5]; x[np.array([True, False])]; x[:, [0, 0, 1]]; x[0][1]; x.T[1]
    x[:, ::2]; np.squeeze(x[None]); np.outer(x[0], x[1]); np.kron(x[0], x[1]); np.trace(x[:, :2]); np.diagonal(x)
    np.rot90(x); np.meshgrid(x[0], x[1])[0]; np.convolve(x[0], x[1]); np.interp(0.7, [0.0, 1.0, 2.0], x[0])
    np.fft.fft(x[0]).real; np.fft.rfft(x[0]).imag; np.abs(np.fft.fft(x)) ** 2; np.linalg.norm(x, axis=1)
    np.median(x); np.percentile(x, 30); np.cov(x); np.trapezoid(x[0]); np.cross(x[0], x[1]); x.astype(float)
    np.array([x[0, 0], x[1, 1] * 2, 3.0]); np.array(x); x.copy(); np.einsum('ij->ji', x); np.einsum('ij->i', x)
    np.nan_to_num(x); np.sinc(x); np.cbrt(x); np.log1p(x * x); np.square(x); np.sign(x) * x; 1 / x; -x; x % 0.7
    np.remainder(x, 0.7); np.split(x, 3, axis=1)[1]; np.atleast_3d(x); np.append(x, x[0]); np.delete(x, 1, axis=1)
    np.insert(x[0], 1, x[1, 2]); np.ptp(x); np.average(x, weights=[[1, 2, 3], [3, 2, 1]])
    np.select([x > 1, x > 0], [x * x, x], 0.0); np.polyval(x[0], x[1]); np.vander(x[0]); np.dot(x, x.T)
""")


def moves() -> Iterator[Program]:
    """Functions that move or select numbers, of a named input and of an unnamed formula."""
    for move in MOVES:
        yield program(move, f"y = {move}\nreturn np.sum(y * y) + np.sum(np.cos(y))", x=numbers((2, 3)))
        inner = re.sub(r"\bx\b", "(x * x + 1)", move)
        yield program(f"inner {inner}", f"return np.sum(np.sin({inner}))", x=numbers((2, 3)))


PRODUCTS = [
    ("np.dot(x, y)", (3,), (3,)), ("x @ y", (2, 3), (3,)), ("x @ y", (3,), (3, 2)), ("x @ y", (2, 3), (3, 2)),
    ("x @ y", (2, 2, 3), (3, 2)), ("x @ y", (2, 3), (2, 3, 2)), ("x @ y", (2, 2, 3), (3,)), ("x @ y", (3,), (2, 3, 2)),
    ("np.inner(x, y)", (2, 3), (2, 3)), ("np.outer(x, y)", (2,), (3,)), ("np.tensordot(x, y, 1)", (2, 3), (3, 2)),
    ("np.einsum('ij,jk->ik', x, y)", (2, 3), (3, 2)), ("np.einsum('ij,ij->', x, y)", (2, 3), (2, 3)),
    ("np.einsum('i,i->i', x, y)", (3,), (3,)), ("np.einsum('ij,j->ji', x, y)", (2, 3), (3,)), ("x.T @ y", (3, 2), (3,)),
    ("x @ y.T", (2, 3), (4, 3)), ("np.vdot(x, y)", (3,), (3,)), ("np.matmul(x, y) * y", (3, 3), (3,)),
    ("x @ np.ones((3, 2)) * y", (2, 3), (2, 1)), ("np.kron(x, y)", (2,), (3,)),
]  # fmt: skip


def products() -> Iterator[Program]:
    """Products of matrices and vectors, whose result is used directly, summed, or within the line."""
    for operation, one, other in PRODUCTS:
        x, y = numbers(one), numbers(other, 0.9)
        yield program(f"{operation} {one}{other}", f"z = {operation}\nreturn np.sum(z * z)", x=x, y=y)
        yield program(f"sum {operation} {one}{other}", f"return np.sum({operation}) ** 2", x=x, y=y)


LINALG = split("""
    np.linalg.inv(m); np.linalg.solve(m, b); np.linalg.solve(m, m * 2 + 1); np.linalg.det(m); np.linalg.pinv(m)
    np.linalg.slogdet(m)[1]; np.linalg.cholesky(m @ m.T); np.linalg.eigvalsh(m + m.T); np.linalg.eigh(m + m.T)[0]
    np.linalg.svd(m)[1]; np.linalg.qr(m)[1]; np.linalg.lstsq(m, b)[0]; np.linalg.norm(m); np.linalg.norm(b, 1)
    np.linalg.matrix_power(m, 3); np.linalg.multi_dot([m, m, b]); np.linalg.norm(m, axis=0); np.linalg.cond(m)
""")


def linalg() -> Iterator[Program]:
    """Inverses, linear systems and factorisations."""
    m = [[3.0, 0.5, 0.2], [0.1, 2.5, 0.4], [0.3, 0.6, 1.7]]
    for operation in LINALG:
        yield program(operation, f"r = {operation}\nreturn np.sum(r * r) + np.sum(b)", m=m, b=[0.5, -1.2, 2.0])


WRITES = [
    "y[0] = x[1] * 2", "y[1:] = x[:-1] * x[1:]", "y[1:] = x[0] * 3", "y[::2] = x[1]", "y[-1] += x[0] * x[1]",
    "y[:] = x * x", "y *= x", "y += 2 * x", "y[[0, 2]] = x[:2] * x[1]", "y[[1, 1]] = x[:2] * x[2]", "y[y > 0.9] = x[0]",
    "y[x > 0.2] *= 3", "y[2] = y[0] * y[1]", "y[1:3] = y[0:2] * x[1]", "y[:2] -= y[1:3]", "y[...] = x[2]",
    "y = y.reshape(2, 2)\n    y[0, 1] = x[2] * x[0]\n    y = y.ravel()", "v = y[1:]\n    v[0] = x[0] ** 2",
    "y[np.arange(4) % 2 == 0] = x[::2] * 5", "y[1:-1] = (x[2:] - x[:-2]) / 2", "np.add.at(y, [0, 0, 2], x[:3])",
    "y.fill(0)\n    y[1] = x[3]", "y[3] = np.sum(y[:3])", "a = y.copy()\n    a[1] = x[0]\n    y = y * a",
]  # fmt: skip
WRITES_2 = [
    "y[0] = x[1] * 2", "y[:, 1] = x[:, 0] * x[:, 2]", "y[0, 1] = x[1, 1] ** 2", "y[1:, 1:] = x[1:, :2] * 3",
    "y.T[0] = x[:, 1] ** 2", "y[:, ::2] = x[0, 0]", "y[1, [0, 2]] = x[0, :2]", "y[x > 0.6] = x[0, 0]",
    "y[0] += y[1] * x[0]",
    "y[1, 1] *= y[0, 0]", "y[:, 0] = np.sum(x, axis=1)", "np.fill_diagonal(y, x[0, 1])",
]  # fmt: skip


def writes() -> Iterator[Program]:
    """Writes to places, once and in loops."""
    for write in WRITES:
        body = f"y = x * 1.5\n    {write}\n    return np.sum(y * y * y)".replace("\n    ", "\n")
        yield program(write, body, x=numbers((4,), 0.6))
    for write in WRITES[:6]:
        body = f"y = np.zeros(4)\n{write}\nreturn np.sum(y * x)"
        yield program(f"zeros {write}", body.replace("\n    ", "\n"), x=numbers((4,), 0.6))
    for write in WRITES_2:
        yield program(write, f"y = np.sin(x)\n{write}\nreturn np.sum(y * y * y)", x=numbers((2, 3), 0.6))
    loop = "y = np.zeros(5)\ny[0] = x[0]\nfor i in range(1, 5):\n    y[i] = y[i - 1] * x[1] + x[0]\nreturn y[4] * y[2]"
    yield program("recurrence", loop, x=[0.3, 0.9])
    grid = """
    u = x.copy()
    for _ in range(3):
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    return np.sum(u * u)
    """
    yield program("grid", grid, x=numbers((4, 4)))


SCALARS = split("""
    a * b + c; a / b / c; (a + b) ** 2 / c; a ** b; a ** -2; 2 ** (a / b); -a ** 3 * b; math.sin(a) * math.exp(b)
    math.sqrt(a * a + b * b); max(a, b) * c; min(a, b, c) + a; abs(a - c); math.log(a * b) / c; a % b; a // 1 * b
    math.hypot(a, b) + math.atan2(b, c); math.fmod(a, b); math.remainder(c, b); math.gamma(a) + math.erf(b)
    math.lgamma(c); math.tanh(a) * math.cosh(b) - math.asinh(c); sum([a, b, c]) * a; math.prod([a, b, c])
    (lambda p: p * p + a)(b * c); [a * b, b * c][1] * a; a if a > b else b * c; math.dist([a, b], [c, a])
    math.degrees(a) + math.radians(b); math.log2(a) - math.log10(b) + math.expm1(c); pow(a, 3) + pow(b, 0.5)
    math.acos(a / 9) + math.asin(b / 9) + math.atan(c); math.copysign(a, -b); 1 / (1 + math.exp(-a * b))
""")


def scalars() -> Iterator[Program]:
    """Scalar formulas."""
    for formula in SCALARS:
        yield program(formula, f"r = {formula}\nreturn r * r + a", a=1.3, b=0.7, c=2.2)


PLAIN = """
# newton: x=1.0, a=2.0
for _ in range(4):
    x = 0.5 * (x + a / x)
return x * x

# versions: x=1.1
y = x
for i in range(3):
    y = y * x + i
    z = y * y
return z * y

# shadow: x=1.1, y=0.4
def g(x, y):
    t = x * y
    return t * x
t = g(y, x)
return t + g(t, x)

# recursion: x=1.1
def g(n):
    return x if n == 0 else g(n - 1) * x + n
return g(3)

# tree of calls: x=1.1
def fib(v, n):
    if n < 2:
        return v
    return fib(v, n - 1) * fib(v, n - 2) + 1
return fib(x, 4)

# loops in loops: x=[0.3, 0.04, 1.26], a=0.7
def step(v, n):
    total = v * 0
    for k in range(n):
        for j in range(2):
            total = total + v ** (k + 1) * a
        total = total / 3
    return total
for n in range(3):
    x = step(x, n) + x / 9.81
return np.sum(x)

# branches: x=1.5, y=0.4
m = max(x * y, y, 0.1)
if x > 1 and y < 3:
    m = m * round(x * 3) / 7
while m > 0.5:
    m = m / 2
return m * math.floor(x) - y / 3

# masks by names: x=[0.3, -0.04, 1.26], w=[1.0, 2.0, 3.0]
hot = x > 0.1
A = np.array([[1.0, 2.0, 0.5], [0.0, 1.0, 0.0]])
z = np.where(x > 1, x * w, w / 9.81)
return np.sum(z[hot]) + np.sum(x[x > 0.2]) + np.sum((A @ x) ** 2) - np.max(x) + np.sum(A.T @ x[:2])

# minus signs: x=1.5, y=0.4
a = -x / y
b = -(a * 2) - a / -3.0
c = (x - b) * -y % 7
return -c * -b / (y - 2.0) - c % y

# symbols: a=2.0, s_a=3.0, t_a=4.0
q = a * s_a * t_a
return q * q * a

# symbols 2: x=2.0, t_x=3.0
s_x = x * t_x
d_x = s_x * x
return s_x * d_x

# symbols 3: t=2.0, t_s=3.0
s = t * t_s
t_ = s * t
return s * t_

# functions: sum=[0.1, 0.5], max=2.0, pi=3.0
exp = np.exp(sum) * max
return np.sum(exp) + np.max(sum) * pi

# where: where=[0.5, 2.0], ones=[3.0, 4.0]
np_ = np.where(where > 1, where * ones, ones)
return np.sum(np_)

# linalg: linalg=[[2.0, 1], [0.5, 3]], array=1.5
fft = np.linalg.inv(linalg)
return np.sum(fft * array)

# e: x=[0.1, 0.4]
e = np.exp(x)
pi = e / (1 + e)
return np.sum(np.arctan(pi)) + math.erf(e[0])

# lists: x=[1.5, 0.4, 2.0]
y = [x[0] * x[1], x[1] * x[2]]
y[0] = y[0] * y[1]
return y[0] + y[1]

# list then array: x=1.5
v = [x * x, 2 * x]
u = v[0] * v[1]
v = np.array(v) * u
return v[0] * v[1]

# array then list: x=1.5
v = np.array([x * x, 2 * x])
u = v[0] * v[1]
v = [u * x, u]
return v[0] * v[1]

# dicts: x=1.5, y=0.4
d = {'a': x * y, 'b': [x, y * y]}
return d['a'] * d['b'][1]

# comprehension: x=[1.5, 0.4, 2.0]
y = [v * v for v in x]
return sum(v * w for v, w in zip(x, y))

# unpacking: x=[1.5, 0.4]
a, b = x
a, b = b * a, a + b
return a * b + a

# swap: x=1.5, y=0.4
for _ in range(3):
    x, y = y * 0.5, x * y
return x + y

# while: x=1.5
while x < 10:
    x = x * 1.7
return x

# method: x=1.5, y=2.0
class P:
    def __init__(self, w):
        self.w = w
    def call(self, v):
        return self.w * v * v
return P(x).call(y)

# constants: x=[0.3, 0.04, 1.26, -0.48]
A = np.arange(12.0).reshape(3, 4)
i = np.array([0, 1, 2, 3, 1, 1])
return np.sum((A @ x)[1:] ** 2) + np.sum(x[i] * np.arange(6))

# constants by names: x=[0.3, 0.04, 1.26, -0.48, 0.7]
sum = np.arange(5.0)
s_x = np.arange(6.0)[1:]
return np.sum(np.max(x * sum) * s_x * x) + np.sum(x)

# masks: x=[0.3, 0.04, 1.26, -0.48, 2.22, -1.0, 3.18, -1.52, 4.14, -2.04, 5.1, -2.56]
m = np.arange(12) % 3 == 0
y = x * 2
y[m] = x[m] ** 2
return np.sum(np.where(m, y, x)) + x[~m].sum()

# lanes: x=[0.0, 0.25, 4.0]
y = np.where(x > 0, np.sqrt(x), 0.0)
z = np.sqrt(x) * x[1]
w = np.where(x > 0, z, 0.0)
return np.sum(y) + np.sum(w * np.array([np.inf, 2.0, 1.0])[1])

# lost lanes: x=[0.0, 0.25, 4.0]
m = np.maximum(x, 0.0)
y = np.sqrt(m)
return np.sum(y * (x > 1))

# softmax: x=[0.3, 0.04, 1.26, -0.48]
e = np.exp(x - x.max())
p = e / e.sum()
return -np.log(p[1])

# layer: w=[[0.3, 0.04, 1.26], [-0.48, 2.22, -1.0]], x=[0.3, 0.04, 1.26], b=[0.3, 0.04]
h = np.tanh(w @ x + b)
return np.sum((h - 0.5) ** 2)

# batch: x=[[0.3, 0.04, 1.26], [-0.48, 2.22, -1.0]], w=[[0.3, 0.04], [1.26, -0.48], [2.22, -1.0]], b=[0.3, 0.04]
h = np.maximum(x @ w + b, 0)
return np.mean(h ** 2)

# attention: q=[[0.3, 0.04], [1.26, -0.48], [2.22, -1.0]], k=[[0.3, 0.04], [1.26, -0.48], [2.22, -1.0], [3.18, -1.52]]
s = q @ k.T / np.sqrt(2)
p = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
return np.sum((p @ k) ** 2)

# distances: x=[[0.3, 0.04], [1.26, -0.48], [2.22, -1.0]]
d = x[:, None] - x[None, :]
r = np.sqrt((d ** 2).sum(-1) + np.eye(3))
return np.sum(1 / r)

# complex: x=1.5, y=0.4
z = x * np.exp(1j * y)
w = z * np.conj(z) + z ** 2
return np.abs(w) + w.imag

# complex arrays: x=[0.3, 0.04, 1.26], c=0.7
z = np.exp(1j * x) * (2 - 1j) * c
return np.sum((np.conj(z) * z * z).imag) + np.sum(abs(z) * z.real)

# nested calls: x=[0.3, 0.04, 1.26]
def g(v):
    return np.sum(v * v)
def h(v):
    return np.sqrt(g(v)) * v
return g(h(h(x)))

# result: x=1.3
result = x * x
other = result * x
return other * result

# unused: x=[0.4, 1.2]
y = x * 0
z = y * x
w = x[0] * z
return np.sum(w) + x[1]

# vmap: x=[0.3, 0.04, 1.26]
return sum(float(np.sin(v)) * i for i, v in enumerate(x))

# float32: x=[0.3, 0.04, 1.26]
y = np.float32(2) * x
return np.sum(y.astype(np.float64) ** 2)

# reuse: x=[[0.3, 0.04], [1.26, -0.48]]
a = x * x
a = a + x * a
a = a * a
return a.sum()

# stencil: x=[0.3, 0.04, 1.26, -0.48, 2.22, -1.0]
d = x[2:] - 2 * x[1:-1] + x[:-2]
return np.sum(d ** 2) + np.sum(np.abs(np.diff(x)))

# rosenbrock: x=[0.3, 0.04, 1.26, -0.48, 2.22]
return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

# as in place: x=[1.1, 0.3], z=[0.5, 2.0, 1.2]
y = np.empty((2, 3))
for i in range(2):
    for j in range(3):
        y[i, j] = x[i] * z[j]
return np.sum(y ** 2)

# scipy: x=[0.3, 0.04, 1.26]
from scipy.special import logsumexp, expit, gammaln
from scipy.linalg import expm
r = logsumexp(x) + np.sum(expit(x)) + np.sum(gammaln(x * x + 1))
return r + np.sum(expm(np.outer(x, x) / 9))

# special: x=1.3
from scipy import special as s
return s.jv(1.0, x) + s.betainc(2.0, 3.0, x / 9) + s.sici(x)[0] + s.xlogy(x, x) + s.huber(0.5, x) + s.airy(x)[0]
"""


def plain() -> Iterator[Program]:
    """Loops, helper functions, lists, and names that could be confused."""
    for part in PLAIN.strip().split("\n\n"):
        head, _, body = part.partition("\n")
        label, _, point = head.removeprefix("# ").partition(": ")
        found = {name: json.loads(numbers) for name, numbers in re.findall(r"(\w+)=(.+?)(?=, \w+=|$)", point)}
        yield program(label, body, **found)
    terms = " + ".join(f"math.sin({n} * x) * y ** {n} / (x + {n})" for n in range(1, 30))
    yield program("long", f"r = {terms}\nreturn r * r", x=1.1, y=0.9)


EXPRESSIONS = [
    ("x^2 * sin(y) / y", {"x": 3.0, "y": 2.0}), ("sum(x) * max(y, 2)", {"x": [1.0, 2.0], "y": 0.5}),
    ("sum(x * w)", {"x": [1.0, 2.0, 3.0], "w": 2.0}), ("result * exp(-result)", {"result": 1.5}),
    ("where(x > 1, x * y, y)", {"x": 3.0, "y": 2.0}), ("dot(x, y) / mean(x)", {"x": [1.0, 2.0], "y": [0.5, 3.0]}),
    ("sin(x) * sin(x) + sin(x)", {"x": 0.4}), ("s_x * x * t_x", {"s_x": 1.5, "x": 2.0, "t_x": 0.3}),
    ("erf(x) + lgamma(x) + atan2(x, y) + remainder(y, x)", {"x": 1.4, "y": 3.1}),
    (" + ".join(f"sin({n} * x * y) / (x + {n})" for n in range(1, 40)), {"x": 1.4, "y": 0.6}),
]  # fmt: skip


def every() -> list[Program]:
    """All programs."""
    parts = (broadcasting, reductions, moves, products, linalg, writes, scalars, plain)
    return [each for part in parts for each in part()]
