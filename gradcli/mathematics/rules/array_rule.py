"""Rules for operations on whole arrays: the operation, the products with its Jacobian, and properties for readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from gradcli.mathematics.rules.rule_table import RULES, TableRow


def compiled(definition: str) -> Callable[..., Any]:
    """Compile the definition of a rule to a function."""
    import numpy as np

    from gradcli.mathematics.rules.lazy_scipy import SCIPY

    function: Callable[..., Any] = eval(f"lambda {definition}", {"np": np, "scipy": SCIPY})
    return function


class ArrayRule(TableRow, eq=False):
    """An operation on whole arrays with its vector-Jacobian and Jacobian-vector products, written in NumPy calls.

    Args:
        name: the operation's name on the tape.
        definition: the operation as text, like a `lambda` without that word: the arguments and, by keyword, choices
            without derivative, such as an axis; a colon; and an expression in these, `np` and `scipy`, such as `"x, *,
            axis: np.cumsum(x, axis=axis)"`. If one expression cannot express it, a function `forward(*arguments,
            **static)`, whose keyword arguments are the choices.
        vjps: `vjp(cotangent, v, *arguments, **static)`, one per argument. A `variadic` rule has a single one, which
            takes `position=` too.
        parts: `parts(cotangent, v, arguments, **static)` of a `variadic` rule: the products of all its arguments in
            linear time.
        compute: a function called in place of a definition given as text, with the same result: faster, or for more
            types of arguments.
        errors: like `parts`, bounds on the errors of the products, for those that are measured and no formulas.
        jvp: `jvp(tangents, v, *arguments, **static)`, with the tangents by the position of their argument. Linear,
            bilinear and diagonal rules need none.
        batched: `batched(cotangents, v, *arguments, **static)`, one per argument like `vjps`: the products of many
            cotangents, stacked along a new first axis. Where it is None, or returns None, `vjps` is called for each.
        linear: linear in all arguments together, so that the tangent of the result is `forward` of the tangents.
            Without `reach`, its factors must not cancel, so that its vjp of ones is zero only for elements that were
            not selected.
        bilinear: linear in each of two arguments, so that the tangent of the result is a sum of `forward`s.
        diagonal: each element of the result depends only on the elements at its position in the arguments; the vjps
            multiply any array by the partials, tangents and stacked cotangents too.
        selects: passes selected elements of its argument through, so that a vjp of 0 means "not selected".
        moves: each element of the result is an element of an argument, moved, or 0 if it comes from none.
        permutes: only permutes the axes of its argument.
        casts: only changes the dtype.
        place: the keyword argument, such as `key`, that gives the indices to read or write.
        sums: the sum, or with `averages` the mean, of elements along axes.
        extreme: the largest or smallest element along axes.
        part: a part of each complex number, no larger than the number, and linear over the reals.
        reach: `reach(marks, v, *arguments, **static)`, for a rule with one argument whose vjp does not tell which
            elements were selected: like its vjp, but for a mask of zeros and ones, and nonzero for every element that
            affects a marked one.
        variadic: takes any number of arguments.
        in_place: `in_place(buffer, cotangent, **static)`, for a rule that reads indices of its one argument: adds the
            cotangent to a buffer of that argument's shape, so that loops of reads take linear time.
        clear: `clear(buffer, **static)`, for a rule that writes its second argument into its first: turns the cotangent
            into that of the first, with zeros where it was overwritten, in place, so that loops of writes take linear
            time.
        complex: its vector-Jacobian products hold for complex numbers too; those of linear and bilinear rules always
            do.
        hermitian: assumes a Hermitian matrix, where NumPy's function reads one triangle and has another product.
        kink: `kink(cotangent, v, *arguments, **static)`, for plain arrays: whether the function that uses the result as
            the cotangent says has no unique derivative there; None if that never happens.
        is_logarithm: the logarithm of a number that is 0 for some arguments, such as a determinant.
        folds: stands for all that a library's function did; its choice `call` is the text of the call.
    """

    name: str
    definition: str | Callable[..., Any]
    vjps: tuple[Callable[..., Any] | None, ...]
    compute: Callable[..., Any] | None = None
    jvp: Callable[..., Any] | None = None
    batched: tuple[Callable[..., Any] | None, ...] = ()
    linear: bool = False
    bilinear: bool = False
    diagonal: bool = False
    selects: bool = False
    reach: Callable[..., Any] | None = None
    variadic: bool = False
    parts: Callable[..., Any] | None = None
    errors: Callable[..., Any] | None = None
    in_place: Callable[..., None] | None = None
    clear: Callable[..., None] | None = None
    complex: bool = False
    kink: Callable[..., bool] | None = None
    moves: bool = False
    permutes: bool = False
    hermitian: bool = False
    casts: bool = False
    place: str = ""
    sums: bool = False
    averages: bool = False
    extreme: bool = False
    part: bool = False
    is_logarithm: bool = False
    folds: bool = False

    # Properties that only elementwise rules can have.
    adds = keeps_whole = is_sum = is_product = is_quotient = is_power = is_square = is_root = False
    conditional = piecewise = signed = step = jumps = False

    @property
    def written(self) -> str | None:
        """The definition if it is text; None if it is a function."""
        return self.definition if isinstance(self.definition, str) else None

    @cached_property
    def forward(self) -> Callable[..., Any]:
        """The operation on plain arrays. A definition given as text is compiled on first use."""
        if self.compute is not None:
            return self.compute
        return compiled(self.definition) if isinstance(self.definition, str) else self.definition

    @property
    def reads(self) -> bool:
        """Whether it reads its one argument at `key`."""
        return self.in_place is not None

    @property
    def writes(self) -> bool:
        """Whether it writes its second argument into the first at `key`."""
        return self.clear is not None

    @property
    def adds_up(self) -> bool:
        """Whether it adds elements to those already at the target indices."""
        return bool(self.place) and not self.moves

    @property
    def on_complex(self) -> ArrayRule | None:
        """The rule to use for complex numbers, or None."""
        return self if self.complex or self.linear or self.bilinear else None

    def vjp(self, position: int, cotangent: Any, v: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """The cotangent of argument `position`, in the shape of that argument or of its broadcast."""
        if self.variadic:
            return self.vjps[0](cotangent, v, *arguments, position=position, **static)  # type: ignore[misc]
        return self.vjps[position](cotangent, v, *arguments, **static)  # type: ignore[misc]

    def batched_vjp(
        self, position: int, cotangents: Any, v: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]
    ) -> Any:
        """The products of stacked cotangents, or None if they must be computed one by one."""
        given = self.vjps if self.diagonal else self.batched
        product = given[0 if self.variadic else position] if given else None
        if product is None:
            return None
        choices = {**static, "position": position} if self.variadic else static
        return product(cotangents, v, *arguments, **choices)

    def __call__(self, *arguments: Any, **static: Any) -> Any:
        """Apply the operation: plain arrays are computed, recorded values are recorded."""
        for argument in arguments:
            if hasattr(type(argument), "apply_rule"):
                return argument.apply_rule(self, arguments, static)
        return self.forward(*arguments, **static)

    def __repr__(self) -> str:
        return f"<rule {self.name}>"


def array_rule(
    name: str, definition: str | Callable[..., Any], *vjps: Callable[..., Any] | None, **options: Any
) -> ArrayRule:
    """Add an array rule to the table. `options` are the other fields of `ArrayRule`."""
    rule = ArrayRule(name, definition, vjps, **options)
    RULES.setdefault(name, rule)  # a custom rule of that name may exist already
    return rule
