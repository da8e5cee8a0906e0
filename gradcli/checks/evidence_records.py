"""What a witness of a check may find beside plain numbers: a dispute, a group, an island, a choice."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gradcli.numerics.differences import Slope


@dataclass(frozen=True)
class Dispute:
    """An exact derivative and differences that contradict each other, and nothing explains it.

    Attributes:
        name: of the component, or of the direction, by which they do.
        exact, exact_error: the exact derivative, and how far it may be off.
        differences, differences_error: the slope by differences, and its error.
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
        """Both numbers and both errors, in words."""
        exact = f"the exact derivative of the recorded run is {self.exact:.10g} ± {self.exact_error:.2g}"
        return f"{exact}, and differences give {self.differences:.10g} ± {self.differences_error:.2g}"


@dataclass(frozen=True)
class Group:
    """What one difference says of many components together, along a direction through all of them.

    Attributes:
        size: how many they are.
        off: how far their candidates are from the difference, together.
        error: the error of the difference.
        share: what one of them typically contributes.
        flat: whether it falls to 0 with a power of the step that is known.
    """

    size: int
    off: float
    error: float
    share: float
    flat: bool = False


@dataclass(frozen=True)
class Island:
    """A recorded path that holds next to the point alone, as behind `if x == 0`, and not where the function goes on.

    Attributes:
        width: how far it holds; 0 where not even to the next number.
        beyond: the slope over longer steps.
        inner: the slope of the path itself, where that beyond is the exact limit of those beside the point, by a
            formula that has no digits left at the point; None where it is one by differences.
    """

    width: float
    beyond: Slope
    inner: float | None = None

    @property
    def exact(self) -> bool:
        """Whether the slope beyond is the limit, and not one by differences."""
        return self.inner is not None


class Choice(Enum):
    """Whether a candidate at a kink is one of the valid choices."""

    UNASKED = "not asked"
    RIGHT = "a mean of the gradients that meet"
    OPEN = "none of those found, and there may be more"
