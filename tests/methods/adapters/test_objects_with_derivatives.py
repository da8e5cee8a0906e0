"""Problems of SciPy's optimizers, estimators and models: an object with a function and its derivatives."""

from types import SimpleNamespace

import numpy as np
import pytest

import gradcli
from gradcli.errors import UsageError


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def gradient(x):
    return np.array([-400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0]), 200 * (x[1] - x[0] ** 2)])


def hessian(x):
    return np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]])


PROBLEM = {"fun": rosenbrock, "jac": gradient, "hess": hessian, "hessp": lambda x, p: hessian(x) @ p}
POINT = np.array([1.2, -0.7])


def twice(function):
    return lambda *inputs: 2 * function(*inputs)


@pytest.mark.parametrize(("of", "word"), [("gradient", "jac"), ("hessian", "hess"), ("hvp", "hessp")])
@pytest.mark.parametrize("make", [dict, lambda **parts: SimpleNamespace(**parts)])
def test_each_derivative_of_a_problem_is_judged(of, word, make):
    assert gradcli.check(make(**PROBLEM), at=POINT, of=of).verdict == "pass"
    wrong = make(**{**PROBLEM, word: twice(PROBLEM[word])})
    assert gradcli.check(wrong, at=POINT, of=of).verdict == "fail"


def test_a_jacobian_of_residuals_is_judged():
    residuals = {"fun": lambda x: np.array([x[0] * x[1], x[1] ** 2]), "jac": lambda x: [[x[1], x[0]], [0, 2 * x[1]]]}
    assert gradcli.check(residuals, at=POINT, of="jacobian").verdict == "pass"
    transposed = {**residuals, "jac": lambda x: [[x[1], 0], [x[0], 2 * x[1]]]}
    assert gradcli.check(transposed, at=POINT, of="jacobian").verdict == "fail"


@pytest.mark.parametrize("args", [(3.0,), 3.0])
def test_the_arguments_of_a_problem_are_passed_on(args):
    problem = {"fun": lambda x, a: a * x @ x, "jac": lambda x, a: 2 * a * x, "args": args}
    comparison = gradcli.check(problem, at=POINT)
    assert (comparison.verdict, list(comparison.point)) == ("pass", ["x"])
    assert gradcli.check({**problem, "jac": lambda x, a: a * x}, at=POINT).verdict == "fail"


class Ridge:
    """A loss with a penalty, and its gradient."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def loss(self, w):
        return np.sum((self.x @ w - self.y) ** 2) + 0.1 * w @ w

    def gradient(self, w):
        return 2 * self.x.T @ (self.x @ w - self.y) + 0.2 * w


class Unregularised(Ridge):
    """A gradient that forgets the penalty."""

    def gradient(self, w):
        return 2 * self.x.T @ (self.x @ w - self.y)


@pytest.mark.parametrize(("kind", "verdict"), [(Ridge, "pass"), (Unregularised, "fail")])
def test_an_estimator_is_judged_by_its_methods(kind, verdict):
    model = kind(np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([0.5, 1.0]))
    assert gradcli.check(model, at=POINT).verdict == verdict


@pytest.mark.parametrize(
    "thing", [{"fun": rosenbrock}, {"jac": gradient}, SimpleNamespace(loss=3.0, grad=gradient), 3.0]
)
def test_an_object_without_a_function_and_a_derivative_is_refused(thing):
    with pytest.raises(UsageError, match="is not a function"):
        gradcli.check(thing, at=POINT)
