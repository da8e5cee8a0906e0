"""Programs with loops, and gradients of them with mistakes that beginners make."""

import math

import numpy as np

RANDOM = np.random.default_rng(1)
X, Y = RANDOM.normal(size=(5, 3)), RANDOM.normal(size=5)
D = np.array([1.5, -0.5, 2.0, 0.7])
FIVE = np.array([0.3, -0.4, 0.7, 1.2, 0.9])
SQUARE = RANDOM.normal(size=(3, 3))


def squares(w):
    total = 0.0
    for i in range(len(Y)):
        r = X[i] @ w - Y[i]
        total += r * r
    return total


def squares_of_one(w, order):
    for i in order:
        g = 2 * (X[i] @ w - Y[i]) * X[i]
    return g


def states(W):
    h = np.array([0.1, 0.2, 0.3])
    for t in range(3):
        h = np.tanh(W @ h + X[t])
    return np.sum(h**2)


def states_of_one(W):
    hs = [np.array([0.1, 0.2, 0.3])]
    for t in range(3):
        hs.append(np.tanh(W @ hs[-1] + X[t]))
    dh = 2 * hs[-1]
    for t in reversed(range(3)):
        dz = dh * (1 - hs[t + 1] ** 2)
        g, dh = np.outer(dz, hs[t]), W.T @ dz
    return g


def valley(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


def valley_written(x):
    g = np.zeros_like(x)
    for i in range(len(x) - 1):
        g[i] = -400 * x[i] * (x[i + 1] - x[i] ** 2) - 2 * (1 - x[i])
        g[i + 1] = 200 * (x[i + 1] - x[i] ** 2)
    return g


def waves(a, b):
    total = 0.0
    for k in range(4):
        total = total + math.sin(a * k + b)
    return total


def waves_of_one(a, b):
    by_b = 0.0
    for k in range(4):
        by_a = math.cos(a * k + b) * k
        by_b += math.cos(a * k + b)
    return by_a, by_b


def springs(u):
    total = 0.0
    for i in range(len(u) - 1):
        total += D[i] * (u[i + 1] - u[i]) ** 2
    return total


def of_springs(u, left=lambda i, e: -e, stiffness=D):
    g = np.zeros(len(u))
    for i in range(len(u) - 1):
        e = 2 * stiffness[i] * (u[i + 1] - u[i])
        g[i + 1] += e
        g[i] += left(i, e)
    return g


def pairs(u):
    total = 0.0
    for i in range(4):
        for j in range(i):
            total += u[i] * u[i] * u[j]
    return total


def of_pairs(u):
    g = np.zeros(5)
    for i in range(4):
        for j in range(i):
            g[i] += u[i] * u[j]
            g[j] += u[i] ** 2
    return g


def grid(A):
    total = 0.0
    for i in range(2):
        for j in range(1, 3):
            total += A[i, j] * A[i, j - 1] ** 2
    return total


def of_grid(A):
    g = np.zeros_like(A)
    for i in range(2):
        for j in range(1, 3):
            g[i, j] += A[i, j - 1] ** 2
            g[i, j - 1] += A[i, j] * A[i, j - 1]
    return g


def bent(u):
    total = 0.0
    for i in range(1, len(u) - 1):
        total += (u[i + 1] - u[i]) ** 2 * u[i - 1]
    return total


def of_bent(u, start=1, stop=1, read=-1, added=1, other=0):
    """The gradient of `bent`, with another range, or with other elements where one is read, added to, or taken."""
    g = np.zeros(len(u))
    for i in range(start, len(u) - stop):
        e = u[i + 1] - u[i + other]
        g[i + added] += 2 * e * u[i + read]
        g[i + other] -= 2 * e * u[i + read]
        g[i - 1] += e**2
    return g


def of_grid_elsewhere(A):
    g = np.zeros_like(A)
    for i in range(2):
        for j in range(1, 3):
            g[i, j] += A[i, j - 1] ** 2
            g[i, j - 1] += 2 * A[i + 1, j] * A[i, j - 1]
    return g
