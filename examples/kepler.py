"""The distance of a planet from its sun, by Kepler's equation, which a solver of SciPy's takes on."""

import math

from scipy import optimize


def distance(mean_anomaly, eccentricity):
    """The distance in semi-major axes, of a mean anomaly in radians and an eccentricity below 1."""
    anomaly = optimize.newton(lambda e: e - eccentricity * math.sin(e) - mean_anomaly, 1.0)
    return 1.0 - eccentricity * math.cos(anomaly)
