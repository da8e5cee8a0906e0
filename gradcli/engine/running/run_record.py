"""The record of one run: what happened in it, beside the rows and outcomes of its tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.engine.patching.written_arrays import WrittenArrays
    from gradcli.engine.tape.number_texts import Texts
    from gradcli.engine.tape.solver_notes import Jump, SolvedEquation
    from gradcli.engine.tape.tape import Recomputed, RecordedSweep, Tape

Caller = Callable[[Callable[..., Any], tuple[Any, ...], "Tape"], Any]


class RunRecord:
    """What happened in one run. The tape of the run refers to it.

    Args:
        call: records a call of another function inside the run, on the same tape.

    Attributes:
        data: the outcomes that a replay recomputes; None if the program receives plain arrays.
        doubted: whether a sweep over arrays met a number that is not finite.
        gradients: the number of gradients taken inside the run, by transforms that share the tape.
        jumps: the jumps that integrators of SciPy met at places that depend on the inputs.
        exported: the constants that compiled code has as plain arrays; nothing recorded can be written into them.
        locked: the large plain arrays that are read-only until the run ends, with the place of reading and a sample.
        lost: the error for which the run is refused, even if its code caught the exception.
        raised: the first error that code raised because a value is recorded, and that the program may have caught: its
            text, and the user's file and line; None if there was none.
        recorded_sweeps: the reverse sweeps recorded on the tape, in order.
        singular: whether a recorded sweep passed a row at its kink, or a decomposition has equal values.
        solved_equations: what solvers of SciPy solved.
        texts: the texts made of recorded numbers; None if there are none.
        written: whether an array was written in place, so that arrays read from it must not keep it alive.
        written_arrays: the plain arrays whose places constants have taken; None if there are none.
    """

    __slots__ = (
        "call", "data", "doubted", "exported", "gradients", "jumps", "locked", "lost", "raised", "recorded_sweeps",
        "singular", "solved_equations", "texts", "written", "written_arrays",
    )  # fmt: skip

    def __init__(self, call: Caller) -> None:
        self.call = call
        self.data: Recomputed | None = None
        self.doubted = False
        self.gradients = 0
        self.jumps: tuple[Jump, ...] = ()
        self.exported: tuple[Any, ...] = ()
        self.locked: list[tuple[Any, Any, bytes]] = []
        self.lost: BaseException | None = None
        self.raised: tuple[str, str | None, int | None] | None = None
        self.recorded_sweeps: list[RecordedSweep] = []
        self.singular = False
        self.solved_equations: tuple[SolvedEquation, ...] = ()
        self.texts: Texts | None = None
        self.written = False
        self.written_arrays: WrittenArrays | None = None

    def array_to_write(self, tape: Tape, array: Any, operation: Any) -> Any:
        """What takes the place of a plain array that a recorded value is written into; None if nothing can."""
        if self.written_arrays is None:
            from gradcli.engine.patching.written_arrays import WrittenArrays

            self.written_arrays = WrittenArrays(tape)
        return self.written_arrays.take(array, operation)

    def text(self, write: Callable[..., Any], values: tuple[Any, ...]) -> Any:
        """The text that `write` makes of plain values, which the program may read back."""
        from gradcli.engine.tape.number_texts import Texts

        if self.texts is None:
            self.texts = Texts()
        return self.texts.write(write, values)

    def array_namespace(self) -> Any:
        """The NumPy namespace that accepts recorded values."""
        from gradcli.engine.patching.shims import modules

        return modules.module("numpy")
