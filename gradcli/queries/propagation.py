"""The propagation of uncertainty through the derivatives of a function."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from gradcli.answers.targets import Asked, as_point
from gradcli.answers.targets.point_values import structure
from gradcli.answers.targets.points import given_values
from gradcli.engine.running.muted_reruns import quiet
from gradcli.errors import GradcliError, PointError, UnsupportedError, UsageError
from gradcli.methods.numerics.coordinates import Coordinate, coordinates
from gradcli.methods.transforms.jacobians import jacobian
from gradcli.methods.transforms.public_functions import library_call
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.derivatives import first_derivatives, unchanged
from gradcli.shared.findings import finding
from gradcli.shared.message_wording import count_text, list_text
from gradcli.shared.pytree import leaves, record_value
from gradcli.shared.records.propagation import Contribution, Propagation, UncertainNumber
from gradcli.shared.records.result_and_finding import Finding, Structure

LINEAR = 0.1  # the largest bend at which the linear uncertainty stands: its square is the error of the variance
MOST_SECOND = 1_000_000  # second derivatives that are computed for the bend
ROUNDING = 1e-8  # asymmetry, and negative eigenvalue, of a matrix of correlations that is taken for rounding

Array = np.ndarray[Any, np.dtype[np.float64]]


@library_call
def propagate(
    f: Asked | Callable[..., Any], x: Any, cov: Any = None, *, std: Any = None, wrt: str | None = None
) -> Propagation:
    """The value of `f` at `x` with the uncertainty that follows from that of the inputs.

    Args:
        f: a Python function, or a target as text, such as "V / I". Its result may have any number of numbers.
        x: the point, as for `check`; in text as after `--at`.
        cov: the covariance matrix of the numbers of the point, in order: an array, nested lists, or text.
        std: in its place the standard deviations of uncorrelated inputs, in the form of the point.
        wrt: the names of the uncertain inputs; the others are exact (default: all are uncertain).

    Returns:
        A Propagation: `.value`, `.uncertainty` (the standard deviation) and `.covariance` = J C Jᵀ, and in `.results`
        for each number the shares of the inputs in its variance. J is the Jacobian; the law is that of the GUM (JCGM
        100:2008, 5.1.2 and 5.2.2). The mean and the variance to second order, for normal inputs, are those of a
        quadratic form: f + tr(HC)/2 and J C Jᵀ + tr(HCHC)/2. A finding G604 warns where the bend, the root mean square
        of the second-order term, exceeds a tenth of the linear uncertainty.

    Raises:
        UsageError: neither or both of `cov` and `std` are given, or they do not fit the point.
        UnsupportedError: a number is complex.

    The cost is one Jacobian, and the second derivatives up to a million of them.
    """
    question = ask(f, x, wrt)
    parts = coordinates(question.point, question.wanted)
    covariance = _covariance(question, x, parts, cov, std)
    value, derivatives, findings = first_derivatives(question)
    numbers = coordinates({"value": value})
    if halves := [part.name for part in (*parts, *numbers) if part.half]:
        raise UnsupportedError(f"{halves[0]} is part of a complex number, whose uncertainty is not propagated.")
    rows = _matrix(value, derivatives)
    spread = rows @ covariance @ rows.T
    second = _second_derivatives(question, value, len(parts))
    results = tuple(
        _result(number, row, covariance, None if second is None else second[n], parts)
        for n, (number, row) in enumerate(zip(numbers, rows, strict=True))
    )
    recorded = record_value(value)
    return question.answer(
        Propagation,
        recorded,
        _like(recorded, iter([result.uncertainty for result in results])),
        tuple(tuple(map(float, row)) for row in spread),
        results,
        findings=(*findings, *_bends(results, findings)),
    )


def _covariance(question: Question, x: Any, parts: list[Coordinate], cov: Any, std: Any) -> Array:
    """The covariance matrix of the numbers of the point."""
    if (cov is None) == (std is None):
        raise UsageError(
            "The uncertainty of the inputs is one of --cov and --std.",
            hint="Type --std 0.1,0.2, standard deviations in the form of the point, or --cov '[[0.01,0],[0,0.04]]'.",
        )
    if cov is None:
        return _of_deviations(question, parts, std)
    named = given_values(x).named if isinstance(x, str) else x if isinstance(x, Mapping) else {}
    given, names = (list_text([name for name in some if name in question.point]) for some in (named, question.point))
    if given and given != names:
        message = f"The point has the order {given}, and the function {names}."
        raise PointError(message, hint=f"Name {names} in this order, which is that of the covariance matrix.")
    if isinstance(cov, str):
        items = given_values(cov).positional
        cov = structure(items[0] if len(items) == 1 else items, ("cov",))
    return _checked(np.atleast_2d(np.asarray(cov, dtype=float)), parts)


def _checked(matrix: Array, parts: list[Coordinate]) -> Array:
    """The matrix, if random numbers can have it as their covariance."""
    n = len(parts)
    if matrix.shape != (n, n):
        names = list_text([part.name for part in parts[:4]]) + (", …" if n > 4 else "")
        came = " by ".join(map(str, matrix.shape))
        hint = "Type --std for standard deviations alone, or --wrt for some of the inputs."
        raise PointError(f"The covariance of {names} is a {n} by {n} matrix, and {came} came.", hint=hint)
    if not np.all(np.isfinite(matrix)):
        raise PointError("The covariance matrix is not finite.")
    variances = np.diag(matrix)
    scale = np.sqrt(np.where(variances > 0, variances, 1.0))
    correlations = matrix / np.outer(scale, scale)
    wrong = np.argwhere(np.abs(correlations - correlations.T) > ROUNDING)
    if len(wrong):
        a, b = (parts[n].name for n in wrong[0])
        raise PointError(f"The covariance matrix is not symmetric: its entries for {a} and {b} differ.")
    for part, variance in zip(parts, variances, strict=True):
        if variance < 0:
            raise PointError(f"The variance of {part.name} is negative: {float(variance)!r}.")
    if np.linalg.eigvalsh(correlations)[0] < -ROUNDING * n:
        first, second = max(combinations(range(n), 2), key=lambda pair: abs(correlations[pair]))
        names = list_text([parts[first].name, parts[second].name])
        hint = f"The largest correlation is {correlations[first, second]:.4g}, of {names}."
        raise PointError("No random numbers have this covariance matrix: a variance would be negative.", hint=hint)
    return matrix


def _of_deviations(question: Question, parts: list[Coordinate], std: Any) -> Array:
    """The diagonal matrix of standard deviations, which are given as a point is."""
    try:
        deviations = coordinates(as_point(std, question.target), question.wanted)
    except PointError as error:
        error.message = error.message.replace("The point", "--std")
        error.hint = error.hint and error.hint.replace("--at", "--std")
        raise
    if [part.name for part in deviations] != [part.name for part in parts]:
        came = list_text([part.name for part in deviations[:4]])
        message = f"The point has {count_text(parts, 'uncertain number')}, and --std has {came}."
        raise PointError(message, hint="Give a standard deviation for each number, 0 for an exact one.")
    for part in deviations:
        if part.value < 0:
            raise PointError(f"The standard deviation of {part.name} is negative: {part.value!r}.")
    return np.diag([part.value**2 for part in deviations])


def _matrix(value: Any, derivatives: tuple[Any, ...]) -> Any:
    """The Jacobian of the numbers of a value by all numbers of the inputs."""
    sizes = [int(np.size(leaf)) for leaf in leaves(value)]
    by_input = [leaves(derivative) for derivative in derivatives]
    rows = []
    for n, size in enumerate(sizes):
        blocks = (parts[n * (step := len(parts) // len(sizes)) :][:step] for parts in by_input)
        rows.append(np.hstack([np.reshape(block, (size, -1)) for some in blocks for block in some]))
    return np.vstack(rows)


def _second_derivatives(question: Question, value: Any, width: int) -> Array | None:
    """The matrix of second derivatives of each number of a value; None if there are too many, or they have no rule."""
    height = sum(int(np.size(leaf)) for leaf in leaves(value))
    if height * width**2 > MOST_SECOND:
        return None
    places = question.places
    first = jacobian(question.function, places)
    try:
        with question.running(), quiet(), unchanged(question):
            second = jacobian(lambda *arguments: _matrix(value, first(*arguments)), places)(*question.arguments)
    except GradcliError:
        return None
    return np.asarray(_matrix(np.zeros((height, width)), second), dtype=float).reshape(height, width, width)


def _result(
    number: Coordinate, row: Array, covariance: Array, second: Array | None, parts: list[Coordinate]
) -> UncertainNumber:
    variance = max(0.0, float(row @ covariance @ row))
    contributions = tuple(_contributions(row, covariance, variance, parts))
    linear = UncertainNumber(number.name, number.value, math.sqrt(variance), contributions)
    if second is None:
        return linear
    product = second @ covariance
    shift, around = float(np.trace(product)) / 2, max(0.0, float(np.sum(product * product.T)) / 2)
    term = math.sqrt(shift**2 + around)  # the root mean square of half a quadratic form of normal numbers
    bend = term / linear.uncertainty if linear.uncertainty else math.inf if term else 0.0
    return linear.changed(mean=number.value + shift, second_order=math.sqrt(variance + around), bend=bend)


def _contributions(row: Array, covariance: Array, variance: float, parts: list[Coordinate]) -> Iterator[Contribution]:
    """The share of each input, and of each covariance that is not zero."""
    pieces = np.outer(row, row) * covariance / (variance or 1.0)
    for n, part in enumerate(parts):
        deviation = math.sqrt(covariance[n, n])
        yield Contribution((part.name,), float(pieces[n, n]), float(row[n]), deviation)
    for a, b in np.argwhere(np.triu(covariance, 1)):
        yield Contribution((parts[a].name, parts[b].name), float(2 * pieces[a, b]))


def _bends(results: tuple[UncertainNumber, ...], findings: tuple[Finding, ...]) -> Iterator[Finding]:
    """The findings for results that bend too much for linear propagation, or have a kink at the point."""
    if any(known.code == "G201" for known in findings):
        yield finding("G604", "the linear uncertainty is not enough: at a kink, the slopes of the sides differ")
    for result in results:
        if result.bend is not None and result.bend > LINEAR:
            size = f"{100 * result.bend:.0f} % of it" if math.isfinite(result.bend) else "not 0, and the linear term is"
            text = f"the linear uncertainty of {result.name} is not enough: the second-order term is {size}"
            second = f"the mean is {result.mean:.6g} and the standard deviation {result.second_order:.3g}"
            yield finding("G604", f"{text}; to second order {second}")


def _like(recorded: Structure, numbers: Iterator[float]) -> Structure:
    """Numbers in the structure of a record."""
    if isinstance(recorded, dict):
        return {name: _like(item, numbers) for name, item in recorded.items()}
    return [_like(item, numbers) for item in recorded] if isinstance(recorded, (list, tuple)) else next(numbers)
