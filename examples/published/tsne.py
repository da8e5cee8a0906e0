"""The t-SNE objective of scikit-learn for four points in two or three dimensions, and its gradient."""

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold._t_sne import _kl_divergence

POINTS = 4
JOINT = np.arange(1.0, 7.0) / 42.0  # of each pair; the pairs and their mirror images sum to 1


def plane():
    """Four points in two dimensions."""
    return {"y": np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0, -0.3, 0.7])}


def space():
    """Four points in three dimensions."""
    return {"y": np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0, -0.3, 0.7, 1.0, 0.4, -0.5, -1.0])}


def dimensions(y):
    """The number of dimensions, and the degrees of freedom that TSNE takes for it."""
    return y.size // POINTS, max(y.size // POINTS - 1, 1)


def divergence(y):
    """The objective."""
    count, freedom = dimensions(y)
    return _kl_divergence(y, JOINT, freedom, POINTS, count)[0]


def gradient(y):
    """The gradient that scikit-learn returns with it."""
    count, freedom = dimensions(y)
    return _kl_divergence(y, JOINT, freedom, POINTS, count)[1]


def corrected(y):
    """The gradient with the power -1 in the pull of each pair."""
    count, freedom = dimensions(y)
    embedded = y.reshape(POINTS, count)
    kernel = 1 / (1 + pdist(embedded, "sqeuclidean") / freedom)
    density = kernel ** ((freedom + 1) / 2)
    pull = squareform((JOINT - density / (2 * density.sum())) * kernel)
    apart = embedded[:, None] - embedded
    return 2 * (freedom + 1) / freedom * np.einsum("ij,ijk->ik", pull, apart).ravel()
