"""chemicals: equations of vapor pressures and of the properties of water, their derivatives, and Jacobians for fits."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from tests.survey.case import Case

RELEASE = "chemicals==1.5.2"

YAWS = (28.588, -2469.0, -7.3510, 2.8025e-10, 2.7361e-6)
ANTOINE = (8.7687, 395.744, -6.469)
TRC = (408.12, 120.0, 9.11, 1000.0, -30.0, 2.7, -65.0, 3000.0)
WAGNER = (190.53, 4596420.0, -6.00435, 1.1885, -0.834082, -1.22833)
WAGNER_25 = (190.551, 4599200.0, -6.02242, 1.26652, -1.5707, -1.2)

PPDS9 = (1.74793, 1.33728, 482.347, 41.78, 9.963e-05)

VAPOR = [
    ("Yaws_Psat", ["dYaws_Psat_dT", "d2Yaws_Psat_dT2"], 400.0, YAWS),
    ("Antoine", ["dAntoine_dT", "d2Antoine_dT2"], 100.0, ANTOINE),
    ("TRC_Antoine_extended", ["dTRC_Antoine_extended_dT", "d2TRC_Antoine_extended_dT2"], 180.0, TRC),
    ("Wagner_original", ["dWagner_original_dT", "d2Wagner_original_dT2"], 100.0, WAGNER),
    ("Wagner", ["dWagner_dT", "d2Wagner_dT2"], 100.0, WAGNER_25),
    (
        "Arrhenius_extrapolation",
        ["dArrhenius_extrapolation_dT", "d2Arrhenius_extrapolation_dT2", "d3Arrhenius_extrapolation_dT3"],
        310.0,
        (300.0, 1e5, -5000.0),
    ),
]

# The point, the parameters, and the chains of orders in which each is the derivative of the one before.
TWO, THREE, INTEGRAL = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 3)], [(0, 1), (-1, 0)]
DIPPR = [
    ("EQ100", 300.0, (276370.0, -2090.1, 8.125, -0.014116, 0.0000093701), INTEGRAL),
    ("EQ101", 300.0, (73.649, -7258.2, -7.3037, 4.1653e-6, 2.0), THREE),
    ("EQ102", 300.0, (1.7096e-8, 1.1146, 12.0, 3.0), [(0, 1)]),
    ("EQ104", 300.0, (0.02222, -26.38, -16750000.0, -3.894e19, 3.133e21), INTEGRAL),
    ("EQ105", 300.0, (0.70824, 0.26411, 507.6, 0.27537), THREE),
    ("EQ106", 300.0, (647.096, 0.17766, 2.567, -3.3377, 1.9699), THREE),
    ("EQ107", 300.0, (33363.0, 26790.0, 2610.5, 8896.0, 1169.0), INTEGRAL),
    ("EQ114", 20.0, (33.19, 66.653, 6765.9, -123.63, 478.27), INTEGRAL),
    ("EQ115", 300.0, (21.0, -7000.0, -1.2, 1e-5, 1e-7), THREE),
    ("EQ116", 300.0, (647.096, 17.863, 58.606, -95.396, 213.89, -141.26), INTEGRAL),
    ("EQ127", 300.0, (33258.0, 36199.0, 1205.7, 15373000.0, 3212.2, -15318000.0, 3212.2), INTEGRAL),
    ("EQ100_reciprocal", 300.0, (1.0, 0.02, 1e-4), TWO),
    ("EQ105_reciprocal", 300.0, (0.70824, 0.26411, 507.6, 0.27537), TWO),
    ("EQ106_reciprocal", 300.0, (647.096, 0.17766, 2.567, -3.3377, 1.9699), TWO),
]

FITS = [
    ("Yaws_Psat", "Yaws_Psat_fitting_jacobian", 0, YAWS),
    ("Antoine", "Antoine_fitting_jacobian", 0, ANTOINE),
    ("Wagner_original", "Wagner_original_fitting_jacobian", 2, WAGNER),
    ("Wagner", "Wagner_fitting_jacobian", 2, WAGNER_25),
    ("TRC_Antoine_extended", "TRC_Antoine_extended_fitting_jacobian", 1, TRC),
    ("EQ101", "EQ101_fitting_jacobian", 0, (73.649, -7258.2, -7.3037, 4.1653e-6, 2.0)),
    ("EQ102", "EQ102_fitting_jacobian", 0, (1.7096e-8, 1.1146, 12.0, 3.0)),
    ("EQ105", "EQ105_fitting_jacobian", 0, (0.70824, 0.26411, 507.6, 0.27537)),
    ("EQ106", "EQ106_fitting_jacobian", 1, (647.096, 0.17766, 2.567, -3.3377, 1.9699, 0.3)),
    ("EQ107", "EQ107_fitting_jacobian", 0, (33363.0, 26790.0, 2610.5, 8896.0, 1169.0)),
]

# By the first or by the second variable.
WATER = [
    ("iapws97_G_region1", "iapws97_dG_dpi_region1", 1, (1.8, 0.3)),
    ("iapws97_dG_dpi_region1", "iapws97_d2G_dpi2_region1", 1, (1.8, 0.3)),
    ("iapws97_G_region1", "iapws97_dG_dtau_region1", 0, (1.8, 0.3)),
    ("iapws97_dG_dtau_region1", "iapws97_d2G_dtau2_region1", 0, (1.8, 0.3)),
    ("iapws97_dG_dpi_region1", "iapws97_d2G_dpidtau_region1", 0, (1.8, 0.3)),
    ("iapws97_G0_region2", "iapws97_dG0_dtau_region2", 0, (0.9, 2.1)),
    ("iapws97_dG0_dtau_region2", "iapws97_d2G0_dtau2_region2", 0, (0.9, 2.1)),
    ("iapws97_Gr_region2", "iapws97_dGr_dpi_region2", 1, (0.9, 2.1)),
    ("iapws97_dGr_dpi_region2", "iapws97_d2Gr_dpi2_region2", 1, (0.9, 2.1)),
    ("iapws97_Gr_region2", "iapws97_dGr_dtau_region2", 0, (0.9, 2.1)),
    ("iapws97_dGr_dtau_region2", "iapws97_d2Gr_dtau2_region2", 0, (0.9, 2.1)),
    ("iapws97_dGr_dpi_region2", "iapws97_d2Gr_dpidtau_region2", 0, (0.9, 2.1)),
    ("iapws97_A_region3", "iapws97_dA_ddelta_region3", 1, (1.05, 0.9)),
    ("iapws97_dA_ddelta_region3", "iapws97_d2A_ddelta2_region3", 1, (1.05, 0.9)),
    ("iapws97_A_region3", "iapws97_dA_dtau_region3", 0, (1.05, 0.9)),
    ("iapws97_dA_dtau_region3", "iapws97_d2A_dtau2_region3", 0, (1.05, 0.9)),
    ("iapws97_dA_ddelta_region3", "iapws97_d2A_ddeltadtau_region3", 0, (1.05, 0.9)),
    ("iapws97_G0_region5", "iapws97_dG0_dtau_region5", 0, (0.6, 3.0)),
    ("iapws97_dG0_dtau_region5", "iapws97_d2G0_dtau2_region5", 0, (0.6, 3.0)),
    ("iapws97_Gr_region5", "iapws97_dGr_dpi_region5", 1, (0.6, 3.0)),
    ("iapws97_dGr_dpi_region5", "iapws97_d2Gr_dpi2_region5", 1, (0.6, 3.0)),
    ("iapws97_Gr_region5", "iapws97_dGr_dtau_region5", 0, (0.6, 3.0)),
    ("iapws97_dGr_dtau_region5", "iapws97_d2Gr_dtau2_region5", 0, (0.6, 3.0)),
    ("iapws97_dGr_dpi_region5", "iapws97_d2Gr_dpidtau_region5", 0, (0.6, 3.0)),
    ("iapws95_A0", "iapws95_dA0_dtau", 0, (1.1, 0.8)),
    ("iapws95_dA0_dtau", "iapws95_d2A0_dtau2", 0, (1.1, 0.8)),
    ("iapws95_d2A0_dtau2", "iapws95_d3A0_dtau3", 0, (1.1, 0.8)),
    ("iapws95_Ar", "iapws95_dAr_ddelta", 1, (1.1, 0.8)),
    ("iapws95_dAr_ddelta", "iapws95_d2Ar_ddelta2", 1, (1.1, 0.8)),
    ("iapws95_d2Ar_ddelta2", "iapws95_d3Ar_ddelta3", 1, (1.1, 0.8)),
    ("iapws95_d2Ar_ddelta2", "iapws95_d3Ar_ddelta2dtau", 0, (1.1, 0.8)),
    ("iapws95_Ar", "iapws95_dAr_dtau", 0, (1.1, 0.8)),
    ("iapws95_dAr_dtau", "iapws95_d2Ar_dtau2", 0, (1.1, 0.8)),
    ("iapws95_dAr_ddelta", "iapws95_d2Ar_ddeltadtau", 0, (1.1, 0.8)),
    ("iapws95_d2Ar_ddeltadtau", "iapws95_d3Ar_ddeltadtau2", 0, (1.1, 0.8)),
    ("iapws95_d3Ar_ddelta2dtau", "iapws95_d4Ar_ddelta2dtau2", 0, (1.1, 0.8)),
]


def cases() -> Iterator[Case]:
    """All of them."""
    import chemicals
    from chemicals import dippr, iapws, vapor_pressure, viscosity

    for name, slopes, at, rest in VAPOR:
        chain = [getattr(vapor_pressure, each) for each in (name, *slopes)]
        for value, slope in pairwise(chain):
            yield by_temperature(slope.__name__, value, slope, at, rest)
    for name, at, rest, orders in DIPPR:
        yield from by_order(name, getattr(dippr, name), at, rest, orders)
    for value, slope, by, at in WATER:
        yield by_variable(slope, getattr(iapws, value), getattr(iapws, slope), by, at)
    yield by_temperature(
        "iapws92_dPsat_dT", lambda T: chemicals.iapws92_Psat(T), lambda T: iapws.iapws92_dPsat_dT(T)[0], 400.0, ()
    )
    yield by_temperature(
        "iapws95_dPsat_dT", lambda T: iapws.iapws95_Psat(T), lambda T: iapws.iapws95_dPsat_dT(T)[0], 400.0, ()
    )
    yield by_temperature(
        "dPPDS9_dT", viscosity.PPDS9, lambda *p: viscosity.dPPDS9_dT(*p)[0], 400.0, PPDS9, viscosity.dPPDS9_dT
    )
    for name, slope, fixed, parameters in FITS:
        module = next(module for module in (vapor_pressure, dippr, viscosity) if hasattr(module, slope))
        yield fit(slope, getattr(module, name), getattr(module, slope), fixed, parameters)


def by_temperature(
    name: str, value: Any, slope: Any, at: float, rest: tuple[float, ...], source: Callable[..., Any] | None = None
) -> Case:
    """A function of the temperature and constants."""
    return Case(name, lambda T: value(T, *rest), at, lambda T: slope(T, *rest), source or slope)


def by_variable(name: str, value: Any, slope: Any, by: int, at: tuple[float, float]) -> Case:
    """A function of two variables, by one of them."""

    def both(x: Any) -> tuple[Any, Any]:
        return (x, at[1]) if by == 0 else (at[0], x)

    return Case(name, lambda x: value(*both(x)), at[by], lambda x: slope(*both(x)), slope)


def by_order(name: str, equation: Any, at: float, rest: tuple[float, ...], orders: Any) -> Iterator[Case]:
    """An equation whose parameter `order` asks for its derivatives and its integrals."""
    from chemicals.dippr import INTEGRAL_OVER_T_CALCULATION

    def of_order(order: int) -> Callable[[float], Any]:
        return lambda T: equation(T, *rest, order=order)

    for low, high in orders:
        yield Case(f"{name}, order {high} from {low}", of_order(low), at, of_order(high), equation)
    if orders is INTEGRAL:
        over = of_order(INTEGRAL_OVER_T_CALCULATION)
        yield Case(f"{name}, integral over T", over, at, lambda T: equation(T, *rest) / T, equation)


def fit(name: str, value: Any, slopes: Any, fixed: int, parameters: tuple[float, ...]) -> Case:
    """A function at three temperatures by its parameters but the first, and the Jacobian that a fit gets."""
    temperatures = np.array([0.7, 0.8, 0.9]) * 200.0
    known, free = parameters[:fixed], np.array(parameters[fixed:])

    def values(p: Any) -> Any:
        return np.array([value(float(T), *known, *p) for T in temperatures])

    return Case(name, values, free, lambda p: slopes(temperatures, *known, *p), slopes)
