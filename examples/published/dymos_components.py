"""Two components of dymos, called as OpenMDAO calls them: they store outputs and partials in what they are given."""

import warnings

import numpy as np

with warnings.catch_warnings(record=True):  # dymos imports what OpenMDAO deprecates
    from dymos.examples.aircraft_steady_flight.steady_flight_path_angle_comp import SteadyFlightPathAngleComp
    from dymos.models.atmosphere.atmos_1976 import USatm1976Comp, USatm1976Data

atmosphere = USatm1976Comp(num_nodes=1)
atmosphere._geodetic = False  # as setup sets it by default
path = SteadyFlightPathAngleComp(num_nodes=1)


def density_slope(h):
    """The output drhos_dh, by geopotential altitude in ft."""
    outputs = {}
    atmosphere.compute({"h": h}, outputs)
    return outputs["drhos_dh"][0]


def density_bend(h):
    """Its partial derivative."""
    names = "temp", "pres", "rho", "viscosity", "drhos_dh", "sos"
    partials = {(name, "h"): np.zeros(1) for name in names}
    atmosphere.compute_partials({"h": h}, partials)
    return partials["drhos_dh", "h"]


def density_bend_corrected(h):
    """The second derivative of the cubic from which drhos_dh comes."""
    piece = np.searchsorted(USatm1976Data.alt, h)
    _, _, square, cube = USatm1976Data.akima_rho[piece][0]
    return 2 * square + 6 * cube * (h - USatm1976Data.alt[piece - 1])


def angle(tas, climb_rate):
    """The flight path angle."""
    outputs = {}
    path.compute({"TAS": tas, "climb_rate": climb_rate}, outputs)
    return outputs["gam"]


def angle_partials(tas, climb_rate):
    """Its partial derivatives."""
    partials = {}
    path.compute_partials({"TAS": tas, "climb_rate": climb_rate}, partials)
    return {"tas": partials["gam", "TAS"], "climb_rate": partials["gam", "climb_rate"]}


def angle_corrected(tas, climb_rate):
    """The partial derivatives with those of the clip."""
    if abs(climb_rate) > abs(tas):
        return {"tas": 0.0, "climb_rate": 0.0}
    return angle_partials(tas, climb_rate)
