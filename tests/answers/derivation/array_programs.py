"""Array programs, each with points of several sizes and on both sides of its branches."""

import numpy as np

X = np.array([[1.0, 0.5], [0.2, -1.0], [1.5, 2.0]])
LABELS = np.array([0.0, 1.0, 1.0])


def a(*numbers):
    return np.array(numbers)


def sum_of_squares(x):
    return np.sum(x**2)


def logistic(w, b):
    """The loss of a logistic regression."""
    z = X @ w + b
    p = 1.0 / (1.0 + np.exp(-z))
    return -np.mean(LABELS * np.log(p) + (1.0 - LABELS) * np.log(1.0 - p))


def softmax_regression(w, x):
    """The loss of a softmax regression, with one row per case."""
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    e = np.exp(z)
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.sum(np.log(p[:, 0])) + 0.1 * np.sum(w * w)


def recurrent(w, u, xs):
    """A recurrent cell over a sequence."""
    h = np.zeros(w.shape[0])
    loss = 0.0
    for x in xs:
        h = np.tanh(w @ h + u @ x)
        loss += np.sum(h * h)
    return loss


def kalman(q, r, z):
    """The negative log-likelihood of a local level model."""
    level, p = z[0], r
    total = 0.0
    for k in range(1, len(z)):
        p = p + q
        s = p + r
        e = z[k] - level
        gain = p / s
        level = level + gain * e
        p = (1.0 - gain) * p
        total += 0.5 * (np.log(s) + e * e / s)
    return total


def kalman_matrices(f, q, z):
    h = np.array([1.0, 0.0])
    x = np.zeros(2)
    p = np.eye(2)
    total = 0.0
    for each in z:
        x = f @ x
        p = f @ p @ f.T + q * np.eye(2)
        s = h @ p @ h + 0.5
        e = each - h @ x
        k = p @ h / s
        x = x + k * e
        p = p - np.outer(k, h @ p)
        total = total + e * e / s + np.log(s)
    return total


def filled_matrix(x):
    """A matrix filled by index in a loop with an `if`."""
    n = 4
    m = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i == j:
                m[i, j] = x * (i + 1.0)
            elif i < j:
                m[i, j] = np.sin(x) * j
    return np.sum(m @ m)


def heat(u, c):
    """Explicit steps of the heat equation, in place."""
    v = u.copy()
    for _ in range(5):
        w = np.zeros(len(v))
        w[1:-1] = v[1:-1] + c * (v[2:] - 2.0 * v[1:-1] + v[:-2])
        w[0] = v[0]
        w[-1] = v[-1]
        v = w
    return np.sum(v**2)


def in_place(u, c):
    v = u.copy()
    v[0] = c * v[1]
    v[1:] *= c
    v[1:3] += v[:2] ** 2
    v *= 2.0
    return v @ v


def products_by_loops(a, b):
    n, m = a.shape
    k = b.shape[1]
    c = np.zeros((n, k))
    for i in range(n):
        for j in range(k):
            s = 0.0
            for l in range(m):
                s += a[i, l] * b[l, j]
            c[i, j] = s
    return np.sum(c * c)


def broadcast(x, w, s):
    return np.sum((x * w + s) ** 2 / (1.0 + x * x))


def columns(x):
    mean = np.mean(x, axis=0)
    centred = x - mean
    scale = np.sqrt(np.sum(centred**2, axis=0) + 1.0)
    return np.sum(centred[:, 0] / scale[0]) + np.sum(np.tanh(centred / scale) ** 2)


def fourier(re, im):
    """The power in the first half of a Fourier transform by recursion."""
    r, i = transform(re, im)
    half = len(re) // 2
    return np.sum(r[:half] ** 2 + i[:half] ** 2)


def transform(re, im):
    n = len(re)
    if n == 1:
        return re, im
    er, ei = transform(re[0::2], im[0::2])
    odd_r, odd_i = transform(re[1::2], im[1::2])
    angles = -2.0 * np.pi * np.arange(n // 2) / n
    c, s = np.cos(angles), np.sin(angles)
    tr = c * odd_r - s * odd_i
    ti = c * odd_i + s * odd_r
    return np.concatenate([er + tr, er - tr]), np.concatenate([ei + ti, ei - ti])


def least_squares(m, b):
    x = np.linalg.solve(m.T @ m + np.eye(2), m.T @ b)
    r = m @ x - b
    return r @ r + np.linalg.norm(x)


def gathered(x, w):
    index = np.array([0, 2, 0, 1])
    y = x[index] * w
    mask = y > 0.0
    return np.sum(y[mask] ** 2) + np.sum(np.where(mask, y, 0.1 * y))


def descent(x, rate):
    for _ in range(20):
        g = 2.0 * (x - 1.0) + np.cos(x)
        if np.sqrt(np.sum(g * g)) < 1e-3:
            break
        x = x - rate * g
    return np.sum(x**3)


def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max())
    p = e / e.sum(axis=1, keepdims=True)
    return (p @ v).sum()


def convolution(x, k):
    n = len(x) - len(k) + 1
    y = np.zeros(n)
    for i in range(n):
        y[i] = np.dot(x[i : i + len(k)], k)
    return np.sum(np.maximum(y, 0.0) ** 2)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def made_of_numbers(x, y):
    rotation = np.array([[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]])
    p = rotation @ np.array([y, 1.0])
    return p[0] * p[1] + np.sum(p)


def rows(x):
    total = 0.0
    for i, row in enumerate(x):
        total += np.sum(row**2) * (i + 1)
    return total / x.shape[0]


def elimination(a, b):
    """The solution of linear equations by elimination, in place."""
    n = len(b)
    a = a.copy()
    b = b.copy()
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i, j] * x[j]
        x[i] = s / a[i, i]
    return np.sum(x**2)


def clipped(x, w):
    y = np.clip(x * w, -1.0, 1.0)
    return np.sum(np.abs(y) + np.minimum(x, w) ** 2)


def cumulative(x):
    y = np.cumsum(x)
    return np.sum(y * np.exp(-x)) + np.sum(np.diff(y) ** 2)


def mixed_shapes(w, x):
    y = np.reshape(w, (2, 3)) @ x
    return np.sum(np.ravel(y) ** 2) + np.stack([x, 2.0 * x])[1] @ x


def repeated_index(x):
    y = x[[0, 2, 0]]
    y[y < 0.5] = 0.0
    return np.sum(y * y)


M = a(2.0, 0.3, -0.4, 1.5).reshape(2, 2)


def stored_in_a_given_size(x):
    y = np.zeros(4)
    y[:] = x
    y[:] += x
    return np.sum(np.arange(4.0) * y * y)


def variance(x):
    return np.mean((x - np.mean(x)) ** 2)


def relative_entropy(p, q):
    return -np.sum(p * np.log(q / np.sum(q)))


def outer_sum(a, b):
    """A column and a row."""
    return np.sum(np.sin(a[:, None] * b)) + np.mean(a[:, None] + b)


def shifted_sums(x, c):
    """Sums in a branch and in a loop."""
    total = 0.0
    for k in range(3):
        if c > k:
            total += np.sum(c * x)
        else:
            total += np.sum(x[1:] + x[:-1])
    return total


def perceptron(w, v, x):
    h = np.tanh(x @ w)
    e = h @ v - LABELS
    return 0.5 * np.mean(e**2) + np.sum(np.sum(w, axis=1, keepdims=True) ** 2)


def scaled(x, c):
    """Factors that are numbers, one of them made of the array."""
    return np.sum(x * len(x)) + np.sum(100.0 * x**2) + np.sum(c * (x + c)) + np.mean(np.exp(x) / c)


def norms(x):
    return np.sqrt(np.sum(x * x)) + np.sum(np.abs(x)) + np.sum(np.maximum(x, 0.3)) + np.sum(np.where(x > 0.0, x, 2.0))


def sines(x):
    return np.sum(np.sin(x) * x)


def softplus(x):
    return np.sum(np.log(1 + np.exp(-x)))


def norm(x):
    return np.sqrt(np.sum(x * x))


def of_sums(x):
    return np.sum(np.sum(x, axis=0, keepdims=True) ** 2)


def shifted(x):
    return np.sum(x - 2.0)


def table(a, b):
    return np.sum(a[:, None] * b)


def one_name_of_rows(x):
    total = 0.0
    for row in x:
        total += np.sum(row * row)
    for row in M:
        total = total * np.sum(row) + x[0, 0]
        row = row * x[0, 1]
        total += row[0]
    for row in x:
        total += np.sum(row * x[1])
    return total


def items(x, w):
    """Elements as numbers, by `item`."""
    return x.item(1, 0) * w.item(-1) + (w * w).item(0) * x.item((0, 1)) + x[:1, :1].item()


def inner_products(x, w):
    """Products over the last axes."""
    return np.sum(np.inner(w, x) * np.inner(x, w)) + np.sum(np.inner(x, x * x)) + np.vdot(x, x) * np.vdot(w, w)


PROGRAMS = {
    one_name_of_rows: [(X,)],
    stored_in_a_given_size: [(np.array([1.0, 2.0, 3.0, 4.0]),), (np.array([1.5]),)],
    sum_of_squares: [(a(1.0, 2.0, 3.0),)],
    logistic: [(a(0.3, -0.2), 0.1)],
    softmax_regression: [(a(0.1, 0.2, -0.3, 0.4, 0.5, 0.6).reshape(2, 3), X)],
    recurrent: [(M, M.T, X)],
    kalman: [(0.3, 0.5, a(1.0, 1.2, 0.7, 1.9))],
    kalman_matrices: [(M, 0.2, a(1.0, 1.2, 0.7))],
    filled_matrix: [(0.7,)],
    heat: [(a(0.0, 1.0, 0.5, 2.0, 0.0), 0.2)],
    in_place: [(a(0.5, 1.0, 0.5, 2.0), 0.7)],
    products_by_loops: [(X, M)],
    broadcast: [(X, a(0.3, 0.7), 0.5)],
    columns: [(X,)],
    fourier: [(a(1.0, 2.0, 0.5, -1.0), a(0.0, 1.0, 0.3, 0.2))],
    least_squares: [(X, a(1.0, 2.0, 3.0))],
    gathered: [(a(1.0, -2.0, 3.0), a(0.5, 1.0, -0.7, 2.0))],
    descent: [(a(0.3, 0.8), 0.2), (a(0.3, 0.8), 0.01)],
    attention: [(X, X + 0.3, X * X)],
    convolution: [(a(1.0, -2.0, 3.0, 0.5, -1.0), a(0.5, 0.25))],
    rosenbrock: [(a(1.2, 0.7, 1.1),)],
    made_of_numbers: [(0.3, 0.7)],
    rows: [(X,)],
    elimination: [(M, a(1.0, 2.0))],
    clipped: [(a(0.3, 2.0, -3.0), a(1.0, 1.5, 0.9))],
    cumulative: [(a(0.3, 0.2, 0.7),)],
    repeated_index: [(a(0.7, -1.0, 2.0),)],
    mixed_shapes: [(a(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), a(1.0, 2.0, 3.0))],
    variance: [(a(1.0, 2.0, 4.0),), (a(1.5),)],
    relative_entropy: [(a(0.2, 0.3, 0.5), a(1.0, 2.0, 1.5)), (a(0.4), a(1.0, 2.0))],
    outer_sum: [(a(1.0, 2.0, 3.0), a(0.3, 0.7)), (a(1.0), a(0.3, 0.7)), (a(1.0, 0.5), a(0.3))],
    shifted_sums: [(a(0.1, 0.2, -0.3), 1.5), (a(0.1, 0.2), -1.0)],
    perceptron: [(M, a(1.0, -0.5), X)],
    sines: [(a(1.0, 2.0, 4.0),)],
    softplus: [(a(1.0, 2.0, 4.0),)],
    norm: [(a(1.0, 2.0, 4.0),)],
    of_sums: [(X,), (X[:1],)],
    table: [(a(1.0, 2.0, 4.0), a(0.3, 0.7)), (a(1.0), a(0.3))],
    scaled: [(a(1.0, 2.0, 4.0), 0.7)],
    norms: [(a(0.5, -0.2, 1.5),)],
    items: [(X, a(0.7, 1.3, 0.4)), (M, a(0.3, -0.7))],
    inner_products: [(X, a(0.7, 1.3)), (M, a(0.3, -0.7))],
}
