"""A wrong gradient or matrix at one point, and the slips that account for its numbers or for a part of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.culprit.error_patterns import groups_of_factors, slips
from gradcli.answers.checks.culprit.mistaken_gradients import lengths_of_arrays
from gradcli.answers.checks.culprit.mistaken_steps import MistakeSearch
from gradcli.answers.checks.culprit.wrong_components import Block, Discrepancy, Key, Slip, derivatives
from gradcli.engine.traces.node import CONSTANT
from gradcli.engine.traces.trace import Trace
from gradcli.methods.numerics.coordinates import Coordinate

IN_SOME = 3  # added to the implausibility of a slip in a step that was made in some derivatives only
MOST_SINGLE = 8  # most wrong components that are explained one by one


class ComponentGroup(NamedTuple):
    """Some components that a slip accounts for: words for them, and a mask."""

    words: str
    mask: Any


Proof = tuple[ComponentGroup, Slip]


@dataclass(frozen=True)
class WrongDerivative:
    """A wrong gradient or matrix at one point, and the slips that account for it.

    Attributes:
        parts: the numbers of the point that it differentiates by.
        trace: the recorded run with the user's names and lines; None if it cannot be followed.
        gap: its components and the right ones, of a matrix row by row.
    """

    parts: list[Coordinate]
    trace: Trace | None
    gap: Discrepancy

    @property
    def noun(self) -> str:
        """What a component is."""
        return "derivative"

    @property
    def labels(self) -> list[str]:
        """The names of the components."""
        return [part.name for part in self.parts]

    @cached_property
    def groups(self) -> dict[Key, ComponentGroup]:
        """The groups of components that may be wrong by a slip of their own; the first holds all."""
        return {(): ComponentGroup("", np.ones(len(self.gap.reference), bool))}

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """The components as blocks, by the words for them."""
        raise NotImplementedError

    def lines_of_the_wrong(self) -> list[int]:
        """The lines of the function whose steps pass something on to each wrong component and to no right one."""
        return []

    def slips_of_steps(self, groups: Mapping[Key, ComponentGroup], wanted: Set[Key] | None = None) -> Iterator[Proof]:
        """The mistakes in single steps that account for a group of components; only the `wanted` ones if given."""
        raise NotImplementedError


@dataclass(frozen=True)
class WrongGradient(WrongDerivative):
    """A wrong gradient at one point; `value` is that of the function."""

    value: float

    @cached_property
    def groups(self) -> dict[Key, ComponentGroup]:
        """The groups of components that may be wrong by a slip of their own; the first holds all."""
        wrong, everything = self.gap.wrong, np.ones(len(self.parts), bool)
        groups: dict[Key, ComponentGroup] = {(): ComponentGroup("", everything)}
        if not wrong.all():
            groups["wrong",] = ComponentGroup(self._derivatives(wrong), wrong)
        leaves = np.array([part.leaf for part in self.parts])
        masks = [leaves == leaf for leaf in sorted(set(leaves[wrong]))]
        if len(masks) > 1:
            groups |= {
                ("input", n): ComponentGroup(self._derivatives(wrong & mask), wrong & mask)
                for n, mask in enumerate(masks)
            }
        places = np.flatnonzero(wrong)
        if 1 < len(places) <= MOST_SINGLE:
            single = (np.arange(len(wrong)) == place for place in places)
            groups |= {("one", n): ComponentGroup(self._derivatives(mask), mask) for n, mask in enumerate(single)}
        return groups

    def _derivatives(self, mask: Any) -> str:
        """Words for some derivatives: by name, or as the gradient by one input if that has several."""
        leaves = np.array([part.leaf for part in self.parts])
        places = np.flatnonzero(mask)
        if len(places) > 1 and np.array_equal(places, np.flatnonzero(leaves == leaves[places[0]])):
            return f"the gradient by {self.labels[places[0]].split('[')[0]}"
        return derivatives([self.labels[place] for place in places])

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """The components by input, and all of them, by the words for them."""
        run = self.trace
        shapes = (
            {} if run is None else {leaf: np.shape(run.nodes[at].value) for leaf, at in enumerate(run.input_indices())}
        )
        factors = () if run is None else factors_of_counts(run)
        blocks = {}
        leaves = np.array([part.leaf for part in self.parts])
        for leaf in sorted(set(leaves)):
            places = np.flatnonzero(leaves == leaf)
            labels = [self.parts[n].name for n in places]
            whole = labels[0].removesuffix(f".{self.parts[places[0]].half}")
            name = whole.split("[")[0] if len(labels) > 1 else labels[0]
            shape = (len(places),) if self.parts[places[0]].half else shapes.get(leaf, (len(places),))
            words = f"the gradient by {name}"
            blocks[words] = replace(self._block(words, places, shape), variable=name, factors=factors)
        if len(blocks) > 1:
            everything = np.arange(len(self.parts))
            blocks["the gradient"] = replace(
                self._block("the gradient", everything, (len(everything),)), factors=factors
            )
        return blocks

    def _block(self, words: str, places: Any, shape: tuple[int, ...]) -> Block:
        parts = [self.parts[n] for n in places]
        point = np.array([part.value for part in parts])
        return Block(words, [part.name for part in parts], shape, self.gap.at(places), point, self.value)

    def slips(self) -> Iterator[Proof]:
        """The slips that account for a group of components, with the group."""
        wrong = self.gap.wrong
        leaves = np.array([part.leaf for part in self.parts])
        zero = False
        for words, block in self.blocks.items():
            inside = np.ones(len(wrong), bool)
            if block.variable:
                inside = leaves == leaves[self.labels.index(block.labels[0])]
            for slip in slips(block):
                zero |= slip.text.endswith("is 0 throughout") and bool(inside[wrong].all())
                yield ComponentGroup(words, inside & wrong), slip
            for mask, slip in groups_of_factors(block):
                covered = np.zeros(len(wrong), bool)
                covered[np.flatnonzero(inside)[mask]] = True
                yield ComponentGroup(words, covered), slip
        if not zero:
            yield from self.slips_of_steps(self.groups)

    def lines_of_the_wrong(self) -> list[int]:
        """The lines of the function whose steps pass something on to each wrong component and to no right one."""
        if self.trace is None or self.gap.wrong.all():
            return []
        return MistakeSearch(self.trace, self.parts, {}).lines_to(self.gap.wrong)

    def slips_of_steps(self, groups: Mapping[Key, ComponentGroup], wanted: Set[Key] | None = None) -> Iterator[Proof]:
        """The mistakes in single steps that account for a group of components; only the `wanted` ones if given."""
        if self.trace is None:
            return
        gaps = {key: replace(self.gap, counted=group.mask) for key, group in groups.items()}
        for slip in MistakeSearch(self.trace, self.parts, gaps, wanted):
            group = groups[slip.key[0]]
            text, order = f"in {group.words}, {slip.text}", slip.order + IN_SOME
            yield group, replace(slip, text=text, order=order) if group.words else slip


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
