"""GradientTape, TensorFlow's eager interface to gradients: a window on a tape.

The first GradientTape that is opened in a thread starts a tape, those opened inside of it share that tape.  Each has
its own watched leaves and its own first row, so that a gradient taken inside an outer window is itself recorded.  A
tensor that left its tape is a plain constant again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import numpy as np

from gradcli import arrays
from gradcli.errors import FindingWarning, UsageError
from gradcli.jacobians import refuse_large
from gradcli.tape.accumulate import UNTOUCHED, own, plain
from gradcli.tape.array import Array
from gradcli.tape.frames import frames_of_ours
from gradcli.tape.kept import refuse_changed, refuse_write, settle
from gradcli.tape.structure import is_structure, leaves, leaves_like, map_leaves
from gradcli.tape.sweep import reverse, reverse_recorded
from gradcli.tape.tape import ALIAS, INPUT, Tape
from gradcli.tape.value import Value, bare, make
from gradcli.tensors import Tensor, Variable, Window, cast, constant, plain_values, recording

__all__ = ["GradientTape", "Tensor", "Variable", "cast", "constant"]


SWEEP = partial(reverse, sparing=False)  # any tensor may be a source


class GradientTape:
    """Records what is computed inside its `with` block from variables and watched tensors.

    Args:
        persistent: allow several gradients to be taken.
        watch_accessed_variables: watch every trainable variable that is read.

    A tape that is not persistent gives one gradient and then refuses by name.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._automatic = watch_accessed_variables
        self._used = False
        self.reset()

    def reset(self) -> None:
        """Forget everything recorded and watched so far."""
        self._tape: Tape | None = recording.tape if self in recording.windows else None
        self._first = len(self._tape.rows) if self._tape else 0
        self._leaves: dict[int, list[tuple[Tensor, Any]]] = {}
        self._watched: dict[int, Tensor] = {}
        self._used = False

    def __enter__(self) -> GradientTape:
        if self in recording.windows:
            raise UsageError("this GradientTape is recording already")
        if not recording.windows:
            recording.tape = Tape()
        recording.windows.append(self)
        self._tape = recording.tape
        self._first = len(self._tape.rows)  # type: ignore[union-attr]
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        recording.windows.remove(self)
        if recording.windows or recording.tape is None:
            return
        tape, recording.tape = recording.tape, None
        try:
            if isinstance(error, ValueError):
                refuse_write(error, tape)
            elif error is None:
                refuse_changed(tape)
        finally:
            settle(tape)

    def watch(self, tensor: Any) -> None:
        """Watch tensors too, as variables are watched by themselves."""
        for leaf in [None] if tensor is None else leaves(tensor):
            if not isinstance(leaf, Tensor):
                raise UsageError(f"a {type(leaf).__name__} cannot be watched", hint="Make it a gradcli.constant first.")
            if _carries(leaf, "watched"):
                self._watched[id(leaf)] = leaf
                if not isinstance(leaf, Variable):
                    leaf._inner = self.leaf(leaf, recording.windows.index(self) if self in recording.windows else 0)

    def watches(self, source: Tensor) -> bool:
        if source.dtype.kind != "f":
            return False
        automatic = isinstance(source, Variable) and source.trainable and self._automatic
        return automatic or id(source) in self._watched

    def leaf(self, source: Tensor, depth: int) -> Any:
        """The row of this window that stands for `source`: an input, or an alias of the row of an outer window."""
        known = self._leaves.setdefault(id(source), [])
        if not known or known[-1][1].tape is not self._tape:
            known.append((source, self._enter(source, depth)))
        return known[-1][1]

    def _enter(self, source: Tensor, depth: int) -> Any:
        tape = self._tape
        assert tape is not None
        outer = next((w.leaf(source, n) for n, w in _outer(depth) if w.watches(source)), None)
        if outer is None and issubclass(type(source._inner), Value) and source._inner.tape is tape:
            outer = source._inner
        value = bare(source._inner)
        handle = make(Array, tape, value)
        tape.rows.append((INPUT, value) if outer is None else (ALIAS, value, outer.index, value))
        tape.has_arrays = True
        return handle

    def forget(self, source: Tensor) -> None:
        """A variable was assigned: its next reading is another leaf."""
        if id(source) in self._leaves:
            self._leaves[id(source)].append((source, _NEVER))

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Within this block nothing is recorded."""
        recording.paused += 1
        try:
            yield
        finally:
            recording.paused -= 1

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables read or watched so far, in order."""
        sources = [entries[0][0] for entries in self._leaves.values() if entries]
        return tuple(source for source in sources if isinstance(source, Variable))

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Literal["none", "zero"] = "none",
    ) -> Any:
        """The derivative of `target`, summed where it is no number, by each of `sources`, in their structure.

        Args:
            target: a tensor, or a structure of them whose derivatives are added.
            sources: a variable, a watched tensor, or lists, tuples and dicts of them.
            output_gradients: the cotangent of the target, of its shape; ones by default.
            unconnected_gradients: what stands for a source that the target does not depend on: None or zeros.

        Raises:
            UsageError: the tape was used before and is not persistent, or recorded nothing.
        """
        tape = self._open()
        seeded = [_seeded(y, seed) for y, seed in _with_seeds(target, output_gradients)]
        found = [self._pull(tape, each, sources) for each in seeded]
        return self._collected(found, sources, _zero(unconnected_gradients))

    def _open(self) -> Tape:
        if self._tape is None:
            raise UsageError("this GradientTape has recorded nothing", hint="Compute inside its `with` block.")
        if self._used and not self._persistent:
            raise UsageError(
                "this GradientTape gave its one gradient already",
                hint="Make it GradientTape(persistent=True) to take several.",
            )
        self._used = True
        return self._tape

    def _pull(self, tape: Tape, seeded: tuple[Any, Any], sources: Any) -> list[Any]:
        inner, seed = seeded
        if not issubclass(type(inner), Value) or inner.tape is not tape or inner.index < self._first:
            return []
        still_open = tape is recording.tape and not recording.paused
        pull: Callable[..., list[Any]] = reverse_recorded if still_open else SWEEP
        return pull(tape, inner.index, seed, self._first)

    def _collected(self, found: list[list[Any]], sources: Any, zero: bool) -> Any:
        collect = partial(self._derivative, found=found, zero=zero)
        return collect(None) if sources is None else map_leaves(collect, sources)

    def _derivative(self, source: Any, found: list[list[Any]], zero: bool) -> Any:
        if not isinstance(source, Tensor):
            raise UsageError(f"a {type(source).__name__} is no source", hint="Pass variables or watched tensors.")
        _carries(source, "differentiated by")
        total: Any = None
        for leaf in self._leaves_of(source):
            for cts in found:
                part = plain(cts[leaf.index]) if leaf.index < len(cts) else UNTOUCHED
                if part is not UNTOUCHED:
                    total = part if total is None else total + part
        if total is None:
            return Tensor(np.zeros_like(bare(source._inner))[()]) if zero else None
        return Tensor(own(total)[()] if not issubclass(type(total), Value) else total)

    def _leaves_of(self, source: Tensor) -> list[Any]:
        known = [leaf for _, leaf in self._leaves.get(id(source), []) if leaf is not _NEVER]
        inner = source._inner
        if not known and issubclass(type(inner), Value) and inner.tape is self._tape and inner.index >= self._first:
            return [inner]
        return known

    def jacobian(self, target: Any, sources: Any, unconnected_gradients: Literal["none", "zero"] = "none") -> Any:
        """All derivatives of the one tensor `target`: arrays whose shape is the target's followed by the source's.

        Raises:
            UsageError: the memory that is left does not hold them.
        """
        tape = self._open()
        value = bare(target._inner)
        shape = np.shape(value)
        if sources is not None:
            refuse_large([source._inner for source in leaves(sources)], value)
        rows = []
        for place in np.ndindex(shape):
            seed = np.zeros_like(value)
            seed[place] = 1
            rows.append([self._pull(tape, (target._inner, seed[()]), sources)])
        zero = _zero(unconnected_gradients)
        if not rows or sources is None:
            return self._collected([], sources, zero)
        by_source = ([self._derivative(source, found, zero) for found in rows] for source in leaves(sources))
        return map_leaves(lambda _: _stacked(next(by_source), shape), sources)

    def batch_jacobian(self, target: Any, source: Any, unconnected_gradients: Literal["none", "zero"] = "none") -> Any:
        """The derivatives of each part of `target` along its first axis by the same part of the one `source`.

        Where each part depends on its own part alone, one sweep serves all parts, as in TensorFlow.

        Raises:
            UsageError: the first axes differ.
        """
        tape = self._open()
        value = bare(target._inner)
        count, shape = target.shape[:1], target.shape[1:]
        if not count or count != source.shape[:1]:
            raise UsageError(f"the first axes of {target.shape} and {source.shape} are not one batch")
        found = []
        for place in np.ndindex(shape):
            seed = np.zeros_like(value)
            seed[:, *place] = 1
            rows = [self._pull(tape, (target._inner, seed), source)]
            found.append(self._collected(rows, source, _zero(unconnected_gradients)))
        if any(part is None for part in found):
            return None
        stacked = np.stack([part._inner for part in found], axis=1)
        return Tensor(np.reshape(stacked, (*count, *shape, *source.shape[1:])))


def _stacked(parts: list[Any], shape: tuple[int, ...]) -> Any:
    if any(part is None for part in parts):
        return None
    stacked = np.stack([part._inner for part in parts])
    return Tensor(np.reshape(stacked, (*shape, *parts[0].shape)))


class _Never:
    tape = None


_NEVER = _Never()


def _outer(depth: int) -> list[tuple[int, Window]]:
    """The windows around number `depth`, innermost first."""
    return [(n, recording.windows[n]) for n in range(depth - 1, -1, -1)]


def _carries(tensor: Tensor, what: str) -> bool:
    """Whether a tensor carries a derivative; a warning says so where its type does not."""
    if tensor.dtype.kind == "f":
        return True
    message = f"a tensor of type {tensor.dtype} is {what}, but only floats carry a derivative; its gradient is None"
    warnings.warn(message, FindingWarning, stacklevel=frames_of_ours())
    return False


def _zero(unconnected_gradients: str) -> bool:
    if unconnected_gradients not in ("none", "zero"):
        raise UsageError(f"unconnected_gradients is {unconnected_gradients!r}; it has to be 'none' or 'zero'")
    return unconnected_gradients == "zero"


def _with_seeds(target: Any, output_gradients: Any) -> list[tuple[Any, Any]]:
    """Each tensor of the target with its cotangent, None where none was given."""
    targets = [None] if target is None else leaves(target)
    if output_gradients is None:
        return [(y, None) for y in targets]
    if not is_structure(target):
        return [(target, output_gradients)]
    seeds = leaves_like(target, output_gradients)
    if seeds is None or len(seeds) != len(targets):
        raise UsageError(
            f"output_gradients do not have the form of the target, of {len(targets)} tensors",
            hint="Give a cotangent for each tensor, in the same lists and under the same keys.",
        )
    return list(zip(targets, seeds, strict=True))


def _seeded(target: Any, seed: Any) -> tuple[Any, Any]:
    if not isinstance(target, Tensor):
        raise UsageError(
            f"a {type(target).__name__} is no target",
            hint="Pass the tensor that was computed, by NumPy's functions: those of math give plain numbers.",
        )
    value = bare(target._inner)
    if seed is None:
        return target._inner, np.ones_like(value)[()]
    cotangent = arrays.beside(plain_values(seed), value).astype(np.result_type(value))
    if cotangent.shape != np.shape(value):
        raise UsageError(f"output_gradients has the shape {cotangent.shape}, the target {np.shape(value)}")
    return target._inner, cotangent[()]
