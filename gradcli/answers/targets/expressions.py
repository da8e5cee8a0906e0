"""Typed expressions as targets: their inputs, their interpretation, and the function that evaluates them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from gradcli.answers.targets.point_values import refuse_objects
from gradcli.answers.targets.target import Parameter, Target
from gradcli.engine.code.stack_frames import is_users, of_traceback
from gradcli.errors import GradcliError, PointError
from gradcli.shared.message_wording import quoted, refuse_unknown, shortened

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gradcli.mathematics.language import Apply, Syntax


class FormulaNames(Protocol):
    """The names that a formula may use beside its inputs: those of the language, and those that a session defined."""

    @property
    def references(self) -> Mapping[str, Any]:
        """The values of references to earlier results."""

    @property
    def own_functions(self) -> frozenset[str]:
        """The names of the functions that are not the language's."""

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        """Every function that a formula may call, by name."""

    @property
    def constants(self) -> Mapping[str, Any]:
        """The values of the names in a formula that are not its inputs."""

    def parse(self, text: str) -> Syntax:
        """Parse a formula; raise an ExpressionError if it is not in the language."""

    def standing(self, inputs: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Let `inputs` replace the values of their names in every function called inside the context."""

    def check_known(self, tree: Syntax, inputs: Iterable[str], text: str) -> None:
        """Refuse a formula with names that have no value and are not inputs."""


class _Language:
    """The names of the language."""

    references: Mapping[str, Any] = MappingProxyType({})
    own_functions: frozenset[str] = frozenset()

    @property
    def functions(self) -> Mapping[str, Callable[..., Any]]:
        from gradcli.mathematics import rules

        return rules.functions()

    @property
    def constants(self) -> Mapping[str, Any]:
        from gradcli.mathematics.language.vocabulary import CONSTANTS

        return CONSTANTS

    def parse(self, text: str) -> Syntax:
        from gradcli.mathematics.language import parse

        return parse(text)

    def standing(self, inputs: Mapping[str, Any]) -> AbstractContextManager[None]:
        return nullcontext()

    def check_known(self, tree: Syntax, inputs: Iterable[str], text: str) -> None:
        """Do nothing: the inputs of a target are all names that are not constants."""


LANGUAGE: FormulaNames = _Language()


def parse_target(text: str, known: FormulaNames = LANGUAGE) -> Target:
    """Make a target of a typed expression, which may use the functions among the `known` names.

    Raises:
        ExpressionError: the text is not in the formula language.
        PointError: the expression has no names, so it has no inputs.
    """
    from gradcli.mathematics.language import input_names
    from gradcli.mathematics.language.vocabulary import CONSTANTS

    tree = known.parse(text)
    names = input_names(tree)
    fixed = {**CONSTANTS, **known.references}
    if not names:
        raise PointError(f"{quoted(text)} has no inputs, so it has no gradient.", hint="Name one: x in 2*x + 3.")
    return expression_target(text, tree, tuple(name for name in names if name not in fixed), known)


def expression_target(text: str, tree: Syntax, inputs: tuple[str, ...], known: FormulaNames = LANGUAGE) -> Target:
    """Make a target of checked syntax as a function of `inputs`; its other names have their constant values.

    Raises:
        PointError: an input does not occur in the expression, or another name has no value.
    """
    from gradcli.mathematics.language import input_names
    from gradcli.mathematics.language.vocabulary import CONSTANTS

    names = input_names(tree)
    refuse_unknown(inputs, names)
    values = {**CONSTANTS, **known.references}
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
        reading=f"f({', '.join(inputs)}) = {formula_text(tree)}",
        tree=tree,
    )


class Formula:
    """A typed expression as a function of its inputs. It follows IEEE 754: it returns nan or inf and never raises.

    Args:
        tree: the checked syntax.
        inputs: the names of the arguments, in order.
        constants: the values of the other names.
        name: the name of the function.
        known: the functions that it may call.
        text: the text that positions in the tree refer to.
    """

    def __init__(
        self,
        tree: Syntax,
        inputs: tuple[str, ...],
        constants: Mapping[str, Any],
        name: str = "f",
        known: FormulaNames = LANGUAGE,
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
        from gradcli.mathematics.language.constant_limits import as_computed
        from gradcli.mathematics.language.evaluation import evaluate
        from gradcli.shared.float_errors import ignored_float_errors
        from gradcli.shared.ignored_warnings import ignored_warnings

        inputs = dict(zip(self.inputs, values, strict=True))
        names = {**self.constants, **inputs}
        operands = {name: names[name] for name in self._operands if name in names}
        refuse_objects(operands)
        no_warnings = ignored_warnings(RuntimeWarning, "numpy.")  # as of the mean of no numbers, which is nan
        with ignored_float_errors(), no_warnings, _shapes_named({**inputs, **operands}):
            try:
                return evaluate(self.tree, names, self.known.functions, visit, number=as_computed)
            except KeyError:  # a free name may have been forgotten, or never had a value
                self.known.check_known(self.tree, self.inputs, self.text)
                raise

    @cached_property
    def _operands(self) -> tuple[str, ...]:
        """The names with which the language computes; a function of a file may also take objects."""
        from gradcli.mathematics.language import Apply, Name
        from gradcli.mathematics.language.syntax import walk

        own = self.known.own_functions
        computed = [node for node in walk(self.tree) if isinstance(node, Apply) and node.function not in own]
        nodes = [self.tree, *(argument for node in computed for argument in node.arguments)]
        return tuple(dict.fromkeys(node.id for node in nodes if isinstance(node, Name)))


class Expression(Formula):
    """The expression that the user asked for; its inputs also apply in the session's functions that it calls."""

    def __call__(self, *values: Any, visit: Callable[[Apply, Any], None] | None = None) -> Any:
        """The value of the expression; `visit` is called with each function application and its result."""
        inputs = dict(zip(self.inputs, values, strict=True))
        with self.known.standing(inputs):
            return super().__call__(*values, visit=visit)


@contextmanager
def _shapes_named(values: Mapping[str, Any]) -> Iterator[None]:
    """Report what NumPy cannot compute, incompatible shapes with the names of the values.

    Raises:
        PointError: NumPy cannot combine the shapes, or a function does not take its arguments.
    """
    try:
        yield
    except GradcliError:
        raise
    except (ValueError, ZeroDivisionError) as error:  # arange with a step of 0 divides by it
        if any(is_users(frame) for frame, _ in of_traceback(error.__traceback__)):
            raise
        shapes = [f"{name} has the shape {x.shape}" for name, x in values.items() if hasattr(x, "shape")]
        if not shapes or not isinstance(error, ValueError):
            raise PointError(f"The formula cannot be computed: {str(error).strip()}.") from error
        hint = "Arrays in one formula need equal shapes, or shapes that broadcast."
        if "matmul" in str(error):
            hint = "A product A @ B needs as many columns of A as B has rows."
        raise PointError(f"The shapes do not fit together: {', '.join(shapes)}.", hint=hint) from error


def formula_text(tree: Syntax) -> str:
    """The expression as understood, in the formula language with `**` for powers."""
    from gradcli.mathematics.language import emit
    from gradcli.mathematics.language.formula_text import ATOM, PLAIN, POWER, PRODUCT, SIGN, Emitter, Inline

    needs = (PRODUCT, PRODUCT + 1)
    tight = {
        "mul": Inline("{0}*{1}", PRODUCT, needs),
        "div": Inline("{0}/{1}", PRODUCT, needs),
        "pow": Inline("{0}**{1}", POWER, (ATOM, SIGN)),
    }
    inline = {name: inline for name, inline in PLAIN.inline.items() if name != "where"}
    return emit(tree, Emitter({**inline, **tight}))
