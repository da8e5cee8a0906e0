"""The point at which a target is evaluated: from text, from a file, or from a Python object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from gradcli.answers.targets.argument_binding import fit, read_as, refuse_no_inputs, spellings
from gradcli.answers.targets.point_lexer import Atom, Given, add, scan
from gradcli.answers.targets.point_objects import takes_fields, value_of
from gradcli.answers.targets.point_values import joined, plain_number, refuse_objects, structure
from gradcli.answers.targets.target import Target
from gradcli.errors import ExpressionError, GradcliError, PointError
from gradcli.mathematics.language.tokens import meant
from gradcli.shared.findings import finding
from gradcli.shared.message_wording import quoted, refuse_unknown, shortened
from gradcli.shared.pytree import WholeNumber
from gradcli.shared.records.result_and_finding import Finding

Where = str | Mapping[str, Any] | None
"""A point as typed, or by name as read before."""


class Point(dict[str, Any]):
    """The values of the inputs by name, in order.

    Attributes:
        findings: a finding if they could be read in two ways.
        whole: the inputs of a function that were given as whole numbers; their values are floats.
        integers: the arrays and lists of integers among the given inputs of a function; their values are of floats.
    """

    findings: tuple[Finding, ...] = ()
    whole: frozenset[str] = frozenset()
    integers: Mapping[str, Any] = {}

    def keep_whole(self, wanted: Iterable[str]) -> Point:
        """Make whole numbers counts and indices, except for the inputs `wanted`; returns the point."""
        self.update({name: WholeNumber(self[name]) for name in self.whole.difference(wanted)})
        return self

    def keep_integers(self, wanted: Iterable[str]) -> Point:
        """Make whole numbers, and arrays and lists of them, what they were, but for the inputs `wanted`; returns it.

        The derivatives of a recorded run are none at a point with such arrays, whose leaves are floats.
        """
        self.update({name: array for name, array in self.integers.items() if name not in frozenset(wanted)})
        return self.keep_whole(wanted)


def parse_point(text: str | None, target: Target, value: Callable[[str], Any] | None = None) -> Point:
    """Parse the text of a point, by name and in the order of the target's parameters.

    `x=[1,2],y=3` or a JSON object gives values by name. One number is a scalar. n numbers go to n required parameters,
    or to n parameters of which some have numbers as defaults, or to a single parameter as a float64 array. `[3]` is
    always an array. `@point.json` and `@point.npy` are read from files. A parameter with a default and no value is left
    out.

    `value` computes a formula in the text, and raises an ExpressionError if it cannot.

    Each value is a float, an array, or dictionaries and lists of them. The function to call with the point is
    `target.with_inputs(point).function`.

    Raises:
        PointError: the text is not a point, or does not fit the target.
        ExpressionError: a value is an expression that is not in the formula language.
        NotFiniteError: a number is NaN or infinite.
    """
    if text is None:
        refuse_no_inputs(target)
        raise PointError("There is no point.", hint=spellings(target))
    given = given_values(text, value)
    return _structured(given, target, given.is_typed)


def given_values(text: str, value: Callable[[str], Any] | None = None) -> Given:
    """The values in the text of a point, in order and by name, those of files read and formulas computed by `value`.

    Raises:
        PointError: the text is not a point, or a file cannot be read.
    """
    stripped = text.strip()
    if stripped.startswith("@") and not re.search(r",\s*@", stripped):
        from gradcli.answers.targets import point_files

        return point_files.read_point(stripped[1:])
    return _with_files(scan(text), value)


def as_point(value: Any, target: Target) -> Point:
    """Convert a Python object to a point.

    A mapping whose keys are parameters gives values by name. A tuple with as many values as there are required
    parameters gives them in order. Anything else is the single argument. The function receives the values as they are,
    except that integers and booleans become float64. For an expression, lists of numbers become arrays. Text is read by
    `parse_point`.

    Raises:
        PointError: the object is not a point, or does not fit the target.
        ExpressionError: a value in a text is an expression that is not in the formula language.
        NotFiniteError: a number is NaN or infinite.
    """
    if value is None or isinstance(value, str):
        return parse_point(value, target)
    point = _structured(_arguments(value, target), target, typed=False)
    if target.tree is not None:
        point = Point({name: joined(x, (name,)) if isinstance(x, list) else x for name, x in point.items()})
    if isinstance(value, Point):
        point.findings, point.whole, point.integers = value.findings, value.whole, value.integers
    return point


def _arguments(value: Any, target: Target) -> Given:
    """The values for the parameters in a Python object."""
    takes_one = _takes_one(target)
    if isinstance(value, Mapping) and not is_value(value, target):
        given = Given()
        for name, part in value.items():
            add(given.named, str(name), part)
        return given
    if not isinstance(value, tuple) or (takes_one and value and (len(value) > 1 or hasattr(value, "_fields"))):
        return Given([value])
    return Given(value)


def _takes_one(target: Target) -> bool:
    """Whether a single argument is enough for a function."""
    required = [parameter for parameter in target.parameters if parameter.required] or target.parameters
    return target.tree is None and len(required) == 1 and not required[0].many


def is_value(given: Mapping[Any, Any], target: Target) -> bool:
    """Whether a dict is the value of a function's single parameter, as its keys are not the names of parameters."""
    keys, names = set(map(str, given)), set(target.names)
    return _takes_one(target) and bool(keys) and (keys.isdisjoint(names) or (len(names) == 1 and not keys <= names))


def parse_interval(text: str, option: str, typed: str) -> tuple[float, float]:
    """The ends of an interval such as `0:1`.

    Args:
        text: the interval.
        option: the option that takes it, for errors.
        typed: the argument of the option as typed, of which the interval is the end.

    Raises:
        PointError: the text is not an interval of finite numbers.
    """
    no_interval = f"{option} {shortened(typed)} is not an interval"
    before = typed.removesuffix(text)
    low, colon, high = text.partition(":")
    if not colon:
        raise PointError(f"{no_interval}.", hint=f"Type {option} {before}0:1.")
    for end in (low, high):
        if not _is_end(end):
            problem = f"{quoted(end.strip())} is not a finite number" if end.strip() else "a number is missing"
            raise PointError(f"{no_interval}: {problem}.", hint=f"Type two numbers, such as {option} {before}0:1.")
    return _number(low), _number(high)


def _is_end(text: str) -> bool:
    try:
        _number(text)
    except (GradcliError, TypeError):  # `float` refuses a complex number
        return False
    return True


def _number(text: str) -> float:
    return float(structure(Atom(text.strip()), ("x",)))


def select(wrt: str | None, point: Iterable[str]) -> tuple[str, ...]:
    """The inputs to differentiate by, in the order of the point: those listed in `wrt`, or all for None.

    Raises:
        PointError: a name in `wrt` is empty, or not in the point.
    """
    names = tuple(point)
    if wrt is None:
        return names
    chosen = [meant(name.strip(), names) for name in wrt.split(",")]
    if not all(chosen):
        raise PointError("A name is missing in --wrt.", hint=f"Type --wrt {','.join(names)} or some of these names.")
    refuse_unknown(chosen, names)
    return tuple(name for name in names if name in chosen)


def _is_of_integers(x: Any) -> bool:
    """Whether a value is an integer, an array of integers or a list of these."""
    return (
        all(map(_is_of_integers, x))
        if isinstance(x, (list, tuple)) and x
        else type(x) is int or getattr(getattr(x, "dtype", x), "kind", "") == "i"
    )


def _structured(given: Given, target: Target, typed: bool) -> Point:
    if not given.named and not given.positional:
        raise PointError("The point is empty.", hint=spellings(target))
    is_one = takes_fields(target, given.named) or (not given.is_typed and is_value(given.named, target))
    if given.named and not given.positional and is_one:
        given = Given([given.named])
    fitted = fit(given, target)
    declared = {parameter.name: parameter.annotation for parameter in target.parameters}
    kinds = {name: declared.get(name.partition("[")[0]) for name in fitted}
    if target.tree is not None:
        refuse_objects(fitted)
    point = Point({name: value_of(value, (name,), kinds[name], typed) for name, value in fitted.items()})
    point.whole = frozenset(
        name
        for name, x in fitted.items()
        if target.tree is None and type(x) in (Atom, int, WholeNumber) and type(point[name]) is float
        if str(x).strip().removeprefix("-").isdecimal()
    )
    if target.tree is None and not typed:
        point.integers = {name: x for name, x in fitted.items() if type(x) is not int and _is_of_integers(x)}
    if read := read_as(given, fitted, target):
        point.findings = (finding("G416", read),)
    return point


def _with_files(given: Given, formula: Callable[[str], Any] | None) -> Given:
    """The given values, with those of files, and those of formulas if there is a function that computes them."""

    def replaced(value: Any) -> Any:
        if isinstance(value, list):
            return [*map(replaced, value)]
        if formula and isinstance(value, Atom) and value[:1] != "@" and plain_number(value) is None:
            with suppress(ExpressionError):
                return formula(value)
        return filed(value)

    return Given(map(replaced, given.positional), {name: replaced(value) for name, value in given.named.items()})


def filed(value: Any) -> Any:
    """A value, or the content of the file if the value is `@file`."""
    if not isinstance(value, Atom) or not value.startswith("@"):
        return value
    from gradcli.answers.targets import point_files

    return point_files.read_value(value[1:])
