"""A wrong gradient or matrix at one point, and the slips that account for its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.component_patterns import Block, slips_of_block
from gradcli.answers.checks.culprit.discrepancy import Discrepancy, Key, Slip, derivatives
from gradcli.answers.checks.culprit.mistake_search import Group, MistakeSearch, lengths_of_arrays
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.traces.node import CONSTANT
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.numerics.coordinates import Coordinate, coordinates, copied, pick
from gradcli.shared.pytree import map_leaves
from gradcli.shared.records.result_and_finding import Kind

ASIDE = (0.03, 1e-3)  # relative distances of the second point
NAMES: dict[Kind, str] = {"jacobian": "the Jacobian", "hessian": "the Hessian", "hvp": "the product"}


@dataclass(frozen=True)
class WrongDerivative:
    """A wrong derivative at one point.

    Attributes:
        parts: the numbers of the point that it differentiates by.
        trace: the recorded run with the user's names and lines; None if it cannot be followed.
        gap: its components and the right ones, of a matrix row by row.
        row_names: the names of the rows of a matrix.
        name: what it is called, if it is not a gradient.
    """

    parts: Sequence[Coordinate]
    trace: Trace | None
    gap: Discrepancy
    row_names: Sequence[str] = ()
    name: str = ""

    @cached_property
    def labels(self) -> list[str]:
        """The names of the components."""
        names = [part.name for part in self.parts]
        return [f"{row} {name}" for row in self.row_names for name in names] if self.row_names else names

    def phrase(self, mask: Any) -> str:
        """Words for some components: by name, or as the gradient by one input if that has several."""
        leaves = np.array([part.leaf for part in self.parts])
        places = np.flatnonzero(mask)
        if not self.name and len(places) > 1 and np.array_equal(places, np.flatnonzero(leaves == leaves[places[0]])):
            return f"the gradient by {self.labels[places[0]].split('[')[0]}"
        names = [self.labels[place] for place in places]
        return derivatives(names, "element" if self.row_names else "derivative")

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """The components by input, and all of them, by the words for them."""
        names = [part.name for part in self.parts]
        everything = np.arange(len(self.labels))
        if self.name:
            sides = (self.row_names, names) if self.row_names else None
            shape = (len(self.row_names), len(names)) if self.row_names else (len(names),)
            return {self.name: self._block(self.name, everything, shape, sides=sides)}
        run, blocks = self.trace, {}
        shapes = {} if run is None else {n: np.shape(run.nodes[at].value) for n, at in enumerate(run.input_indices())}
        leaves = np.array([part.leaf for part in self.parts])
        for leaf in sorted(set(leaves)):
            places = np.flatnonzero(leaves == leaf)
            half = self.parts[places[0]].half
            whole = names[places[0]].removesuffix(f".{half}")
            name = whole.split("[")[0] if len(places) > 1 else names[places[0]]
            shape = (len(places),) if half else shapes.get(leaf, (len(places),))
            words = f"the gradient by {name}"
            blocks[words] = self._block(words, places, shape, variable=name)
        if len(blocks) > 1:
            blocks["the gradient"] = self._block("the gradient", everything, everything.shape)
        return blocks

    def _block(self, words: str, places: Any, shape: tuple[int, ...], **more: Any) -> Block:
        point = np.tile([part.value for part in self.parts], max(len(self.row_names), 1))[places]
        gap = Discrepancy(self.gap.candidate[places], self.gap.reference[places], self.gap.slack)
        labels = [self.labels[n] for n in places]
        return Block(words, labels, shape, gap, places, point, factors=self._factors_of_counts, **more)

    @cached_property
    def _factors_of_counts(self) -> list[tuple[float, str]]:
        return [] if self.trace is None else factors_of_counts(self.trace)

    @cached_property
    def groups(self) -> list[Group]:
        """The groups of components that may be wrong by a slip in a step: all, and the wrong ones."""
        wrong = self.gap.wrong
        some = [] if wrong.all() or self.name else [(self.phrase(wrong), wrong)]
        return [("", np.ones(len(wrong), bool)), *some]

    @cached_property
    def search(self) -> MistakeSearch | None:
        """The search for a mistake in a step; of products and Hessians there is none."""
        return None if self.trace is None or self.name else MistakeSearch(self.trace, self.parts)

    def slips(self) -> Iterator[tuple[Any, Slip]]:
        """The slips that account for a group of components, with the mask of the group."""
        for block in self.blocks.values():
            wrong = np.isin(np.arange(len(self.labels)), block.places) & self.gap.wrong
            yield from ((wrong, slip) for slip in slips_of_block(block))
        yield from self.slips_of_steps()

    def slips_of_steps(self, wanted: Set[Key] | None = None) -> Iterator[tuple[Any, Slip]]:
        """The mistakes in steps that account for a group of components; only the `wanted` ones if given."""
        masks = dict(self.groups)
        if self.search is not None:
            yield from ((masks[slip.key[0]], slip) for slip in self.search.slips(self.gap, self.groups, wanted))

    def lines_of_the_wrong(self) -> list[int]:
        """The lines of the function whose steps pass something on to each wrong component and to no right one."""
        return [] if self.search is None or self.gap.wrong.all() else self.search.lines_to(self.gap.wrong)


@dataclass(frozen=True)
class WrongJacobian(WrongDerivative):
    """A wrong Jacobian. Mistakes in steps are sought in a sum of its rows with random weights.

    `weighted` makes the function of a weighted sum of the numbers of the result.
    """

    weighted: Callable[[Any], Callable[..., Any]] | None = None

    @cached_property
    def search(self) -> MistakeSearch | None:
        """The search in the recorded run of the weighted sum."""
        if self.trace is None or self.weighted is None:
            return None
        run = record_trace(self.weighted(self._weights), self.trace.arguments, names=True)
        return MistakeSearch(run, self.parts, first=len(self.trace.nodes))

    def slips_of_steps(self, wanted: Set[Key] | None = None) -> Iterator[tuple[Any, Slip]]:
        """The mistakes in steps that account for the weighted sum."""
        if self.search is not None:
            shape, groups = (len(self.row_names), -1), [("", np.ones(len(self.parts), bool))]
            candidate, reference = (self._weights @ x.reshape(shape) for x in (self.gap.candidate, self.gap.reference))
            slips = self.search.slips(Discrepancy(candidate, reference, self.gap.slack), groups, wanted)
            yield from ((np.ones(len(self.labels), bool), slip) for slip in slips)

    def lines_of_the_wrong(self) -> list[int]:
        """None: the weighted sum does not tell the rows apart."""
        return []

    @property
    def _weights(self) -> Any:
        return np.random.default_rng(0).uniform(0.5, 1.5, len(self.row_names))


def factors_of_counts(run: Trace) -> list[tuple[float, str]]:
    """Factors that are numbers of terms in the program's means, or 1 over the length of an array, with words.

    Means are integer divisors, and the sizes that `mean` averages over.
    """
    means: set[int] = set()
    for node in run.nodes:
        if node.rule is None:
            continue
        if node.rule.averages:
            means.add(int(np.size(node.operands[0]) // max(np.size(node.value), 1)))
        if node.rule.is_quotient and node.sources[1] == CONSTANT:
            divisor = node.operands[1]
            if np.ndim(divisor) == 0 and not np.iscomplexobj(divisor):
                means.add(int(divisor) if float(divisor).is_integer() else 0)
    factors: list[tuple[float, str]] = []
    for n in sorted(means - {0, 1, 2}):
        factors += [
            (n, f"is {n} times the derivative: the 1/{n} of the mean is missing"),
            (1 / n, f"is 1/{n} of the derivative: the 1/{n} of the mean appears twice"),
        ]
    words = "is 1/{0} of the derivative, where {0} is the length of an array of the program"
    return factors + [(1 / n, words.format(n)) for n in sorted(lengths_of_arrays(run) - means - {0, 1, 2})]


def at_second_point(
    point: Mapping[str, Any],
    here: WrongDerivative,
    derivative_at: Callable[[Mapping[str, Any]], WrongDerivative | None],
) -> WrongDerivative | None:
    """The derivative at a neighbouring point with the same steps as `here`, else at the nearest one that has any."""
    nearest = None
    for distance in ASIDE:
        try:
            there = derivative_at(_point_beside(point, distance))
        except program_errors():
            continue
        if there is not None and takes_same_steps(there, here):
            return there
        nearest = nearest or there
    return nearest


def takes_same_steps(there: WrongDerivative, here: WrongDerivative) -> bool:
    """Whether the program does the same operations in order."""
    first, second = ([node.operation for node in run.nodes] if run else [] for run in (there.trace, here.trace))
    return first == second


def _point_beside(point: Mapping[str, Any], distance: float) -> dict[str, Any]:
    """A point whose numbers are all larger in size by up to a relative distance."""
    generator = np.random.default_rng(0)

    def moved_leaf(leaf: Any) -> Any:
        size = np.maximum(np.abs(leaf), distance) * (1 + 1j if np.iscomplexobj(leaf) else 1)
        moved = leaf + distance * generator.uniform(0.3, 1.0, np.shape(leaf)) * size
        return moved.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(moved)

    return {name: map_leaves(moved_leaf, structure) for name, structure in point.items()}


def gradient_by_the_tape(run: Trace, parts: Sequence[Coordinate]) -> Any:
    """The derivatives of a recorded run by some numbers of its point."""
    sensitivities = run.sensitivities()
    leaves = [sensitivities[row] for row in run.input_indices()]
    return np.array([pick(leaves, part) for part in parts])


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


def matrix_at(case: MatrixCase, point: Mapping[str, Any]) -> WrongDerivative | None:
    """The matrix at a point; None where it is not finite."""
    inputs = list(point.values())
    candidate, reference = (
        np.ravel(compute(copied(inputs))).astype(float) for compute in (case.candidate, case.reference)
    )
    if candidate.shape != reference.shape or not np.isfinite([candidate, reference]).all():
        return None
    run = record_trace(case.function, tuple(copied(inputs)), names=True)
    parts, gap = coordinates(point, case.wanted), Discrepancy(candidate, reference)
    if case.of == "jacobian":
        return WrongJacobian(parts, run, gap, case.row_names, NAMES[case.of], case.weighted)
    return WrongDerivative(parts, run, gap, case.row_names, NAMES[case.of])
