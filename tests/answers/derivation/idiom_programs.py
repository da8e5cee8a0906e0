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


def nested_break_flags(x):
    done = False
    t = 0.0
    i = 0
    while not done:
        for j in range(3):
            t += x**j
            if t > 4.0:
                done = True
                break
        i += 1
        if i > 3:
            done = True
    return t * x


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


def ints_to_floats(x):
    total = 0
    for k in range(4):
        total += x * k
    return total / 2


def power_of_var(x, y):
    return x**y + y**2 + 2.0**x


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


def reshaped(x):
    m = x.reshape(-1, 1) * x
    return np.sum(m[:, ::-1] * np.arange(len(x)))


def newaxis(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-(d**2)))


def ellipsis(m):
    return np.sum(m[..., 0] * m[..., -1])


def boolean_any(x):
    if np.any(x > 1.0):
        return np.sum(x**2)
    return np.sum(x)


def argmax_item(x):
    k = np.argmax(x)
    return x[k] ** 2 + x[0]


def argsorted(x):
    o = np.argsort(x)
    return np.sum(x[o] * np.arange(len(x)))


def maximum_accumulate(x):
    return np.sum(np.maximum.accumulate(x) * x)


def clip_scalar(x):
    return min(max(x, -1.0), 1.0) * x


def where_scalar(x):
    return float(np.where(x > 0, x * 2, x**2))


def while_tuple(a, b):
    n = 0
    while abs(a - b) > 1e-10 and n < 40:
        a, b = (a + b) / 2, math.sqrt(a * b)
        n += 1
    return a


def zip_unequal(xs, ys):
    return sum(x * y for x, y in zip(xs, ys[1:]))


def enumerate_start(xs):
    t = 0.0
    for i, x in enumerate(xs, 2):
        t += x**i
    return t


def range_step(xs):
    return sum(xs[i] * xs[i + 1] for i in range(0, len(xs) - 1, 2))


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


def string_ops(x, s="abc"):
    t = 0.0
    for c in s:
        if c == "b":
            t += x
        t += x * x
    return t


def set_member(x, k=3):
    return x * x if k in {1, 3} else x


def ternary_chain(x):
    return x if x > 2 else (x * x if x > 1 else (x**3 if x > 0 else -x))


def assert_in_loop(xs):
    t = 1.0
    for x in xs:
        assert x > -100
        t *= x
    return t


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


def matmul_chain(m, v):
    return v @ m @ m.T @ v + (m.T @ v)[0]


def stats(x):
    return np.mean(x) * np.var(x) + np.ptp(x)


def axis_tuple(m):
    return np.sum(np.sum(m, axis=(0, 1))) * np.mean(m, axis=1)[0]


def keepdims(m):
    return np.sum(m / np.sum(m, axis=0, keepdims=True) * m)


def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def softplus_where(x):
    return np.sum(np.where(x > 0, x + np.log1p(np.exp(-x)), np.log1p(np.exp(x))))


def linspace_use(x):
    t = np.linspace(0.0, 1.0, 5)
    return np.sum(np.sin(x * t))


def meshgrid_use(x):
    a, b = np.meshgrid(x, x)
    return np.sum(a * b**2)


def convolve_use(x):
    return np.sum(np.convolve(x, np.array([1.0, -1.0, 0.5])) ** 2)


def interp_use(x):
    return float(np.interp(x, [0.0, 1.0, 2.0], [0.0, 3.0, 1.0]))


def polyval_use(x):
    return np.polyval([1.0, 2.0, 3.0], x)


def trapz_use(x):
    return np.trapezoid(x**2, dx=0.5)


def fft_use(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)


def append_use(x):
    return np.sum(np.append(x, x[0] ** 2) ** 2)


def array_of_rows(x):
    rows = []
    for k in range(3):
        rows.append(x * k)
    return np.sum(np.array(rows) ** 2)


def stack_list(x):
    rows = [x * k for k in range(3)]
    return np.sum(np.stack(rows) @ x)


def np_list(xs):
    return np.sum(np.array(xs) ** 2) + np.mean(xs)


def quad_form(x):
    a = np.array([[2.0, x[0]], [x[1], 3.0]])
    return np.linalg.det(a) + x @ np.linalg.solve(a, x)


PROGRAMS = {
    aliased_row: [(M,)],
    swap_rows: [(M,)],
    list_alias_in_loop: [(L,)],
    default_list: [([1.0, 2.0],)],
    global_step: [(1.3,)],
    nested_break_flags: [(0.7,)],
    recursion_on_lists: [([1.0, 2.0, 3.0, 4.0],)],
    mutual_even: [(0.7,)],
    ints_to_floats: [(0.7,)],
    power_of_var: [(1.3, 2.2)],
    negative_index_store: [(V,)],
    overlap_store: [(V,)],
    overlap_aug: [(V,)],
    reshaped: [(V,)],
    newaxis: [(V,)],
    ellipsis: [(M,)],
    boolean_any: [(V,)],
    argmax_item: [(V,)],
    argsorted: [(V,)],
    maximum_accumulate: [(V,)],
    clip_scalar: [(0.4,)],
    where_scalar: [(0.4,)],
    while_tuple: [(1.0, 2.0)],
    zip_unequal: [([1.0, 2.0], [3.0, 4.0, 5.0])],
    enumerate_start: [(L,)],
    range_step: [([1.0, 2.0, 3.0, 4.0],)],
    chained_assign: [(1.2,)],
    aug_in_branch: [(1.2,)],
    dict_locals: [(1.2,)],
    dict_of_active: [(1.2,)],
    string_ops: [(1.2,)],
    set_member: [(1.2,)],
    ternary_chain: [(1.5,)],
    assert_in_loop: [(L,)],
    raise_in_branch: [(1.2,)],
    del_stmt: [(1.2,)],
    walrus: [(1.2,)],
    matmul_chain: [(M, V[:2])],
    stats: [(V,)],
    axis_tuple: [(M,)],
    keepdims: [(M,)],
    logsumexp: [(V,)],
    softplus_where: [(V,)],
    linspace_use: [(1.2,)],
    meshgrid_use: [(V,)],
    convolve_use: [(V,)],
    interp_use: [(1.2,)],
    polyval_use: [(1.2,)],
    trapz_use: [(V,)],
    fft_use: [(V,)],
    append_use: [(V,)],
    array_of_rows: [(V,)],
    stack_list: [(V,)],
    np_list: [(L,)],
    quad_form: [(V[:2],)],
}
REFUSED = (
    maximum_accumulate, convolve_use, fft_use,
)  # fmt: skip
