"""What a rule is: a row of mathematics for elementwise operations, NumPy programs for array operations.

On complex numbers a cotangent `ct` pairs with a tangent `t` as Re(ct * t), without a conjugation, so that whatever is
holomorphic has the same partials and vector-Jacobian products as on real numbers, at no cost to these.  A sensitivity,
df/dRe + i df/dIm, is the conjugate of that, taken where cotangents enter and leave a sweep (`conjugated`).

A rule knows nothing of the tape.  Called with plain values it computes; called with a value that has an `apply_rule`
method (a recorded value) it hands itself over, and that is how everything below this package records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from gradcli import language
from gradcli.errors import UnsupportedError
from gradcli.language import Apply, Name, Syntax, float_functions
from gradcli.language import array_functions as array
from gradcli.language.formula_text import ARRAY, CALLS, PLAIN, Emitter, emit, free
from gradcli.language.syntax import is_zero, times
from gradcli.language.vocabulary import CONSTANTS
from gradcli.record_base import Frozen
from gradcli.rules.array_rule import ArrayRule

RULES: dict[str, Elementwise | ArrayRule] = {}

PYTHON_NUMBERS = frozenset((float, int, bool))

ITSELF = "itself"  # what a holomorphic row is on complex numbers

# How many correct roundings a result may be off by; with MANY it loses its digits near its zeros too.
EXACT, ROUNDED, FEW, MANY = 0.0, 1.0, 8.0, 64.0


class Functions(dict[str, Callable[..., Any]]):
    """The functions of one target by name: its own, completed on demand by the rows that are made of other rows.

    Args:
        primitives: the target's own functions.
        number: makes one of the target's numbers from a typed one.
        constants: what pi and its like are among the target's numbers.
        form: what a rule's own function of the target is called, where it is SciPy that computes it.
    """

    def __init__(
        self,
        primitives: Mapping[str, Callable[..., Any]] | None = None,
        number: Callable[[int | float], Any] | None = None,
        constants: Mapping[str, Any] = CONSTANTS,
        form: str = "",
    ) -> None:
        super().__init__(primitives or {})
        self.number = number
        self.constants = constants
        self.form = form

    def evaluate(self, rule: Elementwise, arguments: tuple[Any, ...]) -> Any:
        """The value of a row on the target's numbers."""
        names = {**self.constants, **dict(zip(rule.parameters, arguments, strict=True))}
        return language.evaluate(rule.value_tree, names, self, number=self.number)

    def __missing__(self, name: str) -> Callable[..., Any]:
        rule = RULES[name]
        if isinstance(rule, ArrayRule):
            return rule
        if rule.special and self.form:
            self[name] = getattr(rule, self.form)
            return self[name]
        self[name] = lambda *arguments: self.evaluate(elementwise_rule(name), arguments)  # users may define it anew
        return self[name]


def elementwise_rule(name: str) -> Elementwise:
    """The elementwise rule called `name`."""
    rule = RULES[name]
    assert isinstance(rule, Elementwise)
    return rule


PLAIN_FUNCTIONS = Functions(float_functions.PLAIN, form="plain")
IEEE_FUNCTIONS = Functions(float_functions.IEEE, form="ieee")
ARRAY_FUNCTIONS = Functions(form="on_arrays")
GENERIC_FUNCTIONS = Functions()  # on plain and recorded values alike; filled by `gradcli.rules`


def compile_source(name: str, source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """The function `name` that `source` defines; `source` is written by our own templates and emitters only."""
    exec(compile(source, f"<gradcli rule {name}>", "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def scope_of(tree: Syntax, functions: Functions) -> dict[str, Any]:
    """The functions that a text emitted from `tree` may call."""
    return {**functions.constants, **{name: functions[name] for name in free(tree)}}


def compile_tree(
    name: str, parameters: tuple[str, ...], tree: Syntax, emitter: Emitter, functions: Functions, form: str = "{}"
) -> Callable[..., Any]:
    """A Python function `name(*parameters)` that returns the value of `tree`, in a form such as `-({})`."""
    source = f"def {name}({', '.join(parameters)}):\n    return {form.format(emit(tree, emitter))}\n"
    return compile_source(name, source, scope_of(tree, functions))


def _alternatives(tree: Syntax) -> list[Syntax]:
    """What stands between the `or`s of a condition."""
    if isinstance(tree, Apply) and tree.function == "logical_or":
        return [each for argument in tree.arguments for each in _alternatives(argument)]
    return [tree]


class Partials:
    """The partials of an operation by its arguments: as syntax, and as functions of `v` and the arguments.

    Args:
        parameters: the names of the arguments.
        texts: one per argument, in the formula language; None where there is no derivative.
    """

    def __init__(self, parameters: tuple[str, ...], texts: tuple[str | None, ...]) -> None:
        self.parameters = parameters
        self.texts = texts

    @cached_property
    def trees(self) -> tuple[Syntax | None, ...]:
        """The partials as checked syntax."""
        return tuple(None if text is None else language.parse(text) for text in self.texts)

    @cached_property
    def on_numbers(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials as functions of `v` and the arguments, on recorded numbers, by IEEE 754; None where one is 0."""
        return self._compiled(CALLS)

    @cached_property
    def on_arrays(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials as functions of `v` and the arguments, on arrays, plain or recorded."""
        return self._compiled(ARRAY)

    @cached_property
    def number_products(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials with a factor, as functions of the factor, `v` and the arguments, on recorded numbers."""
        return self._compiled(CALLS, "_factor")

    @cached_property
    def array_products(self) -> tuple[Callable[..., Any] | None, ...]:
        """The same on arrays, plain or recorded."""
        return self._compiled(ARRAY, "_factor")

    def _compiled(self, emitter: Emitter, factor: str = "") -> tuple[Callable[..., Any] | None, ...]:
        parameters = (factor, "v", *self.parameters) if factor else ("v", *self.parameters)

        def compiled(tree: Syntax) -> Callable[..., Any]:
            whole = times(factor, tree) if factor else tree
            return compile_tree("partial", parameters, whole, emitter, GENERIC_FUNCTIONS)

        return tuple(None if tree is None or is_zero(tree) else compiled(tree) for tree in self.trees)


class Elementwise(Frozen, eq=False):
    """One row of the table: an operation that acts on each number alone.

    Args:
        name: the word of the formula language.
        parameters: names of the arguments, as used in the texts.
        value: the operation, in the formula language.
        partials: one text per argument, in the arguments and in `v`, the result; None where there is no derivative.
        where: where the operation and its partials are defined; empty for everywhere.
        kink: where the derivative jumps, or the value does, although the operation is defined; empty for nowhere.
        selects: the operation hands one argument through, so that a partial of 0 means "not taken".
        signed: it is plus or minus its first argument.
        step: it is constant in its first argument, but for jumps.
        roundings: how many correct roundings the result may be off by.
        carries: in how many of its first arguments a sum is one of the result too, as in the factors of a product.
        constants: numbers with the partial by the first argument where one of them is the last, as a constant of an
            array program: it costs less than the one at any arguments.
        source: where a formula that is not school knowledge comes from.
        special: the function of SciPy's that computes it on numbers and arrays; what has no partial there has an
            unknown one, and is refused where it is recorded.
        complex: what the operation is on complex numbers: `ITSELF` where it is holomorphic, so that its partials hold
            as they stand, or the name of the rule that takes its place; empty where complex ones are refused.
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
    roundings: float = FEW
    carries: int = 0
    constants: tuple[tuple[float, str], ...] = ()

    # What array rules alone can be.
    moves = permutes = hermitian = casts = reads = writes = sums = averages = extreme = part = False
    place = ""

    @cached_property
    def on_complex(self) -> Elementwise | ArrayRule | None:
        """The rule that holds on complex numbers, or None."""
        return self if self.complex == ITSELF else RULES.get(self.complex)

    @cached_property
    def value_tree(self) -> Syntax:
        """The value as checked syntax."""
        return language.parse(self.value)

    @cached_property
    def word(self) -> str:
        """The word of the language for the operation on its arguments in order; empty for a longer formula."""
        tree = self.value_tree
        if not isinstance(tree, Apply):
            return ""
        in_order = tuple(x.id for x in tree.arguments if isinstance(x, Name)) == self.parameters
        return tree.function if in_order and len(tree.arguments) == len(self.parameters) else ""

    @property
    def adds(self) -> bool:
        """Whether it is the sum or the difference of its arguments."""
        return self.word in ("add", "sub")

    @property
    def keeps_whole(self) -> bool:
        """Whether it makes whole numbers of whole numbers: a sum, a difference or a product."""
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
        """Whether it is the power of its first argument by the second."""
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
        """Whether it is a logarithm of its argument, to any base."""
        return self.word in ("log", "log2", "log10")

    @property
    def conditional(self) -> bool:
        """Whether its first argument is a condition, which says which of the others is handed through."""
        return self.selects and self.partials[0] is None

    @property
    def piecewise(self) -> bool:
        """Whether it does no more than to choose a piece: one of its arguments, a sign, or a constant."""
        return self.signed or self.step or (self.selects and not self.conditional)

    @cached_property
    def slopes(self) -> Partials:
        """The partials at any arguments."""
        return Partials(self.parameters, self.partials)

    @cached_property
    def slopes_at(self) -> Mapping[Any, Partials]:
        """The partials where the last argument is one of the `constants`, by that."""
        return {x: Partials(self.parameters, (text, *self.partials[1:])) for x, text in self.constants}

    @cached_property
    def flat(self) -> frozenset[int]:
        """The arguments in which the operation is a step: its partial is zero everywhere."""
        return frozenset(n for n, tree in enumerate(self.slopes.trees) if tree is not None and is_zero(tree))

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The operation on Python numbers with Python's arithmetic, which raises where Python raises."""
        return self._value(PLAIN, PLAIN_FUNCTIONS)

    @cached_property
    def ieee(self) -> Callable[..., Any]:
        """The operation on Python floats by IEEE 754: it never raises, and gives nan and inf instead."""
        return self._value(CALLS, IEEE_FUNCTIONS)

    @cached_property
    def on_arrays(self) -> Callable[..., Any]:
        """The operation on arrays, by NumPy's functions and whatever answers to NumPy's protocols."""
        return self._value(ARRAY, array_functions())

    def _value(self, emitter: Emitter, functions: Functions) -> Callable[..., Any]:
        if self.special:
            return array.special(self.special) if emitter is ARRAY else array.special_of_numbers(self.special)
        tree = self.value_tree
        if isinstance(tree, Apply) and tree.function == self.name and dict.__contains__(functions, self.name):
            return functions[self.name]
        # A typed number may be the result, as in where(x > 0, x, 0): on numbers it has to be a float.
        form = "{}" if emitter is ARRAY else "1.0 * ({})"
        return compile_tree(self.name, self.parameters, tree, emitter, functions, form)

    @cached_property
    def at_kink(self) -> Callable[..., Any]:
        """Whether the derivative jumps, as a function of `v` and the arguments, on plain numbers and arrays."""
        tree = language.parse(self.kink)
        return compile_tree("at_kink", ("v", *self.parameters), tree, ARRAY, array_functions())

    @cached_property
    def meeting(self) -> tuple[tuple[int, ...], ...]:
        """Between which arguments the pieces on both sides of a kink meet: two that are equal there, or one that is 0.

        Empty where the operation ends at its kink, as a square root does, and where the condition says more.
        """
        if not self.kink or (self.where and not self.selects):
            return ()
        return tuple(pair for tree in _alternatives(language.parse(self.kink)) if (pair := self._meeting(tree)))

    def _meeting(self, tree: Syntax) -> tuple[int, ...]:
        """The places of the arguments that an equation such as `x == y`, or `x == 0`, is about."""
        if not (isinstance(tree, Apply) and tree.function == "eq"):
            return ()
        sides = [side for side in tree.arguments if not is_zero(side)]
        named = [self.parameters.index(x.id) for x in sides if isinstance(x, Name) and x.id in self.parameters]
        return tuple(named) if len(named) == len(sides) else ()

    @cached_property
    def is_defined(self) -> Callable[..., Any]:
        """Whether the operation is defined, as a function of `v` and the arguments, on plain numbers and arrays."""
        tree = language.parse(self.where or "1")
        return compile_tree("is_defined", ("v", *self.parameters), tree, ARRAY, array_functions())

    def __call__(self, *arguments: Any) -> Any:
        """The operation on anything: Python floats by IEEE 754, arrays elementwise, recorded values recorded."""
        if None in self.partials:
            arguments = self.decided(arguments)
        for argument in arguments:
            if hasattr(type(argument), "apply_rule"):
                return argument.apply_rule(self, arguments, {})
        if all(type(argument) in PYTHON_NUMBERS for argument in arguments):
            return self.ieee(*map(float, arguments))
        return self.on_arrays(*arguments)

    def decided(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with each one that has no partial, such as a condition, as a plain fact: an outcome."""
        if self.special:
            self._refuse_undifferentiated(arguments)
        pairs = zip(arguments, self.partials, strict=True)
        return tuple(x.stopped("condition") if partial is None and hasattr(x, "stopped") else x for x, partial in pairs)

    def _refuse_undifferentiated(self, arguments: tuple[Any, ...]) -> None:
        for argument, slope, parameter in zip(arguments, self.partials, self.parameters, strict=True):
            if slope is None and hasattr(argument, "apply_rule") and argument.depends():
                raise UnsupportedError(
                    f"scipy.special.{self.special.lstrip('_')} has no derivative by its argument {parameter}",
                    hint="Pass a plain number there, or gradcli.stop_gradient(x) to mean it.",
                )

    def __repr__(self) -> str:
        return f"<rule {self.name}({', '.join(self.parameters)}) = {self.value}>"


def array_rule(
    name: str, definition: str | Callable[..., Any], *vjps: Callable[..., Any] | None, **options: Any
) -> ArrayRule:
    """Put an array rule into the table; `options` are the further fields of `ArrayRule`."""
    rule = ArrayRule(name, definition, vjps, **options)
    RULES.setdefault(name, rule)  # a user's rule of that name may have come before
    return rule


Rule = Elementwise | ArrayRule


def array_functions() -> Functions:
    """NumPy's functions under the words of the formula language; NumPy is imported by the first call."""
    if not ARRAY_FUNCTIONS:
        import numpy as np

        ARRAY_FUNCTIONS.update(array.functions(np))
    return ARRAY_FUNCTIONS
