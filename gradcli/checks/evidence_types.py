"""Evidence beyond plain numbers: a dispute, a group, an island, a choice."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gradcli.numerics.differences import Slope


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

    UNASKED = "not asked"
    RIGHT = "a mean of the gradients that meet"
    OPEN = "none of those found, and there may be more"
