"""Models and losses: methods, values with their gradients, residuals, data beside parameters."""

import numpy as np

X = np.array([[1.0, 0.5], [0.2, -1.0], [0.7, 0.3]])
Y = np.array([1.0, 0.0, 1.0])
TIMES = np.linspace(0.0, 2.0, 5)


def logistic(w, X=X, y=Y):
    z = X @ w
    return np.sum(np.log1p(np.exp(z)) - y * z)


def logistic_grad(w, X=X, y=Y):
    return X.T @ (1 / (1 + np.exp(-(X @ w))) - y)


def loss_and_gradient(w):
    return logistic(w), logistic_grad(w)


def wrong_loss_and_gradient(w):
    return logistic(w), logistic_grad(w) + np.array([0.0, 0.5])


def residuals(p):
    return p[0] * np.exp(-p[1] * TIMES) - 1.0


def residuals_jac(p):
    e = np.exp(-p[1] * TIMES)
    return np.stack([e, -TIMES * p[0] * e], axis=1)


def residuals_and_jacobian(p):
    return residuals(p), residuals_jac(p)


class Quadratic:
    """An object with methods."""

    def __init__(self, a):
        self.a = np.array(a)

    def fun(self, x):
        return 0.5 * x @ self.a @ x

    def jac(self, x):
        return self.a @ x

    def hess(self, x):
        return self.a

    def hessp(self, x, p):
        return self.a @ p

    def wrong(self, x):
        return 2 * self.a @ x


problem = Quadratic([[2.0, 1.0], [1.0, 3.0]])


class Estimator:
    """In scikit-learn's style."""

    def __init__(self, alpha):
        self.alpha = alpha

    def _loss(self, w, X, y):
        return 0.5 * np.sum((X @ w - y) ** 2) + 0.5 * self.alpha * w @ w

    def _gradient(self, w, X, y):
        return X.T @ (X @ w - y) + self.alpha * w


def estimator_loss(w):
    return Estimator(0.1)._loss(w, X, Y)


def estimator_gradient(w):
    return Estimator(0.1)._gradient(w, X, Y)


def start():
    return np.array([0.3, -0.2])
