"""What transforms with `points=` return: a derivative at each point along the first axis of some arguments."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.answers.compilation.compilation_report import CompilationReport
from gradcli.answers.compilation.compiled_derivative import CompiledDerivative
from gradcli.answers.compilation.compiled_transform import Transform
from gradcli.engine.running.bound_call import name_of
from gradcli.errors import PointError, ResultError, UsageError
from gradcli.methods.transforms.argnums import Argnums, bound_call, checked_argnums
from gradcli.methods.transforms.picklable_derivative import DerivativeFunction
from gradcli.shared.pytree import leaves, map_leaves

WORTH = 1.0  # seconds of eager derivatives from which on a program is derived
CHUNK = 1 << 18  # numbers of the results that a loop in C computes at once
TRIED = 2  # points at which an eager derivative is timed, of which the first may take longer


class DerivativeAtPoints(DerivativeFunction):
    """A derivative at many points: eager, or by a derived program where there are so many that this is faster.

    Args:
        f: the function.
        transform: the transform with its options.
        points: the arguments with an axis of points, by position or name.
        create: creates this derivative.

    Raises:
        UsageError: `points` is not valid, or the function returns a pair.
    """

    def __init__(
        self, f: Callable[..., Any], transform: Transform, points: Argnums, create: functools.partial[Any]
    ) -> None:
        super().__init__(self._computed, f, create)
        if isinstance(points, bool):
            message = f"points is {points}; it names the arguments that have a leading axis of points."
            raise UsageError(message, hint="Type points=0 for the first argument, or points='x' for the one named x.")
        if transform.has_aux:
            message = "points= and has_aux=True cannot be combined: what has_aux returns belongs to one point."
            raise UsageError(message, hint="Leave out points= or has_aux.")
        self._transform, self._points = transform, checked_argnums(points, "points")
        self._compiled = CompiledDerivative(f, transform, create)

    def report(self) -> CompilationReport:
        """Which programs exist, what is guarded, and why calls are eager."""
        return self._compiled.report()

    def _computed(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        arguments, options = self._compiled.by_position(arguments, options)
        call = bound_call(self.__wrapped__, self._points, arguments, options, "points")  # type: ignore[attr-defined]
        if len(call.arguments) > len(arguments):
            raise PointError("An argument with points was passed by keyword.", hint="Pass it by position.")
        table = PointArguments(name_of(self), call.arguments, call.places)
        is_known = self._create.keywords["compile"] or self._compiled.program_for(table.row(0))
        tried = range(0 if is_known else min(TRIED, table.count))
        results, seconds = ResultsAtPoints(table.count), 0.0
        for number in tried:
            begin = time.perf_counter()
            results.put(number, self._compiled.eagerly(table.row(number), options))
            seconds = time.perf_counter() - begin
        left = range(len(tried), table.count)
        are_few = bool(options) or (len(tried) > 0 and seconds * len(left) < WORTH)
        if are_few:
            reason = "as a program takes its arguments by position" if options else "they are too few for a program"
            self._compiled.note_eager("calls by keyword" if options else f"{table.count} points", reason)
        elif left:
            results.put(left[0], self._compiled(*table.row(left[0])))  # which derives a program
            left = self._without_loop(results, table, left[1:])
        for number in left:
            row = table.row(number)
            results.put(number, self._compiled.eagerly(row, options) if are_few else self._compiled(*row))
        return results.structure()

    def _without_loop(self, results: ResultsAtPoints, table: PointArguments, rows: range) -> range:
        """Compute the results at some points by a loop in C, and at edge cases eagerly; those that are left."""
        program = self._compiled.program_for(table.row(rows[0])) if rows and table.is_of_floats else None
        at_rows = program.row_kernel() if program is not None else None
        if at_rows is None:
            return rows
        size = 1 + CHUNK * table.count // sum(1 + leaf.size for leaf in leaves(results.structure()))
        for part in (rows[begin : begin + size] for begin in range(0, len(rows), size)):
            status, values, derivative = at_rows(table.columns(part))
            results.put(slice(part.start, part.stop), self._transform.returned((values, derivative)))
            for place in np.flatnonzero(status).tolist():
                results.put(part[place], self._compiled.eagerly(table.row(part[place]), {}))
        return rows[:0]


class ResultsAtPoints:
    """Results at points in one structure, whose arrays have the axis of points in front.

    Args:
        count: the number of points.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._first: Any = None
        self._arrays: list[Any] = []

    def put(self, place: int | slice, result: Any) -> None:
        """Take the result at one point, which is the first that is taken, or those at several.

        Raises:
            ResultError: it has another structure or shape than the first.
        """
        parts = [np.asarray(leaf) for leaf in leaves(result)]
        if self._first is None:
            self._first = result
            self._arrays = [np.empty((self._count, *part.shape), part.dtype) for part in parts]
        if [array[place].shape for array in self._arrays] != [part.shape for part in parts]:
            message = "The results at the points have different structures or shapes."
            raise ResultError(message, hint="Call the derivative without points= at each of them.")
        for n, part in enumerate(parts):
            if part.dtype != self._arrays[n].dtype:
                self._arrays[n] = self._arrays[n].astype(np.result_type(self._arrays[n], part))
            self._arrays[n][place] = part

    def structure(self) -> Any:
        """The results."""
        arrays = iter(self._arrays)
        return map_leaves(lambda _: next(arrays), self._first)


class PointArguments:
    """Arguments of which some have a leading axis of points.

    Args:
        name: the name of the function, for messages.
        arguments: the arguments.
        places: the positions of those with the axis: arrays, or structures of arrays.

    Attributes:
        count: the number of points.
        is_of_floats: whether these are arrays of float64, and not structures.

    Raises:
        PointError: there are no points, some have no such axis, or the axes have different lengths.
    """

    def __init__(self, name: str, arguments: Sequence[Any], places: Sequence[int]) -> None:
        self._arguments, self._places = arguments, places
        arrays = [leaf for place in places for leaf in leaves(arguments[place])]
        if not arrays or not all(map(np.ndim, arrays)):
            message = f"{name} was called with points that have no leading axis."
            raise PointError(message, hint="Stack them in an array whose first axis runs over them: np.stack(points).")
        counts = sorted({len(array) for array in arrays})
        if counts[0] != counts[-1] or not counts[0]:
            numbers = f"{counts[0]} points beside {counts[-1]}" if counts[0] != counts[-1] else "no points"
            raise PointError(f"{name} was called with {numbers}.", hint="Give arrays with one leading axis.")
        self.count = counts[0]
        given = [arguments[place] for place in places]
        self.is_of_floats = all(type(x) is np.ndarray and x.dtype == np.float64 for x in given)

    def row(self, number: int) -> list[Any]:
        """The arguments at one point; a number of float64 is a float of Python's."""
        return [
            map_leaves(lambda leaf: _at(leaf, number), x) if place in self._places else x
            for place, x in enumerate(self._arguments)
        ]

    def columns(self, rows: range) -> list[Any]:
        """The arguments at some points, each with the axis, without those that are whole numbers."""
        return [
            x[rows.start : rows.stop] if place in self._places else np.broadcast_to(x, (len(rows), *np.shape(x)))
            for place, x in enumerate(self._arguments)
            if not isinstance(x, int)
        ]


def _at(leaf: Any, number: int) -> Any:
    value = leaf[number]
    return float(value) if type(value) is np.float64 else value
