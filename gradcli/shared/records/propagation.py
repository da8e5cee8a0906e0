"""Records of propagated uncertainty: results with their standard uncertainty, and what the inputs contribute to it."""

from __future__ import annotations

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result, Structure


class Contribution(Frozen):
    """What one input, or the covariance of two inputs, contributes to the variance of a result.

    `inputs` holds one name, or two. Of one input, `derivative` is that of the result and `uncertainty` its standard
    deviation; of two, both are None. `share` is the part of the variance; shares add up to 1, and that of a covariance
    may be negative. It is 0 where the variance is.
    """

    inputs: tuple[str, ...]
    share: float
    derivative: float | None = None
    uncertainty: float | None = None


class UncertainNumber(Frozen):
    """One number of the result with its standard uncertainty.

    `uncertainty` is the square root of J C Jᵀ. `mean` and `second_order` are the mean and the standard deviation to
    second order, for normally distributed inputs. `bend` is the root mean square of the second-order term, as a
    fraction of `uncertainty`. These three are None where the second derivatives were not computed.
    """

    name: str
    value: float
    uncertainty: float
    contributions: tuple[Contribution, ...]
    mean: float | None = None
    second_order: float | None = None
    bend: float | None = None


class Propagation(Result):
    """The result of `gradcli propagate`: the value with its standard uncertainty.

    `uncertainty` has the structure of `value`; `covariance` is the matrix J C Jᵀ of the numbers of the result, in
    order, and `results` has one entry for each.
    """

    command = "propagate"
    finite = ("value", "uncertainty")

    target: str
    point: ByName
    value: Structure
    uncertainty: Structure
    covariance: tuple[tuple[float, ...], ...]
    results: tuple[UncertainNumber, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
