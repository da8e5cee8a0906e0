"""The logarithm of the posterior of a Gaussian mixture with a Wishart prior on its precision matrices."""

import math

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, plain


def logsumexp(x):
    largest = np.max(x, axis=-1, keepdims=True)
    return largest[..., 0] + np.log(np.sum(np.exp(x - largest), axis=-1))


def log_multivariate_gamma(a, size):
    terms = sum(math.lgamma(a + 0.5 * (1 - j)) for j in range(1, size + 1))
    return 0.25 * size * (size - 1) * math.log(math.pi) + terms


def log_prior(q, l, m, gamma):  # noqa: E741 - the names of the suite
    count, size = q.shape
    freedom = size + m + 1
    constant = freedom * size * (math.log(gamma) - 0.5 * math.log(2)) - log_multivariate_gamma(0.5 * freedom, size)
    squares = np.sum(np.exp(q) ** 2) + np.sum(l**2)
    return count * constant - 0.5 * gamma**2 * squares + m * np.sum(q)


def log_posterior(alpha, mu, q, l, x, prior):  # noqa: E741
    count, size = mu.shape
    factors = np.zeros((count, size, size))
    columns, rows = np.triu_indices(size, 1)  # column by column
    factors[:, rows, columns] = l
    factors[:, np.arange(size), np.arange(size)] = np.exp(q)
    centred = x[:, None, :] - mu
    whitened = np.einsum("kij,nkj->nki", factors, centred)
    terms = alpha + np.sum(q, axis=1) - 0.5 * np.sum(whitened**2, axis=2)
    likelihood = np.sum(logsumexp(terms)) - len(x) * (logsumexp(alpha) + 0.5 * size * math.log(2 * math.pi))
    return likelihood + log_prior(q, l, *prior)


def arguments(given):
    arrays = [np.array(given[name], dtype=float) for name in ("alpha", "mu", "q", "l", "x")]
    return (*arrays, (given["m"], given["gamma"]))


def output(gradients):
    return dict(zip(("alpha", "mu", "q", "l"), (part.tolist() for part in gradients), strict=True))


MODULE = {
    "objective": Evaluation(arguments, plain(log_posterior), float),
    "jacobian": Evaluation(arguments, gradient(log_posterior, (0, 1, 2, 3)), output),
}
