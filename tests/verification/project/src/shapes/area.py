"""Functions of a package, with relative imports."""

import numpy as np

import gradcli

from .scales import SCALE


def square(x):
    return SCALE * x**2


@gradcli.gradient_of(square, at=3.0)
def square_slope(x):
    return 2 * SCALE * x


def disc(r):
    return np.pi * r**2


@gradcli.gradient_of("disc", at="r=2")
def grad_disc(r):
    return 2 * np.pi * r


def ring(radii):
    return np.pi * (radii[1] ** 2 - radii[0] ** 2)


@gradcli.gradient_of(ring, at=np.array([1.0, 2.0]), points=3)
def ring_gradient(radii):
    return np.array([-2 * np.pi * radii[0], 2 * np.pi * radii[1]])


def corners(x):
    return np.array([x[0] * x[1], x[0] ** 2, np.sin(x[1])])


@gradcli.jacobian_of(corners, at=[1.0, 2.0])
def corners_jacobian(x):
    return np.array([[x[1], x[0]], [2 * x[0], 0.0], [0.0, np.cos(x[1])]])


def bowl(x):
    return x[0] ** 2 * x[1] + x[1] ** 3


@gradcli.hessian_of(bowl, at=np.array([1.0, 2.0]))
def bowl_hessian(x):
    return np.array([[2 * x[1], 2 * x[0]], [2 * x[0], 6 * x[1]]])


class Box:
    def __init__(self, a):
        self.a = a

    def volume(self, x):
        return self.a * x[0] * x[1]

    @gradcli.gradient_of(volume)
    def gradient(self, x):
        return self.a * np.array([x[1], x[0]])
