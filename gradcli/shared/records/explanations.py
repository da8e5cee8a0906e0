"""Explanations: the sweeps over a tape statement by statement, the steps of a walk, and perturbations."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result, Structure
from gradcli.shared.records.tapes import TapeListing


class ArrayPart(Frozen):
    """The elements of an array's sensitivity that an addition changes.

    Args:
        symbol: the name of the whole sensitivity.
        shape: its shape.
        positions: the indices of the elements in row-major order, one for each element of the addition.
    """

    symbol: str
    shape: tuple[int, ...]
    positions: tuple[int, ...]


class Addition(Frozen, on_demand=("term",)):
    """One contribution of a statement to a sensitivity: `name += term` in the user's names, with the numbers.

    `node` is the index of the node whose sensitivity grows from `before` to `after`, by `amount`; `part` says which
    elements grow, if not all do.
    """

    node: int
    name: str
    term: str
    amount: Structure
    before: Structure
    after: Structure
    part: ArrayPart | None = None


class Scope(Frozen):
    """A call, a loop, or one iteration of a loop, with the statements inside it.

    Args:
        kind: "call", "loop" or "iteration".
        file, line, source: the statement of the call, or the head of the loop.
        name: the function that is called; empty for loops.
        number, of: the number of the call or iteration, counted from 1, and the count of them; for a loop, `of` is its
        number of iterations.
        parent: the index of the enclosing scope; None at the top level.
        arguments: the arguments by the names of the parameters; only recorded quantities and plain numbers.
        result: the name that the returned value has in the caller.
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


class OutcomeRemark(Frozen, on_demand=("text",)):
    """A decision of the program, such as a branch: `x > 1 is true`; `before` is the index of the next node."""

    text: str
    before: int
    file: str | None
    line: int | None
    source: str | None
    within: int | None = None


class Statement(Frozen, on_demand=("expression", "additions")):
    """One of the user's statements in a sweep.

    In a reverse sweep its sensitivity is complete when the sweep reaches it. `symbol` is the name of that sensitivity
    in the terms, such as `s_b`; in a forward sweep, the name of the tangent, `d_b`. `within` is the index of the
    innermost enclosing scope; None at the top level.
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
    """The result of `gradcli explain`: the reverse sweep, last statement first, and the gradient that results.

    `operands` has the value of every name in the terms and expressions. `scopes` are the loops and calls that contain
    the statements; `remarks` are the program's decisions. With `of`, the name of a quantity, the record contains only
    the contributions to the sensitivity to that quantity, and `gradient` holds only that sensitivity; `of_within` is
    the index of the innermost scope that made the quantity.
    """

    command = "explain"
    finite = ("value", "gradient")
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
    remarks: tuple[OutcomeRemark, ...] = ()
    of_within: int | None = None


class SweepStep(Frozen):
    """One node's step in the reverse sweep, with its contributions to the sensitivities to its operands."""

    node: int
    additions: tuple[Addition, ...]


class Steps(Frozen):
    """The data of `gradcli step`: the tape, and the reverse sweep node by node.

    `operands` has the value of every name in the terms.
    """

    tape: TapeListing
    moves: tuple[SweepStep, ...]
    operands: ByName


class ForwardSweep(Result):
    """The result of `gradcli explain --forward`: the statements in order, each adding to its own tangent.

    `along` is the rate of change of each input, and `derivative` that of the result. `operands` has the value of every
    name in the terms and expressions.
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
    remarks: tuple[OutcomeRemark, ...] = ()


class CentralDifference(Frozen):
    """The results when a quantity is decreased and increased by `step`, and the slope between them.

    The results are None if the program would take another path.
    """

    step: float
    less: float | None
    more: float | None
    slope: float | None


class Perturbation(Result):
    """The result of `gradcli explain --perturb`: the sensitivity to a quantity, and slopes by perturbing it.

    The elements of an array are moved together, and `sensitivity` is the sum of theirs.
    """

    command = "explain"

    target: str
    point: ByName
    value: Structure
    name: str
    at: Structure
    sensitivity: float
    pushes: tuple[CentralDifference, ...]
    file: str | None = None
    line: int | None = None
    source: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
