"""A typed expression as a target: its inputs, its reading, and the function that evaluates it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, PointError
from gradcli.targets.message_wording import quoted, refuse_unknown, shortened
from gradcli.targets.target import Parameter, Target

if TYPE_CHECKING:
    from gradcli.language import Apply, Syntax
    from gradcli.targets.namespace import Defined, Names


def parse_target(text: str, known: Names | None = None) -> Target:
    """The target of a typed expression, which may use the functions among the `known` names.

    Raises:
        ExpressionError: the text is not in the formula language.
        PointError: the expression names nothing, so that there is nothing to differentiate by.
    """
    from gradcli.language import input_names, parse
    from gradcli.language.vocabulary import CONSTANTS

    tree = known.parse(text) if known else parse(text)
    names = input_names(tree)
    fixed = {**CONSTANTS, **known.references} if known else CONSTANTS
    if not names:
        raise PointError(f"{quoted(text)} has no inputs, so it has no gradient.", hint="Name one: x in 2*x + 3.")
    return expression_target(text, tree, tuple(name for name in names if name not in fixed), known)


def expression_target(text: str, tree: Syntax, inputs: tuple[str, ...], known: Names | None = None) -> Target:
    """The target of checked syntax as a function of `inputs`; the constants among its other names have their values.

    Raises:
        PointError: an input that the expression does not name, or a name without a value that is no input.
    """
    from gradcli.language import input_names
    from gradcli.language.vocabulary import CONSTANTS

    names = input_names(tree)
    refuse_unknown(inputs, names)
    values = {**CONSTANTS, **known.references} if known else CONSTANTS
    for name in names:
        if name not in inputs and name not in values:
            raise PointError(f"The point gives no value for {name}.")
    constants = {name: values[name] for name in names if name not in inputs}
    name = shortened(text.strip(), 40)
    return Target(
        text,
        name,
        Expression(tree, inputs, constants, name, known, text),
        tuple(Parameter(name) for name in inputs),
        lambda names: expression_target(text, tree, names, known),
        reading=f"f({', '.join(inputs)}) = {_formula(tree)}",
        tree=tree,
    )


def defined_target(defined: Defined, known: Names) -> Target:
    """The target of a function that was defined by a formula; the other names in it have the values that are known.

    Raises:
        ExpressionError: a name without a value.
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
        reading=f"{defined.name}({', '.join(defined.parameters)}) = {_formula(defined.tree)}",
    )
    return target


class Formula:
    """A typed expression as a function of its inputs, by IEEE 754: it gives nan and inf and raises for no value.

    Args:
        tree: its checked syntax.
        inputs: the names of the arguments, in order.
        constants: the values of the other names.
        name: what the function is called.
        known: the functions that it may call besides those of the language.
        text: what the places in the tree refer to.
    """

    def __init__(
        self,
        tree: Syntax,
        inputs: tuple[str, ...],
        constants: Mapping[str, Any],
        name: str = "f",
        known: Names | None = None,
        text: str = "",
    ) -> None:
        self.text = text
        self.tree = tree
        self.inputs = inputs
        self.constants = constants
        self.known = known
        self.__name__ = name

    def __call__(self, *values: Any, visit: Callable[[Apply, Any], None] | None = None) -> Any:
        """The value; `visit` is told each applied function with its result."""
        import numpy as np

        from gradcli import rules
        from gradcli.language import evaluate

        names = {**self.constants, **dict(zip(self.inputs, values, strict=True))}
        with np.errstate(all="ignore"), _shapes_named(self.inputs, values):
            return evaluate(self.tree, names, self.known.functions if self.known else rules.functions(), visit)


class Expression(Formula):
    """A formula that was asked for: its inputs have their names in the functions of the session that it calls too."""

    def __call__(self, *values: Any, visit: Callable[[Apply, Any], None] | None = None) -> Any:
        """The value; `visit` is told each applied function with its result."""
        inputs = dict(zip(self.inputs, values, strict=True))
        with self.known.standing(inputs) if self.known else nullcontext():
            return super().__call__(*values, visit=visit)


@contextmanager
def _shapes_named(names: tuple[str, ...], values: tuple[Any, ...]) -> Iterator[None]:
    """Arrays that do not fit together, by the names of the inputs.

    Raises:
        PointError: NumPy cannot compute with the shapes.
    """
    try:
        yield
    except GradcliError:
        raise
    except ValueError as error:
        shapes = [
            f"{name} has the shape {x.shape}" for name, x in zip(names, values, strict=True) if hasattr(x, "shape")
        ]
        if not shapes:
            raise
        hint = "Arrays that meet in a formula need like shapes, or one that repeats along the other."
        raise PointError(f"The shapes do not fit together: {', '.join(shapes)}.", hint=hint) from error


def _formula(tree: Syntax) -> str:
    """The expression as it was understood, in its own language with Python's spelling of power."""
    from gradcli.language import emit
    from gradcli.language.formula_text import ATOM, PLAIN, POWER, PRODUCT, SIGN, Emitter, Inline

    needs = (PRODUCT, PRODUCT + 1)
    tight = {
        "mul": Inline("{0}*{1}", PRODUCT, needs),
        "div": Inline("{0}/{1}", PRODUCT, needs),
        "pow": Inline("{0}**{1}", POWER, (ATOM, SIGN)),
    }
    inline = {name: inline for name, inline in PLAIN.inline.items() if name != "where"}
    return emit(tree, Emitter({**inline, **tight}))
