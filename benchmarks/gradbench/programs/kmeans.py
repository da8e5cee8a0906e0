"""Clusters by their centroids: the squared distance of each point from the next one, and a step of Newton's method."""

import numpy as np

import gradcli
from benchmarks.gradbench.evaluation import Evaluation, listed, plain


def nearest(centroids, points):
    """The centroid next to each point, which stays the same beside almost all centroids."""
    centroids = gradcli.stop_gradient(centroids)
    return np.argmin(np.sum(centroids**2, axis=1) - 2 * points @ centroids.T, axis=1)


def cost(centroids, points):
    return np.sum((points - centroids[nearest(centroids, points)]) ** 2)


def direction(transforms):
    """The gradient divided by the diagonal of the Hessian, which has no other entries."""
    gradient = transforms.grad(cost)

    def divided(centroids, points):
        diagonal = gradcli.hvp(lambda c: cost(c, points), centroids, np.ones_like(centroids))
        return gradient(centroids, points) / diagonal

    return divided


def arguments(given):
    return np.array(given["centroids"]), np.array(given["points"])


MODULE = {
    "cost": Evaluation(arguments, plain(cost), float),
    "dir": Evaluation(arguments, direction, listed),
}
