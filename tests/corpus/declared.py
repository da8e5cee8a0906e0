"""Claims about what a user declares, and about values that are written to in place."""

import math

import numpy as np

import gradcli
from gradcli.answers import custom_elementwise_rules
from tests.corpus.claim import claims

HELD = "what is stopped is a constant, as declared"
X3 = np.array([0.5, -1.2, 2.0])
M = np.array([[1.0, 2.0], [-0.5, 3.0]])

# A rule that is right wherever it is tried when it is added, and wrong beyond.
BEYOND = gradcli.rule("beyond(x)", "x + max(x - 20, 0)", "1", kink="x == 20")
custom_elementwise_rules.forget("beyond")


def shifted_softmax(x):
    e = np.exp(x - gradcli.stop_gradient(np.max(x)))
    return np.sum(e / np.sum(e) * np.array([1.0, 2.0, 3.0]))


def grad_softmax(x):
    """By hand: p (w - p . w)."""
    p = np.exp(x) / np.sum(np.exp(x))
    w = np.array([1.0, 2.0, 3.0])
    return p * (w - p @ w)


def running_sums(x):
    y = x.copy()
    y[1:] += y[:-1]
    y *= y
    return np.sum(y)


def grad_running_sums(x):
    """Of x0**2 + (x0 + x1)**2 + (x1 + x2)**2."""
    s = np.array([x[0], x[0] + x[1], x[1] + x[2]])
    return 2 * np.array([s[0] + s[1], s[1] + s[2], s[2]])


def viewed(x):
    """Writes to a view, reads the whole."""
    y = np.array(x)
    view = y[::-1][:2]
    view *= 3.0
    y.T[0] += y[1]
    return np.sum(y**2)


def grad_viewed(x):
    """Of (x0 + 3 x1)**2 + 9 x1**2 + 9 x2**2."""
    s = x[0] + 3 * x[1]
    return np.array([2 * s, 6 * s + 18 * x[1], 18 * x[2]])


def given_changed(x):
    x += 1.0
    x[0] *= x[1]
    return np.sum(x**2)


def grad_given_changed(x):
    """Of ((x0 + 1)(x1 + 1))**2 + (x1 + 1)**2 + (x2 + 1)**2, whatever x is now."""
    a, b, c = X3 + 1.0
    return np.array([2 * a * b * b, 2 * a * a * b + 2 * b, 2 * c])


def scattered(x):
    y = np.zeros(2)
    np.add.at(y, [0, 0, 1], x)
    return np.sum(y**3)


def put_out(x):
    """Written to an array that is given for it."""
    y = np.empty(3)
    np.multiply(x, x, out=y)
    np.exp(y, out=y, where=np.array([True, False, True]))
    return np.sum(y)


def diagonal(m):
    """A diagonal that is overwritten, and one that is added to."""
    a = m.copy()
    np.fill_diagonal(a, m[0])
    a.flat[1] += m[1, 1]
    return np.sum(a**2)


def grad_diagonal(m):
    """Of m00**2 + m01**2 + (m01 + m11)**2 + m10**2."""
    s = m[0, 1] + m[1, 1]
    return np.array([[2 * m[0, 0], 2 * m[0, 1] + 2 * s], [2 * m[1, 0], 2 * s]])


def masked(x):
    y = 2.0 * x
    y[y < 0] = 0.5
    y[[0, 2]] *= y[0]
    return np.sum(y)


def moved(x):
    y = np.copy(x)
    y.sort()
    np.copyto(y[:1], y[2:] ** 2)
    return y @ np.array([1.0, 2.0, 3.0])


def grad_powers(x):
    a, b, c = map(float, x)
    return np.array([5 * a**4 + c**a * math.log(c), -2 / b**3, 0.5 / math.sqrt(c) + a * c ** (a - 1)])


CLAIMS = [
    *claims("declared: a path that is stopped", lambda x, y: x * y + gradcli.stop_gradient(x) * y**2, (1.3, -0.7),
        lambda x, y: (y, x + 2 * x * y), HELD,
        wrong={"neither path": lambda x, y: (0.0, x + 2 * x * y), "a millionth": lambda x, y: (y * 1.000001, -0.52)}),
    *claims("declared: a term that is stopped", lambda x: math.sin(x) + gradcli.stop_gradient(math.exp(x)), 0.4,
        math.cos, HELD, wrong={"the sign": lambda x: -math.cos(x), "a term alone": math.exp}),
    *claims("declared: what is stopped makes no difference", shifted_softmax, X3, grad_softmax,
        "softmax does not change with a shift",
        wrong={"without the mean": lambda x: np.exp(x) / np.sum(np.exp(x)) * np.array([1.0, 2.0, 3.0])}),
    *claims("declared: straight through", lambda x: np.sum((x + gradcli.stop_gradient(np.round(x) - x)) ** 2),
        np.array([0.3, 1.8]), lambda x: 2 * np.round(x), HELD, wrong={"not rounded": lambda x: 2 * x}),
    *claims("declared: a rule where it is right", lambda x: BEYOND(x) * x, 3.0, lambda x: 2 * x, "x**2 up to 20",
        wrong={"one factor": lambda x: x}),
    *claims("declared: a rule where it is wrong", lambda x: BEYOND(x) + 0.5 * x, 30.0, lambda x: 2.5,
        "2 x - 20 + x/2 beyond 20", own="wrong", wrong={"as declared": lambda x: 1.5}),
    *claims("in place: running sums", running_sums, X3, grad_running_sums,
        wrong={"as if they were whole sums": lambda x: 2 * np.cumsum(np.cumsum(x)[::-1])[::-1],
            "once": lambda x: 2 * x}),
    *claims("in place: a view", viewed, X3, grad_viewed, wrong={"not seen": lambda x: 2 * x}),
    *claims("in place: what was given", given_changed, X3.copy(), grad_given_changed,
        "the plain run at the point, once",
        wrong={"not multiplied": lambda x: 2 * (X3 + 1.0), "begun a step later": lambda x: 2 * (X3 + 2.0)}),
    *claims("in place: indices that repeat", scattered, X3,
        lambda x: 3 * np.array([x[0] + x[1], x[0] + x[1], x[2]]) ** 2, wrong={"each alone": lambda x: 3 * x**2}),
    *claims("in place: out and where", put_out, X3, lambda x: 2 * x * np.exp(x**2 * np.array([1.0, 0.0, 1.0])),
        wrong={"everywhere": lambda x: 2 * x * np.exp(x**2), "the power": lambda x: x * np.exp(x**2)}),
    *claims("in place: a diagonal", diagonal, M, grad_diagonal, wrong={"as it was": lambda m: 2 * m}),
    *claims("in place: a mask", masked, X3, lambda x: np.array([8 * x[0] + 4 * x[2], 0.0, 4 * x[0]]),
        "(2 x0)**2 + 1/2 + 2 x2 2 x0, the first written before the other is",
        wrong={"by the old factor": lambda x: np.array([8 * x[0], 0.0, 4 * x[0]])}),
    *claims("in place: sorted and written over", moved, X3, lambda x: np.array([2.0, 0.0, 3.0 + 2 * x[2]]),
        "2**2 + 2 x0 + 3 x2",
        wrong={"as if in order": lambda x: np.array([0.0, 2.0, 3.0 + 2 * x[2]]),
            "held": lambda x: np.array([2.0, 0, 3])}),
    *claims("powers of the numbers of an array", lambda x: x[0] ** 5 + x[1] ** -2 + x[2] ** 0.5 + x[2] ** x[0],
        np.array([1.7, -0.6, 2.3]), grad_powers,
        wrong={"a millionth": lambda x: grad_powers(x) * np.array([1.000001, 1.0, 1.0]),
            "signs": lambda x: -grad_powers(x)}),
]  # fmt: skip
