"""What is noted of the solvers and integrators of SciPy that a run has called."""

from __future__ import annotations

from gradcli.shared.frozen_record import Frozen

LOOSELY, TIGHTLY = 1e-2, 1e-6  # the accuracy needed of a solution, and of one that the solver did not vouch for


class SolvedEquation(Frozen):
    """An equation that a solver of SciPy solved.

    Attributes:
        solver: the full name of the solver.
        residual: the number of the outcome that is the residual at the solution.
        distance: the largest change of a number of the solution in a Newton step from it.
        size: the largest absolute number of the solution.
    """

    solver: str
    residual: int
    distance: float
    size: float

    @property
    def is_near_zero(self) -> bool:
        """Whether the solution is 0 as far as the solver knows, so that its size says nothing about its accuracy."""
        return self.distance > LOOSELY * self.size

    @property
    def error(self) -> float:
        """The error of the solution: relative, or absolute near 0, as SciPy's own tolerances are."""
        return self.distance if self.is_near_zero else self.distance / (self.size or 1.0)

    def __str__(self) -> str:
        relative = "a solution near 0" if self.is_near_zero else f"its solution, a relative error of {self.error:.1g}"
        return f"{self.solver} stopped {self.distance:.1g} away from {relative}"


class Jump(Frozen):
    """A jump of a function that an integrator of SciPy integrated, at a place that depends on the inputs.

    Attributes:
        integrator: the name of the integrator.
        number: the number of the outcome that changes there, or of the row of the step, such as `sign`.
        is_row: whether it is the number of a row.
    """

    integrator: str
    number: int
    is_row: bool
