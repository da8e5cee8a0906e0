# Derived by gradcli: gradcli.derive(misfit, at=…)

import numpy as np

MOTION = np.array([[1.0, 0.1], [0.0, 1.0]])
SENSOR = np.array([[1.0, 0.0]])
START = np.array([[0.5, 0.1], [0.1, 1.0]])


def grad_misfit(state, drift, noise, measured):
    """The gradient of misfit (kalman.py) by state, drift, noise and measured.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert state.ndim == 1, "state is an array with 1 axis"
    assert measured.ndim == 1, "measured is an array with 1 axis"
    assert state.dtype.kind in "fc", "state holds floats"
    assert measured.dtype.kind in "fc", "measured holds floats"
    predicted = MOTION @ state
    t_1 = np.eye(2)
    covariance = MOTION @ START @ MOTION.T + drift * t_1
    innovation = measured - SENSOR @ predicted
    spread = SENSOR @ covariance @ SENSOR.T + noise
    t_8 = innovation[0]
    t_10 = spread[0, 0]
    s_innovation = np.zeros_like(innovation)
    s_spread = np.zeros_like(spread)
    # return 0.5 * (np.log(spread[0, 0]) + innovation[0] ** 2 / spread[0, 0])
    s_spread[0, 0] -= t_8**2 / t_10 * 0.5 / t_10
    s_innovation[0] += t_8 / t_10
    s_spread[0, 0] += 0.5 / spread[0, 0]
    # spread = SENSOR @ covariance @ SENSOR.T + noise
    s_covariance = SENSOR.T @ (s_spread @ SENSOR)
    # innovation = measured - SENSOR @ predicted
    s_predicted = SENSOR.T @ -s_innovation
    # predicted = MOTION @ state
    return (
        MOTION.T @ s_predicted,
        np.sum(t_1 * s_covariance),
        np.sum(s_spread),
        s_innovation,
    )
