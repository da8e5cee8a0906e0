"""pvlib: Bishop's model of a photovoltaic cell with recombination and breakdown, and its gradients."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.survey.case import Case

RELEASE = "pvlib==0.16.1"

CELL = {
    "photocurrent": 6.0,
    "saturation_current": 1e-9,
    "resistance_series": 0.4,
    "resistance_shunt": 300.0,
    "nNsVth": 1.6,
    "d2mutau": 1.1,
    "NsVbi": 60 * 0.9,
}
BREAKDOWN = {"breakdown_factor": 2e-3, "breakdown_voltage": -25.0}
NO_CHAIN_RULE = "the derivative of (1 - vd / vb)**-m lacks the factor -1 / vb"


def cases() -> Iterator[Case]:
    """The five gradients by the voltage of the diode, or by that of the cell through it."""
    for diode in (-4.0, 21.0, 33.0):
        yield from gradients(f"at {diode}", CELL, diode)
        yield from gradients(f"with breakdown at {diode}", CELL | BREAKDOWN, diode, NO_CHAIN_RULE)


def gradients(where: str, cell: dict[str, float], diode: float, wrong: str = "") -> Iterator[Case]:
    """The gradients of one cell at one voltage; one by v times dv/dvd is one by vd."""
    from pvlib.singlediode import bishop88

    def output(number: int) -> Callable[[float], Any]:
        return lambda diode: bishop88(diode, **cell, gradients=True)[number]

    def times_dv(number: int) -> Callable[[float], Any]:
        return lambda diode: output(number)(diode) * output(4)(diode)

    yield Case(f"di/dvd {where}", output(0), diode, output(3), bishop88, wrong)
    yield Case(f"dv/dvd {where}", output(1), diode, output(4), bishop88, wrong)
    yield Case(f"di/dv {where}", output(0), diode, times_dv(5), bishop88, wrong)
    yield Case(f"dp/dv {where}", output(2), diode, times_dv(6), bishop88, wrong)
    if not wrong:  # it is the derivative of the gradient above
        yield Case(f"d2p/dv dvd {where}", output(6), diode, output(7), bishop88)
