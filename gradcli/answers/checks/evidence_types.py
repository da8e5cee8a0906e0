"""The evidence for one component: what exact derivatives, differences, rounding, boundaries and solvers tell of it.

What was not measured is None. Rounding, solvers and disputes are measured when a row of the table of verdicts asks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from gradcli.engine.tape.solver_notes import SolvedEquation
from gradcli.methods.numerics.difference_quotients import Slope

POWER = 1e-4  # relative difference from a slope by differences that contradicts it, where their error is larger
CONFIRMING = 100.0  # times the slack: largest relative error of differences that can confirm a gradient
AGREEING = 5e-7  # largest relative difference from them of a gradient that they confirm,
SHARE = 0.25  # or as a fraction of their error,
CLOSE = 2.5e-6  # as long as this is less
UNDERFLOW = 1e-320  # size of what repeated rounding near 0 may leave of a number
# Largest error of a candidate, relative to the derivative, that a solver's distance from its solution can explain
MOST_EXPLAINED = 0.01
SAFETY = 10.0  # times their error by which differences must be off to show that a number is wrong


@dataclass(frozen=True)
class Dispute:
    """An unexplained contradiction between an exact derivative and differences.

    Attributes:
        name: the component or direction.
        exact, exact_error: the exact derivative and its error bound.
        differences, differences_error: the slope by differences and its error bound.
    """

    name: str
    exact: float
    exact_error: float
    differences: float
    differences_error: float

    @property
    def numbers(self) -> dict[str, float]:
        """Both numbers and both errors, by name."""
        return {name: value for name, value in vars(self).items() if name != "name"}

    @property
    def text(self) -> str:
        """The contradiction in words."""
        exact = f"the exact derivative of the recorded run is {self.exact:.10g} ± {self.exact_error:.2g}"
        return f"{exact}, and differences give {self.differences:.10g} ± {self.differences_error:.2g}"


@dataclass(frozen=True)
class Group:
    """The comparison of many components with one difference, along a direction through all of them.

    Attributes:
        size: the number of components.
        off: the difference between the candidates' slope along the direction and the measured one.
        error: the error of the measured slope.
        share: the typical contribution of one component.
        flat: whether the measured slope falls to 0 at a known power of the step.
    """

    size: int
    off: float
    error: float
    share: float
    flat: bool = False


@dataclass(frozen=True)
class IsolatedPath:
    """A recorded path that holds only next to the point, as behind `if x == 0`, and not where the function continues.

    Attributes:
        width: the distance over which the path holds; 0 if it does not hold even at the next number.
        beyond: the slope over longer steps.
        inner: the slope of the path itself if `beyond` is the exact limit of the slopes next to the point (the formula
            has no digits left at the point); None if `beyond` is from differences.
    """

    width: float
    beyond: Slope
    inner: float | None = None

    @property
    def exact(self) -> bool:
        """Whether the slope beyond is an exact limit rather than a difference."""
        return self.inner is not None


class Choice(Enum):
    """Whether a candidate at a kink is one of the valid choices."""

    RIGHT = "a mean of the gradients that meet"
    OPEN = "none of those found, and there may be more"
    LATE = "not known, because the time was over before the gradients that meet were found"
    COARSE = "the values are too coarse to look for the gradients that meet"


@dataclass(frozen=True)
class Exact:
    """The exact derivative; next to an isolated path, its limit.

    Attributes:
        value: the derivative.
        error: its own error, if it comes from points nearby.
    """

    value: float
    error: float = 0.0


@dataclass(frozen=True)
class Measured:
    """Differences.

    Attributes:
        slope: the slope by differences; None if this component has none of its own.
        wide: for a staircase, or an integral over a jump, the slope over steps wider than the recorded path.
        group: the comparison with differences of the group that the component belongs to.
        largest: the largest slope of all components, the scale for telling a small one from 0.
    """

    slope: Slope | None = None
    wide: Slope | None = None
    group: Group | None = None
    largest: float = 0.0


@dataclass(frozen=True)
class Rounding:
    """Rounding errors of a candidate, and what they may be compared with.

    Attributes:
        own: a bound on the candidate's own rounding error; None if its program cannot be followed.
        sweep: a bound on the rounding error of gradcli's sweep, in the absence of the candidate's.
        largest_term: the largest term, also of inner sums, that the derivative or the computed candidate is the sum of.
        input_change: the change of the derivative with the last digits of the inputs.
        constant_change: the change of the derivative with the last digits of the program's constants alone, where the
            candidate's error is small next to terms that cancel.
        largest_contribution: the largest contribution of a single step to the derivative, or of the slopes over longer
            steps. A tolerance above the slack of it would pass anything.
    """

    own: float | None = 0.0
    sweep: float = 0.0
    largest_term: float = 0.0
    input_change: float | None = None
    constant_change: float | None = None
    largest_contribution: float | None = None

    @property
    def bound(self) -> float:
        """The known bound on the rounding error of a right formula."""
        return max(self.sweep, self.own or 0.0)


@dataclass(frozen=True)
class Boundary:
    """Kinks, jumps and recorded paths at the point.

    Attributes:
        at_switch: whether the run is at a branch boundary or a kink.
        cut: whether the input acts only through outcomes.
        path: the narrow range in which the reference holds, if it does not hold beyond.
        range: the least and the largest derivative near the point, where a kink has more than two slopes.
        choice: whether all candidates together are a mean of the gradients of the pieces that meet at the point.
        separation: the reason why they are not, if this component is involved.
        nonadditive: the reason why there is no total derivative although there are partial ones.
    """

    at_switch: bool = False
    cut: bool = False
    path: IsolatedPath | None = None
    range: tuple[float, float] | None = None
    choice: Choice | None = None
    separation: str | None = None
    nonadditive: str | None = None


@dataclass(frozen=True)
class Solver:
    """Iterations that stopped before their solution.

    Attributes:
        equation: the equation with the largest error of those that solvers solved in the run.
        iteration_change: the change of the derivative due to one more iteration of the last loop that an outcome ended.
    """

    equation: SolvedEquation | None = None
    iteration_change: float | None = None


@dataclass(frozen=True)
class Evidence:
    """The evidence for one component.

    Attributes:
        value: the function's value.
        candidate: the number under test.
        slack: the relative difference from the reference allowed to a right formula.
        exact: the exact derivative; None if there is none.
        measured: differences.
        boundary: kinks, jumps and recorded paths.
        rounding_of, solver_of, dispute_of: measure rounding errors, iterations, and the contradiction of an exact
            derivative and differences, in this component or another.
        run_difference: a description of the different values of a recorded and a plain run.
        atol: the absolute tolerance that the user allows.
        unfinished: whether an interruption left it without evidence that it needs.
    """

    value: float
    candidate: float
    slack: float
    exact: Exact | None = None
    measured: Measured = Measured()
    boundary: Boundary = Boundary()
    rounding_of: Callable[[], Rounding] = Rounding
    solver_of: Callable[[], Solver] = Solver
    dispute_of: Callable[[], Dispute | None] = lambda: None
    run_difference: str | None = None
    atol: float = 0.0
    unfinished: bool = False

    @cached_property
    def rounding(self) -> Rounding:
        """The rounding errors."""
        return self.rounding_of()

    @cached_property
    def solver(self) -> Solver:
        """The iterations of solvers and loops."""
        return self.solver_of()

    @cached_property
    def dispute(self) -> Dispute | None:
        """The contradiction of an exact derivative and differences."""
        return self.dispute_of()

    @cached_property
    def reference(self) -> float | None:
        """The exact derivative."""
        return None if self.exact is None else self.exact.value

    @cached_property
    def slope(self) -> Slope | None:
        """The slope by differences."""
        return self.measured.slope

    def by_slope(self, slope: Slope | None) -> Evidence:
        """The evidence with a slope by differences in place of the exact derivative."""
        return replace(self, exact=None, measured=replace(self.measured, slope=slope))

    @cached_property
    def tolerance(self) -> float | None:
        """The largest error allowed to the candidate: derived, or the user's where that is larger."""
        return None if self.derived_tolerance is None else max(self.derived_tolerance, self.atol)

    @cached_property
    def derived_tolerance(self) -> float | None:
        """The largest error of a right candidate.

        It is the slack; or the rounding bound, if that is small relative to the largest contribution and if changes in
        the last digits of the inputs have as large an effect. A derivative of 0 has no slack and need not change with
        the inputs; the bound on the candidate's own rounding applies.
        """
        if self.exact is None:
            if self.slope is None or not math.isfinite(self.slope.error):
                return None
            return max(2 * self.slope.error, self.slack * abs(self.slope.value))
        reference, rounding = self.exact.value, self.rounding
        slack = max(self.slack * abs(reference), self.exact.error)
        contribution = _or_infinity(rounding.largest_contribution)
        share = contribution if reference == 0 and math.isfinite(contribution) else 0.0
        largest = max(rounding.largest_term, share)
        known = math.isfinite(rounding.bound) and rounding.bound <= self.slack * largest
        swayed = max(_or_infinity(rounding.input_change), 0.0 if reference else rounding.own or 0.0)
        return max(slack, min(rounding.bound, swayed)) if known else slack

    @property
    def is_powerless(self) -> bool:
        """Whether the rounding error may be so large that a wrong candidate would pass as well."""
        if self.exact is None or not self.exact.value or self.derived_tolerance is None:
            return False
        largest = max(abs(self.exact.value), _or_infinity(self.rounding.largest_contribution))
        return self.derived_tolerance > max(self.slack * largest, self.exact.error)

    @property
    def solver_error(self) -> float:
        """The largest error of a right candidate that is due to a solver which stopped before its solution."""
        equation = self.solver.equation
        if self.reference is None or equation is None:
            return 0.0
        return min(SAFETY * equation.error, MOST_EXPLAINED) * max(abs(self.reference), self.measured.largest)

    @property
    def power(self) -> float | None:
        """The smallest relative error that fails; None if the derivative is 0 or unknown."""
        if self.reference is not None and self.tolerance is not None:
            return max(self.tolerance, self.solver_error) / abs(self.reference) if self.reference else None
        if self.slope is None or not math.isfinite(self.slope.error) or not self.slope.value:
            return None
        return telling_error(self.slope, self.slack) / abs(self.slope.value)

    @cached_property
    def off(self) -> float:
        """The distance between candidate and reference; a distance near underflow counts as 0."""
        if self.reference is None:
            return math.inf
        distance = abs(self.candidate - self.reference)
        return 0.0 if distance <= UNDERFLOW else distance


def telling_error(slope: Slope, slack: float) -> float:
    """The error of a number above which differences show that it is wrong."""
    error, size = slope.error, abs(slope.value)
    return min(SAFETY * error + max(POWER, slack) * size, SAFETY**2 * error + slack * size)


def _or_infinity(change: float | None) -> float:
    """A change that was not measured counts as infinite."""
    return math.inf if change is None else change
