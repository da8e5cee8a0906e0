"""Idioms of Python and NumPy: aliases, overlapping writes, recursion, lists of rows, functions of whole arrays."""

import math

import numpy as np

V = np.array([1.5, -0.5, 2.0])
M = np.array([[1.0, 0.5], [0.3, -1.0]])
L = [1.0, 2.0, -1.5]


def aliased_row(m):
    r = m[0]
    m = m * 2.0
    m[0] = r * 3.0
    return np.sum(m * m) + np.sum(r)


def swap_rows(m):
    m = m.copy()
    t = m[0].copy()
    m[0] = m[1]
    m[1] = t * 2.0
    return np.sum(m[0] * m[1] ** 2)


def list_alias_in_loop(xs):
    best = [xs[0], 1.0]
    for x in xs:
        cand = [x, x * x]
        if cand[1] > best[1]:
            best = cand
    return best[0] * best[1]


def default_list(xs, w=(1.0, 2.0)):
    return sum(a * b for a, b in zip(xs, w))


def global_step(x):
    return math.floor(x) * x + math.copysign(2.0, x) * x


def recursion_on_lists(xs):
    if len(xs) == 1:
        return xs[0] * xs[0]
    half = len(xs) // 2
    return recursion_on_lists(xs[:half]) * 0.5 + recursion_on_lists(xs[half:])


def mutual_even(x, n=3):
    if n == 0:
        return x
    return mutual_odd(x * 1.1, n - 1) + x


def mutual_odd(x, n):
    if n == 0:
        return 1.0
    return mutual_even(x * x, n - 1)


def negative_index_store(x):
    y = np.zeros(len(x) + 1)
    y[-1] = x[0]
    y[:-1] += x
    y[1:] = y[:-1] * y[1:]
    return np.sum(y)


def overlap_store(x):
    y = x.copy()
    y[1:] = y[:-1]
    y[0] = 5.0 * x[1]
    return np.sum(y**2)


def overlap_aug(x):
    y = x.copy()
    y[1:] += y[:-1] * 2.0
    return np.sum(y**2)


def ellipsis(m):
    return np.sum(m[..., 0] * m[..., -1])


def argsorted(x):
    o = np.argsort(x)
    return np.sum(x[o] * np.arange(len(x)))


def maximum_accumulate(x):
    return np.sum(np.maximum.accumulate(x) * x)


def zip_unequal(xs, ys):
    return sum(x * y for x, y in zip(xs, ys[1:]))


def chained_assign(x):
    a = b = x * x
    a = a + 1.0
    return a * b


def aug_in_branch(x):
    t = x
    if x > 0:
        t *= x
    else:
        t -= 2 * x
    t /= 3
    t **= 2
    return t


def dict_locals(x):
    d = {"a": 2.0}
    return d["a"] * x


def dict_of_active(x):
    d = {"a": x}
    d["a"] = d["a"] * x
    return d["a"]


def raise_in_branch(x):
    if x < -50:
        raise ValueError("no")
    return math.exp(x)


def del_stmt(x):
    y = x * x
    z = y + 1
    del y
    return z


def walrus(x):
    if (y := x * x) > 1.0:
        return y
    return x


def meshgrid_use(x):
    a, b = np.meshgrid(x, x)
    return np.sum(a * b**2)


def convolve_use(x):
    return np.sum(np.convolve(x, np.array([1.0, -1.0, 0.5])) ** 2)


def interp_use(x):
    return float(np.interp(x, [0.0, 1.0, 2.0], [0.0, 3.0, 1.0]))


def trapz_use(x):
    return np.trapezoid(x**2, dx=0.5)


def fft_use(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)


def stack_list(x):
    rows = [x * k for k in range(3)]
    return np.sum(np.stack(rows) @ x)


def np_list(xs):
    return np.sum(np.array(xs) ** 2) + np.mean(xs)


def sorted_list(xs):
    least, *_, largest = sorted(x * x for x in xs)
    total = 0.0
    for _ in range(3):
        xs = sorted([x * largest - xs[0] for x in xs])
        total += xs[1]
    return total * least


PROGRAMS = {
    aliased_row: [(M,)],
    swap_rows: [(M,)],
    list_alias_in_loop: [(L,)],
    default_list: [([1.0, 2.0],)],
    global_step: [(1.3,)],
    recursion_on_lists: [([1.0, 2.0, 3.0, 4.0],)],
    mutual_even: [(0.7,)],
    negative_index_store: [(V,)],
    overlap_store: [(V,)],
    overlap_aug: [(V,)],
    ellipsis: [(M,)],
    argsorted: [(V,)],
    maximum_accumulate: [(V,)],
    zip_unequal: [([1.0, 2.0], [3.0, 4.0, 5.0])],
    chained_assign: [(1.2,)],
    aug_in_branch: [(1.2,)],
    dict_locals: [(1.2,)],
    dict_of_active: [(1.2,)],
    raise_in_branch: [(1.2,)],
    del_stmt: [(1.2,)],
    walrus: [(1.2,)],
    meshgrid_use: [(V,)],
    convolve_use: [(V,)],
    interp_use: [(1.2,)],
    trapz_use: [(V,)],
    fft_use: [(V,)],
    stack_list: [(V,)],
    np_list: [(L,)],
    sorted_list: [(L,)],
}
REFUSED = (
    maximum_accumulate, convolve_use, fft_use,
)  # fmt: skip
