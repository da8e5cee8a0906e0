"""The current of pvlib's photovoltaic cell with breakdown, by the voltage of its diode, and the derivative."""

from pvlib.singlediode import bishop88

CELL = {
    "photocurrent": 6.0,
    "saturation_current": 1e-9,
    "resistance_series": 0.4,
    "resistance_shunt": 300.0,
    "nNsVth": 1.6,
    "breakdown_factor": 2e-3,
    "breakdown_voltage": -25.0,
    "breakdown_exp": 3.28,
}


def current(voltage):
    """The first of the results."""
    return bishop88(voltage, **CELL)[0]


def slope(voltage):
    """The gradient that comes with it."""
    return bishop88(voltage, **CELL, gradients=True)[3]


def corrected(voltage):
    """The gradient with the derivative of what is raised to the power."""
    factor, limit, power = (CELL[f"breakdown_{name}"] for name in ("factor", "voltage", "exp"))
    conductance = factor / CELL["resistance_shunt"]
    inner = 1 - voltage / limit
    published = conductance * (inner**-power - voltage * power * inner ** (-power - 1))
    right = conductance * (inner**-power + voltage * power / limit * inner ** (-power - 1))
    return slope(voltage) + published - right
