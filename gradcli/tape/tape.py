"""The tape: an append-only list of rows in execution order, and the facts that the program was told on the way.

A row is a plain tuple `(operation, value, index, operand, index, operand, …)`: the operation with the rule behind it,
the result, then for each argument the index of the row that made it (-1 for a constant) and its value.  Rows hold no
handles, so a tape has no reference cycle and its memory returns at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Never

from gradcli.errors import ForeignTapeError
from gradcli.rules.rule_types import Rule

if TYPE_CHECKING:
    from gradcli.tape.data_outcomes import DataOutcomes
    from gradcli.tape.number_texts import Texts

Row = tuple[Any, ...]

CONSTANT = -1


class RowOperation:
    """A rule with a fixed choice of recorded arguments: what a row of the tape says was done.

    `pull(ct, cts, row)` adds the cotangents of the row's arguments to `cts`; `safe_pull` is the same by IEEE 754, for
    the rows at which Python's own arithmetic raises; `pull_owned`, where there is one, is the same for an array of the
    sweep's own that nobody reads any more, and may write over it.  `slopes` are the partials of an elementwise rule at
    rows like these.  `thin(row)` is the row without the large arrays that `pull` does not read; it is made when a lean
    tape first needs it.  `inner` says whether a row like these lies between an input and the result, so that nobody
    asks for its cotangent.
    """

    __slots__ = ("arrays", "inner", "pull", "pull_owned", "recorded", "rule", "safe_pull", "slopes", "static", "thin")

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
        self.pull_owned: Callable[[Any, list[Any], Row], None] | None = None
        self.static = static or {}
        self.arrays = arrays
        self.thin: Callable[[Row], Row] | None = None

    @property
    def partials(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials of an elementwise rule by each argument, for rows like these."""
        return self.slopes.on_arrays if self.arrays else self.slopes.on_numbers  # type: ignore[no-any-return]

    @property
    def products(self) -> tuple[Callable[..., Any] | None, ...]:
        """The same times a factor, which comes first."""
        return self.slopes.array_products if self.arrays else self.slopes.number_products  # type: ignore[no-any-return]

    @property
    def name(self) -> str:
        """The rule's name, or what else the row is."""
        return NAMES[self] if self.rule is None else self.rule.name


def _pull_nothing(ct: Any, cts: list[Any], row: Row) -> None:
    """An input has no arguments."""


def _pull_alias(ct: Any, cts: list[Any], row: Row) -> None:
    """An alias passes its cotangent on; what is there may be another row's too, so that nothing is added in place."""
    cts[row[2]] = cts[row[2]] + ct


INPUT = RowOperation(None, (), _pull_nothing)
ARRAY_CONSTANT = RowOperation(None, (), _pull_nothing)
ALIAS = RowOperation(None, (0,), _pull_alias)
NAMES: dict[RowOperation, str] = {INPUT: "input", ARRAY_CONSTANT: "constant", ALIAS: "alias"}


TEXT = "text"  # the name of the outcome of a number that is written down

# A fact that the program was told: (before which row, name, function, indices, operands, outcome).
OutcomeRow = tuple[int, str, Callable[..., Any], tuple[int, ...], tuple[Any, ...], Any]


def finished() -> Never:
    """Refuse a value whose run is over."""
    raise ForeignTapeError(
        "a recorded value is used after its gradient was finished",
        hint="Do not keep values from inside a differentiated function; return what you need.",
    )


class Closed(list[Any]):
    """The rows, or the outcomes, of a tape whose run is over: nothing can be added."""

    def append(self, item: Any) -> Never:
        finished()


def foreign(*_: Any) -> Never:
    """Refuse two recorded values of different gradients."""
    raise ForeignTapeError(
        "a recorded value of one gradient met a recorded value of another",
        hint="Do not keep values from inside a differentiated function; pass plain numbers, or return what you need.",
    )


_NOTHING: Any = Closed()


class Tape:
    """What one run of a program did.

    Attributes:
        rows: the rows, in execution order.
        outcomes: the facts that the program was told, in order; where `append` returns something, the opposite is told.
        gradients: how many were taken inside of the run, by transforms that share the tape.
        has_arrays: whether any row holds a NumPy value, so that a sweep must silence NumPy's warnings.
        has_complex: whether any row holds complex numbers, so that a rule may have to give way to another one.
        lean: whether large arrays that no partial needs may be let go, as `grad` does.
        data: the outcomes that a replay computes again; None where the program gets plain arrays.
        doubted: whether a sweep of arrays met a number that is not finite.
        locked: the large plain arrays that are read-only until the run ends, each with where it was read and a sample.
        texts: those that were made of recorded numbers; None where none was.
        written: whether an array was written into in place, so that what is read of it may not hold it.
        lost: why the run cannot count, although its code may have caught the error that said so.
    """

    __slots__ = (
        "data", "doubted", "gradients", "has_arrays", "has_complex", "lean", "locked", "lost", "outcomes", "rows",
        "texts", "written",
    )  # fmt: skip

    def __init__(self, lean: bool = False) -> None:
        self.rows: list[Row] = []
        self.outcomes: list[Any] = []  # of rows as `OutcomeRow` says
        self.has_arrays = False
        self.has_complex = False
        self.lean = lean
        self.locked: list[tuple[Any, Any, bytes]] = []
        self.lost: BaseException | None = None
        self.data: DataOutcomes | None = None
        self.doubted = False
        self.gradients = 0
        self.texts: Texts | None = None
        self.written = False

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def closed(self) -> bool:
        """Whether the run is over, so that its values cannot be computed with any more."""
        return type(self.rows) is Closed

    def close(self) -> None:
        """End the run, and forget what was recorded."""
        self.rows = self.outcomes = _NOTHING
        self.lost = None

    def close_for_reading(self) -> None:
        """End the run, and keep what was recorded."""
        self.rows, self.outcomes = Closed(self.rows), Closed(self.outcomes)
