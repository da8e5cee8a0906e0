"""Hand-written gradients: their call, their components in the order of the point, and their rounding error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.candidate_parsing import GIVEN
from gradcli.answers.checks.problem.compared_case import SLACK, Case
from gradcli.answers.targets import Target
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.running.recorded_run import unwrapped
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.errors import ResultError, TargetError
from gradcli.methods.numerics.coordinates import arguments_with_number, number_count
from gradcli.methods.numerics.rounding import moved_by_trial, value_errors, value_summands
from gradcli.methods.transforms.scalar_results import result_description
from gradcli.shared.message_wording import count_text, first_items
from gradcli.shared.pytree import WholeNumber, leaves

UNITS = 64.0  # rounding units of the largest derivative; smaller imaginary parts are rounding


class RoundingBounds(NamedTuple):
    """The rounding error of each component of a hand-written gradient, and the sizes of the terms in its sums."""

    errors: list[float]
    summands: list[float]


class HandWrittenGradient:
    """A hand-written gradient as a function of a point's inputs, by their names if it has them, else in order.

    Raises:
        TargetError: the gradient takes other inputs, or a different number of them.
    """

    def __init__(self, target: Target, names: Sequence[str]) -> None:
        self.name = target.name if target.tree is None else target.text
        self.given = target.name == GIVEN
        self.leaves_no_frame = target.leaves_no_frame
        self.function = function_of_inputs(target, names)

    def numbers(self, case: Case) -> tuple[list[float], float]:
        """The component of the gradient for each part of the case, and the slack for the coarsest dtype among them.

        Raises:
            ResultError: the result is not numeric, or does not have the structure of the point.
        """
        with case.guard(f"in {self.name}", frameless=self.leaves_no_frame):
            returned = _unpaired(unwrapped(self.function, self.function(*_arguments(case))), case)
        arrays = [numeric(leaf, self.name, case.has_complex) for leaf in _in_order(returned, case.point)]
        _check_shapes(arrays, case, self.name)
        coarse = {str(array.dtype) for array in arrays} & SLACK.keys()
        slack = max(case.slack, *(SLACK[kind] for kind in coarse)) if coarse else case.slack
        return self._chosen(_one_by_one(arrays, case), case), slack

    def changed_point(self, case: Case) -> dict[str, Any] | None:
        """The point after a call of the gradient, if the call changes its arguments; else None."""
        arguments = _arguments(case)
        try:
            self.function(*arguments)
        except program_errors():  # a second call may fail where the first did not
            return None
        after = dict(zip(case.point, arguments, strict=True))
        pairs = zip(case.arrays, (leaf for value in arguments for leaf in leaves(value)), strict=True)
        same = all(np.shape(x) == np.shape(y) and np.array_equal(x, y) for x, y in pairs)
        return None if same else after

    def rounding(self, case: Case) -> RoundingBounds | None:
        """The rounding error of each component; None if the gradient's program cannot be followed."""
        try:
            return RoundingBounds(*self._by_component(case, _errors, value_summands))
        except program_errors():  # in a second run; a program that cannot be followed simply has no bound
            return None

    def trials(self, case: Case) -> list[float] | None:
        """The rounding error of each component, estimated by trial; None if the program cannot be followed."""
        try:
            return self._by_component(case, moved_by_trial)[0]
        except program_errors():  # as in `rounding`
            return None

    def _by_component(self, case: Case, *measures: Callable[..., list[float]]) -> list[list[float]]:
        """For each measure of rows, that of each component, in a recorded run of the gradient."""
        run = record_trace(self.function, tuple(_arguments(case)), names=False)
        rows = list(_in_order(_unpaired(run.result, case), case.point))
        return [self._chosen(_of_rows(run, rows, measure, case.eps / 2), case) for measure in measures]

    def _chosen(self, slopes: list[float], case: Case) -> list[float]:
        """The components for the case's parts. The gradient may cover every number of the point or only these parts."""
        if len(slopes) == len(given := _are_inputs(case)):
            slopes = [slope for slope, is_input in zip(slopes, given, strict=True) if is_input]
        if len(slopes) == len(case.every):
            return [slopes[part.number] for part in case.parts]
        if len(slopes) == len(case.parts):
            return slopes
        shown = first_items([part.name for part in case.parts], 6)
        count = count_text(slopes, "number")
        raise ResultError(
            f"{self.name} {'has' if self.given else 'returned'} {count}; {len(case.parts)} are needed: {shown}",
            hint="A gradient has one derivative for each number of the point, in order, as in '2*x*y, x**2'.",
        )


def function_of_inputs(target: Target, names: Sequence[str]) -> Callable[..., Any]:
    """The target as a function of the inputs `names`."""
    required = [parameter.name for parameter in target.parameters if parameter.required]
    single = {parameter.name for parameter in target.parameters if not parameter.many}
    known = [name for name in names if name in single]
    if known and set(required) <= set(known):
        places = [names.index(name) for name in known]
        function = target.with_inputs(known).function
        return lambda *values: function(*(values[n] for n in places))
    in_order = [parameter for parameter in target.parameters if parameter.kind == "positional"]
    if any(parameter.many for parameter in target.parameters) or len(required) <= len(names) <= len(in_order):
        return target.function
    takes = ", ".join(map(str, target.parameters)) or "nothing"
    raise TargetError(
        f"{target.name} takes {takes}; the point gives {', '.join(names)}.",
        hint="A gradient takes what its function takes, in the same order or by the same names.",
    )


def _unpaired(returned: Any, case: Case) -> Any:
    """The gradient in a returned pair of value and gradient; any other result unchanged."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        return returned
    value, gradient = (sum(map(np.size, leaves(part))) for part in returned)
    needed = {len(case.every), len(case.parts), len(_are_inputs(case))}
    return returned[1] if value == 1 and gradient in needed and gradient + 1 not in needed else returned


def _are_inputs(case: Case) -> list[bool]:
    """Whether each number of the point is an input, and no count or index beside them."""
    kinds = ((type(x) is not WholeNumber, number_count(leaf)) for x in case.point.values() for leaf in leaves(x) or [0])
    return [is_input for is_input, count in kinds for _ in range(count)]


def _one_by_one(arrays: list[Any], case: Case) -> list[float]:
    """The real components of a gradient, one by one. A complex number gives its real part, then its imaginary part."""
    inputs = case.arrays
    like = inputs if len(arrays) == len(inputs) else [inputs[0] if len(inputs) == 1 else 0.0] * len(arrays)
    pairs = ((x, np.iscomplexobj(x) or np.iscomplexobj(y)) for x, y in zip(arrays, like, strict=True))
    halves = (np.stack([x.real, x.imag], -1) if is_complex else x for x, is_complex in pairs)
    return [number for array in halves for number in np.ravel(array).astype(float).tolist()]


def _arguments(case: Case) -> list[Any]:
    return arguments_with_number(case.given or case.point, case.every[0], case.every[0].value)


def _errors(run: Trace, rows: Sequence[int], half_ulp: float) -> list[float]:
    """Include the rounding of constants that the user typed."""
    return value_errors(run, rows, half_ulp, typed=True)


def _of_rows(
    run: Trace, rows: list[int | None], of: Callable[[Trace, Sequence[int], float], list[float]], unit: float
) -> list[float]:
    """Apply `of` to the numbers in some rows; a constant, which has no row, gives 0."""
    recorded = [row for row in rows if row is not None]
    moved = iter(of(run, recorded, unit))
    sizes = [1 if row is None else number_count(run.nodes[row].value) for row in rows]
    return [0.0 if row is None else next(moved) for row, size in zip(rows, sizes, strict=True) for _ in range(size)]


def _in_order(returned: Any, point: Mapping[str, Any]) -> Iterator[Any]:
    """The numbers and arrays of a returned gradient in the order of the point, matched by name where named."""
    if isinstance(returned, Mapping) and 0 < len(returned) < len(point) and returned.keys() <= point.keys():
        point = {name: point[name] for name in point if name in returned}
    structures = list(point.values())
    if len(structures) == 1 and not _alike(returned, dict(point)):
        return _leaves(returned, structures[0])
    return _leaves(returned, dict(point) if isinstance(returned, dict) else tuple(structures))


def _leaves(returned: Any, like: Any) -> Iterator[Any]:
    if isinstance(returned, Mapping):
        _refuse_other_names(returned, like)
    if type(like) is WholeNumber:
        return
    if returned is None and like is not None:
        yield None  # `numeric` refuses it
    elif not _alike(returned, like):
        parts = returned if isinstance(returned, (list, tuple)) else None
        yield from leaves(returned) if parts is None else (leaf for part in parts for leaf in _leaves(part, 0.0))
    elif isinstance(returned, dict):
        for key, part in like.items():
            yield from _leaves(returned[key], part)
    else:
        for part, other in zip(returned, like, strict=True):
            yield from _leaves(part, other)


def _refuse_other_names(returned: Mapping[Any, Any], like: Any) -> None:
    """Refuse a dictionary whose names are not those of the point."""
    if not isinstance(like, dict) or returned.keys() != like.keys():
        what = "an array" if np.ndim(like) else "a number"
        names, needed = (", ".join(map(str, x)) for x in (returned, like if isinstance(like, dict) else [what]))
        raise ResultError(
            f"the gradient has the names {names or '(none)'}; the point has {needed}",
            hint="Use the point's names for the derivatives, or omit the names.",
        )


def _check_shapes(arrays: list[Any], case: Case, name: str) -> None:
    """Refuse an array whose shape differs from the input's, such as a transposed matrix."""
    inputs = case.arrays
    for array, value in zip(arrays, inputs, strict=False) if len(arrays) == len(inputs) else ():
        if np.shape(array) != np.shape(value) and np.size(array) == np.size(value) > 1:
            raise ResultError(
                f"{name} returned an array of shape {np.shape(array)} for one of shape {np.shape(value)}",
                hint="Return the derivatives in the shape of the point.",
            )


def _alike(returned: Any, like: Any) -> bool:
    """Whether two structures have the same parts."""
    if isinstance(returned, dict) and isinstance(like, dict):
        return returned.keys() == like.keys()
    nested = isinstance(returned, (list, tuple)) and isinstance(like, (list, tuple))
    return nested and len(returned) == len(like)


def numeric(leaf: Any, name: str, complex_too: bool) -> Any:
    """Convert a part of a returned gradient to an array.

    Raises:
        ResultError: the part is not numeric.
    """
    array = np.asarray(leaf)
    if array.dtype.kind in ("fiubc" if complex_too else "fiub"):
        return array
    if array.dtype.kind == "c":
        return _real(array, name)
    came = "a string" if isinstance(leaf, str) else result_description(leaf)
    hint = "Is a `return` missing?" if leaf is None else "Return the derivatives as numbers."
    raise ResultError(f"{name} returned {came}; a gradient consists of numbers", hint=hint)


def _real(array: Any, name: str) -> Any:
    """The real parts of complex derivatives whose imaginary parts are 0, or the rounding of a Fourier transform.

    Raises:
        ResultError: they are not.
    """
    size, imaginary = (np.max(np.abs(part), initial=0.0) for part in (array, array.imag))
    if np.all(np.isfinite(array)) and imaginary > UNITS * np.finfo(array.dtype).eps * size:
        raise ResultError(
            f"{name} returned complex numbers; the derivatives by real numbers are real",
            hint="Return their real part, np.real(g), or their imaginary part, np.imag(g).",
        )
    return array.real
