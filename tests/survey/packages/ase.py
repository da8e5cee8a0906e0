"""ase: the force fields of `ase.utils.ff`, derivatives of distances and angles, cutoffs, and forces of calculators."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.survey.case import Case

RELEASE = "ase==3.29.0"

POINTS = np.array([[0.0, 0.1, 0.0], [1.1, 0.0, 0.2], [1.6, 1.0, -0.1], [2.7, 1.2, 0.6]])


def cases() -> Iterator[Case]:
    """All of them."""
    yield from force_fields()
    yield from geometry()
    yield from cutoffs()
    yield from calculators()


class Atoms:
    """What the force fields ask of atoms: positions and a cell."""

    def __init__(self, positions: Any) -> None:
        self.positions = positions

    def get_positions(self) -> Any:
        return self.positions

    def get_cell(self) -> Any:
        return 50.0 * np.eye(3)


def force_fields() -> Iterator[Case]:
    """Each term with its gradient, and its gradient with its Hessian."""
    from ase.utils import ff

    terms = {
        "morse": [ff.Morse(0, 1, 2.0, 1.3, 0.9)],
        "bond": [ff.Bond(0, 1, 3.0, 0.9)],
        "angle": [ff.Angle(0, 1, 2, 1.5, 1.8), ff.Angle(0, 1, 2, 1.5, 1.8, cos=True)],
        "dihedral": [ff.Dihedral(0, 1, 2, 3, 0.7, 0.4), ff.Dihedral(0, 1, 2, 3, 0.7, 0.4, n=3)],
        "vdw": [ff.VdW(0, 1, epsilonij=0.4, sigmaij=1.2), ff.VdW(0, 1, epsilonij=0.4, rminij=1.2)],
        "coulomb": [ff.Coulomb(0, 1, chargeij=0.6)],
    }
    for name, of_kind in terms.items():
        value, gradient, hessian = (
            getattr(ff, f"get_{name}_potential_{what}") for what in ("value", "gradient", "hessian")
        )
        for number, term in enumerate(of_kind):
            at = POINTS[: 2 + ("angle" in name) + 2 * (name == "dihedral")].ravel()

            def last(function: Any, term: Any = term) -> Any:
                return lambda x: function(Atoms(x.reshape(-1, 3)), term)[-1]

            yield Case(f"{name} {number} gradient", last(value), at, last(gradient), gradient)
            if name != "dihedral":  # it has differences for its Hessian
                yield Case(f"{name} {number} hessian", last(gradient), at, last(hessian), hessian)


def geometry() -> Iterator[Case]:
    """A distance, an angle and a dihedral angle by the positions of their atoms."""
    from ase.geometry import geometry as of

    for name, count in (("distances", 2), ("angles", 3), ("dihedrals", 4)):
        value, slope = getattr(of, f"get_{name}", None), getattr(of, f"get_{name}_derivatives")

        def vectors(x: Any) -> Any:
            return [part[None] for part in np.diff(x.reshape(-1, 3), axis=0)]

        def measured(x: Any, value: Any = value, name: str = name) -> Any:
            if name == "distances":
                return np.linalg.norm(vectors(x)[0])
            first, *rest = vectors(x)
            return value(-first if name == "angles" else first, *rest)[0]

        def slopes(x: Any, slope: Any = slope, name: str = name) -> Any:
            first, *rest = vectors(x)
            return slope(-first if name == "angles" else first, *rest)[0].ravel()

        yield Case(f"get_{name}_derivatives", measured, POINTS[:count].ravel(), slopes, slope)


def cutoffs() -> Iterator[Case]:
    """The functions by which pair potentials end."""
    from ase.calculators import lj, morse

    for r in (1.5, 2.2, 2.9):
        yield Case(
            f"Lennard-Jones cutoff at {r}",
            lambda r: lj.cutoff_function(r, 7.0, 4.0),
            np.array([r**2]),
            lambda r: np.diag(lj.d_cutoff_function(r, 7.0, 4.0)),
            lj.d_cutoff_function,
        )
        yield Case(
            f"Morse cutoff at {r}",
            lambda r: morse.fcut(r, 2.0, 2.7),
            np.array([r]),
            lambda r: np.diag(morse.fcut_d(r, 2.0, 2.7)),
            morse.fcut_d,
        )


def calculators() -> Iterator[Case]:
    """The energies of four atoms and the forces on them; new ones each time, as they keep results."""
    from ase import Atoms as RealAtoms
    from ase.calculators.emt import EMT
    from ase.calculators.lj import LennardJones
    from ase.calculators.morse import MorsePotential
    from ase.calculators.test import TestPotential

    for name, calculator, scale in (
        ("Lennard-Jones", LennardJones, 1.0),
        ("smooth Lennard-Jones", lambda: LennardJones(smooth=True, rc=2.5), 1.0),
        ("Morse", MorsePotential, 1.0),
        ("EMT", EMT, 2.5),
        ("test potential", TestPotential, 1.0),
    ):

        def atoms(x: Any, calculator: Any = calculator) -> Any:
            return RealAtoms("Cu4", positions=x.reshape(-1, 3), calculator=calculator())

        at = scale * POINTS.ravel()
        yield Case(
            f"{name} forces",
            lambda x, of=atoms: of(x).get_potential_energy(),
            at,
            lambda x, of=atoms: -of(x).get_forces().ravel(),
            type(calculator()).calculate,
        )
