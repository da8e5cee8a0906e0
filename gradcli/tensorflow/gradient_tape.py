"""GradientTape, TensorFlow's eager interface to gradients.

A gradient computed inside the `with` block of a tape, its own or another's, is itself recorded. A tensor whose tape has
ended is a plain constant.
"""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from gradcli.engine.code.stack_frames import frames_of_ours
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.memory.reference_counts import owned_copy
from gradcli.engine.tape.sweeps.reverse_and_forward import reverse, reverse_recorded
from gradcli.engine.tape.value import Value, plain_value
from gradcli.errors import FindingWarning, UsageError, with_article
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.methods.transforms.jacobians import refuse_large_jacobian
from gradcli.methods.transforms.public_functions import library_call
from gradcli.shared import devices
from gradcli.shared.pytree import is_structure, leaves, leaves_like, map_leaves
from gradcli.tensorflow.tape_scopes import CARRYING, TapeScope, recording
from gradcli.tensorflow.tensors import Tensor, cast, constant, plain_values
from gradcli.tensorflow.variables import Variable

__all__ = ["GradientTape", "Tensor", "Variable", "cast", "constant"]


SWEEP = partial(reverse, sparing=False)  # any tensor may be a source


class GradientTape(TapeScope):
    """Record operations on variables and watched tensors inside a `with` block.

    Args:
        persistent: allow several calls of `gradient`.
        watch_accessed_variables: watch every trainable variable that is read.

    A non-persistent tape computes one gradient and then frees its rows; asking it again raises a UsageError. Entered
    again, it continues its recording, or starts a new one if it has given its gradient.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(watch_accessed_variables)
        self._persistent = persistent
        self._used = False

    def reset(self) -> None:
        """Discard everything recorded and watched so far."""
        self.forget_all()
        self._used = False
        if self in recording.windows:
            self.share = recording.share
            self.resume()

    def __enter__(self) -> GradientTape:
        if self._used and not self._persistent and self not in recording.windows:
            self.reset()
        recording.open(self)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        recording.close(self, error)

    def watch(self, tensor: Any) -> None:
        """Watch a tensor, or a structure of tensors, as variables are watched automatically.

        Raises:
            UsageError: the argument contains something other than tensors, or the tape is not open.
        """
        for leaf in [None] if tensor is None else leaves(tensor):
            if not isinstance(leaf, Tensor):
                came = with_article(type(leaf).__name__)
                raise UsageError(f"{came} cannot be watched", hint="Make it a gradcli.constant first.")
            self._refuse_closed("watches nothing", "Write tape.watch(x) inside its `with` block.")
            if _carries(leaf, "watched"):
                self.watched[id(leaf)] = leaf
                row = self.leaf(leaf, recording.windows.index(self))
                if not isinstance(leaf, Variable):
                    leaf.become(row)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pause this tape inside the block. Other open tapes continue.

        Raises:
            UsageError: the tape is not open.
        """
        self._refuse_closed("cannot stop", "Stop it inside its `with` block.")
        records = self.records
        self.pause()
        try:
            yield
        finally:
            if records and self in recording.windows:
                self.resume()

    def _refuse_closed(self, what: str, hint: str) -> None:
        if self not in recording.windows:
            raise UsageError(f"this GradientTape is not open, and {what}", hint=hint)

    @library_call
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Literal["none", "zero"] = "none",
    ) -> Any:
        """The derivative of `target`, summed over its elements, by each of `sources`, in their structure.

        By complex sources it is df/dRe + i df/dIm of the real part of the sum, as in TensorFlow.

        Args:
            target: a tensor, or a structure of tensors whose derivatives are added.
            sources: a variable, a watched tensor, or lists, tuples and dicts of them.
            output_gradients: the cotangent of the target, of the target's shape (default: ones).
            unconnected_gradients: the gradient by a source that the target does not depend on: None or zeros.

        Raises:
            UsageError: the tape has recorded nothing, or is not persistent and was used before.
        """
        self._refuse_spent()
        zero = _zero(unconnected_gradients)
        _refuse_other_sources(sources)
        pulled = [self._pull(y, _seed(y, seed)) for y, seed in _with_seeds(target, output_gradients)]
        return self._answered(map_leaves(lambda source: self._derivative(source, pulled, zero), sources))

    def _refuse_spent(self) -> None:
        """Check that the tape can compute a gradient.

        Raises:
            UsageError: it is not persistent and was used before, or it has recorded nothing.
        """
        if self._used and not self._persistent:
            raise UsageError(
                "this GradientTape has already given its one gradient",
                hint="Make it GradientTape(persistent=True) to take several.",
            )
        if self.share is None:
            raise UsageError("this GradientTape has recorded nothing", hint="Compute inside its `with` block.")

    def _answered(self, answer: Any) -> Any:
        """Return `answer`, and free the recording if no further gradient may be asked for."""
        self._used = True
        if not self._persistent and self not in recording.windows:
            self.share = None
        return answer

    def _pull(self, target: Tensor, seed: Any) -> Pulled:
        """Sweep back from a target; no sweep if this tape did not record it."""
        row = self.row_of(target)
        if row is None or self.share is None:
            return Pulled(target, seed, [])
        tape, masked, first = self.share.tape, self.masked(row), self.spans[0][0]
        if tape is recording.tape and not recording.paused:
            return Pulled(target, seed, reverse_recorded(tape, row, seed, first, masked))
        return Pulled(target, seed, SWEEP(masked, row, plain_value(seed), first))

    def _derivative(self, source: Tensor, pulled: list[Pulled], zero: bool) -> Any:
        if not _carries(source, "differentiated by"):
            pulled = []
        rows = self.rows_of(source)
        parts = [part for pull in pulled for part in pull.by(source, rows)]
        if not parts:
            return Tensor(np.zeros_like(plain_value(source._inner))[()]) if zero else None
        total = conjugated(functools.reduce(operator.add, parts))
        return Tensor(owned_copy(total)[()] if not issubclass(type(total), Value) else total)

    @library_call
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Literal["none", "zero"] = "none",
    ) -> Any:
        """The Jacobian of one tensor: arrays of the target's shape followed by the source's.

        Args:
            target: a tensor.
            sources: a variable, a watched tensor, or lists, tuples and dicts of them.
            unconnected_gradients: the result for a source that the target does not depend on: None or zeros.

        Raises:
            UsageError: the target is not a single tensor, or the Jacobian does not fit in memory.
        """
        self._refuse_spent()
        zero = _zero(unconnected_gradients)
        _refuse_other_targets(target)
        _refuse_other_sources(sources)
        value, shape = plain_value(target._inner), target.shape
        refuse_large_jacobian([source._inner for source in leaves(sources)], value)
        seeds = [_at(value, place) for place in np.ndindex(shape)]
        # For an empty target, one sweep tells which sources are connected.
        rows = self._derivatives(target, seeds or [np.ones_like(value)], sources, zero)
        columns = zip(*rows, strict=True)
        return self._answered(map_leaves(lambda source: _stacked(next(columns), shape, source), sources))

    def _derivatives(self, target: Tensor, seeds: list[Any], sources: Any, zero: bool) -> list[list[Any]]:
        """The derivatives by all sources for each cotangent of the target. Each sweep is freed before the next."""
        pulled = ([self._pull(target, seed)] for seed in seeds)
        return [[self._derivative(source, pull, zero) for source in leaves(sources)] for pull in pulled]


class Pulled(NamedTuple):
    """One sweep: its target, its cotangent, and the cotangents of the rows, empty if the target is not recorded."""

    target: Tensor
    seed: Any
    cts: list[Any]

    def by(self, source: Tensor, rows: list[int]) -> list[Any]:
        """The derivatives by the rows that stand for `source`. The derivative of a target by itself is the seed."""
        if not self.cts:
            return [self.seed] if source is self.target else []
        reached = [self.cts[index] for index in rows if index < len(self.cts)]
        return [part for part in reached if part is not UNTOUCHED]


def _at(value: Any, place: tuple[Any, ...]) -> Any:
    """A cotangent of `value` that is one at an index and zero elsewhere."""
    seed = np.zeros_like(value)
    seed[place] = 1
    return seed[()]


def _stacked(parts: Sequence[Any], shape: tuple[int, ...], source: Tensor) -> Any:
    """Stack the derivatives of all elements of a target of this shape into one tensor; None if any is None."""
    if any(part is None for part in parts):
        return None
    if 0 in shape:
        return Tensor(np.zeros((*shape, *source.shape), source.dtype))
    stacked = np.stack([part._inner for part in parts])
    return Tensor(np.reshape(stacked, (*shape, *source.shape)))


def _carries(tensor: Tensor, what: str) -> bool:
    """Whether the dtype of a tensor carries a derivative; warn if it does not."""
    if tensor.dtype.kind in CARRYING:
        return True
    message = f"a tensor of type {tensor.dtype} is {what}, but only floats carry a derivative; its gradient is None"
    warnings.warn(message, FindingWarning, stacklevel=frames_of_ours())
    return False


def _zero(unconnected_gradients: str) -> bool:
    if unconnected_gradients not in ("none", "zero"):
        raise UsageError(f"unconnected_gradients is {unconnected_gradients!r}; it must be 'none' or 'zero'")
    return unconnected_gradients == "zero"


def _with_seeds(target: Any, output_gradients: Any) -> list[tuple[Any, Any]]:
    """Pair each target tensor with its given cotangent, or with None."""
    targets = [None] if target is None else leaves(target)
    for tensor in targets:
        _refuse_other_targets(tensor)
    if output_gradients is None:
        return [(y, None) for y in targets]
    if not is_structure(target):
        return [(target, output_gradients)]
    seeds = leaves_like(target, output_gradients)
    if seeds is None or len(seeds) != len(targets):
        raise UsageError(
            f"output_gradients do not have the structure of the target, of {len(targets)} tensors",
            hint="Give a cotangent for each tensor, in the same lists and under the same keys.",
        )
    return list(zip(targets, seeds, strict=True))


def _seed(target: Tensor, seed: Any) -> Any:
    """The cotangent of a target: ones, or the given one, which stays recorded if it is a recorded tensor."""
    value = plain_value(target._inner)
    if seed is None:
        return np.ones_like(value)[()]
    given = seed._operand() if isinstance(seed, Tensor) else seed
    if not issubclass(type(given), Value):
        given = devices.array_on_device_of(plain_values(seed), value).astype(np.result_type(value))[()]
    if np.shape(given) != np.shape(value):
        raise UsageError(f"output_gradients has the shape {np.shape(given)}, the target {np.shape(value)}")
    return conjugated(given)


def _refuse_other_targets(target: Any) -> None:
    """Check that the target is a single tensor.

    Raises:
        UsageError: it is not.
    """
    if isinstance(target, Tensor):
        return
    if target is None:
        raise UsageError("None is not a target", hint="It may be a gradient that was None.")
    came = with_article(type(target).__name__)
    if is_structure(target):
        raise UsageError(f"{came} is not a single target", hint="Ask for one tensor after another, or np.stack them.")
    hint = "Pass a tensor that NumPy's functions computed; those of math return plain numbers."
    raise UsageError(f"{came} is not a target", hint=hint)


def _refuse_other_sources(sources: Any) -> None:
    if isinstance(sources, Tensor):
        return
    for source in [None] if sources is None else leaves(sources):
        if not isinstance(source, Tensor):
            came = "None" if source is None else with_article(type(source).__name__)
            raise UsageError(
                f"{came} is not a source", hint="Pass variables or watched tensors, or lists and dicts of them."
            )
