"""The slip in a hand-written Jacobian, Hessian or Hessian-vector product: in its rows and elements, or in one step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.culprit import explained, proven, unexplained
from gradcli.answers.checks.culprit.curvature import curvature_slips
from gradcli.answers.checks.culprit.error_patterns import VARIABLES, groups_of_factors, slips, tried
from gradcli.answers.checks.culprit.mistaken_steps import MistakeSearch
from gradcli.answers.checks.culprit.second_point import at_second_point, gradient_by_the_tape, operations
from gradcli.answers.checks.culprit.wrong_components import (
    OF_ANOTHER_VARIABLE,
    SLACK,
    Block,
    Discrepancy,
    Key,
    Pattern,
    Region,
    Slip,
)
from gradcli.answers.checks.culprit.wrong_derivatives import ComponentGroup, Proof, WrongDerivative, factors_of_counts
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import record_trace
from gradcli.methods.numerics.coordinates import coordinates, copied
from gradcli.shared.pytree import leaves
from gradcli.shared.records.result_and_finding import Finding, Kind

WORDS: dict[Kind, str] = {"jacobian": "the Jacobian", "hessian": "the Hessian", "hvp": "the product"}


@dataclass(frozen=True)
class MatrixCase:
    """A derivative that a check compares row by row.

    Attributes:
        of: the kind of derivative.
        function: the user's function, of the inputs of the point.
        point: the inputs by name.
        wanted: the names of the inputs to differentiate by.
        row_names: the names of the rows; empty for a product.
        candidate, reference: compute the matrix, or the product, from the inputs.
        weighted: makes the function of a weighted sum of the numbers that the user's function returns.
    """

    of: Kind
    function: Callable[..., Any]
    point: Mapping[str, Any]
    wanted: Sequence[str]
    row_names: Sequence[str]
    candidate: Callable[[list[Any]], Any]
    reference: Callable[[list[Any]], Any]
    weighted: Callable[[Any], Callable[..., Any]]


@dataclass(frozen=True)
class WrongMatrix(WrongDerivative):
    """A wrong matrix at one point."""

    case: MatrixCase

    @property
    def noun(self) -> str:
        """What a component is."""
        return "element" if self.case.row_names else "derivative"

    @property
    def labels(self) -> list[str]:
        """The names of the elements, as the check shows them."""
        names = super().labels
        return [f"{row} {name}" for row in self.case.row_names for name in names] if self.case.row_names else names

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """The matrix as one block."""
        words, names = WORDS[self.case.of], [part.name for part in self.parts]
        sides = (self.case.row_names, names) if self.case.row_names else None
        shape = (len(self.case.row_names), len(names)) if self.case.row_names else (len(names),)
        factors = () if self.trace is None else factors_of_counts(self.trace)
        point = np.tile([part.value for part in self.parts], max(len(self.case.row_names), 1))
        block = Block(words, self.labels, shape, self.gap, point, factors=factors, sides=sides, gradient=self._gradient)
        return {words: block}

    @property
    def _gradient(self) -> Any:
        """The gradient whose derivatives the matrix holds, or a function's result that has its shape."""
        if self.trace is None or len(self.case.row_names) != len(self.parts):
            return None
        if self.case.of == "hessian":
            return np.array(gradient_by_the_tape(self.trace, self.parts))
        return np.concatenate([np.ravel(leaf) for leaf in leaves(self.trace.value)])

    def slips(self) -> Iterator[Proof]:
        """The slips that account for elements, with the group of elements."""
        for words, block in self.blocks.items():
            slips_of_block = (*slips(block), *_slips_of_variables(block))
            yield from ((ComponentGroup(words, self.gap.wrong), slip) for slip in slips_of_block)
            yield from ((ComponentGroup(words, mask), slip) for mask, slip in groups_of_factors(block))
        yield from self.slips_of_steps(self.groups)

    def slips_of_steps(self, groups: Mapping[Key, ComponentGroup], wanted: Set[Key] | None = None) -> Iterator[Proof]:
        """The mistakes in single steps that account for all elements; only the `wanted` ones if given."""
        if self.trace is None or self.case.of == "hvp":
            return
        (group,) = groups.values()
        if self.case.of == "hessian":
            curvature = curvature_slips(self.trace, self.parts, self.gap, wanted)
        else:
            curvature = self._of_weighted_rows(wanted)
        yield from ((group, slip) for slip in curvature)

    def _of_weighted_rows(self, wanted: Set[Key] | None) -> Iterator[Slip]:
        """The mistakes that account for a sum of all rows with random weights."""
        assert self.trace is not None
        weights = np.random.default_rng(0).uniform(0.5, 1.5, len(self.case.row_names))
        shape = (len(weights), -1)
        total = replace(
            self.gap,
            candidate=weights @ self.gap.candidate.reshape(shape),
            reference=weights @ self.gap.reference.reshape(shape),
        )
        run = record_trace(self.case.weighted(weights), self.trace.arguments, names=True)
        yield from MistakeSearch(run, self.parts, {(): total}, wanted, first=len(self.trace.nodes))


def _slips_of_variables(block: Block) -> Iterator[Slip]:
    """The Hessian by another variable in place of one input, or of each.

    By the chain rule it is `S @ H @ S + diag(g * s' * s)` with the gradient `g`, `s = dx/du` and `S = diag(s)`.
    """
    if block.gradient is None or block.sides is None:
        return
    names = block.sides[1]
    for places, name in ((slice(None), "each input"), *((n, name) for n, name in enumerate(names))):
        for variable, _, slope in VARIABLES:
            expects = partial(_by_variable, places, slope)
            words = f"{{}} is that by {variable.format(name)} in place of {name}"
            yield from tried(block, Region(block.whose, np.True_), Pattern(words, expects, OF_ANOTHER_VARIABLE))


def _by_variable(places: Any, slope: Callable[[Any], Any], block: Block) -> Any:
    count = len(block.gradient)
    x = block.point[:count][places]
    scale, change = np.ones(count), np.zeros(count)
    scale[places] = slope(x)
    change[places] = slope(x + 1e-30j).imag / 1e-30 * scale[places]
    hessian = block.gap.reference.reshape(count, count)
    return (scale[:, None] * hessian * scale + np.diag(block.gradient * change)).ravel()


def matrix_culprit(case: MatrixCase) -> list[Finding]:
    """The slip in a hand-written matrix that fails, if its elements prove one, or two slips."""
    with quiet():
        here = _matrix_at(case, case.point)
        if here is None:
            return []
        proofs = sorted(here.slips(), key=lambda proof: (proof[1].loose, proof[1].order))
        there = at_second_point(case.point, here, partial(_matrix_at, case)) if proofs else None
        same = there is not None and operations(there.trace) == operations(here.trace)
        findings = explained(here, proven(here, there, proofs)) if there is not None and same else []
        return findings or unexplained(here)


def _matrix_at(case: MatrixCase, point: Mapping[str, Any]) -> WrongMatrix | None:
    inputs = list(point.values())
    candidate, reference = (
        np.ravel(compute(copied(inputs))).astype(float) for compute in (case.candidate, case.reference)
    )
    if candidate.shape != reference.shape or not np.isfinite([candidate, reference]).all():
        return None
    run = record_trace(case.function, tuple(copied(inputs)), names=True)
    return WrongMatrix(coordinates(point, case.wanted), run, Discrepancy(candidate, reference, SLACK), case)
