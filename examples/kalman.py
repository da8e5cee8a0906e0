"""One step of a Kalman filter: a car whose position is measured."""

import numpy as np

MOTION = np.array([[1.0, 0.1], [0.0, 1.0]])  # position and speed a tenth of a second later
SENSOR = np.array([[1.0, 0.0]])  # measures the position
START = np.array([[0.5, 0.1], [0.1, 1.0]])  # the covariance of the state before


def misfit(state, drift, noise, measured):
    """How unlikely a measurement is: minus its log-likelihood, without a constant."""
    predicted = MOTION @ state
    covariance = MOTION @ START @ MOTION.T + drift * np.eye(2)
    innovation = measured - SENSOR @ predicted
    spread = SENSOR @ covariance @ SENSOR.T + noise
    return 0.5 * (np.log(spread[0, 0]) + innovation[0] ** 2 / spread[0, 0])
