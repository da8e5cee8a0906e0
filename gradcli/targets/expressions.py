"""Typed expressions as targets: their inputs, their interpretation, and the function that evaluates them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError, PointError
from gradcli.message_wording import quoted, refuse_unknown, shortened
from gradcli.targets.point_values import refuse_objects
from gradcli.targets.target import Parameter, Target

if TYPE_CHECKING:
    from gradcli.language import Apply, Syntax
    from gradcli.targets.session_definitions import Defined, Names


def parse_target(text: str, known: Names | None = None) -> Target:
    """Make a target of a typed expression, which may use the functions among the `known` names.

    Raises:
        ExpressionError: the text is not in the formula language.
        PointError: the expression has no names, so it has no inputs.
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
    """Make a target of checked syntax as a function of `inputs`; its other names have their constant values.

    Raises:
        PointError: an input does not occur in the expression, or another name has no value.
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
        reading=f"{defined.name}({', '.join(defined.parameters)}) = {_formula(defined.tree)}",
    )
    return target


class Formula:
    """A typed expression as a function of its inputs. It follows IEEE 754: it returns nan or inf and never raises.

    Args:
        tree: the checked syntax.
        inputs: the names of the arguments, in order.
        constants: the values of the other names.
        name: the name of the function.
        known: the functions that it may call in addition to those of the language.
        text: the text that positions in the tree refer to.
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
        """The value of the expression; `visit` is called with each function application and its result."""
        from gradcli import rules
        from gradcli.float_errors import ignored_float_errors
        from gradcli.language.constant_limits import as_computed
        from gradcli.language.evaluation import evaluate

        inputs = dict(zip(self.inputs, values, strict=True))
        names = {**self.constants, **inputs}
        operands = {name: names[name] for name in self._operands if name in names}
        refuse_objects(operands)
        with ignored_float_errors(), _shapes_named({**inputs, **operands}):
            try:
                functions = self.known.functions if self.known else rules.functions()
                return evaluate(self.tree, names, functions, visit, number=as_computed)
            except KeyError:
                if self.known:  # a free name may have been forgotten, or never had a value
                    self.known.check_known(self.tree, self.inputs, self.text)
                raise

    @cached_property
    def _operands(self) -> tuple[str, ...]:
        """The names with which the language computes; a function of a file may also take objects."""
        from gradcli.language import Apply, Name
        from gradcli.language.syntax import walk

        own = {*self.known.formulas, *self.known.loaded} if self.known else set()
        computed = [node for node in walk(self.tree) if isinstance(node, Apply) and node.function not in own]
        found = [self.tree, *(argument for node in computed for argument in node.arguments)]
        return tuple(dict.fromkeys(node.id for node in found if isinstance(node, Name)))


class Expression(Formula):
    """The expression that the user asked for; its inputs also apply in the session's functions that it calls."""

    def __call__(self, *values: Any, visit: Callable[[Apply, Any], None] | None = None) -> Any:
        """The value of the expression; `visit` is called with each function application and its result."""
        inputs = dict(zip(self.inputs, values, strict=True))
        with self.known.standing(inputs) if self.known else nullcontext():
            return super().__call__(*values, visit=visit)


@contextmanager
def _shapes_named(values: Mapping[str, Any]) -> Iterator[None]:
    """Report incompatible array shapes with the names of the values.

    Raises:
        PointError: NumPy cannot combine the shapes.
    """
    try:
        yield
    except GradcliError:
        raise
    except ValueError as error:
        shapes = [f"{name} has the shape {x.shape}" for name, x in values.items() if hasattr(x, "shape")]
        if not shapes:
            raise
        hint = "Arrays in one formula need equal shapes, or shapes that broadcast."
        raise PointError(f"The shapes do not fit together: {', '.join(shapes)}.", hint=hint) from error


def _formula(tree: Syntax) -> str:
    """The expression as understood, in the formula language with `**` for powers."""
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
