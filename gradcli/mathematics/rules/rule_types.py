"""The types of rules: rows of formulas for elementwise operations, NumPy programs for array operations.

For complex numbers, a cotangent `ct` pairs with a tangent `t` as Re(ct * t), without conjugation, so that holomorphic
operations have the same partials and vector-Jacobian products as for real numbers, which cost nothing extra. The
sensitivity, df/dRe + i df/dIm, is the conjugate, taken where cotangents enter and leave a sweep (`conjugated`).

A rule does not know the tape. Called with plain values it computes; called with a value that has an `apply_rule` method
(a recorded value) it passes itself to that method, which is how everything below this package records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from gradcli.errors import UnsupportedError
from gradcli.mathematics import language
from gradcli.mathematics.language import Apply, Name, Syntax
from gradcli.mathematics.language.formula_text import ARRAY, CALLS, PLAIN, SLOPES, Emitter
from gradcli.mathematics.language.syntax import is_zero, times
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.compiled_formulas import (
    ARRAY_FUNCTIONS,
    GENERIC_FUNCTIONS,
    IEEE_FUNCTIONS,
    PLAIN_FUNCTIONS,
    compile_tree,
)
from gradcli.mathematics.rules.rule_table import RULES, Functions, TableRow

PYTHON_NUMBERS = frozenset((float, int, bool))

ITSELF = "itself"  # marks a holomorphic row, which holds for complex numbers unchanged

# The error of a result in units of correct rounding. MANY also means a loss of digits near zeros.
EXACT, ROUNDED, FEW, MANY = 0.0, 1.0, 8.0, 64.0


def _alternatives(tree: Syntax) -> list[Syntax]:
    """The operands of the `or`s in a condition."""
    if isinstance(tree, Apply) and tree.function == "logical_or":
        return [alternative for argument in tree.arguments for alternative in _alternatives(argument)]
    return [tree]


class Partials:
    """The partials of an operation by its arguments: as syntax, and as functions of `v` and the arguments.

    Args:
        parameters: the names of the arguments.
        texts: one per argument, in the formula language; None if there is no derivative.
    """

    def __init__(self, parameters: tuple[str, ...], texts: tuple[str | None, ...]) -> None:
        self.parameters = parameters
        self.texts = texts

    @cached_property
    def trees(self) -> tuple[Syntax | None, ...]:
        """The partials as parsed syntax."""
        return tuple(None if text is None else language.parse(text) for text in self.texts)

    @cached_property
    def on_numbers(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials for recorded numbers, as functions of `v` and the arguments, by IEEE 754; None for zero."""
        return self._compiled(CALLS)

    @cached_property
    def on_arrays(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials as functions of `v` and the arguments, for arrays, plain or recorded."""
        return self._compiled(SLOPES)

    @cached_property
    def number_products(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials times a factor, as functions of the factor, `v` and the arguments, for recorded numbers."""
        return self._compiled(CALLS, "_factor")

    @cached_property
    def array_products(self) -> tuple[Callable[..., Any] | None, ...]:
        """The same for arrays, plain or recorded."""
        return self._compiled(SLOPES, "_factor")

    def _compiled(self, emitter: Emitter, factor: str = "") -> tuple[Callable[..., Any] | None, ...]:
        parameters = (factor, "v", *self.parameters) if factor else ("v", *self.parameters)

        def compiled(tree: Syntax) -> Callable[..., Any]:
            whole = times(factor, tree) if factor else tree
            return compile_tree("partial", parameters, whole, emitter, GENERIC_FUNCTIONS)

        return tuple(None if tree is None or is_zero(tree) else compiled(tree) for tree in self.trees)


class Elementwise(TableRow, eq=False):
    """A row of the table: an operation applied to each element separately.

    Args:
        name: its name in the formula language.
        parameters: the names of the arguments, as used in the texts.
        value: the operation, in the formula language.
        partials: one text per argument, in the arguments and `v`, the result; None if there is no derivative.
        where: the condition under which the operation and its partials are defined; empty for always.
        kink: the condition under which the derivative or the value jumps; empty for never.
        selects: passes one selected argument through, so that a partial of 0 means "not selected".
        signed: equals its first argument up to the sign.
        step: constant in its first argument except for jumps.
        jumps: its value jumps at its kink; that of a step always does.
        roundings: the error bound of the result, in units of correct rounding.
        carries: the number of leading arguments in which the operation is additive, like factors of a product.
        constants: values of the last argument with the partial by the first, cheaper than the general partial.
        custom: added by the user, who may replace it by another one of its name.
        source: the reference for a formula that is not common knowledge.
        special: the SciPy function that computes it for numbers and arrays. An argument without partial then has an
            unknown one, and is refused if recorded.
        complex: `ITSELF` if holomorphic, the rule that replaces it for complex numbers, or empty if it has none.
    """

    name: str
    parameters: tuple[str, ...]
    value: str
    partials: tuple[str | None, ...]
    where: str = ""
    kink: str = ""
    selects: bool = False
    source: str = ""
    special: str = ""
    complex: str = ""
    signed: bool = False
    step: bool = False
    jumps: bool = False
    roundings: float = FEW
    carries: int = 0
    constants: tuple[tuple[float, str], ...] = ()
    custom: bool = False

    # Properties that only array rules can have.
    moves = permutes = hermitian = casts = reads = writes = sums = averages = extreme = part = folds = False
    place = ""

    @cached_property
    def on_complex(self) -> Elementwise | ArrayRule | None:
        """The rule to use for complex numbers, or None."""
        return self if self.complex == ITSELF else RULES.get(self.complex)

    @cached_property
    def value_tree(self) -> Syntax:
        """The value as parsed syntax."""
        return language.parse(self.value)

    @cached_property
    def word(self) -> str:
        """The function of the language that it applies to its arguments in order; empty for a longer formula."""
        tree = self.value_tree
        if not isinstance(tree, Apply):
            return ""
        names = tuple(x.id if isinstance(x, Name) else "" for x in tree.arguments)
        return tree.function if names == self.parameters else ""

    @property
    def adds(self) -> bool:
        """Whether it is the sum or the difference of its arguments."""
        return self.word in ("add", "sub")

    @cached_property
    def keeps_whole(self) -> bool:
        """Whether integers give an integer: sums, differences and products."""
        return self.adds or self.is_product

    @property
    def is_sum(self) -> bool:
        """Whether it is the sum of its arguments."""
        return self.word == "add"

    @property
    def is_product(self) -> bool:
        """Whether it is the product of its arguments."""
        return self.word == "mul"

    @property
    def is_quotient(self) -> bool:
        """Whether it is the quotient of its arguments."""
        return self.word == "div"

    @property
    def is_power(self) -> bool:
        """Whether it raises its first argument to the power of the second."""
        return self.word == "pow"

    @property
    def is_square(self) -> bool:
        """Whether it is the square of its argument."""
        return self.word == "square"

    @property
    def is_root(self) -> bool:
        """Whether it is the square root of its argument."""
        return self.word == "sqrt"

    @property
    def is_logarithm(self) -> bool:
        """Whether it is a logarithm of its argument, of any base."""
        return self.word in ("log", "log2", "log10")

    @property
    def conditional(self) -> bool:
        """Whether its first argument is a condition that selects one of the others."""
        return self.selects and self.partials[0] is None

    @property
    def piecewise(self) -> bool:
        """Whether it only selects a piece: one of its arguments, a sign, or a constant."""
        return self.signed or self.step or (self.selects and not self.conditional)

    @cached_property
    def slopes(self) -> Partials:
        """The partials for general arguments."""
        return Partials(self.parameters, self.partials)

    @cached_property
    def slopes_at(self) -> Mapping[Any, Partials]:
        """The partials for each value of the last argument in `constants`."""
        return {x: Partials(self.parameters, (text, *self.partials[1:])) for x, text in self.constants}

    @cached_property
    def flat(self) -> frozenset[int]:
        """The positions of the arguments whose partial is zero everywhere, such as that of a step."""
        return frozenset(n for n, tree in enumerate(self.slopes.trees) if tree is not None and is_zero(tree))

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The operation on Python numbers with Python's arithmetic and its exceptions."""
        return self._value(PLAIN, PLAIN_FUNCTIONS)

    @cached_property
    def ieee(self) -> Callable[..., Any]:
        """The operation on Python floats by IEEE 754. It never raises, and gives nan and inf instead."""
        return self._value(CALLS, IEEE_FUNCTIONS)

    @cached_property
    def on_arrays(self) -> Callable[..., Any]:
        """The operation on arrays, by NumPy's functions and protocols."""
        return self._value(ARRAY, ARRAY_FUNCTIONS)

    def _value(self, emitter: Emitter, functions: Functions) -> Callable[..., Any]:
        if self.special:
            from gradcli.mathematics.language import numpy_like_functions

            return (
                numpy_like_functions.special(self.special, self._by_definition)
                if emitter is ARRAY
                else numpy_like_functions.special_of_numbers(self.special)
            )
        tree = self.value_tree
        if isinstance(tree, Apply) and tree.function == self.name and self.name in functions:
            return functions[self.name]
        # A literal may be the result, as in where(x > 0, x, 0). For numbers, the result must be a float.
        form = "{}" if emitter is ARRAY else "1.0 * ({})"
        return compile_tree(self.name, self.parameters, tree, emitter, functions, form)

    def _by_definition(self, *arguments: Any) -> Any:
        return self.evaluate(ARRAY_FUNCTIONS, arguments)

    def evaluate(self, functions: Functions, arguments: tuple[Any, ...]) -> Any:
        """The value for the numbers of a target, by its functions."""
        from gradcli.mathematics.language.evaluation import evaluate

        names = {**functions.constants, **dict(zip(self.parameters, arguments, strict=True))}
        return evaluate(self.value_tree, names, functions, number=functions.number)

    def function_in(self, functions: Functions) -> Callable[..., Any]:
        """The operation on the numbers of a target."""
        if self.special and functions.form:
            functions[self.name] = getattr(self, functions.form)
        else:  # looked up at each call, because users may redefine it
            functions[self.name] = lambda *arguments: elementwise_rule(self.name).evaluate(functions, arguments)
        return functions[self.name]

    @cached_property
    def at_kink(self) -> Callable[..., Any]:
        """Whether the derivative jumps, as a function of `v` and the arguments, plain numbers or arrays."""
        tree = language.parse(self.kink)
        return compile_tree("at_kink", ("v", *self.parameters), tree, ARRAY, ARRAY_FUNCTIONS)

    @cached_property
    def at_kink_of_numbers(self) -> Callable[..., Any]:
        """The same for Python floats, faster."""
        tree = language.parse(self.kink)
        return compile_tree("at_kink", ("v", *self.parameters), tree, CALLS, IEEE_FUNCTIONS)

    @cached_property
    def meeting(self) -> tuple[tuple[int, ...], ...]:
        """The arguments whose comparison defines the kink: two that are equal there, or one that is 0.

        Empty if the operation ends at its kink, as a square root does, and if the condition is more complex.
        """
        if not self.kink or (self.where and not self.selects):
            return ()
        return tuple(pair for tree in _alternatives(language.parse(self.kink)) if (pair := self._meeting(tree)))

    def _meeting(self, tree: Syntax) -> tuple[int, ...]:
        """The positions of the arguments in an equation such as `x == y` or `x == 0`."""
        if not (isinstance(tree, Apply) and tree.function == "eq"):
            return ()
        sides = [side for side in tree.arguments if not is_zero(side)]
        named = [self.parameters.index(x.id) for x in sides if isinstance(x, Name) and x.id in self.parameters]
        return tuple(named) if len(named) == len(sides) else ()

    @cached_property
    def is_defined(self) -> Callable[..., Any]:
        """Whether the operation is defined, as a function of `v` and the arguments, plain numbers or arrays."""
        tree = language.parse(self.where or "1")
        return compile_tree("is_defined", ("v", *self.parameters), tree, ARRAY, ARRAY_FUNCTIONS)

    def __call__(self, *arguments: Any) -> Any:
        """Apply the operation: to Python floats by IEEE 754, to arrays elementwise; recorded values are recorded."""
        if None in self.partials:
            arguments = self.decided(arguments)
        for argument in arguments:
            if hasattr(type(argument), "apply_rule"):
                return argument.apply_rule(self, arguments, {})
        if all(type(argument) in PYTHON_NUMBERS for argument in arguments):
            return self.ieee(*map(float, arguments))
        return self.on_arrays(*arguments)

    def decided(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with those that have no partial, such as a condition, as plain facts: outcomes."""
        if self.special:
            self._refuse_undifferentiated(arguments)
        pairs = zip(arguments, self.partials, strict=True)
        return tuple(x.stopped("condition") if partial is None and hasattr(x, "stopped") else x for x, partial in pairs)

    def _refuse_undifferentiated(self, arguments: tuple[Any, ...]) -> None:
        for argument, slope, parameter in zip(arguments, self.partials, self.parameters, strict=True):
            if slope is None and hasattr(argument, "apply_rule") and argument.depends():
                raise UnsupportedError(
                    f"scipy.special.{self.special.lstrip('_')} has no derivative by its argument {parameter}",
                    hint="Pass a plain number there, or gradcli.stop_gradient(x) to treat it as a constant.",
                )

    def __repr__(self) -> str:
        return f"<rule {self.name}({', '.join(self.parameters)}) = {self.value}>"


Rule = Elementwise | ArrayRule


def elementwise_rule(name: str) -> Elementwise:
    """The elementwise rule called `name`."""
    rule = RULES[name]
    assert isinstance(rule, Elementwise)
    return rule
