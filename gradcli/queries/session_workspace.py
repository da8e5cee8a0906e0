"""The memory of a session: defined names, functions of loaded files, and the current point."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gradcli.answers.targets import Target, lookup, parse_point, python_files, resolve
from gradcli.answers.targets.functions import source_of
from gradcli.answers.targets.point_lexer import scan
from gradcli.answers.targets.point_values import structure
from gradcli.answers.targets.points import given_values
from gradcli.answers.targets.python_files import dependencies
from gradcli.answers.targets.session_definitions import Names, is_definition
from gradcli.answers.targets.session_functions import Written, function_name, is_function, is_import
from gradcli.errors import GradcliError, PointError
from gradcli.mathematics.language.tokens import meant
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import shortened
from gradcli.shared.pytree import as_typed

__all__ = [
    "Binding",
    "Workspace",
    "dependencies",
    "function_name",
    "is_definition",
    "is_function",
    "is_import",
]

_METHOD = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
_CALL = re.compile(r"([^\W\d]\w*)\(([-+\d.eE,\s\[\]]+)\)")


class Binding(Frozen):
    """A name with its meaning.

    Args:
        name: the name.
        kind: `value`, `formula` or `function`.
        meaning: a value as plain data, a formula as typed, or the signature of a function.
        file: the file of a function, if it comes from one.
    """

    name: str
    kind: str
    meaning: Any
    file: str | None = None


class Remembered(Frozen):
    """The last point of a function or an expression: its text, and the names of the parameters."""

    at: str
    names: tuple[str, ...]


class Definitions(Frozen, eq=False):
    """What the lines of a session define, to return to.

    Args:
        named: values, formulas, functions and their files, each by name.
        at: the current point, if it is given in order.
        latest, points: the default target, and the points of targets.
    """

    named: tuple[Mapping[str, Any], ...]
    at: str | None
    latest: str
    points: Mapping[str, Remembered]


class Workspace:
    """The names and the points of a session.

    `define("f(x) = x^2")`, `load("file.py")`, `take("import math")` and `move("x=3")` have the effects of the
    corresponding lines at the prompt; `target("f")` and `value("f(3)")` look names up. The queries of `gradcli.queries`
    accept the target and the point.

    Raises:
        GradcliError: every method raises the error that the same text raises on the command line.
    """

    def __init__(self) -> None:
        self.names = Names()
        self.at: str | None = None
        self.latest = ""  # the default target of commands, as typed
        self.points: dict[str, Remembered] = {}
        self.sources: dict[str, str] = {}
        self.written = Written()

    def state(self) -> Definitions:
        """The names and points as they are now."""
        names = self.names
        named = tuple(map(dict, (names.values, names.formulas, names.loaded, self.sources)))
        return Definitions(named, self.at, self.latest, dict(self.points))

    def restore(self, state: Definitions) -> None:
        """Return to an earlier state."""
        names = self.names
        held: tuple[dict[str, Any], ...] = (names.values, names.formulas, names.loaded, self.sources)
        for current, earlier in zip(held, state.named, strict=True):
            current.clear()
            current.update(earlier)
        self.at, self.latest, self.points = state.at, state.latest, dict(state.points)
        self.written.share(self.names)

    def define(self, text: str) -> Binding:
        """Define a name: `name = …`, `name(names) = …` or a Python function."""
        if is_function(text):
            name, function = self.written.define(text)
            self.names.forget(name)
            self.names.loaded[name] = function
        else:
            with self._undone_by_errors(), self._running(text):
                name = self.names.define(text)
        self.sources.pop(name, None)
        self.written.share(self.names)
        self._forget_points(name)
        if name not in self.names.values:
            self.latest = name
        return self.meaning(name)

    @contextmanager
    def _undone_by_errors(self) -> Iterator[None]:
        """A context whose errors leave no definition behind."""
        state = self.state()
        try:
            yield
        except BaseException:
            self.restore(state)
            raise

    def _forget_points(self, name: str) -> None:
        """Forget the points of a function that means something else now, and those with a parameter of the name."""
        self.points = {
            key: point
            for key, point in self.points.items()
            if key != name and meant(name, point.names) not in point.names
        }

    def remember(self, target: Target, text: str, at: str | None) -> None:
        """Keep a point that fits as the last one of a target."""
        if at is not None:
            self.points[text] = Remembered(at, target.names)

    def last_point(self, text: str) -> str | None:
        """The last point of a target, as typed; None for the values of the names."""
        point = self.points.get(text)
        return point.at if point else None

    def take(self, imports: str) -> list[str]:
        """Execute Python imports for the functions typed in the session; return the names that they define."""
        names = self.written.take(imports)
        for name in names:
            self.names.forget(name)
            self.sources.pop(name, None)
        self.written.share(self.names, *names)
        return names

    def load(self, path: str) -> list[Binding]:
        """Add the public functions of a Python file; the file is executed again only if it has changed."""
        names = self._loaded(path)
        if names:
            self.latest = names[0] if len(names) == 1 else ""  # with several functions, there is no default
        return [self.meaning(name) for name in names]

    def _loaded(self, path: str) -> list[str]:
        module = python_files.load(path)
        functions = lookup.functions_of(module)
        for name in functions:
            self.names.forget(name)
            self.names.loaded[name] = getattr(module, name)
            self.sources[name] = path
        self.written.share(self.names)
        return functions

    def forget(self, name: str) -> None:
        """Remove a name."""
        self.names.forget(name)
        self.sources.pop(name, None)
        self.written.share(self.names)
        self._forget_points(name)
        if name == self.latest:
            self.latest = ""

    def move(self, text: str) -> list[Binding]:
        """Set the current point: values by name define names, values in order go to the parameters of each target."""
        given = scan(text)
        held = _read_now(text, self._part) if given.positional else {}
        with self._undone_by_errors():
            names = [
                self.names.define(f"{name} = {value}" if isinstance(value, str) else f"{name} = {as_typed(value, str)}")
                for name, value in given.named.items()
            ]
            names += [self.names.give(name, value) for name, value in held.items()]
        self.written.share(self.names)
        self.at = text if given.positional else None
        if self.at:
            self.points.clear()
        for name in names:
            self._forget_points(name)
        return [self.meaning(name) for name in names]

    def refresh(self) -> list[str]:
        """Reload files that have changed; return a note for each, also for one that can no longer be loaded."""
        notes = []
        for path in dict.fromkeys(self.sources.values()):
            if python_files.changed(path):
                try:
                    self._loaded(path)
                    notes.append(f"{path} has changed and was reloaded")
                except GradcliError as error:
                    message = f"line {error.line}: {error.message}" if error.line else error.message
                    notes.append(
                        f"{path} has changed but cannot be loaded; its names keep their old meaning: {message}"
                    )
        return notes

    def means_function(self, text: str) -> bool:
        """Whether a text is exactly the name of a function."""
        return text in self.names.formulas or text in self.names.loaded

    def size(self, names: Iterable[str]) -> int:
        """The number of numbers in the values of some names; a large number if one is not an array."""
        values = (self.names.values.get(name, 0.0) for name in names)
        return sum(1 if isinstance(value, float) else getattr(value, "size", 1_000_000) for value in values)

    def inputs(self, text: str) -> tuple[str, ...]:
        """The names in a formula that it can be differentiated by, in order of appearance."""
        from gradcli.mathematics.language import input_names
        from gradcli.mathematics.language.vocabulary import CONSTANTS

        names = input_names(self.names.parse(text))
        return tuple(name for name in names if name not in CONSTANTS and name not in self.names.references)

    def refuse_unknown(self, text: str) -> None:
        """Refuse a formula with a name that has no value; the error gives its position and a hint."""
        self.names.check_known(self.names.parse(text), (), text)

    def unknown(self, text: str) -> tuple[str, ...]:
        """The names in a formula that have no value, in order of appearance."""
        return tuple(dict.fromkeys(node.id for node in self.names.unknown(self.names.parse(text))))

    def value(self, text: str) -> Any:
        """The value of a formula of known names."""
        from gradcli.shared.pytree import record_value

        with self._running(text):
            return record_value(self.names.value("_", text))

    @contextmanager
    def _running(self, text: str) -> Iterator[None]:
        """A context for running functions of files in a formula; their exceptions are attributed to the user's code."""
        if not self.names.loaded:
            yield
            return
        from gradcli.queries.bound_target import user_code

        with user_code(f"in {shortened(text, 40)}", frameless=True):
            yield

    def turn_to_call(self, text: str) -> None:
        """After a call `f(1, 2)` of numbers or lists, make f the default target, at that point; ignore other texts."""
        match = _CALL.fullmatch(text)
        if match and self.means_function(match[1]):
            self.latest = match[1]
            self.remember(self.target(match[1]), *match.groups())

    def refer(self, numbers: Mapping[str, Any], instead_of: str = "") -> None:
        """Let `_`, `_3` or `%7` refer to numbers, replacing references that begin with `instead_of` if given."""
        import numpy as np

        old = self.names.references
        kept = {name: x for name, x in old.items() if not (instead_of and name.startswith(instead_of))}
        given = {name: np.array(x) if isinstance(x, list) else x for name, x in numbers.items()}
        self.names.references = {**kept, **given}

    def target(self, text: str) -> Target:
        """Resolve a text to a target: a known name, a file's function, or a formula that may use known functions."""
        return resolve(self.with_file(text), self.names)

    def with_file(self, text: str) -> str:
        """A method of an object in a loaded file, `model.loss`, with its file, `file.py:model.loss`; else unchanged."""
        if not _METHOD.fullmatch(text.strip()):
            return text
        owner = text.strip().partition(".")[0]
        files = dict.fromkeys(self.sources.values())
        return next((f"{path}:{text.strip()}" for path in files if hasattr(python_files.load(path), owner)), text)

    @staticmethod
    def replaced_constant(known: Binding) -> str:
        """The remark on a value that replaces a constant of formulas, such as pi; empty for others."""
        from gradcli.mathematics.language.vocabulary import CONSTANTS

        constant = CONSTANTS.get(known.name)
        if known.kind != "value" or constant in (None, known.meaning):
            return ""
        return f"{known.name} no longer means {constant:.6g}; forget {known.name} restores it."

    def claimed(self, text: str, target: Target) -> Target:
        """The claimed gradient of a target, in a text that may use known names."""
        from gradcli.answers.checks.candidate_parsing import candidate_target

        return candidate_target(text, target, self.names)

    def point(self, target: Target, at: str | None = None) -> dict[str, Any]:
        """The point of a target: `at` if given, else the values of its parameters, else the current point in order."""
        from gradcli.answers.targets.missing_values import point_of

        if at is not None:
            return parse_point(self._completed(at, target), target, self._part)
        try:
            return point_of(target, self.names.values)
        except PointError:
            if self.at is None or target.tree is not None:
                raise
        return parse_point(self.at, target, self._part)

    def _completed(self, at: str, target: Target) -> str:
        """A point by name, with the names that it leaves out and that have values."""
        given = scan(at) if "=" in at and at.lstrip()[:1] not in ("{", "@") else None
        if given is None or given.positional:
            return at
        names = {name.partition("[")[0] for name in given.named}
        missing = [parameter.name for parameter in target.parameters if parameter.required]
        return ",".join([at, *(f"{x}={x}" for x in missing if x not in names and x in self.names.values)])

    def _part(self, text: str) -> Any:
        """The value of a formula in a point."""
        return self.names.value("the point", text)

    def known(self) -> list[Binding]:
        """Every name with its meaning: values, then formulas, then functions, each in order of definition."""
        names = self.names
        return [self.meaning(name) for kind in (names.values, names.formulas, names.loaded) for name in kind]

    def source(self, name: str) -> str:
        """The source of a Python function of this name; empty for other names."""
        return source_of(self.names.loaded[name]) if name in self.names.loaded else ""

    def meaning(self, name: str) -> Binding:
        """The meaning of a known name."""
        from gradcli.shared.pytree import record_value

        if name in self.names.values:
            return Binding(name, "value", record_value(self.names.values[name]))
        if name in self.names.formulas:
            return Binding(name, "formula", self.names.formulas[name].reading)
        parameters = ", ".join(map(str, self.target(name).parameters))
        file = self.sources.get(name) or self.with_file(name).rpartition(":")[0] or None
        return Binding(name, "function", f"{name}({parameters})", file)


def _read_now(text: str, formula: Callable[[str], Any]) -> dict[str, Any]:
    """The numbers by name in the files of a point; values in order, for which files are read again later, are checked.

    Raises:
        PointError: a value is not a number, or a file cannot be read.
    """
    given = given_values(text, formula)
    for place, value in enumerate(given.positional if given.is_typed else ()):
        structure(value, ("point", place))
    numbers = {
        name: value for name, value in given.named.items() if given.is_typed and isinstance(value, (float, list))
    }
    return {name: structure(value, (name,)) for name, value in numbers.items()}
