"""Claims about Hessians of ordinary programs, and their products with vectors: the slips that people make by hand."""

import math
from functools import partial

import numpy as np

from tests.corpus.claim import claims

hessians = partial(claims, of="hessian")
products = partial(claims, of="hvp")

MATRIX = np.array([[1.0, 2.0, -0.5], [0.3, -1.0, 4.0], [0.7, 0.1, 2.0]])
DATA = np.array([[0.5, -1.0], [1.5, 0.3], [-0.4, 0.8], [2.0, 1.1]])
LABELS = np.array([1.0, 0.0, 1.0, 1.0])
COUNTS = np.array([2.0, 0.0, 1.0, 5.0])
POINT3 = np.array([0.4, -1.1, 0.8])
POINT2 = np.array([0.7, -0.3])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def hess_rosenbrock(x):
    """A band of three."""
    a, b, c = x
    return np.array(
        [
            [1200 * a * a - 400 * b + 2, -400 * a, 0.0],
            [-400 * a, 1200 * b * b - 400 * c + 202, -400 * b],
            [0.0, -400 * b, 200.0],
        ]
    )


def gauss_newton(x):
    """Twice the product of the Jacobian of the residuals with itself."""
    jac = np.array([[-20 * x[0], 10.0, 0.0], [0.0, -20 * x[1], 10.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    return 2 * jac.T @ jac


def band_product(x, v):
    """The product with v of the band, by its entries."""
    a, b, c = x
    return np.array(
        [
            (1200 * a * a - 400 * b + 2) * v[0] - 400 * a * v[1],
            -400 * a * v[0] + (1200 * b * b - 400 * c + 202) * v[1] - 400 * b * v[2],
            -400 * b * v[1] + 200 * v[2],
        ]
    )


def logistic(w):
    z = DATA @ w
    return np.sum(np.log1p(np.exp(z)) - LABELS * z)


def hess_logistic(w):
    p = 1 / (1 + np.exp(-DATA @ w))
    return DATA.T @ (DATA * (p * (1 - p))[:, None])


def poisson(w):
    z = DATA @ w
    return np.sum(np.exp(z) - COUNTS * z)


def hess_poisson(w):
    return DATA.T @ (DATA * np.exp(DATA @ w)[:, None])


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def softmax(x):
    return np.exp(x) / np.sum(np.exp(x))


def pair(x):
    """The energy of two particles on a line, by Lennard-Jones."""
    r = x[1] - x[0]
    return 4 * (r**-12 - r**-6)


def hess_pair(x):
    """The second derivative by the distance, with both signs."""
    r = x[1] - x[0]
    bend = 4 * (156 * r**-14 - 42 * r**-8)
    return bend * np.array([[1.0, -1.0], [-1.0, 1.0]])


def horner(x):
    """2 - 3x + x**3 - x**5/4, in a loop."""
    value = 0.0
    for c in (-0.25, 0.0, 1.0, 0.0, -3.0, 2.0):
        value = value * x + c
    return value


def hess_student(x):
    """With q = r**2 / 4 and r = (1.3 - m) / s."""
    scale = np.exp(x[1])
    r = (1.3 - x[0]) / scale
    first, second = 2.5 * r / 2 / (1 + r * r / 4), 2.5 * (0.5 - r * r / 8) / (1 + r * r / 4) ** 2
    mixed = (second * r + first) / scale
    return np.array([[second / scale**2, mixed], [mixed, second * r * r + first * r]])


def hess_ratio(x):
    a, b = x
    return np.array([[0.0, -1 / b**2], [-1 / b**2, 2 * a / b**3]])


def power(x):
    """Both the base and the exponent are inputs."""
    return x[0] ** x[1]


def hess_power(x):
    """What is mixed is x**(y - 1) (1 + y log x)."""
    a, b = x
    mixed = a ** (b - 1) * (1 + b * math.log(a))
    return np.array([[b * (b - 1) * a ** (b - 2), mixed], [mixed, a**b * math.log(a) ** 2]])


def hess_log_det(a):
    inverse = np.linalg.inv(a)
    return -np.einsum("li,jk->ijkl", inverse, inverse)


CLAIMS = [
    *hessians("hessian: Rosenbrock", rosenbrock, POINT3, hess_rosenbrock, "a band",
        wrong={"the residuals' own": gauss_newton, "the upper triangle": lambda x: np.triu(hess_rosenbrock(x)),
            "without what is mixed": lambda x: np.diag(np.diag(hess_rosenbrock(x))),
            "once beside the diagonal": lambda x: (hess_rosenbrock(x) + np.diag(np.diag(hess_rosenbrock(x)))) / 2}),
    *products("hessian: Rosenbrock times a vector", rosenbrock, POINT3, band_product, "a band",
        wrong={"the diagonal": lambda x, v: np.diag(hess_rosenbrock(x)) * v,
            "the vector forgotten": lambda x, v: hess_rosenbrock(x) @ np.ones(3),
            "the vector reversed": lambda x, v: hess_rosenbrock(x) @ v[::-1],
            "at the wrong point": lambda x, v: hess_rosenbrock(x + 1e-3) @ v}),
    *hessians("hessian: a form that is not symmetric", lambda x: x @ MATRIX @ x, POINT3, lambda x: MATRIX + MATRIX.T,
        "A + A'", wrong={"twice the matrix": lambda x: 2 * MATRIX, "the matrix": lambda x: MATRIX}),
    *products("hessian: a form times a vector", lambda x: x @ MATRIX @ x, POINT3,
        lambda x, v: MATRIX @ v + MATRIX.T @ v, "(A + A') v",
        wrong={"one side": lambda x, v: 2 * MATRIX @ v, "the point": lambda x, v: (MATRIX + MATRIX.T) @ x}),
    *hessians("hessian: least squares", lambda w: np.sum((DATA @ w - LABELS) ** 2), POINT2, lambda w: 2 * DATA.T @ DATA,
        "2 X'X", wrong={"without the 2": lambda w: DATA.T @ DATA, "a millionth": lambda w: 2.000002 * DATA.T @ DATA}),
    *hessians(
        "hessian: logistic regression",
        logistic,
        POINT2,
        hess_logistic,
        "X' p (1 - p) X",
        wrong={
            "p alone": lambda w: DATA.T @ (DATA / (1 + np.exp(-DATA @ w))[:, None]),
            "a quarter for each": lambda w: DATA.T @ DATA / 4,
        },
    ),
    *products("hessian: Poisson regression times a vector", poisson, POINT2,
        lambda w, v: DATA.T @ (np.exp(DATA @ w) * (DATA @ v)), "X' m X v",
        wrong={"less the counts": lambda w, v: DATA.T @ ((np.exp(DATA @ w) - COUNTS) * (DATA @ v)),
            "elementwise": lambda w, v: np.diag(hess_poisson(w)) * v}),
    *hessians("hessian: a logarithm of a sum of exponentials", log_sum_exp, POINT3,
        lambda x: np.diag(softmax(x)) - np.outer(softmax(x), softmax(x)), "diag(p) - p p'",
        wrong={"the diagonal": lambda x: np.diag(softmax(x) * (1 - softmax(x))),
            "without the outer product": lambda x: np.diag(softmax(x)),
            "its sign": lambda x: np.diag(softmax(x)) + np.outer(softmax(x), softmax(x))}),
    *products("hessian: a logarithm of a sum of exponentials, times a vector", log_sum_exp, POINT3,
        lambda x, v: softmax(x) * (v - softmax(x) @ v), "(diag(p) - p p') v",
        wrong={"without the mean": lambda x, v: softmax(x) * v}),
    *hessians("hessian: a product of three", lambda x: x[0] * x[1] * x[2], POINT3,
        lambda x: np.array([[0.0, x[2], x[1]], [x[2], 0.0, x[0]], [x[1], x[0], 0.0]]), "the third number",
        wrong={"two swapped": lambda x: np.array([[0.0, x[1], x[2]], [x[1], 0.0, x[0]], [x[2], x[0], 0.0]]),
            "one not mirrored": lambda x: np.array([[0.0, x[2], x[1]], [x[2], 0.0, x[0]], [0.0, x[0], 0.0]])}),
    *hessians("hessian: two particles", pair, np.array([0.1, 1.3]), hess_pair,
        "the bend by the distance, with both signs",
        wrong={"the sign of what is mixed": lambda x: np.abs(hess_pair(x)),
            "without what is mixed": lambda x: np.diag(np.diag(hess_pair(x)))}),
    *hessians("hessian: Horner's loop", horner, 1.2, lambda x: 6 * x - 5 * x**3,
        wrong={"the slope": lambda x: -3 + 3 * x * x - 1.25 * x**4, "a term lost": lambda x: 6 * x}),
    *hessians("hessian: a location and a scale",
        lambda x: 2.5 * np.log1p(((1.3 - x[0]) * np.exp(-x[1])) ** 2 / 4) + x[1], np.array([0.2, -0.4]), hess_student,
        "by the chain rule, twice",
        wrong={"what is mixed lost": lambda x: np.diag(np.diag(hess_student(x))),
            "the outer product of the gradient": lambda x: np.outer(hess_student(x)[0], hess_student(x)[0])}),
    *hessians("hessian: a quotient", lambda x: x[0] / x[1], np.array([1.4, -0.6]), hess_ratio,
        wrong={"the sign of what is mixed": lambda x: hess_ratio(x) * np.array([[1.0, -1.0], [-1.0, 1.0]]),
            "the power": lambda x: np.array([[0.0, -1 / x[1] ** 2], [-1 / x[1] ** 2, 2 * x[0] / x[1] ** 2]])}),
    *hessians("hessian: a power of two inputs", power, np.array([1.7, 2.3]), hess_power,
        wrong={"without the 1": lambda x: hess_power(x) - x[0] ** (x[1] - 1) * (1 - np.eye(2)),
            "the lower triangle": lambda x: np.tril(hess_power(x))}),
    *hessians("hessian: a power at the base 0", power, np.array([0.0, 2.0]),
        why="x (1 + 2 log x) and x**2 log(x)**2 are 0 in the limit, and x**2 has 2", own=None,
        wrong={"nothing": lambda x: np.zeros((2, 2)), "something mixed": lambda x: np.array([[2.0, 1.0], [1.0, 0.0]])}),
    *hessians("hessian: a higher power at the base 0", power, np.array([0.0, 3.5]),
        why="powers above 1, also times logarithms", own=None, wrong={"the exponent": lambda x: np.diag([8.75, 0.0])}),
    *hessians("hessian: a logarithm of a determinant", lambda a: np.log(np.linalg.det(a)),
        np.array([[2.0, 0.5], [-0.3, 1.4]]), hess_log_det, "-(A^-1)_li (A^-1)_jk",
        wrong={"transposed": lambda a: -np.einsum("ik,jl->ijkl", np.linalg.inv(a), np.linalg.inv(a)),
            "the sign": lambda a: -hess_log_det(a)}),
]  # fmt: skip
