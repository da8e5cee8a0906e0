"""A tape as it is listed, and the sweeps over it as they are explained."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradcli.errors import Exit
from gradcli.record_base import Frozen
from gradcli.records.base import ByName, Finding, Result, Structure, if_finite


class Node(Frozen):
    """One entry of a tape: what was computed, from which nodes, and the sensitivity of the result on it."""

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
    """A recorded value turned into a plain fact: `operation` on `operands` gave `outcome` before node `before`."""

    operation: str
    operands: tuple[Structure, ...]
    outcome: Structure
    before: int
    file: str | None = None
    line: int | None = None


class TapeListing(Result):
    """The result of `gradcli tape`: every node with its sensitivity, and every outcome.

    `result` is the index of the node that is the result; None where that is constant.
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


class Addition(Frozen):
    """What a statement adds to one sensitivity: `name += term` in the user's names, and the same as numbers.

    `node` is the index of the node whose sensitivity grows, from `before` to `after`, by `amount`.
    """

    node: int
    name: str
    term: str
    amount: Structure
    before: Structure
    after: Structure


class Scope(Frozen):
    """A call, a loop, or one iteration of a loop, which holds statements.

    Args:
        kind: "call", "loop" or "iteration".
        file, line, source: the statement that calls, or the head of the loop.
        name: the function that is called; empty for loops.
        number, of: which call of the function, or which iteration, counted from 1, and how many there are; of a loop
            `of` is how many iterations it has.
        parent: the index of the scope around it; None in what was run.
        arguments: what the parameters stand for, by name; only of quantities and plain numbers.
        result: what the value that the call returned is called.
    """

    kind: str
    file: str | None
    line: int | None
    source: str | None
    name: str = ""
    number: int = 0
    of: int = 0
    parent: int | None = None
    arguments: Mapping[str, str] = MappingProxyType({})
    result: str | None = None


class Remark(Frozen):
    """What a statement was told or chose, such as a branch: `x > 1 is true`; `before` is the index of the next node."""

    text: str
    before: int
    file: str | None
    line: int | None
    source: str | None
    within: int | None = None


class Statement(Frozen):
    """One statement of the user's in the reverse sweep; its own sensitivity is complete when its turn comes.

    `symbol` is what that is called in the terms, such as `s_b`; in a forward sweep what the tangent is called, `d_b`.
    `within` is the index of the innermost scope that holds it; None in what was run.
    """

    index: int
    name: str
    symbol: str
    expression: str
    value: Structure
    sensitivity: Structure
    file: str | None
    line: int | None
    source: str | None
    additions: tuple[Addition, ...]
    within: int | None = None


class Explanation(Result):
    """The result of `gradcli explain`: the reverse sweep, the last statement first, and the gradient it ends with.

    `operands` has what every name in the terms and in the expressions stands for.
    `scopes` are the loops and calls that hold the statements, and `remarks` what the program was told on its way.
    With `of`, the name of a quantity, only what the sensitivity on it comes from; `gradient` then holds that one.
    """

    command = "explain"
    mirrored = MappingProxyType({"gradient": 1})

    target: str
    point: ByName
    value: Structure
    statements: tuple[Statement, ...]
    gradient: ByName
    operands: ByName
    of: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    scopes: tuple[Scope, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def exit(self) -> Exit:
        """Whether the numbers are finite."""
        return if_finite(self.value, self.gradient)


class Move(Frozen):
    """One node's turn in the reverse sweep: what it adds to whom, and the sensitivities of those after it."""

    node: int
    additions: tuple[Addition, ...]
    after: tuple[tuple[int, Structure], ...]


class Steps(Frozen):
    """What `gradcli step` walks through: the tape, and the moves of the reverse sweep node by node.

    `operands` has what every name in the terms stands for.
    """

    tape: TapeListing
    moves: tuple[Move, ...]
    operands: ByName


class ForwardSweep(Result):
    """The result of `gradcli explain --forward`: the statements in order, each adding to its own tangent.

    `along` is how fast each input moves, and `derivative` how fast the result does; `operands` has what every name in
    the terms and in the expressions stands for.
    """

    command = "explain"

    target: str
    point: ByName
    value: Structure
    along: ByName
    statements: tuple[Statement, ...]
    derivative: float
    operands: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    scopes: tuple[Scope, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Push(Frozen):
    """The result when a quantity is `step` less and `step` more than it was, and the slope that follows.

    The results are None where the program would go another way.
    """

    step: float
    less: float | None
    more: float | None
    slope: float | None


class Perturbation(Result):
    """The result of `gradcli explain --perturb`: what the sensitivity on a quantity says, beside what trying says.

    Of an array all numbers are moved together, and `sensitivity` is the sum of theirs.
    """

    command = "explain"

    target: str
    point: ByName
    value: Structure
    name: str
    at: Structure
    sensitivity: float
    pushes: tuple[Push, ...]
    file: str | None = None
    line: int | None = None
    source: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
