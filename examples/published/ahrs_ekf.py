"""The measurement that the extended Kalman filter of ahrs expects, and its Jacobian in both modes.

`h` normalizes the quaternion, and `dhdq` takes it to be normalized already: the two belong together along the sphere,
on which `tangent` projects.
"""

import numpy as np
from ahrs.filters import EKF

ekf = EKF()  # it measures gravity alone, which is along z


def tangent(q):
    """The projection on the directions in which a quaternion keeps its length of 1."""
    return np.eye(4) - np.outer(q, q)


def measured(q):
    """The direction of gravity as the sensor sees it."""
    return ekf.h(q)


def normal(q):
    """The Jacobian of the default mode."""
    return ekf.dhdq(q) @ tangent(q)


def refactored(q):
    """The Jacobian of the other mode."""
    return ekf.dhdq(q, mode="refactored") @ tangent(q)


def corrected(q):
    """The formula in the documentation of the other mode, with the product q_v·g as a number."""
    g, scalar, vector = ekf.a_ref, q[0], q[1:]
    turned = np.cross(g, vector)
    skew = np.cross(np.eye(3), turned + scalar * g)
    return 2 * np.column_stack([turned, skew + vector @ g * np.eye(3) - np.outer(g, vector)]) @ tangent(q)
