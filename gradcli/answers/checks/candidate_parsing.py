"""Claimed gradients: a named function or file, numbers, or a formula for each component."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from gradcli.answers.targets import Asked, Target, resolve
from gradcli.answers.targets.expressions import LANGUAGE, Expression, Formula, FormulaNames
from gradcli.answers.targets.functions import function_target
from gradcli.answers.targets.point_lexer import Atom, Given, scan
from gradcli.answers.targets.session_definitions import Names
from gradcli.answers.targets.target_resolution import module_of, neighbour, neighbours
from gradcli.errors import ExpressionError, UsageError
from gradcli.mathematics.language import Syntax, input_names, parse
from gradcli.mathematics.language.formula_text import used_functions
from gradcli.mathematics.language.syntax import Name, Number, fold, walk
from gradcli.mathematics.language.tokens import meant, normalised
from gradcli.shared.message_wording import did_you_mean, list_text, quoted
from gradcli.shared.pytree import map_leaves

GIVEN = "the claimed gradient"

SPELLINGS = "Type file.py:grad_f, numbers such as 12,4, or a formula for each number of the point: '2*x*y, x**2'."

_SEVERAL = re.compile(r"\s*(?:[\[{(]|[^\W\d]\w*\s*=(?!=))|[^()]*,|.*\)[^()]*,", re.DOTALL)
_OF_CODE = re.compile(r"[^\[{(]*(?:\.pyw?\s*(?::|$)|:)", re.DOTALL | re.IGNORECASE)
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)


def numbers_target(numbers: Any, text: str = GIVEN) -> Target:
    """Make a target of a gradient given as numbers."""
    return function_target(text, GIVEN, lambda *inputs: map_leaves(copy.copy, numbers))


def candidate_target(asked: Asked, target: Target, known: Names | None = None) -> Target:
    """Make a target of the claimed gradient: a function, the text of its numbers, or a formula for each component.

    `@gradient.json` and `@gradient.npy` are read from files. Formulas use the names of the inputs of `target`. Several
    formulas are written like a point: `2*x*y, x^2`, `[2*x*y, x^2]`, or by name `x=2*x*y, y=x^2`. A bare name that is
    not an input, such as `grad_f` or `problem.jac`, is a function in the target's own module.

    Raises:
        UsageError: the text is none of these.
        ExpressionError: a formula is not in the formula language, or has a name that is not an input.
    """
    if isinstance(asked, Target):
        return asked
    if not asked.strip():
        raise UsageError("The gradient to check is empty.", hint=SPELLINGS)
    if _is_code(asked, known):
        return resolve(asked, known)
    if (
        _NAME.fullmatch(asked.strip())
        and asked.strip() not in target.names
        and (neighbour_ := neighbour(target, asked))
    ):
        return neighbour_
    if asked.strip().startswith("@"):
        from gradcli.answers.targets import point_files

        loaded = point_files.read_point(asked.strip()[1:])
        return numbers_target(loaded.named or loaded.positional[0], asked)
    read = _CandidateReader(target, known or LANGUAGE)
    parts = map_leaves(read.part, _scanned(asked, target.names))
    return _typed(asked, parts, read.used)


def _is_code(text: str, known: Names | None) -> bool:
    """Whether a text names a function of a file, of a module or of the session."""
    typed = text.strip()
    return bool(_OF_CODE.match(typed)) or (known is not None and typed in known.own_functions)


def _scanned(text: str, inputs: Collection[str]) -> Any:
    """The text as atoms in the structure in which it was typed; a single formula is one atom."""
    if not _SEVERAL.match(text):
        return Atom(text.strip())
    try:
        parse(text)
    except ExpressionError:
        pass
    else:
        return Atom(text.strip())
    entries = _entries(text)
    if entries.named and entries.positional:
        raise UsageError("The gradient mixes named and unnamed components.", hint="Name all of them: x=2*x*y,y=x**2.")
    if entries.named:
        return {meant(name, inputs): part for name, part in entries.named.items()}
    return entries.positional[0] if len(entries.positional) == 1 else entries.positional


def _entries(text: str) -> Given:
    """Scan a text after removing round brackets around all of it."""
    given = scan(text, "gradient")
    typed = text.strip()
    alone = not given.named and len(given.positional) == 1 and given.positional[0] == typed
    return scan(typed[1:-1], "gradient") if alone and typed[0] == "(" and typed[-1] == ")" else given


class _CandidateReader:
    """Convert typed formulas of a gradient to functions of the inputs, and typed numbers to floats.

    Attributes:
        used: the inputs that the formulas read.
    """

    def __init__(self, target: Target, known: FormulaNames) -> None:
        self.target = target
        self.known = known
        self.constants = known.constants
        self.used: dict[str, None] = {}

    def part(self, text: Atom) -> Any:
        """Convert one atom to a number, or to a function of the values of all inputs by name."""
        if _NOT_FINITE.fullmatch(text):
            return float(text)
        if text[:1] in "\"'":
            raise UsageError(f"{quoted(text.strip(text[0]))} is a string; a gradient consists of numbers and formulas.")
        tree = _as_spelt(self.known.parse(text), text, self.target.names)
        self._check_names(tree, text)
        names = input_names(tree)
        asked = self.target.tree is not None
        # A function of the session may read the inputs as well.
        read = self.target.names if asked and used_functions(tree) & self.known.own_functions else names
        inputs = tuple(name for name in read if name in self.target.names)
        self.used |= dict.fromkeys(inputs)
        constants = {name: self.constants[name] for name in names if name not in inputs}
        formula = (Expression if asked else Formula)(tree, inputs, constants, GIVEN, self.known, text)
        return (lambda values: formula(*(values[name] for name in inputs))) if inputs else float(formula())

    def _check_names(self, tree: Syntax, text: str) -> None:
        """Refuse a name that is not an input and has no value."""
        known = [*self.target.names, *self.constants]
        for node in walk(tree):
            if isinstance(node, Name) and node.id not in known:
                functions = neighbours(self.target) or sorted(self.known.own_functions - {self.target.text})
                inputs = f"The inputs are {list_text(self.target.names)}"
                inputs += f", and the functions there {list_text(functions)}." if functions else "."
                near = did_you_mean(node.id, [*self.target.names, *functions])
                file = module_of(self.target.text) if node is tree else None
                whose = f"no function in {file}, and no input of {self.target.name}"
                raise ExpressionError(
                    f"{quoted(node.id)} is {whose if file else f'not an input of {self.target.text}'}.",
                    text,
                    node.start,
                    node.end,
                    hint=f"{near} {inputs}" if near else inputs,
                )


def _as_spelt(tree: Syntax, text: str, inputs: Collection[str]) -> Syntax:
    """The formula with the names of the inputs as the target spells them, such as π, which the language reads as pi."""

    def leaf(node: Number | Name) -> Syntax:
        typed = normalised(text[node.start : node.end])
        if isinstance(node, Name) and "." not in typed:  # `np.pi` is the constant
            node = node.changed(id=typed if typed in inputs else meant(node.id, inputs))
        return node

    return fold(tree, leaf, lambda node, arguments: node.changed(arguments=tuple(arguments)))


def _typed(text: str, parts: Any, used: Mapping[str, None]) -> Target:
    """Make a target of a typed gradient: a function of the inputs that its formulas read."""
    if not used:
        return numbers_target(_as_array(parts), text)

    def gradient(*values: Any) -> Any:
        return _called(parts, dict(zip(used, values, strict=True)))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    gradient.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind) for name in used]
    )
    return function_target(text, text.strip(), gradient)


def _called(parts: Any, values: Mapping[str, Any]) -> Any:
    """Evaluate a structure of numbers and functions."""
    if isinstance(parts, dict):
        return {name: _called(part, values) for name, part in parts.items()}
    if isinstance(parts, list):
        return [_called(part, values) for part in parts]
    return parts(values) if isinstance(parts, Callable) else parts  # type: ignore[arg-type]


def _as_array(parts: Any) -> Any:
    """Convert bracketed numbers to arrays, so that their shape counts; ragged lists stay as they are."""
    import numpy as np

    if isinstance(parts, dict):
        return {name: _as_array(part) for name, part in parts.items()}
    if not isinstance(parts, list):
        return parts
    try:
        return np.array(parts, dtype=np.float64)
    except (TypeError, ValueError):  # lists of dicts, ragged lists
        return parts
