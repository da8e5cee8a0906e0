"""Rules added by users: one row each, checked on entry against SymPy and finite differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradcli.errors import ExpressionError, RuleError
from gradcli.mathematics.language import Apply, Syntax, input_names, parse
from gradcli.mathematics.language.formula_text import used_functions
from gradcli.mathematics.language.vocabulary import CONSTANTS, declare, undeclare
from gradcli.mathematics.rules.compiled_formulas import GENERIC_FUNCTIONS
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact.partials import derivative
from gradcli.methods.numerics import differences
from gradcli.methods.transforms.public_functions import library_call

TRIALS = (0.37, -0.61, 1.43, -2.17, 0.083, 3.9, 0.71, -0.29, 12.7, 0.0051)
LEAST = 3  # the fewest trial points at which a rule must be defined to be checked
AGREEMENT = 1e-9
HOW_TO_SIGN = "Type it like softplus(x)."


@library_call
def rule(signature: str, value: str, *partials: str, where: str = "", kink: str = "") -> Elementwise:
    """Add an elementwise operation to the table of rules.

    Args:
        signature: `name(arguments)`, such as `"softplus(x)"`.
        value: the operation in the formula language, such as `"log1p(exp(x))"`.
        partials: the derivative by each argument, in terms of the arguments and of `v`, the result.
        where: a condition on the arguments under which the operation is defined, such as `"x > 0"`.
        kink: a condition under which the derivative jumps, such as `"x == 0"`.

    Returns:
        The operation as a function of numbers, arrays and recorded values. Typed expressions can use its name.

    Raises:
        RuleError: the row is malformed, a partial is not the derivative of the value (by SymPy or by finite
            differences), or another custom rule uses the name that is to be replaced.
        ExpressionError: a text is not in the formula language.

    A rule of the same name is replaced; the function that `rule` returned for it keeps its old meaning.
    """
    for text in (signature, value, *partials, where, kink):
        if not isinstance(text, str):
            raise RuleError(f"{text!r} is not a string", hint='Type it like rule("square(x)", "x * x", "2 * x").')
    name, parameters = _read_signature(signature)
    if len(partials) != len(parameters):
        arguments = f"{len(parameters)} argument{'s'[: len(parameters) != 1]} ({', '.join(parameters)})"
        raise RuleError(
            f"{name} has {arguments} and {len(partials)} partial{'s'[: len(partials) != 1]}",
            hint="Give one partial for each argument, in the same order.",
        )
    _check_names(name, value, parameters)
    for text in (*partials, *filter(None, (where, kink))):
        _check_names(name, text, (*parameters, "v"))
    _refuse_if_used(name)
    made = Elementwise(name, parameters, value, partials, where, kink, custom=True)
    declare(name, len(parameters))
    before = RULES.get(name)
    RULES[name] = made
    try:
        _check(made)
    except Exception:
        _restore(name, before)
        raise
    GENERIC_FUNCTIONS[name] = made
    _added[name] = made
    return made


_added: dict[str, Elementwise] = {}


def forget(name: str) -> None:
    """Remove a custom rule. The name becomes unknown; operations recorded earlier are not affected."""
    del _added[name], RULES[name], GENERIC_FUNCTIONS[name]
    undeclare(name)


def _refuse_if_used(name: str) -> None:
    """Raise a RuleError if another custom rule uses the name."""
    for other in _added.values():
        trees: list[Syntax | None] = [other.value_tree, *other.slopes.trees]
        if other.name != name and any(tree is not None and name in used_functions(tree) for tree in trees):
            raise RuleError(f"the rule {other.name} uses {name}", hint="Give the new rule another name.")


def _restore(name: str, before: Any) -> None:
    if before is None:
        del RULES[name]
        undeclare(name)
    else:
        RULES[name] = before
        declare(name, len(before.parameters))


def _is_parameter(name: str) -> bool:
    return name.isidentifier() and not name.startswith("_") and name != "v" and name not in CONSTANTS


def _read_signature(signature: str) -> tuple[str, tuple[str, ...]]:
    tree = parse_signature(signature)
    parameters = tuple(getattr(argument, "id", "") for argument in tree.arguments)
    if not parameters or not all(map(_is_parameter, parameters)):
        message = f"{signature!r} is not a signature: its arguments must be plain names other than v"
        raise RuleError(message, hint=HOW_TO_SIGN)
    if len(set(parameters)) != len(parameters):
        raise RuleError(f"{signature!r} names an argument twice")
    return tree.function, parameters


def parse_signature(signature: str) -> Apply:
    """Parse `name(arguments)`, where the language need not know the name yet."""
    name, bracket, rest = signature.partition("(")
    name = name.strip()
    if not bracket or not name.isidentifier() or not rest.rstrip().endswith(")"):
        raise RuleError(f"{signature!r} is not a signature", hint=HOW_TO_SIGN)
    arguments = [part.strip() for part in rest.rstrip()[:-1].split(",")]
    try:
        return Apply(name, tuple(parse(argument) for argument in arguments), 0, len(signature))
    except ExpressionError as error:
        raise RuleError(f"{signature!r} is not a signature: {error.message}", hint=HOW_TO_SIGN) from None


def _check_names(name: str, text: str, known: tuple[str, ...]) -> None:
    unknown = [used for used in input_names(parse(text)) if used not in known and used not in CONSTANTS]
    if unknown:
        raise RuleError(
            f"the text {text!r} of the rule {name} uses {unknown[0]}, which is not an argument",
            hint=f"It may use {', '.join(known)}.",
        )


def _check(made: Elementwise) -> None:
    """Compare each partial with SymPy's derivative and with finite differences, at the trial points where it is
    defined.
    """
    points = [point for point in _trials(len(made.parameters)) if _is_defined(made, point)]
    if len(points) < LEAST:
        raise RuleError(f"{made.name} is defined at {len(points)} of {len(TRIALS)} trial points, too few to check it")
    for position, parameter in enumerate(made.parameters):
        for point in points:
            _check_partial(made, position, parameter, point)


def _trials(count: int) -> list[tuple[float, ...]]:
    return [tuple(TRIALS[(n + 3 * k) % len(TRIALS)] for k in range(count)) for n in range(len(TRIALS))]


def _is_defined(made: Elementwise, point: tuple[float, ...]) -> bool:
    conditions = [text for text in (made.where,) if text]
    holds = all(_evaluate(made, text, point) for text in conditions)
    kink = bool(made.kink) and bool(_evaluate(made, made.kink, point))
    return holds and not kink and math.isfinite(made.ieee(*point))


def _evaluate(made: Elementwise, text: str, point: tuple[float, ...]) -> Any:
    return _function(made, text, ("v", *made.parameters))(made.ieee(*point), *point)


def _function(made: Elementwise, text: str, parameters: tuple[str, ...]) -> Callable[..., Any]:
    from gradcli.mathematics.language.formula_text import CALLS
    from gradcli.mathematics.rules.compiled_formulas import IEEE_FUNCTIONS, compile_tree

    return compile_tree("partial", parameters, parse(text), CALLS, IEEE_FUNCTIONS)


def _check_partial(made: Elementwise, position: int, parameter: str, point: tuple[float, ...]) -> None:
    text = made.partials[position]
    assert text is not None
    stated = _evaluate(made, text, point)
    where = ", ".join(f"{name} = {x:g}" for name, x in zip(made.parameters, point, strict=True))
    exactly = float(derivative(made, position)(*map(_exact_number, point)))
    if math.isfinite(exactly) and abs(stated - exactly) > AGREEMENT * max(abs(exactly), 1e-9):
        raise RuleError(
            f"the partial of {made.name} by {parameter} is wrong: at {where}, {text} is {stated:.12g} "
            f"and SymPy's derivative of {made.value} is {exactly:.12g}"
        )
    slope = differences.slope(_along(made, position, point), point[position], 2.2e-16)
    bar = max(4 * slope.error, 1e-6 * abs(slope.value), 1e-9)
    if not abs(stated - slope.value) <= bar and math.isfinite(slope.value):
        raise RuleError(
            f"the partial of {made.name} by {parameter} is wrong: at {where}, {text} is {stated:.12g} "
            f"and finite differences give {slope.value:.12g} ± {slope.error:.2g}"
        )


def _exact_number(x: float) -> Any:
    from gradcli.mathematics.language import mpmath_functions as numbers

    return numbers.number(x)


def _along(made: Elementwise, position: int, point: tuple[float, ...]) -> Callable[[float], float]:
    return lambda x: float(made.ieee(*point[:position], x, *point[position + 1 :]))
