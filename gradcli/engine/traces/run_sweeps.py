"""Sweeps over the rows of a finished run: sensitivities, cotangents, tangents and reachability masks of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.sweeps.reverse_and_forward import forward, reverse
from gradcli.engine.tape.tape import CONSTANT, Closed, Row, Tape
from gradcli.errors import ResultError
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.shared.pytree import is_structure

if TYPE_CHECKING:
    from gradcli.engine.tape.sweeps.masked_reverse import ReachedSweep
    from gradcli.engine.traces.altered_rows import Pull


class RunSweeps:
    """The sweeps over a run, whose rows stay as they are.

    Attributes:
        value: the plain result.
        result: the structure of the result, with the index of a node in place of each number.
    """

    _recorded: Tape
    result: Any
    value: Any

    @property
    def tape(self) -> Tape:
        """The record of the run, for transforms."""
        return self._tape

    @cached_property
    def _tape(self) -> Tape:
        return self._recorded

    def sensitivities(self) -> list[Any]:
        """The derivative of the result by every node, in the shape of the node's value; zeros for independent nodes.

        Raises:
            ResultError: the result is not one number.
        """
        return [_shaped(ct, row[1]) for ct, row in zip(self.cotangents(), self._tape.rows, strict=True)]

    def result_index(self) -> int | None:
        """The node index of a result that is one number; None if it is constant.

        Raises:
            ResultError: the result is a structure or an array.
        """
        if is_structure(self.result) or np.ndim(self.value) != 0:
            raise ResultError("the result is not one number, so it has no sensitivities", hint="Use `jacobian`.")
        index: int | None = self.result
        return index

    def cotangents(self) -> list[Any]:
        """The cotangent of every node when the result's is 1; `UNTOUCHED` for nodes that the result does not depend on.

        Raises:
            ResultError: the result is not one number.
        """
        tape, cts = vars(self).get("_cotangents_of", (None, []))
        if tape is not self._tape:
            last, tape = self.result_index(), self._tape
            cts = [UNTOUCHED] * len(tape.rows) if last is None else list(map(conjugated, self.swept(last)))
            vars(self)["_cotangents_of"] = tape, cts
        return [*cts]

    def swept(self, last: int, seed: Any = None, *, instead: Mapping[int, Pull] | None = None) -> list[Any]:
        """The cotangents of all nodes when that of node `last` is `seed` (default 1); `UNTOUCHED` for nodes not
        reached.

        For complex nodes, the sensitivities are the conjugates. `instead` replaces the pullbacks of some nodes.
        """
        tape = self._with_pulls(instead) if instead else self._tape
        cts = reverse(tape, last, self._one(last) if seed is None else seed, everywhere=True)
        return [*cts, *[UNTOUCHED] * (len(self._tape.rows) - len(cts))]

    def _one(self, index: int) -> Any:
        value = self._tape.rows[index][1]
        return 1.0 if type(value) is float else np.ones_like(value)[()]

    def _with_pulls(self, instead: Mapping[int, Pull]) -> Tape:
        from gradcli.engine.traces.altered_rows import row_with_pull

        rows = [*self._tape.rows]
        for index, pull in instead.items():
            rows[index] = row_with_pull(rows[index], pull)
        return self._with_rows(rows)

    def passed_back(self, index: int, ct: Any) -> dict[int, Any]:
        """The cotangents that one node passes to its arguments, by the index of the argument's node."""
        cts = reverse(self._tape, index, ct, index)
        before = {source: cts[source] for source in self._tape.rows[index][2::2] if source != CONSTANT}
        return {source: passed for source, passed in before.items() if passed is not UNTOUCHED}

    def tangents(self, moves: Mapping[int, Any], last: int | None = None) -> list[Any]:
        """The tangents of the nodes up to `last` (default: all) for given tangents of inputs; 0.0 for the others."""
        moved = forward(self._tape, dict(moves), range(len(self._tape.rows) if last is None else last + 1))
        return [0.0 if type(tangent) is int else tangent for tangent in moved]

    def marked(self, last: int, sweep: type[ReachedSweep] | None = None, seed: Any = None) -> Any:
        """The completed reverse sweep from node `last` with reachability masks, as `.cts` and `.marks`."""
        from gradcli.engine.tape.sweeps.masked_reverse import ReachedSweep

        swept = (sweep or ReachedSweep)(self._tape, last, recorded=False)
        swept.run(self._one(last) if seed is None else seed)
        return swept

    @property
    def is_doubted(self) -> bool:
        """Whether a sweep met a number that is not finite and was repeated with reachability masks."""
        return self._tape.run.doubted

    def _with_rows(self, rows: Iterable[Row]) -> Tape:
        tape = new_tape()
        tape.has_arrays, tape.has_complex = self._recorded.has_arrays, self._recorded.has_complex
        tape.rows, tape.outcomes = Closed(rows), self._recorded.outcomes
        return tape


def _shaped(ct: Any, value: Any) -> Any:
    if isinstance(ct, np.ndarray):  # the sweep is kept, and another sensitivity may share the array
        return ct.copy()
    return np.zeros_like(value)[()] if ct is UNTOUCHED and np.ndim(value) else ct
