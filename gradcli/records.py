"""The frozen records that cross from computing to presenting, and their JSON form.

A record holds plain Python only: numbers, strings, lists, dictionaries.  A *structure* below is a number or a nested
list of numbers; `by name` means a dictionary from the name of an input to its structure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal

from gradcli.errors import Exit, GradcliError
from gradcli.frozen import Frozen

SCHEMA = "gradcli/1"

Structure = Any
ByName = Mapping[str, Structure]


class Verdict(Enum):
    """What is said of one component of a gradient; the order is the order in which rows are shown, worst first."""

    FAIL = "FAIL"
    NONFINITE = "NONFINITE"
    JUMP = "JUMP"
    ROUNDOFF = "ROUNDOFF"
    NOISY = "NOISY"
    VACUOUS = "VACUOUS"
    KINK = "KINK"
    CUT = "CUT"
    PASS = "PASS"
    SKIPPED = "SKIPPED"


Overall = Literal["pass", "fail", "nonfinite", "unchecked", "inconclusive"]

OVERALL_EXITS: dict[str, Exit] = {
    "pass": Exit.PASS,
    "fail": Exit.FAIL,
    "nonfinite": Exit.NOT_FINITE,
    "unchecked": Exit.UNCHECKED,
    "inconclusive": Exit.INCONCLUSIVE,
}


class Finding(Frozen):
    """Something worth knowing, under a stable code of the catalogue."""

    code: str
    severity: Literal["note", "warning", "error"]
    message: str
    file: str | None = None
    line: int | None = None
    node: int | None = None
    numbers: Mapping[str, float] = MappingProxyType({})


class Gradient(Frozen):
    """The result of `gradcli grad`: a value and the derivative by each input."""

    target: str
    point: ByName
    value: float
    gradient: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Jacobian(Frozen):
    """The result of `gradcli jacobian`: `jacobian[name]` has the shape of the value, then that of the input."""

    target: str
    point: ByName
    value: Structure
    jacobian: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Hessian(Frozen):
    """The result of `gradcli hessian`: `hessian[a][b]` has the shape of `a` followed by that of `b`.

    `a` and `b` are the inputs, or where an input is a structure the numbers and arrays in it, such as `params.w`.
    """

    target: str
    point: ByName
    value: float
    gradient: ByName
    hessian: Mapping[str, ByName]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


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


class TapeListing(Frozen):
    """The result of `gradcli tape`: every node with its sensitivity, and every outcome.

    `result` is the index of the node that is the result; None where that is constant.
    """

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


class Statement(Frozen):
    """One statement of the user's in the reverse sweep; its own sensitivity is complete when its turn comes."""

    index: int
    name: str
    expression: str
    value: Structure
    sensitivity: Structure
    file: str | None
    line: int | None
    source: str | None
    additions: tuple[Addition, ...]


class Explanation(Frozen):
    """The result of `gradcli explain`: the reverse sweep, the last statement first, and the gradient it ends with.

    With `of`, the name of a quantity, only what the sensitivity on it comes from; `gradient` then holds that one.
    """

    target: str
    point: ByName
    value: Structure
    statements: tuple[Statement, ...]
    gradient: ByName
    of: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Move(Frozen):
    """One node's turn in the reverse sweep: what it adds to whom, and the sensitivities of those after it."""

    node: int
    additions: tuple[Addition, ...]
    after: tuple[tuple[int, Structure], ...]


class Steps(Frozen):
    """What `gradcli step` walks through: the tape, and the moves of the reverse sweep node by node."""

    tape: TapeListing
    moves: tuple[Move, ...]


class ForwardSweep(Frozen):
    """The result of `gradcli explain --forward`: the statements in order, each adding to its own tangent.

    `along` is how fast each input moves, and `derivative` how fast the result does.
    """

    target: str
    point: ByName
    value: Structure
    along: ByName
    statements: tuple[Statement, ...]
    derivative: float
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Push(Frozen):
    """The result when a quantity is `step` less and `step` more than it was, and the slope that follows.

    The results are None where the program would go another way.
    """

    step: float
    less: float | None
    more: float | None
    slope: float | None


class Perturbation(Frozen):
    """The result of `gradcli explain --perturb`: what the sensitivity on a quantity says, beside what trying says.

    Of an array all numbers are moved together, and `sensitivity` is the sum of theirs.
    """

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


class Known(Frozen):
    """A number that a program computed, a bound of its rounding error, and how many of its digits are good."""

    name: str
    value: float
    error: float
    digits: float


class Loss(Frozen):
    """A node that costs digits.

    `lost` is how many digits its result has less than its arguments; `of_value` and `of_gradient` are the parts that
    its own rounding has in the error of the value, and of the derivative that is known worst.
    """

    index: int
    name: str | None
    operation: str
    expression: str
    value: Structure
    lost: float
    of_value: float
    of_gradient: float
    rewrite: str | None = None
    file: str | None = None
    line: int | None = None
    source: str | None = None


class Precision(Frozen):
    """The result of `gradcli precision`: how many digits are good, and the nodes that cost the others, costliest first.

    `worst` names the derivative that has the fewest good digits.
    """

    target: str
    point: ByName
    value: Known
    gradient: tuple[Known, ...]
    worst: str | None
    nodes: tuple[Loss, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class ClosedForm(Frozen):
    """The result of `gradcli symbolic`: the value and each partial derivative, in the formula language and LaTeX."""

    target: str
    inputs: tuple[str, ...]
    value: str
    gradient: Mapping[str, str]
    latex: Mapping[str, str]
    note: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Component(Frozen):
    """One row of a comparison: one number of the gradient under test beside what the independent methods say.

    A method that withdrew is None.  `exact` is the symbolic derivative to 20 digits.  `tolerance` is absolute.
    """

    name: str
    verdict: Verdict
    candidate: float | None
    reference: float | None
    reverse: float | None
    symbolic: float | None
    differences: float | None
    differences_error: float | None
    tolerance: float | None
    reason: str
    exact: str | None = None


class Comparison(Frozen):
    """The result of `gradcli check`: one component a row, worst first, and the overall verdict.

    `stopped` says why not all was asked: "out of time" or "interrupted".
    """

    target: str
    against: str | None
    point: ByName
    value: float
    verdict: Overall
    components: tuple[Component, ...]
    notes: tuple[str, ...] = ()
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    stopped: str | None = None

    @property
    def exit(self) -> Exit:
        """The exit code that the overall verdict stands for, or the interruption."""
        return Exit.INTERRUPTED if self.stopped == "interrupted" else OVERALL_EXITS[self.verdict]


class Mutant(Frozen):
    """A rule made wrong: by which argument, how, the wrong text or the program, and what became of it."""

    rule: str
    argument: str
    mutation: str
    text: str
    outcome: Literal["caught", "equivalent", "missed"]
    point: str | None


class SelfTest(Frozen):
    """The result of `gradcli check --selftest`; `unexercised` names the array rules that no program of it uses."""

    mutants: tuple[Mutant, ...]
    unexercised: tuple[str, ...]
    seconds: float
    findings: tuple[Finding, ...] = ()

    @property
    def missed(self) -> tuple[Mutant, ...]:
        """The mutants that were not found to be wrong."""
        return tuple(mutant for mutant in self.mutants if mutant.outcome == "missed")

    @property
    def exit(self) -> Exit:
        """Whether the check can be believed."""
        return Exit.FAIL if self.missed else Exit.PASS


class Series(Frozen):
    """The numbers of one curve: `y` over `x`, nan where there is no value."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


class Plot(Frozen):
    """The result of `gradcli plot`: curves over a number of the point, or over the step of finite differences.

    `marked` is the place of interest: the number itself, or the chosen step.  `logarithmic` scales are so both ways.
    """

    target: str
    point: ByName
    along: str
    series: tuple[Series, ...]
    marked: float | None
    logarithmic: bool = False
    across: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Bars(Frozen):
    """The result of `gradcli plot --bars`: the sensitivity of the result on each named number."""

    target: str
    point: ByName
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Environment(Frozen):
    """The result of `gradcli env`: versions by library (None: not installed), devices, what stdout can show, files."""

    python: str
    executable: str
    system: str
    versions: Mapping[str, str | None]
    devices: tuple[str, ...]
    terminal: Mapping[str, Any] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})
    findings: tuple[Finding, ...] = ()


COMMANDS: dict[type, str] = {
    Gradient: "grad",
    Jacobian: "jacobian",
    Hessian: "hessian",
    TapeListing: "tape",
    ClosedForm: "symbolic",
    Precision: "precision",
    Explanation: "explain",
    ForwardSweep: "explain",
    Perturbation: "explain",
    Comparison: "check",
    SelfTest: "check",
    Environment: "env",
    Plot: "plot",
    Bars: "plot",
}


def plain(value: Any) -> Any:
    """`value` as strict JSON data: non-finite numbers become the strings NaN, Infinity and -Infinity."""
    if isinstance(value, bool) or value is None or (isinstance(value, (str, int)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, complex):
        return {"re": plain(value.real), "im": plain(value.imag)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Frozen):
        return {name: plain(item) for name, item in value.items()}
    raise TypeError(f"{type(value).__name__} has no JSON form")


def mirror(by_name: ByName) -> Any:
    """The structure of the point: alone for one input, an object by name for several."""
    return next(iter(by_name.values())) if len(by_name) == 1 else dict(by_name)


def as_json(record: Any) -> dict[str, Any]:
    """The JSON object of a record, as the design fixes it: schema and command first, findings last."""
    body = plain(record)
    if isinstance(record, Hessian):
        body["hessian"] = {name: mirror(by_name) for name, by_name in body["hessian"].items()}
    for name in ("gradient", "jacobian", "hessian"):
        if isinstance(record, (Gradient, Jacobian, Hessian, Explanation)) and name in body:
            body[name] = mirror(body[name])
    findings = body.pop("findings", [])
    return {"schema": SCHEMA, "command": COMMANDS[type(record)], **body, "findings": findings}


def error_as_json(error: GradcliError) -> dict[str, Any]:
    """The JSON object of an error, as it is written to stderr under `--json`."""
    return {
        "schema": SCHEMA,
        "error": {
            "exit": int(error.exit),
            "code": error.code,
            "kind": error.kind,
            "message": error.message,
            "hint": error.hint,
            "file": error.file,
            "line": error.line,
        },
    }
