"""Scopes on a thread's tape: the rows that each scope recorded, and the leaves that it watches.

The first scope opened in a thread starts a tape, and the scopes opened inside it share that tape. Rows that a scope did
not record are constants to it: those before it was opened, while it was paused, and after it was closed.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape import row_graph
from gradcli.engine.tape.inputs import append_input
from gradcli.engine.tape.memory.read_only_operands import refuse_changed, refuse_write, settle
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import Value, plain_value
from gradcli.engine.tape.values.array import Array
from gradcli.errors import UsageError

CARRYING = ("f", "c")  # the dtype kinds that carry a derivative


class TapeOwnership:
    """Shared ownership of a tape by its scopes. The rows are freed with the last scope, even if values survive."""

    __slots__ = ("tape",)

    def __init__(self) -> None:
        self.tape = new_tape()

    def __del__(self) -> None:
        self.tape.close()


class TapeScope:
    """A scope on a tape: the rows recorded while it was open, and the leaves, which are the rows of the tensors it
    watches.

    Attributes:
        share: the tape; None before the scope is first opened and after it has ended.
        spans: the recorded rows, as pairs (first, one past the last); the latter is None while the scope records.
        leaves: the readings of each watched tensor, by the tensor's identity.
    """

    def __init__(self, automatic: bool) -> None:
        self.automatic = automatic
        self.forget_all()

    def forget_all(self) -> None:
        """Discard everything recorded and watched."""
        self.share: TapeOwnership | None = None
        self.spans: list[tuple[int, int | None]] = []
        self.leaves: dict[int, list[Leaf]] = {}
        self.watched: dict[int, Any] = {}

    @property
    def records(self) -> bool:
        """Whether the scope is recording now."""
        return bool(self.spans) and self.spans[-1][1] is None

    def resume(self) -> None:
        """Start or resume recording."""
        assert self.share is not None
        self.spans.append((len(self.share.tape), None))
        recording.paused = False

    def pause(self) -> None:
        """Stop recording."""
        if self.records and self.share is not None:
            self.spans[-1] = (self.spans[-1][0], len(self.share.tape))
        recording.paused = not any(window.records for window in recording.windows) and recording.windows != []

    def sees(self, index: int) -> bool:
        """Whether this scope recorded row `index`."""
        return any(first <= index and (end is None or index < end) for first, end in self.spans)

    def follows(self, index: int) -> bool:
        """Whether row `index` was computed in this scope from a leaf of its own."""
        assert self.share is not None
        tape = self.share.tape
        own = {leaf.row.index for known in self.leaves.values() for leaf in known if leaf.row is not NEVER}
        looked_for = {index}
        for at in range(index, self.spans[0][0] - 1, -1):
            if at in looked_for and at in own:
                return True
            if at in looked_for and (self.sees(at) or row_graph.is_alias(tape, at)):
                looked_for.update(row_graph.sources(tape, at))
        return False

    def masked(self, last: int) -> Tape:
        """The tape up to row `last`, with the rows that this scope did not record turned into inputs."""
        assert self.share is not None
        tape, (first, end) = self.share.tape, self.spans[0]
        if first <= last and (end is None or last < end):
            return tape  # every row from the first to the last was recorded
        return row_graph.cut_short(tape, last, self.sees)

    def watches(self, source: Any) -> bool:
        """Whether a reading of the tensor `source` is recorded in this scope."""
        if not self.records:
            return False
        if id(source) in self.leaves:
            return True
        chosen = id(source) in self.watched or (self.automatic and getattr(source, "trainable", False))
        return chosen and source.dtype.kind in CARRYING

    def leaf(self, source: Any, depth: int) -> Any:
        """The row that stands for `source` in this scope: an input, or an alias of its row outside the scope.

        A variable gets a new row after an assignment, and when an enclosing scope starts to record it.
        """
        assert self.share is not None
        known = self.leaves.setdefault(id(source), [])
        is_variable = hasattr(type(source), "assign")
        outer = _outside(source, depth) if is_variable and depth else None
        if not known or known[-1].row.tape is not self.share.tape or (is_variable and known[-1].outer is not outer):
            if not is_variable:
                outer = on(source, self.share.tape)
            known.append(Leaf(source, append_input(Array, self.share.tape, plain_value(source._inner), outer), outer))
        return known[-1].row

    def forget(self, source: Any) -> None:
        """Note that a variable was assigned, so that its next reading becomes a new leaf."""
        if id(source) in self.leaves:
            self.leaves[id(source)].append(Leaf(source, NEVER, None))

    def rows_of(self, source: Any) -> list[int]:
        """The rows that stand for a tensor in this scope: the readings of a variable, or the row of a tensor.

        For a tensor that was computed in this scope and watched later, it is the computed row.
        """
        assert self.share is not None
        tape = self.share.tape
        known = [leaf.row.index for leaf in self.leaves.get(id(source), []) if leaf.row is not NEVER]
        if hasattr(type(source), "assign"):
            return known
        inner = on(source, tape)
        if not known and inner is None:
            return []
        row = known[-1] if known else inner.index
        return [at for at in row_graph.aliased(tape, row) if at in known or self.follows(at)][-1:]

    def row_of(self, target: Any) -> int | None:
        """The row of a tensor that this scope recorded; None if it did not."""
        inner = on(target, self.share.tape) if self.share else None
        if inner is None or self.share is None:
            return None
        return next((at for at in row_graph.aliased(self.share.tape, inner.index) if self.sees(at)), None)


class Leaf(NamedTuple):
    """One reading of a watched tensor: the tensor, its row, and the row of the outer scope that it aliases."""

    source: Any
    row: Any
    outer: Any


class _Never:
    tape = None


NEVER = _Never()


def _outside(source: Any, depth: int) -> Any:
    """The row of a variable in the nearest scope outside number `depth` that watches it; None if there is none."""
    for n in range(depth - 1, -1, -1):
        if recording.windows[n].watches(source):
            return recording.windows[n].leaf(source, n)
    return None


class _ScopesOfThread(threading.local):
    """The scopes open in this thread, innermost last, their shared tape, and whether all of them are paused."""

    def __init__(self) -> None:
        self.share: TapeOwnership | None = None
        self.tape: Tape | None = None
        self.windows: list[TapeScope] = []
        self.paused = False

    def open(self, window: TapeScope) -> None:
        """Open a scope. A scope that was open before resumes its recording.

        Raises:
            UsageError: the scope is already open, or its recording is separate from that of the scopes now open.
        """
        if window in self.windows:
            raise UsageError("this GradientTape is already recording")
        if self.windows and window.share not in (None, self.share):
            raise UsageError(
                "this GradientTape has a recording of its own, and cannot resume inside another one",
                hint="Resume it outside the other's `with` block, or create a new one: GradientTape().",
            )
        if not self.windows:
            self.share = window.share or TapeOwnership()
            self.tape = self.share.tape
        window.share = self.share
        self.windows.append(window)
        window.resume()

    def close(self, window: TapeScope, error: BaseException | None) -> None:
        """Close a scope. Closing the last one ends the run of the tape, with `error` if one was raised.

        Raises:
            UsageError: the scope is not open.
        """
        if window not in self.windows:
            raise UsageError("this GradientTape is not open in this thread, and cannot be closed")
        self.windows.remove(window)
        window.pause()
        if self.windows or self.tape is None:
            return
        tape, self.tape = self.tape, None
        try:
            if isinstance(error, ValueError):
                refuse_write(error, tape)
            elif error is None:
                refuse_changed(tape)
        finally:
            settle(tape)
            self.share = None


recording = _ScopesOfThread()


def on(tensor: Any, tape: Tape | None) -> Any:
    """The recorded value of a tensor on a tape; None if there is none."""
    for inner in (tensor._inner, *tensor._earlier):
        if issubclass(type(inner), Value) and inner.tape is tape:
            return inner
    return None


def live(tensor: Any) -> Any:
    """The recorded value of a tensor if its tape is recording in this thread, else the plain value."""
    inner = tensor._inner
    if not issubclass(type(inner), Value) or (inner.tape is recording.tape and not recording.paused):
        return inner
    recorded = on(tensor, recording.tape) if tensor._earlier and not recording.paused else None
    return inner._value if recorded is None else recorded


def innermost_value(source: Any) -> Any:
    """The value of a variable or watched tensor in the innermost scope that watches it; plain if none does."""
    for depth in range(len(recording.windows) - 1, -1, -1):
        window = recording.windows[depth]
        if window.watches(source):
            return window.leaf(source, depth)
    return plain_value(source._inner)
