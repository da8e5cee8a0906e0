"""The causes that a failing check names, by classes of wrong gradients, and those that it must not name."""

import math

import numpy as np
import pytest
from scipy.special import logsumexp

import gradcli

pytestmark = pytest.mark.sampled(10)  # many like cases

RANDOM = np.random.default_rng(5)
X, Y = RANDOM.normal(size=(6, 3)), RANDOM.normal(size=6)
S, B = RANDOM.normal(size=(4, 4)), RANDOM.normal(size=(5, 4))
LABELS = np.array([0, 2, 1, 3, 2])
HOT = np.eye(4)[LABELS]
W0, P0 = np.array([0.3, -0.8, 0.5]), np.array([0.3, 0.6, 0.2])
LAYER = (RANDOM.normal(size=(3, 4)), RANDOM.normal(size=4))
EIGHT = RANDOM.normal(size=8)
FOUR, WEIGHTS = np.array([0.4, -0.3, 0.8, 0.5]), np.array([1.5, -0.5, 2.0, 0.7])


def squares(w):
    return np.sum((X @ w - Y) ** 2)


def of_squares(w):
    return 2 * X.T @ (X @ w - Y)


def layer(W, b):
    return np.sum(np.tanh(X @ W + b) ** 2)


def of_layer(W, b):
    h = np.tanh(X @ W + b)
    d = 2 * h * (1 - h * h)
    return X.T @ d, d.sum(0)


def ring(x):
    return np.sum(np.sin(x) * np.roll(x, 1))


def of_ring(x):
    return np.cos(x) * np.roll(x, 1) + np.roll(np.sin(x), -1)


def likelihood(p):
    return np.sum(np.array([1.0, 2.0, 3.0]) * np.log(p) - p * p)


def of_likelihood(p):
    return np.array([1.0, 2.0, 3.0]) / p - 2 * p


def box(p, q, d):
    return p * q + d * q + p * d * d


def gas(n, T, V):
    return n * T / V - n**2 / V**2


def wave(a, b, t):
    phase = a * t
    return math.sin(phase) * math.exp(-b * t)


def two_terms(x):
    cubes = np.sum(x**3)
    waves = np.sum(np.sin(x))
    return cubes + waves + np.sum(np.exp(x))


def softmax(Z, axis=1):
    e = np.exp(Z)
    return e / np.sum(e, axis=axis, keepdims=True)


def weighted_softmax(Z):
    P = np.exp(Z) / np.sum(np.exp(Z), axis=1, keepdims=True)
    return np.sum(P * S)


def of_weighted_softmax(Z, axis):
    P = softmax(Z, axis)
    return P * (S - np.sum(P * S, axis=axis, keepdims=True))


def centred(M):
    return np.sum(np.cos(M - M.mean(axis=0)))


def of_centred(M, axis):
    d = -np.sin(M - M.mean(axis=axis, keepdims=True))
    return d - d.mean(axis=axis, keepdims=True)


def biased(b):
    return np.sum(np.tanh(S + b) ** 2)


def of_biased(b, axis):
    h = np.tanh(S + b)
    return (2 * h * (1 - h * h)).sum(axis=axis)


def cross_entropy(W):
    Z = B @ W
    return np.mean(logsumexp(Z, axis=1) - Z[np.arange(5), LABELS])


def rectified(W):
    Z = B @ W
    return np.sum(np.maximum(Z, 0) @ FOUR)


def chosen(W):
    Z = B @ W
    return np.sum((np.where(Z > 0, Z, 0) @ FOUR) ** 2)


def masked(W):
    Z = B @ W
    H = Z * (Z > 0)
    return np.sum((H @ FOUR) ** 2)


def weighted_waves(x):
    return np.sum(WEIGHTS * np.sin(x) * x)


def products(W, V):
    Z = W @ V
    return np.sum(Z**2)


def one_entropy(z):
    return logsumexp(z) - z[2]


def by_products(Z):
    return -np.sum(HOT * np.log(softmax(Z)))


def changed(g, part, change):
    """A gradient of a layer with a change in a part of its first array."""

    def wrong(W, b):
        first, second = g(W, b)
        first[part] = change(first[part])
        return first, second

    return wrong


def in_place(change, g):
    """A gradient that changes its argument first."""

    def wrong(x):
        change(x)
        return g(x)

    return wrong


def divided(x):
    x /= np.linalg.norm(x)


WAVE_AT = (1.2, 0.4, 0.9)
CAUSES = {
    "1/n": (squares, W0, lambda w: of_squares(w) / 6, "1/6 of the derivative, where 6 is the length of an array"),
    "a constant of numbers": (box, (1.3, 0.7, 2.1), lambda p, q, d: (q + d * d + 1, p + d + 1, q + 2 * p * d + 1), "p"),
    "some signs": (ring, EIGHT, lambda x: of_ring(x) * np.sign([1, -1, 1, -1, 1, 1, 1, 1]), "x[1], x[3] has the wrong"),
    "a complex number": (lambda z: abs(z) ** 2, 1.5 + 2j, lambda z: -2 * z, "the gradient by z has the wrong sign"),
    "a conjugate": (lambda z: abs(z) ** 2, 1.5 + 2j, lambda z: 2 * z.conjugate(), "by z.imag has the wrong sign"),
    "a row": (layer, LAYER, changed(of_layer, 1, np.negative), "row 1 of the gradient by W has the wrong sign"),
    "a column": (layer, LAYER, changed(of_layer, np.s_[:, 2], lambda x: x / 2), "column 2 of the gradient by W is"),
    "a range": (ring, EIGHT, lambda x: of_ring(x) * np.where((x == x[3]) | (x == x[4]) | (x == x[5]), 7, 1),
                "x[3], x[4], x[5] is 7 times"),
    "another shape": (layer, LAYER, lambda W, b: (of_layer(W, b)[0].T.reshape(3, 4), of_layer(W, b)[1]), "transposed"),
    "by a logarithm": (likelihood, P0, lambda p: of_likelihood(p) * p, "is that by the logarithm of p"),
    "by one logarithm": (gas, (1.2, 3.1, 2.2), lambda n, T, V: ((T / V - 2 * n / V**2) * n, n / V, -n * T / V**2
                         + 2 * n**2 / V**3), "the gradient by n is that by the logarithm of n"),
    "an axis": (weighted_softmax, S.T / 3, lambda Z: of_weighted_softmax(Z, 0), "with axis=0 in place of axis=1"),
    "no one-hot": (cross_entropy, S, lambda W: B.T @ softmax(B @ W) / 5, "the term Z[array, LABELS] of"),
    "two one-hots": (cross_entropy, S, lambda W: B.T @ (softmax(B @ W) - 2 * HOT) / 5, "is counted twice"),
    "one label": (one_entropy, LAYER[1], lambda z: np.exp(z - logsumexp(z)), "the term z[2] of"),
    "a mask": (rectified, S, lambda W: B.T @ np.outer(np.ones(5), FOUR), "the mask of maximum(Z, 0) is missing"),
    "a mask of a choice": (chosen, S, lambda W: B.T @ np.outer(2 * np.where(B @ W > 0, B @ W, 0) @ FOUR, FOUR),
                           "the mask of where(Z > 0, Z, 0) is missing"),
    "a mask that multiplies": (masked, S, lambda W: B.T @ np.outer(2 * np.where(B @ W > 0, B @ W, 0) @ FOUR, FOUR),
                               "the factor Z > 0 of the chain rule"),
    "a clip": (lambda w: np.sum(np.clip(X @ w, -0.5, 0.5) * Y), W0, lambda w: X.T @ Y, "the mask of clip(X @ w, -0.5,"),
    "a factor inside": (weighted_waves, FOUR, lambda x: np.sin(x) + WEIGHTS * x * np.cos(x),
                        "the constant WEIGHTS of WEIGHTS * sin(x) is missing"),
    "no factor at all": (weighted_waves, FOUR, lambda x: np.sin(x) + x * np.cos(x),
                         "sin(x) in place of WEIGHTS * sin(x)"),
    "a layer, transposed": (products, (S, S.T / 3), lambda W, V: (2 * (W @ V) @ V, 2 * W.T @ (W @ V)),
                            "W @ V by W has V.T in place of V: a matrix is"),
    "the other layer": (products, (S, S.T / 3), lambda W, V: (2 * (W @ V) @ V.T, 2 * W @ (W @ V)),
                        "W @ V by V has W.T in place of W: a matrix is"),
    "a vector's layer": (lambda x: np.sum((S @ x) ** 2), FOUR, lambda x: 2 * S @ (S @ x),
                         "S @ x has S.T in place of S: a matrix is"),
    "a list": (lambda x: np.sum(np.cosh(x)), ([0.1, 0.3],), lambda x: np.cosh(x),
               "is sinh(stack([x[0], x[1]])); the candidate has cosh(stack("),
    "an expression": ("x^2*y + sin(x)", (1.0, 2.0), lambda x, y: (2 * x * y, x**2), "the term sin(x) is missing"),
    "a variable": (box, (1.3, 0.7, 2.1), lambda p, q, d: (q + p * d, p + d, q + 2 * p * d), "has p = 1.3"),
    "a variable elsewhere": (gas, (1.2, 3.1, 2.2), lambda n, T, V: (T / V - 2 * n / V**2, n / V, -n * n / V**2
                             + 2 * n**2 / V**3), "has n in place of T in n * T"),
    "a negative variable": (wave, WAVE_AT, lambda a, b, t: (t * math.cos(a * t) * math.exp(-b * t), -t * math.sin(a * t)
                            * math.exp(-b * t), math.exp(-b * t) * (a * math.cos(a * t) - a * math.sin(a * t))),
                            "in place of"),
    "a changed argument": (likelihood, P0, in_place(lambda p: np.multiply(p, 2, out=p), of_likelihood),
                           "changes its argument: p[0] is 0.3 before the call and 0.6 after it"),
    "a sorted argument": (ring, EIGHT, in_place(np.ndarray.sort, of_ring), "changes its argument"),
    "a scaled argument": (squares, W0, in_place(divided, of_squares), "it is the gradient for the changed numbers"),
    "given numbers": (ring, EIGHT, 12.8 * of_ring(EIGHT), "12.8 times the derivative at this point"),
    "given numbers by a logarithm": (likelihood, P0, of_likelihood(P0) * P0, "by the logarithm of p"),
}  # fmt: skip


def causes(f, at, against, **options):
    at = at.copy() if isinstance(at, np.ndarray) else at
    found = gradcli.check(f, at=at, against=against, **options)
    assert found.verdict == "fail"
    return [finding.message for finding in found.findings if finding.code == "G312"]


@pytest.mark.parametrize("name", CAUSES)
def test_a_cause(name):
    f, at, against, said = CAUSES[name]

    (message,) = causes(f, at, against)

    assert said in message


def form(x):
    return np.sum(np.exp(x)) + x @ S @ x + np.prod(x)


def of_form(x):
    products = np.array([[np.prod(np.delete(x, [m, n])) * (m != n) for n in range(4)] for m in range(4)])
    return np.diag(np.exp(x)) + S + S.T + products


def neurons(w):
    return np.tanh(X @ w)


def of_neurons(w):
    return (1 - np.tanh(X @ w) ** 2)[:, None] * X


def with_row(matrix, n, factor):
    matrix[n] *= factor
    return matrix


def by_logarithm(p, places):
    """The Hessian of the likelihood by the logarithms of some numbers."""
    scale, change = np.ones(3), np.zeros(3)
    scale[places] = change[places] = p[places]
    return np.diag(-np.array([1.0, 2.0, 3.0]) / p**2 - 2) * scale**2 + np.diag(of_likelihood(p) * change)


MATRICES = {
    "a triangle": (form, FOUR, lambda x: np.triu(of_form(x)), "hessian", "below the diagonal of the Hessian is"),
    "a sign": (form, FOUR, lambda x: -of_form(x), "hessian", "the Hessian has the wrong sign"),
    "a row": (form, FOUR, lambda x: with_row(of_form(x), 2, -1), "hessian", "row x[2] of the Hessian has"),
    "a row of many": (neurons, W0, lambda w: with_row(of_neurons(w), 1, 2), "jacobian", "row [1] of the Jacobian is"),
    "a step": (neurons, W0, lambda w: (1 - np.tanh(X @ w))[:, None] * X, "jacobian", "candidate has 1 - tanh(X @ w)"),
    "a product": (form, FOUR, lambda x, v: -of_form(x) @ v, "hvp", "the product has the wrong sign"),
}  # fmt: skip


@pytest.mark.parametrize("name", MATRICES)
def test_the_cause_of_a_wrong_matrix(name):
    f, at, against, of, said = MATRICES[name]

    (message,) = causes(f, at, against, of=of)

    assert said in message
