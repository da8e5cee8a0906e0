"""The logarithm of a sum of exponentials."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, listed, plain


def logsumexp(x):
    largest = np.max(x)
    return largest + np.log(np.sum(np.exp(x - largest)))


def arguments(given):
    return (np.array(given["x"]),)


MODULE = {
    "primal": Evaluation(arguments, plain(logsumexp), float),
    "gradient": Evaluation(arguments, gradient(logsumexp), listed),
}
