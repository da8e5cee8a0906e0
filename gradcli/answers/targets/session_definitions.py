"""Names defined in a session, for formulas to use: values, functions defined by formulas, and functions of files.

A definition has the form `x = 3`, `v = [1, 2]`, `y = 2*x` or `f(x, y) = a * x^2 * sin(y)`. A value is computed
immediately. A function looks up its free names when it is called, so a new value of `a` or a new `g` takes effect from
then on.
"""

from __future__ import annotations

import inspect
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from gradcli.answers.targets import array_functions
from gradcli.answers.targets.expressions import LANGUAGE, Formula, formula_text
from gradcli.answers.targets.point_lexer import scan
from gradcli.answers.targets.target import Parameter, Target
from gradcli.answers.targets.user_functions_in_formulas import in_formulas
from gradcli.errors import ExpressionError, GradcliError, PointError, ResultError, UsageError
from gradcli.mathematics.language.tokens import NAME
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import did_you_mean, quoted, refuse_unknown

if TYPE_CHECKING:
    from gradcli.mathematics.language import Name, Syntax
    from gradcli.mathematics.language.vocabulary import Signature

_DEFINITION = re.compile(rf"\s*({NAME})\s*(\([^()]*\))?\s*=(?!=)\s*(.*)", re.DOTALL)
_PARAMETERS = re.compile(rf"\(\s*(?:{NAME}\s*(?:,\s*{NAME}\s*)*)?\)")
_BREAK = re.compile(r"[ \t]*\n\s*")
MOST_CALLS = 100  # longest chain of formulas that call one another


class Defined(Frozen):
    """A function defined by a formula.

    Args:
        name: the name of the function.
        parameters: the names of its arguments, in order.
        text: the formula as typed.
        tree: the formula as checked syntax.
    """

    name: str
    parameters: tuple[str, ...]
    text: str
    tree: Syntax

    @property
    def reading(self) -> str:
        """The definition as it would be typed."""
        return f"{self.name}({', '.join(self.parameters)}) = {self.text}"


def is_definition(text: str) -> bool:
    """Whether `text` has the form `name = …` or `name(names) = …`."""
    match = _DEFINITION.fullmatch(text)
    return match is not None and (match[2] is None or bool(_PARAMETERS.fullmatch(match[2])))


class Names:
    """The names that a session has defined.

    Attributes:
        values: numbers, arrays and structures of them, by name.
        formulas: the functions defined by a formula, by name.
        loaded: the callable functions of files, by name.
        references: the numbers and arrays that `_`, `_3` and `%7` refer to.
        globals: the globals of the Python functions typed in the session, which include the values.
    """

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.formulas: dict[str, Defined] = {}
        self.loaded: dict[str, Callable[..., Any]] = {}
        self.references: dict[str, Any] = {}
        self.globals: dict[str, Any] = {}
        self._standing: dict[str, Any] = {}

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """The arguments that each function accepts, array functions included."""
        return ChainMap(self._own_signatures(), array_functions.SIGNATURES)  # type: ignore[arg-type]

    def _own_signatures(self) -> dict[str, Signature]:
        formulas = {name: _signature_of(formula.parameters) for name, formula in self.formulas.items()}
        return {**{name: _signature(function) for name, function in self.loaded.items()}, **formulas}

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """Every function that a formula may call, by name, including those of the language."""
        loaded = {name: in_formulas(name, function) for name, function in self.loaded.items()}
        ours = {**loaded, **{name: self.function(name) for name in self.formulas}}
        return ChainMap(ours, array_functions.FUNCTIONS, LANGUAGE.functions)  # type: ignore[arg-type]

    @property
    def own_functions(self) -> frozenset[str]:
        """The names of the functions that the session has defined or loaded."""
        return frozenset((*self.formulas, *self.loaded))

    @property
    def constants(self) -> Mapping[str, Any]:
        """The values of the names in a formula that are not its inputs."""
        from gradcli.mathematics.language.vocabulary import CONSTANTS

        return ChainMap(self._standing, self.values, self.references, CONSTANTS)

    @contextmanager
    def standing(self, inputs: Mapping[str, Any]) -> Iterator[None]:
        """Let `inputs` replace the values of their names in every function called inside the context.

        After `k = 10` and `c(x) = k*x`, the derivative of `c(2) + k` by k is 3, because the `k` in `c` is the input
        too.
        """
        outer = dict(self._standing)
        before = {name: self.globals[name] for name in inputs if name in self.values and name in self.globals}
        self._standing.update(inputs)
        self.globals.update({name: inputs[name] for name in before})
        try:
            yield
        finally:
            self._standing.clear()
            self._standing.update(outer)
            self.globals.update(before)

    def function(self, name: str) -> Callable[..., Any]:
        """The function that a formula defines under this name."""
        defined = self.formulas[name]
        return Formula(defined.tree, defined.parameters, self.constants, name, self, defined.text)

    def target(self, name: str) -> Target:
        """The function of this name as a target."""
        from gradcli.answers.targets.functions import function_target

        if name in self.formulas:
            return defined_target(self.formulas[name], self)
        return function_target(name, name, self.loaded[name])

    def define(self, text: str) -> str:
        """Add a definition and return the name that it defines.

        Raises:
            UsageError: the text is not a definition, or its name cannot be used.
            ExpressionError: the formula is not in the language, or uses a name without a value.
        """
        match = _DEFINITION.fullmatch(text)
        if match is None:
            raise UsageError(f"{quoted(text)} is not a definition.", hint="Type x = 3 or f(x, y) = x^2 * sin(y).")
        from gradcli.mathematics.language.tokens import normal_form

        name, parameters, body = normal_form(match[1]), match[2], _BREAK.sub(" ", match[3].strip())
        check_name(name)
        if not body:
            raise UsageError(f"Nothing follows {name} =.", hint=f"Type {name} = 3, or a formula.")
        if parameters is None:
            return self.give(name, self.value(name, body))
        formula = self._formula(name, parameters, body)
        self.forget(name)
        self.formulas[name] = formula
        return name

    def give(self, name: str, value: Any) -> str:
        """Give a name a value, in place of its meaning; returns the name.

        Raises:
            UsageError: the name cannot be used.
        """
        check_name(name)
        self.forget(name)
        self.values[name] = value
        return name

    def forget(self, name: str) -> None:
        """Remove a name, whatever it means; unknown names are ignored."""
        for kind in (self.values, self.formulas, self.loaded):
            kind.pop(name, None)

    def value(self, name: str, text: str) -> Any:
        """Compute the value of a definition: a number, a structure as in a point, or a formula of known names."""
        from gradcli.answers.targets.point_values import structure
        from gradcli.answers.targets.points import filed

        if text.startswith(("[", "{", "@")):
            try:
                given = scan(text, "value")
                if len(given.positional) > 1:
                    raise UsageError(f"{quoted(text)} is more than one value.", hint=f"Type [{text}] for an array.")
                return structure(filed(given.positional[0] if given.positional else given.named), (name,))
            except GradcliError:  # a list may also hold, or begin, a formula
                if not self._is_formula(text):
                    raise
        tree = self.parse(text)
        self.check_known(tree, (), text)
        return checked(Formula(tree, (), self.constants, known=self, text=text)(), text)

    def _is_formula(self, text: str) -> bool:
        with suppress(ExpressionError):
            return self.parse(text) is not None
        return False

    def parse(self, text: str) -> Syntax:
        """Parse a formula that may call known functions and use references.

        Raises:
            ExpressionError: the text is not in the language, or a reference does not exist.
        """
        from gradcli.mathematics.language import Name, parse
        from gradcli.mathematics.language.syntax import walk

        tree = parse(text, self.signatures, at_prompt=True)
        for node in walk(tree):
            if isinstance(node, Name) and is_reference(node.id) and node.id not in self.references:
                kind = "node" if node.id.startswith("%") else "result"
                raise ExpressionError(f"There is no {kind} {node.id}.", text, node.start, node.end)
        return tree

    def of_file(self, text: str) -> str:
        """A function of a file that a formula calls, directly or indirectly; an empty string if it calls none."""
        return min(self.called(text) & set(self.loaded), default="")

    def called(self, text: str) -> set[str]:
        """The functions that a formula calls, directly or indirectly, as far as they are formulas."""
        from gradcli.mathematics.language.formula_text import used_functions

        waiting, seen = [self.parse(text)], set[str]()
        while waiting:
            called = used_functions(waiting.pop()) - seen
            seen |= called
            waiting += [self.formulas[name].tree for name in called & set(self.formulas)]
        return seen

    def check_known(self, tree: Syntax, inputs: Iterable[str], text: str) -> None:
        """Refuse a formula with names that have no value and are not inputs.

        Raises:
            ExpressionError: there is such a name; the error gives its position in `text`.
        """
        if missing := self.unknown(tree, inputs):
            from gradcli.answers.targets.missing_values import value_assignments, without_value
            from gradcli.mathematics.language.vocabulary import CONSTANTS

            first, names = missing[0], list(dict.fromkeys(node.id for node in missing))
            typed = f"Type {value_assignments(names)} first."
            near = did_you_mean(first.id, {*inputs, *self.constants} - CONSTANTS.keys())
            raise ExpressionError(
                f"{without_value(names)}.", text, first.start, first.end, hint=f"{near} {typed}" if near else typed
            )

    def unknown(self, tree: Syntax, inputs: Iterable[str] = ()) -> list[Name]:
        """The names in a formula that have no value and are not inputs, in order of appearance."""
        from gradcli.mathematics.language import Name
        from gradcli.mathematics.language.syntax import walk

        known = {*inputs, *self.constants}
        unknown = [node for node in walk(tree) if isinstance(node, Name) and node.id not in known]
        return sorted(unknown, key=lambda node: node.start)

    def _formula(self, name: str, parameters: str, body: str) -> Defined:
        from gradcli.mathematics.language import parse
        from gradcli.mathematics.language.tokens import normal_form

        names = tuple(normal_form(part.strip()) for part in parameters.strip("()").split(",") if part.strip())
        for parameter in names:
            check_name(parameter)
        if len(set(names)) < len(names):
            raise UsageError(f"Two parameters of {name} have the same name.", hint="Give each a name of its own.")
        if not names:
            raise UsageError(f"{name} takes no argument, so it has no gradient.", hint=f"Type {name}(x) = {body}.")
        callable_here = {**self._own_signatures(), name: _signature_of(names)}
        ours = {word: signature for word, signature in callable_here.items() if word not in names}
        signatures = ChainMap(ours, array_functions.SIGNATURES)  # type: ignore[arg-type]
        defined = Defined(name, names, body, parse(body, signatures, at_prompt=True))
        self._refuse_circle(defined)
        return defined

    def _refuse_circle(self, defined: Defined) -> None:
        """Refuse a function that calls itself, directly or indirectly, or that starts too long a chain of calls."""
        from gradcli.mathematics.language.formula_text import used_functions

        waiting: list[tuple[Defined, tuple[str, ...]]] = [(defined, (defined.name,))]
        while waiting:
            function, path = waiting.pop()
            for called in sorted(used_functions(function.tree)):
                if called == defined.name:
                    raise UsageError(
                        f"{defined.name} would call itself: {' -> '.join((*path, called))}.",
                        hint="A formula cannot call itself; write a Python function for that.",
                    )
                if len(path) > MOST_CALLS:
                    raise UsageError(f"{defined.name} would call more than {MOST_CALLS} functions in turn.")
                if called in self.formulas:
                    waiting.append((self.formulas[called], (*path, called)))


def defined_target(defined: Defined, known: Names) -> Target:
    """Make a target of a function that the user defined by a formula; its free names have their known values.

    Raises:
        ExpressionError: a free name has no value.
    """
    known.check_known(defined.tree, defined.parameters, defined.text)

    def rebind(inputs: tuple[str, ...]) -> Target:
        refuse_unknown(inputs, defined.parameters)
        for name in defined.parameters:
            if name not in inputs:
                raise PointError(f"The point gives no value for {name}.")
        function = Formula(defined.tree, inputs, known.constants, defined.name, known, defined.text)
        return target.changed(function=function, parameters=tuple(map(Parameter, inputs)))

    target = Target(
        defined.name,
        defined.name,
        Formula(defined.tree, defined.parameters, known.constants, defined.name, known, defined.text),
        tuple(map(Parameter, defined.parameters)),
        rebind,
        reading=f"{defined.name}({', '.join(defined.parameters)}) = {formula_text(defined.tree)}",
    )
    return target


def _signature_of(names: tuple[str, ...]) -> Signature:
    from gradcli.mathematics.language.vocabulary import Signature

    return Signature(len(names), len(names), names)


def _signature(function: Callable[..., Any]) -> Signature:
    """The positional arguments of a Python function, as far as its signature shows."""
    from gradcli.mathematics.language.vocabulary import MANY, Signature

    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return Signature(1, MANY)
    positional = [
        parameter
        for parameter in parameters
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    least = sum(parameter.default is parameter.empty for parameter in positional)
    most = MANY if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters) else len(positional)
    return Signature(least, most, tuple(parameter.name for parameter in positional))


def is_reference(name: str) -> bool:
    """Whether a name refers to an earlier result or node: `_`, `_3`, `%7`."""
    return name.startswith("%") or name == "_" or (name.startswith("_") and name[1:].isdecimal())


def check_name(name: str) -> None:
    """Refuse a name that cannot be defined.

    Raises:
        UsageError: it is a word of the formula language or of Python, private, or a reference.
    """
    import keyword

    from gradcli.mathematics.language.vocabulary import canonical

    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__") or is_reference(name):
        raise UsageError(f"{quoted(name)} cannot be a name.", hint="Choose another one.")
    if canonical(name):
        hint = f"Give it another name, such as {name}1."
        raise UsageError(f"{quoted(name)} is a function of the formula language.", hint=hint)


def checked(value: Any, text: str) -> Any:
    """The value of a formula, as a float or an array.

    Raises:
        ResultError: it is neither, because a function of a file returned something else.
    """
    from gradcli.methods.transforms.scalar_results import result_description

    shaped = hasattr(type(value), "shape") and hasattr(type(value), "dtype")
    if (shaped and value.dtype.kind not in "fiub") or not (shaped or isinstance(value, (bool, int, float))):
        came = f"an array of {value.dtype}" if shaped else result_description(value)
        raise ResultError(
            f"{quoted(text)} is {came}; a formula needs numbers", hint="Let the function return a number."
        )
    return value if shaped and value.shape else float(value)
