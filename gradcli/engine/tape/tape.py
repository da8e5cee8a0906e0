"""The tape: an append-only list of rows in execution order, and the outcomes on which the program's path depends.

A row is a plain tuple `(operation, value, index, operand, index, operand, …)`: the operation, which refers to its rule,
the result, and for each argument the index of its row (-1 for a constant) and its value. Rows hold no handles, so a
tape has no reference cycle and its memory is freed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Never, Protocol

from gradcli.errors import ForeignTapeError
from gradcli.mathematics.rules.rule_types import Rule
from gradcli.run_stack import stack
from gradcli.shared.frozen_record import Frozen

if TYPE_CHECKING:
    from gradcli.engine.tape.number_texts import Texts
    from gradcli.engine.tape.solver_notes import Jump, SolvedEquation

    class Recomputed(Protocol):
        """The outcomes that a replay recomputes, as `DataOutcomes` keeps them."""

        steps: list[DataStep]
        known: set[int]
        covered: set[int]
        solutions: list[tuple[int, int]]
        masked: set[int]

        def asked(self, tape: Tape, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any: ...
        def step(self, tape: Tape, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any: ...
        def require(self, tape: Tape, name: str, function: Callable[..., Any], *arguments: Any) -> None: ...
        def key_for_row(self, tape: Tape, key: Any) -> Any: ...
        def read(self, tape: Tape, key: Any) -> None: ...
        def tell_shape(self, x: Any) -> None: ...
        def number(self, value: Any) -> int | None: ...

    class RunNotes(Protocol):
        """What recording and sweeps note on a run and ask of it; see `running.run_record`, which implements it."""

        data: Recomputed | None
        doubted: bool
        gradients: int
        jumps: tuple[Jump, ...]
        exported: tuple[Any, ...]
        locked: list[tuple[Any, Any, bytes]]
        lost: BaseException | None
        raised: tuple[str, str | None, int | None] | None
        recorded_sweeps: list[RecordedSweep]
        singular: bool
        solved_equations: tuple[SolvedEquation, ...]
        texts: Texts | None
        written: bool
        written_arrays: Any

        def text(self, write: Callable[..., Any], values: tuple[Any, ...]) -> Any: ...
        def call(self, function: Callable[..., Any], arguments: tuple[Any, ...], tape: Tape) -> Any: ...
        def array_namespace(self) -> Any: ...
        def array_to_write(self, tape: Tape, array: Any, operation: Any) -> Any: ...


Row = tuple[Any, ...]

CONSTANT = -1


class RowOperation:
    """A rule with a fixed choice of recorded arguments: the operation of a row.

    `pull(ct, cts, row)` adds the cotangents of the row's arguments to `cts`. `safe_pull` does the same by IEEE 754, for
    rows where Python's arithmetic raises. `pull_large(ct, cts, row, is_own)` does the same for a cotangent of more than
    `large` elements: it overwrites temporary arrays and, if `is_own`, the cotangent. It is None if there is nothing to
    overwrite.
    `push(moved, row)` is the tangent of the row, from the tangents `moved` of all rows before it.
    `slopes` are the partials of an elementwise rule at rows like these. `release(row, rows)` is the row without the
    large arrays that `pull` does not read, set on first use. `inner` is True for rows between an input and
    the result, whose cotangents nobody asks for.
    """

    __slots__ = (
        "arrays", "inner", "large", "pull", "pull_large", "push", "recorded", "release", "rule", "safe_pull", "slopes",
        "static",
    )  # fmt: skip

    def __init__(
        self,
        rule: Rule | None,
        recorded: tuple[int, ...],
        pull: Callable[[Any, list[Any], Row], None],
        safe_pull: Callable[[Any, list[Any], Row], None] | None = None,
        static: Mapping[str, Any] | None = None,
        arrays: bool = False,
    ) -> None:
        self.rule = rule
        self.slopes: Any = None
        self.recorded = recorded
        self.inner = rule is not None and bool(recorded)
        self.pull = pull
        self.safe_pull = safe_pull or pull
        self.pull_large: Callable[[Any, list[Any], Row, bool], None] | None = None
        self.push: Callable[[Any, Row], Any] = _push_nothing
        self.large = 0
        self.static = static or {}
        self.arrays = arrays
        self.release: Callable[[Row, list[Row]], Row] | None = None

    @property
    def partials(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials of an elementwise rule by each argument, for rows like these."""
        return self.slopes.on_arrays if self.arrays else self.slopes.on_numbers  # type: ignore[no-any-return]

    @property
    def products(self) -> tuple[Callable[..., Any] | None, ...]:
        """The same partials multiplied by a factor, which is their first argument."""
        return self.slopes.array_products if self.arrays else self.slopes.number_products  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The name of the rule; for rows without a rule, their kind."""
        return NAMES[self] if self.rule is None else self.rule.name


def _pull_nothing(ct: Any, cts: list[Any], row: Row) -> None:
    """Do nothing: the row has no arguments."""


def _push_nothing(moved: Any, row: Row) -> int:
    """The tangent of a row that has no arguments: the int 0, which says that it does not move."""
    return 0


def _push_alias(moved: Any, row: Row) -> Any:
    """The tangent of an alias."""
    return moved[row[2]]


def _pull_alias(ct: Any, cts: list[Any], row: Row) -> None:
    """Pass the cotangent of an alias on. Not in place, as another row may share the array."""
    cts[row[2]] = cts[row[2]] + ct


INPUT = RowOperation(None, (), _pull_nothing)
ARRAY_CONSTANT = RowOperation(None, (), _pull_nothing)
ALIAS = RowOperation(None, (0,), _pull_alias)
ALIAS.push = _push_alias
NAMES: dict[RowOperation, str] = {INPUT: "input", ARRAY_CONSTANT: "constant", ALIAS: "alias"}


TEXT = "text"  # the name of the outcome of a number written as text
STOP_GRADIENT = "stop_gradient"  # the name of the outcome after which a number is constant

# An outcome: (number of rows before it, name, function, indices, operands, result).
OutcomeRow = tuple[int, str, Callable[..., Any], tuple[int, ...], tuple[Any, ...], Any]


class RecordedSweep(Frozen, eq=False):
    """A reverse sweep that a transform inside another one recorded.

    Attributes:
        last: the row from which it started.
        first: the first row that it swept.
        seed: the row of the cotangent of row `last`, or CONSTANT, and its value.
        rows: the rows that it appended.
        outcomes: the outcomes that it appended.
        passed: the row of the cotangent of each input and alias; None if it swept another tape.
    """

    last: int
    first: int
    seed: tuple[int, Any]
    rows: range
    outcomes: range
    passed: dict[int, int] | None


class DataHandle:
    """The base class of the handles of data outcomes, by which they are known before their module is imported."""

    __slots__ = ()


def step_source(number: int) -> int:
    """The number by which operands refer to the value of a data step, below those of rows and CONSTANT; its inverse."""
    return -2 - number


class DataStep(Frozen, eq=False):
    """One outcome that a replay recomputes.

    Attributes:
        before: the number of rows recorded before it.
        after: the number of outcomes recorded before it.
        name: the name of the operation.
        function: computes the value from the operands.
        sources: for each operand the index of its row, CONSTANT, or `step_source(n)` for the value of step `n`.
        operands: the values of the operands.
        value: the result.
    """

    before: int
    after: int
    name: str
    function: Callable[..., Any]
    sources: tuple[int, ...]
    operands: tuple[Any, ...]
    value: Any


def raise_finished() -> Never:
    """Raise the error for a value whose run is over."""
    raise ForeignTapeError(
        "a recorded value is used after its gradient was computed",
        hint="Do not keep values from inside a differentiated function; return what you need.",
    )


class Closed(list[Any]):
    """The rows or outcomes of a tape whose run is over. Nothing can be appended."""

    def append(self, item: Any) -> Never:
        raise_finished()


def foreign(*_: Any) -> Never:
    """Raise the error for an operation on recorded values of different gradients."""
    raise ForeignTapeError(
        "a recorded value of one gradient met a recorded value of another",
        hint="Do not keep values from inside a differentiated function; pass plain numbers, or return what you need.",
    )


_NOTHING: Any = Closed()


class Tape:
    """The record of what a run computed. What else happened in the run is noted on its `run`.

    Attributes:
        run: the notes on the run.
        rows: the rows, in execution order.
        entered: a number of inputs that the rows begin with, which a sweep leaves out.
        outcomes: the outcomes, in execution order.
        has_arrays: whether any row holds a NumPy value, so that a sweep must suppress NumPy's warnings.
        has_complex: whether any row holds complex numbers, for which some rules are replaced by others.
        releases: whether large arrays that no pullback reads are released, as in `grad`.
    """

    __slots__ = ("entered", "has_arrays", "has_complex", "outcomes", "releases", "rows", "run")

    def __init__(self, run: RunNotes, releases: bool = False) -> None:
        self.run = run
        self.rows: list[Row] = []
        self.entered = 0
        self.outcomes: list[OutcomeRow] = []
        self.has_arrays = False
        self.has_complex = False
        self.releases = releases

    def __len__(self) -> int:
        return len(self.rows)

    def keep_outcome(self, row: OutcomeRow) -> Any:
        """Append an outcome, and return the answer that the program receives.

        It is the opposite one where the list's `append` returns a value, as that of `traces.altered_rows` does.
        """
        return row[-1] if self.outcomes.append(row) is None else not row[-1]  # type: ignore[func-returns-value]

    @property
    def closed(self) -> bool:
        """Whether the run is over, so that its values can no longer be used."""
        return type(self.rows) is Closed

    def close(self) -> None:
        """End the run and discard the record."""
        self.rows = self.outcomes = _NOTHING
        self.run.lost = None
        self.run.exported = ()

    def close_for_reading(self) -> None:
        """End the run and keep the record."""
        self.run.exported = ()
        self.rows, self.outcomes = Closed(self.rows), Closed(self.outcomes)


def active_tape() -> Tape | None:
    """The tape of this thread's innermost run, or None."""
    tapes = stack.tapes
    return tapes[-1] if tapes else None
