"""A wrong gradient or matrix at one point, and the slips that account for its numbers or for a part of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradcli.checks.culprit.error_patterns import slips
from gradcli.checks.culprit.mistaken_steps import MistakeSearch
from gradcli.checks.culprit.wrong_components import Block, Discrepancy, Key, Slip, derivatives
from gradcli.numerics.coordinates import Coordinate
from gradcli.traces.trace import Trace

IN_SOME = 3  # added to the implausibility of a slip in a step that was made in some derivatives only


class ComponentGroup(NamedTuple):
    """Some components that a slip accounts for: words for them, and a mask."""

    words: str
    mask: Any


Proof = tuple[ComponentGroup, Slip]


@dataclass(frozen=True)
class WrongGradient:
    """A wrong gradient at one point.

    Attributes:
        parts: the numbers of the point that it differentiates by.
        trace: the recorded run with the user's names and lines, or None.
        gap: the gradient's components and the right ones.
    """

    parts: list[Coordinate]
    trace: Trace | None
    gap: Discrepancy

    @property
    def labels(self) -> list[str]:
        """The names of the components."""
        return [part.name for part in self.parts]

    @cached_property
    def groups(self) -> dict[Key, ComponentGroup]:
        """All components, and the wrong ones: a slip accounts for either."""
        wrong, everything = self.gap.wrong, np.ones(len(self.parts), bool)
        groups: dict[Key, ComponentGroup] = {(): ComponentGroup("", everything)}
        if not wrong.all():
            groups["wrong",] = ComponentGroup(self._derivatives(wrong), wrong)
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
        blocks = {}
        leaves = np.array([part.leaf for part in self.parts])
        for leaf in sorted(set(leaves)):
            places = np.flatnonzero(leaves == leaf)
            labels = [self.parts[n].name for n in places]
            whole = labels[0].removesuffix(f".{self.parts[places[0]].half}")
            name = whole.split("[")[0] if len(labels) > 1 else labels[0]
            shape = (len(places),) if self.parts[places[0]].half else shapes.get(leaf, (len(places),))
            words = f"the gradient by {name}"
            blocks[words] = replace(self._block(words, places, shape), variable=name)
        if len(blocks) > 1:
            everything = np.arange(len(self.parts))
            blocks["the gradient"] = self._block("the gradient", everything, (len(everything),))
        return blocks

    def _block(self, words: str, places: Any, shape: tuple[int, ...]) -> Block:
        parts = [self.parts[n] for n in places]
        point = np.array([part.value for part in parts])
        return Block(words, [part.name for part in parts], shape, self.gap.at(places), point)

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
        if not zero:
            yield from self.slips_of_steps(self.groups)

    def slips_of_steps(self, groups: Mapping[Key, ComponentGroup], wanted: Set[Key] | None = None) -> Iterator[Proof]:
        """The mistakes in single steps that account for a group of components; only the `wanted` ones if given."""
        if self.trace is None:
            return
        gaps = {key: replace(self.gap, counted=group.mask) for key, group in groups.items()}
        for slip in MistakeSearch(self.trace, self.parts, gaps, wanted):
            group = groups[slip.key[0]]
            text, order = f"in {group.words}, {slip.text}", slip.order + IN_SOME
            yield group, replace(slip, text=text, order=order) if group.words else slip
