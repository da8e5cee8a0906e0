"""Listings of a tape: its nodes and outcomes."""

from __future__ import annotations

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result, Structure, if_finite


class Node(Frozen):
    """One entry of a tape: an operation, its input nodes, its value, and the sensitivity of the result to it."""

    index: int
    name: str | None
    operation: str
    inputs: tuple[int, ...]
    value: Structure
    sensitivity: Structure
    file: str | None = None
    line: int | None = None
    source: str | None = None
    expression: str | None = None


class Outcome(Frozen):
    """A recorded value converted to a plain one: `operation` on `operands` gave `outcome` before node `before`.

    `expression` is the question in the names of the program, such as `x > 0`.
    """

    operation: str
    operands: tuple[Structure, ...]
    outcome: Structure
    before: int
    file: str | None = None
    line: int | None = None
    expression: str | None = None


class TapeListing(Result):
    """The result of `gradcli tape`: every node with its sensitivity, and every outcome.

    `result` is the index of the result's node, or None if the result is constant.
    """

    command = "tape"

    target: str
    point: ByName
    value: Structure
    nodes: tuple[Node, ...]
    outcomes: tuple[Outcome, ...] = ()
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    result: int | None = None

    @property
    def exit(self) -> Exit:
        """The exit code: it says whether the value and the sensitivities to the inputs are finite."""
        return if_finite(self.value, *(node.sensitivity for node in self.nodes if node.operation == "input"))
